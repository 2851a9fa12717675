//! Counts: the published table, and a plain search with sets of whole positions beside it.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use sowing_lab::{Census, CensusError, CensusOptions};
use sowing_plain::Plain;
use sowing_rules::{Game, Rules, SeededRng};

#[test]
fn the_published_table_cell_by_cell() {
    let text = include_str!("../published/s_kalaha_states.csv");
    let mut cells = 0;
    for row in text.lines().filter(|line| !line.starts_with(['#', 'h'])) {
        let numbers: Vec<u64> = row.split(',').map(|field| field.parse().unwrap()).collect();
        let game = Game::new(Rules::S_KALAHA, numbers[0] as u8, numbers[1]).unwrap();
        assert_eq!(Census::of(&game, 1 << 28).unwrap().total(), numbers[2], "{game}");
        cells += 1;
    }
    assert_eq!(cells, 17);
}

/// Live positions and finished boards, as many as there are.
fn plain(game: &Game) -> (u64, u64) {
    let start = (Plain::start(game), true);
    let mut live = HashSet::from([start.clone()]);
    let mut finished = HashSet::new();
    let mut open = vec![start];
    while let Some((position, first)) = open.pop() {
        for house in (0..position.houses()).filter(|house| position.rows[0][*house] > 0) {
            let (mut next, again) = position.play(house);
            let first = first == again;
            if next.finished() {
                if !first {
                    next.rows.swap(0, 1);
                    next.stores.swap(0, 1);
                }
                finished.insert((next.rows, next.stores));
            } else if live.insert((next.clone(), first)) {
                open.push((next, first));
            }
        }
    }
    (live.len() as u64, finished.len() as u64)
}

#[test]
fn a_plain_search_agrees() {
    let names = [
        "s-kalaha(3,4)",
        "s-kalaha(4,2)",
        "s-kalaha(3,3)",
        "s-kalaha(4,1)",
        "s-kalaha(2,6)",
        "kalah(3,2)",
        "kalah(2,3,clockwise)",
        "kalah(3,2,empty-capture)",
        "kalah(5,1,last-seed-capture)",
        // More seeds than a word has bits, and than two have.
        "s-kalaha(1,37)",
        "s-kalaha(2,17)",
        "kalah(1,90,clockwise)",
        "kalah(2,7,relay,empty-capture)",
        "s-kalaha(1,127)",
    ];
    for name in names {
        let game: Game = name.parse().unwrap();
        let census = Census::of(&game, 1 << 30).unwrap();
        assert_eq!((census.live(), census.finished()), plain(&game), "{name}");
    }
}

#[test]
fn layers_are_in_order_and_memory_is_kept_to() {
    let game: Game = "kalah(4,2)".parse().unwrap();
    let layers = Census::of(&game, 1 << 28).unwrap().layers;
    assert!(layers.is_sorted_by(|one, next| one.seeds > next.seeds));
    assert_eq!((layers[0].seeds, layers[0].finished), (16, 0));
    let error = Census::of(&"kalah(4,4)".parse().unwrap(), 3 << 20).unwrap_err();
    assert!(matches!(error, CensusError::MemoryFull { limit: 3_145_728, .. }), "{error}");
    let error = Census::of(&game, 1_000).unwrap_err();
    assert!(matches!(error, CensusError::TooLittleMemory { given: 1_000, .. }), "{error}");
}

/// Packed over and over in little memory, or in a folder, the count is the same.
#[test]
fn packing_and_folders_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("boards");
    for name in ["s-kalaha(4,3)", "kalah(4,2)", "kalah(3,2,clockwise)"] {
        let game: Game = name.parse().unwrap();
        let expected = Census::of(&game, 1 << 30).unwrap();
        assert_eq!(Census::of(&game, 6 << 20).as_ref(), Ok(&expected), "{name}");
        let options =
            CensusOptions { memory: 2 << 20, folder: Some(&folder), ..CensusOptions::default() };
        assert_eq!(Census::with_options(&game, &options).as_ref(), Ok(&expected), "{name}");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{name}");
    }
}

/// Stopped at every turn and resumed, the count is the same; another game's folder is refused, and
/// so is a damaged one.
#[test]
fn a_count_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("boards");
    let game: Game = "s-kalaha(4,3)".parse().unwrap();
    let expected = Census::of(&game, 1 << 30).unwrap();
    let stop_at = |game: &Game, positions| {
        let options = CensusOptions {
            memory: 2 << 20,
            folder: Some(&folder),
            progress: &|progress| assert!(progress.positions < positions, "stopped"),
            ..CensusOptions::default()
        };
        let count = || Census::with_options(game, &options);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(count))
    };
    let note = || std::fs::read_to_string(folder.join("note")).unwrap();
    let mut stage = String::new();
    for positions in [400_000, 700_000, 1_100_000] {
        assert!(stop_at(&game, positions).is_err());
        let next = note().lines().nth(2).unwrap().to_string();
        assert_ne!(stage, next, "nothing was noted");
        stage = next;
    }
    let error = stop_at(&"s-kalaha(3,5)".parse().unwrap(), 1_000).unwrap().unwrap_err();
    assert!(error.to_string().contains("belongs to the count of s-kalaha(4,3)"), "{error}");

    let note = note();
    let run = note.lines().rfind(|line| line.starts_with("run ")).unwrap();
    let last = run.split(' ').nth(1).unwrap().to_string();
    let boards = folder.join(format!("boards-{last:0>5}"));
    let bytes = std::fs::read(&boards).unwrap();
    let mut changed = bytes.clone();
    *changed.last_mut().unwrap() ^= 1;
    let shorter = bytes[1..].to_vec();
    for bad in [changed, shorter] {
        std::fs::write(&boards, bad).unwrap();
        let error = stop_at(&game, u64::MAX).unwrap().unwrap_err();
        assert!(error.to_string().contains("is damaged"), "{error}");
        // The stages before the damage may be done and gone.
        if !boards.exists() {
            break;
        }
    }
    std::fs::write(&boards, bytes).unwrap();
    assert_eq!(stop_at(&game, u64::MAX).unwrap(), Ok(expected));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

type Files = BTreeMap<String, Vec<u8>>;

fn files_of(folder: &Path) -> Files {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = files.map(|file| (file.file_name().into_string().unwrap(), file.path()));
    files.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
}

/// A folder as it is when a count is stopped there.
fn stopped_at(folder: &Path, game: &Game, positions: u64) -> Files {
    let options = CensusOptions {
        memory: 2 << 20,
        folder: Some(folder),
        progress: &|progress| assert!(progress.positions < positions, "stopped"),
        ..CensusOptions::default()
    };
    let count = || Census::with_options(game, &options);
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(count)).unwrap_err();
    let files = files_of(folder);
    assert!(files.len() > 3, "a note and some files of boards: {:?}", files.keys());
    files
}

/// Whatever is done to the files of a folder, the count is right or refused in one line.
#[test]
fn two_hundred_damages() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("boards");
    let game: Game = "s-kalaha(4,3)".parse().unwrap();
    let expected = Census::of(&game, 1 << 30).unwrap();
    let half = expected.total() / 2;
    let earlier = stopped_at(&folder, &game, half);
    let later = stopped_at(&folder, &game, half + half / 3);
    let other = {
        let folder = dir.path().join("other");
        stopped_at(&folder, &"s-kalaha(4,3,remaining-lost)".parse().unwrap(), half)
    };
    let mut random = SeededRng::new(14, 0);
    let mut pick = |most: usize| random.below(most as u64) as usize;
    let (mut refused, mut right) = (0, 0);
    for case in 0..280 {
        let mut files = later.clone();
        let names: Vec<String> = files.keys().cloned().collect();
        // The note is one of many files, and the one that matters most.
        let name = if pick(2) == 0 { "note".to_string() } else { names[pick(names.len())].clone() };
        let bytes = files.get_mut(&name).unwrap();
        let at = pick(bytes.len());
        match case % 7 {
            0 => bytes[at] ^= 1 << pick(8),
            // The heads of the first segment, where stage and length are.
            1 => bytes[at % 16] ^= 1 << pick(8),
            2 => bytes.truncate(at),
            3 => drop(files.remove(&name)),
            4 => bytes.extend((0..=pick(40)).map(|_| pick(256) as u8)),
            5 => {
                let [one, two] = [0; 2].map(|_| names[pick(names.len())].clone());
                let [first, second] = [&one, &two].map(|name| files[name].clone());
                files.insert(one, second);
                files.insert(two, first);
            }
            _ => {
                let from = if pick(2) == 0 { &earlier } else { &other };
                let found = from.iter().nth(pick(from.len())).unwrap();
                files.insert(name.clone(), found.1.clone());
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::create_dir(&folder).unwrap();
        for (name, bytes) in &files {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        let options =
            CensusOptions { memory: 2 << 20, folder: Some(&folder), ..CensusOptions::default() };
        match Census::with_options(&game, &options) {
            Ok(census) => {
                assert_eq!(census, expected, "case {case}: {name}");
                right += 1;
            }
            Err(error) => {
                let said = error.to_string();
                assert!(said.contains("boards: ") && !said.contains('\n'), "{said}");
                assert!(said.contains("is damaged") || said.contains("belongs to"), "{said}");
                refused += 1;
            }
        }
    }
    assert!(refused > 150 && right > 20, "{refused} refused, {right} right");
}

/// A note of an earlier format is not trusted; nor are numbers in a note
/// with a right checksum that no count has.
#[test]
fn notes_of_old_and_impossible_ones() {
    let dir = tempfile::tempdir().unwrap();
    let game: Game = "s-kalaha(3,3)".parse().unwrap();
    let options =
        CensusOptions { memory: 1 << 24, folder: Some(dir.path()), ..CensusOptions::default() };
    let refused = |note: String| {
        std::fs::write(dir.path().join("note"), note).unwrap();
        Census::with_options(&game, &options).unwrap_err().to_string()
    };
    for old in ["count of s-kalaha(3,3)\nstage 0\n", "sow count 2\ncount of s-kalaha(3,3)\n"] {
        let old = refused(old.to_string());
        assert!(old.contains("from an older version"), "{old}");
    }
    let summed = |body: &str| format!("{body}sum {:08x}\n", crc32fast::hash(body.as_bytes()));
    let head = "sow count 3\ncount of s-kalaha(3,3)\n";
    for body in [
        "stage 4294967295\n",
        "stage 99999999999999999999\n",
        "stage 1\nrun 1 16 4294967295 00000000\n",
        "stage 1\nrun 1 18446744073709551615 3 00000000\n",
        "stage 1\nlayer 3\n",
        "stage 1\nsomething\n",
        "",
    ] {
        let error = refused(summed(&format!("{head}{body}")));
        assert!(error.contains("is damaged"), "{body}: {error}");
    }
}

/// A count whose time is up says so; in a folder it goes on to the same count, however often it is stopped.
#[test]
fn a_count_has_an_end() {
    use std::time::Duration;
    let dir = tempfile::tempdir().unwrap();
    let game: Game = "s-kalaha(3,3)".parse().unwrap();
    let none = CensusOptions { time: Some(Duration::ZERO), ..CensusOptions::default() };
    let error = Census::with_options(&game, &none).unwrap_err();
    assert_eq!(error, CensusError::TimeUp { layer: 18, counted: 0 });
    let mut stops = 0;
    let counted = loop {
        let time = Some(Duration::from_millis(stops));
        let folder = Some(dir.path());
        let options = CensusOptions { time, folder, ..CensusOptions::default() };
        match Census::with_options(&game, &options) {
            Err(CensusError::TimeUp { .. }) => stops += 1,
            counted => break counted,
        }
    };
    assert_eq!(counted, Census::of(&game, 1 << 24));
    assert!(stops > 0, "{stops}");
}

/// Two counts at once in one folder: one works, and the other says who does.
#[test]
fn two_counts_in_one_folder() {
    let dir = tempfile::tempdir().unwrap();
    let game: Game = "s-kalaha(3,3)".parse().unwrap();
    let second =
        CensusOptions { memory: 1 << 24, folder: Some(dir.path()), ..CensusOptions::default() };
    let first = CensusOptions {
        progress: &|_| {
            let error = Census::with_options(&game, &second).unwrap_err().to_string();
            assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        },
        ..second
    };
    assert_eq!(Census::with_options(&game, &first), Census::of(&game, 1 << 24));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
