//! Bad input is refused with a line that names it and shows what would be right.

use sowing_solitaire::{
    Board, Chain, Matrix, MatrixKind, Sequence, Variant, Vector, recursion, tchuka_ruma,
};

#[test]
fn boards() {
    for (text, says) in [
        ("", "the board is empty"),
        ("()", "the board is empty"),
        ("  ", "the board is empty"),
        ("0,-2,2", "bin 2 of the board holds -2 stones"),
        ("1,99999999999999999999", "bin 2 of the board holds 99999999999999999999 stones"),
        ("18446744073709551615,1", "the stones of the board add up to more than"),
        ("1,x,2", "bin 2 of the board is \"x\""),
        ("1,,2", "bin 2 of the board is \"\""),
        ("1,2,", "bin 3 of the board is \"\""),
        ("+1,2", "bin 1 of the board is \"+1\""),
        ("1.5", "bin 1 of the board is \"1.5\""),
        ("(1,2", "bin 1 of the board is \"(1\""),
        ("-", "bin 1 of the board is \"-\""),
    ] {
        let error = text.parse::<Board>().unwrap_err().to_string();
        assert!(error.starts_with(says), "{text}: {error}");
        assert!(error.contains("as in 0,2,2,4") && !error.contains('\n'), "{text}: {error}");
    }
    assert!(Board::new(vec![]).is_err());
    assert_eq!("(0 2 2 4)".parse::<Board>().unwrap().to_string(), "0,2,2,4");
    assert_eq!("18446744073709551615".parse::<Board>().unwrap().stones(), u64::MAX);
}

#[test]
fn vectors_and_matrices() {
    for (text, says) in [
        ("", "the vector is empty"),
        ("1,two", "entry 2 of the vector is \"two\""),
        ("99999999999999999999", "entry 1 of the vector"),
    ] {
        let error = text.parse::<Vector>().unwrap_err().to_string();
        assert!(error.starts_with(says) && error.contains("as in 4,2,1,1"), "{text}: {error}");
    }
    let error = Matrix::new(MatrixKind::Unplay, 0).unwrap_err().to_string();
    assert_eq!(error, "the length is 0: it should be 1 to 1000000, as in 5");
    assert!(Matrix::new(MatrixKind::Chain, 29).is_err());
    let short: Vector = "4,2,1".parse().unwrap();
    let error = Matrix::new(MatrixKind::Unplay, 4).unwrap().apply(&short).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the vector has 3 entries: the matrix has 4 columns, so it should have 4",
    );
    let error = recursion(&"0,1".parse().unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("bin 2 would be played 1/2 times"), "{error}");
}

#[test]
fn names_and_starts() {
    let error = "A000001".parse::<Sequence>().unwrap_err().to_string();
    assert!(error.contains("\"A000001\"") && error.contains("as in A002491"), "{error}");
    let error = "oware".parse::<Variant>().unwrap_err().to_string();
    assert!(error.contains("\"oware\"") && error.contains("as in wrapping"), "{error}");
    for variant in Variant::ALL {
        assert_eq!(variant.to_string().parse(), Ok(variant));
    }
    for (bins, seeds) in [(0, 2), (2, 0), (129, 1), (3, u64::MAX)] {
        assert!(tchuka_ruma(bins, seeds).unwrap_err().to_string().contains("as in"));
    }
    for bins in [vec![], vec![0], vec![2, 2], vec![2, 1], vec![5, 4, 3], vec![1, 2]] {
        assert_eq!(Chain::new(bins.clone()), None, "{bins:?}");
    }
}
