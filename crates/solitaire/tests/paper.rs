//! What "Mancala Matrices" prints, number by number.

use sowing_solitaire::{
    Board, Chain, DEFAULT_LIMIT, Line, LossReason, Matrix, MatrixKind, Variant, Vector,
    WinAnalysis, Winning, chain_count, chains, check, check_theorems, inverse_product,
    length_of_chain_vector, recursion, tally, unplay, unplay_product,
};

fn board(text: &str) -> Board {
    text.parse().unwrap()
}

fn whole(matrix: &Matrix, vector: &[i64]) -> Vec<i64> {
    let product = matrix.apply(&Vector::new(vector.to_vec()).unwrap()).unwrap();
    product.into_iter().map(|entry| entry.whole().unwrap() as i64).collect()
}

fn signed(entries: &[u64]) -> Vec<i64> {
    entries.iter().map(|&entry| entry as i64).collect()
}

#[test]
fn figures_4_and_5() {
    let mut rows = 0;
    let mut unplayed = Vec::new();
    for line in include_str!("../../lab/published/tchoukaillon.csv").lines().skip(2) {
        let fields: Vec<&str> = line.split(',').collect();
        let numbers = |field: &str| -> Vec<u64> {
            field.split_whitespace().map(|number| number.parse().unwrap()).collect()
        };
        let winning = Winning::new(fields[0].parse().unwrap()).unwrap();
        assert_eq!(winning.bins().collect::<Vec<_>>(), numbers(fields[1]), "board of {line}");
        assert_eq!(winning.moves().collect::<Vec<_>>(), numbers(fields[2]), "moves of {line}");
        unplay(&mut unplayed);
        assert_eq!(unplayed, numbers(fields[1]), "unplayed board of {line}");
        rows += 1;
    }
    assert_eq!(rows, 11);
}

#[test]
fn figure_2_loses() {
    let flaw = check(&board("2,0,3,1")).unwrap_err();
    assert_eq!(flaw, LossReason::Overfull { bin: 1, stones: 2 });
    assert!(flaw.to_string().starts_with("bin 1 is overfull"));
}

#[test]
fn figure_1_and_section_3() {
    let mut line = Line::new(board("0,2,2,4")).unwrap();
    let mut bins = Vec::new();
    let mut rows = Vec::new();
    while let Some(bin) = line.advance() {
        bins.push(bin);
        rows.push(line.bins().to_vec());
    }
    assert_eq!(bins, [2, 1, 4, 1, 3, 1, 2, 1]);
    assert_eq!(rows[0], [1, 0, 2, 4]);
    assert_eq!(rows[2], [1, 1, 3, 0]);
    assert_eq!(rows[7], [0, 0, 0, 0]);
}

#[test]
fn figure_3_first_harvestable_bin_first() {
    // Bin 4 is harvestable too, but to play it first overfills bin 2.
    let mut bins = vec![0, 2, 2, 4];
    Variant::TCHOUKAILLON.play(&mut bins, 4, |_| ()).unwrap();
    assert_eq!(bins, [1, 3, 3, 0]);
    let flaw = check(&Board::new(bins).unwrap()).unwrap_err();
    assert_eq!(flaw, LossReason::Overfull { bin: 2, stones: 3 });
}

#[test]
fn section_4_matrices() {
    let u = Matrix::new(MatrixKind::Unplay, 4).unwrap();
    let rows: Vec<Vec<String>> =
        (0..4).map(|row| (0..4).map(|column| u.entry(row, column).to_string()).collect()).collect();
    assert_eq!(rows[0], ["1", "-1", "-1", "-1"]);
    assert_eq!(rows[1], ["0", "2", "-1", "-1"]);
    assert_eq!(rows[2], ["0", "0", "3", "-1"]);
    assert_eq!(rows[3], ["0", "0", "0", "4"]);
    assert_eq!(whole(&u, &[4, 2, 1, 1]), [0, 2, 2, 4]);

    let inverse = Matrix::new(MatrixKind::Inverse, 5).unwrap();
    let row = |row: usize| -> Vec<String> {
        (0..5).map(|column| inverse.entry(row, column).to_string()).collect()
    };
    assert_eq!(row(0), ["1", "1/2", "1/2", "1/2", "1/2"]);
    assert_eq!(row(1), ["0", "1/2", "1/6", "1/6", "1/6"]);
    assert_eq!(row(2), ["0", "0", "1/3", "1/12", "1/12"]);
    assert_eq!(row(3), ["0", "0", "0", "1/4", "1/20"]);
    assert_eq!(row(4), ["0", "0", "0", "0", "1/5"]);
    let inverse = Matrix::new(MatrixKind::Inverse, 4).unwrap();
    assert_eq!(whole(&inverse, &[0, 2, 2, 4]), [4, 2, 1, 1]);
    assert_eq!(recursion(&board("0,2,2,4")), Ok(vec![4, 2, 1, 1]));
}

#[test]
fn unplay_matrix_times_its_inverse_is_one() {
    for length in 1..=12 {
        let u = Matrix::new(MatrixKind::Unplay, length).unwrap();
        let inverse = Matrix::new(MatrixKind::Inverse, length).unwrap();
        for row in 0..length {
            for column in 0..length {
                let sum = (0..length).fold(sowing_solitaire::Fraction::ZERO, |sum, k| {
                    sum + u.entry(row, k) * inverse.entry(k, column)
                });
                assert_eq!(sum.whole(), Some(i128::from(row == column)));
            }
        }
    }
}

/// The products that are computed by running sums are those of the matrices' entries.
#[test]
fn fast_products_are_the_matrices() {
    let vector = [3, -1, 4, 1, -5, 9, 2];
    let kinds = [MatrixKind::Unplay, MatrixKind::Inverse, MatrixKind::Wrap, MatrixKind::Sowing];
    for kind in kinds {
        let matrix = Matrix::new(kind, 7).unwrap();
        let long: Vec<i64> = vector.iter().copied().cycle().take(matrix.columns()).collect();
        let plain: Vec<_> = (0..7)
            .map(|row| {
                (0..matrix.columns()).fold(sowing_solitaire::Fraction::ZERO, |sum, column| {
                    sum + matrix.entry(row, column) * i128::from(long[column]).into()
                })
            })
            .collect();
        let applied = matrix.apply(&Vector::new(long).unwrap()).unwrap();
        assert_eq!(applied, plain, "{kind:?}");
    }
    let u = Matrix::new(MatrixKind::Unplay, 7).unwrap();
    let product: Vec<i128> = whole(&u, &vector).into_iter().map(i128::from).collect();
    assert_eq!(unplay_product(&vector), product);
    let inverse = Matrix::new(MatrixKind::Inverse, 7).unwrap();
    let applied = inverse.apply(&Vector::new(vector.to_vec()).unwrap()).unwrap();
    assert_eq!(inverse_product(&vector), applied);
}

#[test]
fn section_6_wrapping() {
    // Figure 7: bin 2, then bin 1, then a plain winning board.
    let start = board("4,7,0,2");
    let analysis = WinAnalysis::new(Variant::WRAPPING, start.clone(), DEFAULT_LIMIT).unwrap();
    let play = analysis.shortest().unwrap();
    let tally = tally(Variant::WRAPPING, &start, &play);
    assert_eq!(play[..2], [2, 1]);
    assert_eq!(tally.boards[0], [6, 1, 1, 3]);
    assert_eq!(tally.boards[1], [1, 2, 2, 4]);
    assert_eq!(check(&board("1,2,2,4")), Ok(()));
    assert_eq!(tally.boards.last().unwrap(), &[0, 0, 0, 0]);

    let u = Matrix::new(MatrixKind::Unplay, 4).unwrap();
    let w = Matrix::new(MatrixKind::Wrap, 4).unwrap();
    let column = |matrix: &Matrix, column: usize| -> Vec<i64> {
        (0..4).map(|row| matrix.entry(row, column).whole().unwrap() as i64).collect()
    };
    assert_eq!(column(&u, 1), [-1, 2, 0, 0]);
    assert_eq!(column(&w, 1), [-1, 4, -1, -1]);
    let sum: Vec<i64> = [6, 1, 1, 3]
        .iter()
        .zip(column(&u, 1))
        .zip(column(&w, 1))
        .map(|((a, b), c)| a + b + c)
        .collect();
    assert_eq!(sum, [4, 7, 0, 2]);

    let unplayed = whole(&u, &signed(&tally.moves));
    let unwrapped = whole(&w, &signed(&tally.wraps));
    let total: Vec<i64> = unplayed.iter().zip(unwrapped).map(|(a, b)| a + b).collect();
    assert_eq!(total, [4, 7, 0, 2]);
}

#[test]
fn section_7_chaining() {
    // Figure 8.
    let mut bins = vec![0, 1, 2, 1];
    let mut sown = Vec::new();
    Variant::CHAINING.play(&mut bins, 4, |leg| sown.push((leg.from, leg.to))).unwrap();
    assert_eq!(sown, [(4, 3), (3, 0)]);
    assert_eq!(bins, [1, 2, 0, 0]);
    assert!(WinAnalysis::new(Variant::CHAINING, board("0,1,2,1"), 1000).unwrap().winnable());

    let effect = |bins: &[usize], length| Chain::new(bins.to_vec()).unwrap().effect(length);
    assert_eq!(effect(&[4, 3], 4), [-1, -1, 2, 1]);
    assert_eq!(effect(&[7, 5, 3], 8), [-1, -1, 2, -1, 1, -1, 2, 0]);

    // The chain through 7, 5 and 3, there and back.
    let mut bins = vec![0, 0, 2, 0, 1, 0, 2, 0];
    let mut sown = Vec::new();
    Variant::CHAINING.play(&mut bins, 7, |leg| sown.push(leg.from)).unwrap();
    assert_eq!(sown, [7, 5, 3]);
    assert_eq!(bins, [1, 1, 0, 1, 0, 1, 0, 0]);
}

#[test]
fn the_chain_matrix_of_length_5() {
    let columns: [(&str, [i64; 5]); 12] = [
        ("1", [1, 0, 0, 0, 0]),
        ("2", [-1, 2, 0, 0, 0]),
        ("3", [-1, -1, 3, 0, 0]),
        ("3>2", [-1, 1, 1, 0, 0]),
        ("4", [-1, -1, -1, 4, 0]),
        ("4>3", [-1, -1, 2, 1, 0]),
        ("4>2", [-1, 1, -1, 2, 0]),
        ("5", [-1, -1, -1, -1, 5]),
        ("5>4", [-1, -1, -1, 3, 1]),
        ("5>3", [-1, -1, 2, -1, 2]),
        ("5>2", [-1, 1, -1, -1, 3]),
        ("5>4>2", [-1, 1, -1, 1, 1]),
    ];
    let c = Matrix::new(MatrixKind::Chain, 5).unwrap();
    assert_eq!(c.columns(), columns.len());
    for (index, (name, entries)) in columns.iter().enumerate() {
        assert_eq!(c.chain(index).unwrap().to_string(), *name);
        for (row, &entry) in entries.iter().enumerate() {
            assert_eq!(c.entry(row, index).whole(), Some(i128::from(entry)), "{name}, {row}");
        }
    }
    assert_eq!(whole(&c, &[5, 2, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0]), [0, 1, 1, 3, 5]);
    assert_eq!(whole(&c, &[5, 0, 0, 3, 1, 0, 0, 1, 0, 0, 0, 0]), [0, 1, 1, 3, 5]);
    assert_eq!(length_of_chain_vector(12), Some(5));
    assert_eq!(length_of_chain_vector(11), None);
}

/// The chain vectors of all plays that clear (0,1,1,3,5).
#[test]
fn the_ways_to_win_0_1_1_3_5() {
    let start = board("0,1,1,3,5");
    let analysis = WinAnalysis::new(Variant::CHAINING, start.clone(), DEFAULT_LIMIT).unwrap();
    let listed = chains(5);
    let c = Matrix::new(MatrixKind::Chain, 5).unwrap();
    let mut vectors: Vec<Vec<i64>> = analysis
        .all()
        .map(|play| {
            let mut t = vec![0; listed.len()];
            for legs in tally(Variant::CHAINING, &start, &play).legs {
                let bins = legs.iter().map(|leg| leg.from).collect();
                let chain = Chain::new(bins).unwrap();
                t[listed.iter().position(|other| *other == chain).unwrap()] += 1;
            }
            assert_eq!(whole(&c, &t), [0, 1, 1, 3, 5]);
            t
        })
        .collect();
    vectors.sort();
    vectors.dedup();
    assert_eq!(analysis.plays(), Some(2));
    assert_eq!(
        vectors,
        [[5, 0, 0, 3, 1, 0, 0, 1, 0, 0, 0, 0], [5, 2, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0]],
    );
}

#[test]
fn theorem_5_counts() {
    let fibonacci = [1u128, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377];
    for length in 1..=12 {
        let sum: u128 = fibonacci[..length].iter().sum();
        assert_eq!(chain_count(length), Some(sum));
        // F(L+2) - 1, and not the F(L+2) of the paper.
        assert_eq!(sum, fibonacci[length + 1] - 1);
        assert_eq!(chains(length).len() as u128, sum);
    }
    assert_eq!(chain_count(5), Some(12));
    assert!(chain_count(500).is_none());
}

#[test]
fn theorems_hold() {
    let checked = check_theorems(1..=600, 1..=7);
    for theorem in &checked {
        assert!(theorem.holds(), "{theorem:?}");
    }
    let cases: Vec<(u8, u64)> = checked.iter().map(|c| (c.theorem, c.cases)).collect();
    let boards = (1..=7u64).map(|length| (1..=length + 1).product::<u64>()).sum();
    assert_eq!(cases, [(1, 600), (1, boards), (2, 600), (3, 600), (4, 600), (5, 7)]);
}
