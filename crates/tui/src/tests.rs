//! The states that a player sees, as screens; and what keys and news do to a sitting.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;
use sowing_analysis::{Analysis, AnalysisOptions, Review, analyze};
use sowing_players::Advice;
use sowing_rules::{Game, Move, Playthrough, Position, Side};
use sowing_solver::Solver;

use super::app::{App, Input, Leaving, Popup, Scroll, Settings};
use super::seat::Seat;
use super::view::{Places, Theme, draw, scroll};
use super::workers::{Request, WorkerEvent};

const PLAIN: Theme = Theme { ascii: false, color: false };

fn app(game: &str, south: &str, north: &str) -> (App, Instant) {
    let now = Instant::now();
    let seats = [south.parse().unwrap(), north.parse().unwrap()];
    let settings = Settings { seats, games: 1, pace: None, recorded: false };
    let play = Playthrough::new(Position::start(game.parse().unwrap()));
    (App::new(settings, play, now), now)
}

fn screen_of(app: &App, now: Instant, (width, height): (u16, u16), theme: Theme) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, app, theme, now)).unwrap();
    terminal.backend().to_string()
}

fn screen(app: &App, now: Instant) -> String {
    screen_of(app, now, (80, 24), PLAIN)
}

fn keys(app: &mut App, keys: &str, now: Instant) {
    keys.chars().for_each(|key| app.input(Input::Char(key), now));
}

/// The request_id that the last request for a move bears.
fn asked(app: &mut App) -> Option<u64> {
    app.requests().into_iter().rev().find_map(|request| match request {
        Request::Choose { request_id, .. } => Some(request_id),
        _ => None,
    })
}

/// Answers what was asked of the analyst, with a solver, at once.
fn answer(app: &mut App, now: Instant) {
    let mut solver = Solver::new(*app.game()).unwrap();
    for request in app.requests() {
        match request {
            Request::Values { request_id, play } => {
                let mut tell = |found: &Analysis| {
                    app.event(
                        WorkerEvent::Found { request_id, found: Box::new(found.clone()) },
                        now,
                    )
                };
                analyze(&mut solver, &play, &AnalysisOptions::default(), &mut tell).unwrap();
                app.event(WorkerEvent::Valued { request_id }, now);
            }
            Request::Review { request_id, play } => {
                let mut turns = Vec::new();
                Review::from_playthrough(&play, &mut solver, |turn| turns.push(turn.clone()))
                    .unwrap();
                turns
                    .into_iter()
                    .for_each(|turn| app.event(WorkerEvent::Reviewed { request_id, turn }, now));
                app.event(WorkerEvent::ReviewOver { request_id }, now);
            }
            _ => {}
        }
    }
}

#[test]
fn the_start_and_a_move_on_its_way() {
    let (mut app, now) = app("kalah(6,4)", "human", "level:3");
    assert_snapshot!("start", screen(&app, now));
    app.settings.pace = Some(Duration::from_millis(100));
    keys(&mut app, "3", now);
    assert!(app.is_moving());
    // Picked up, then two seeds are down.
    assert!(app.tick(now + Duration::from_millis(350)));
    assert_snapshot!("sowing", screen(&app, now));
    assert!(app.tick(now + Duration::from_millis(900)));
    assert!(!app.is_moving());
    assert_snapshot!("again", screen(&app, now));
}

#[test]
fn an_opponent_thinks() {
    let (mut app, now) = app("kalah(6,4)", "human", "level:3");
    keys(&mut app, "1", now);
    assert_snapshot!("thinking", screen(&app, now + Duration::from_millis(1234)));
    let request_id = asked(&mut app).unwrap();
    keys(&mut app, "2", now);
    assert!(app.message.contains("is thinking"), "{}", app.message);
    // An answer to an old question is dropped.
    app.event(WorkerEvent::Chose { request_id: request_id - 1, action: Move::house(1) }, now);
    assert_eq!(app.play.plays().len(), 1);
    app.event(WorkerEvent::Chose { request_id, action: Move::house(5) }, now);
    assert_eq!(app.play.plays().len(), 2);
}

#[test]
fn values_bounds_and_a_hint() {
    let (mut app, now) = app("kalah(4,3)", "human", "human");
    keys(&mut app, "a", now);
    let request_id = 0;
    // Guesses come first, and are marked.
    let mut first = None;
    let mut solver = Solver::new(*app.game()).unwrap();
    let mut tell = |found: &Analysis| first = first.take().or(Some(found.clone()));
    analyze(&mut solver, &app.play, &AnalysisOptions::default(), &mut tell).unwrap();
    app.event(WorkerEvent::Found { request_id, found: Box::new(first.unwrap()) }, now);
    assert_snapshot!("guesses", screen(&app, now + Duration::from_millis(800)));
    answer(&mut app, now + Duration::from_millis(1500));
    let advice = Advice { action: Move::house(2), proven: true };
    app.event(WorkerEvent::Hint { request_id, advice }, now);
    assert!(app.message.contains("proven"), "{}", app.message);
    assert_snapshot!("values", screen(&app, now));
    // Where the values are known, a hint needs no search.
    let known = app.values.found.as_ref().unwrap().best.clone().unwrap()[0];
    app.hint = None;
    keys(&mut app, "h", now);
    assert_eq!(app.hint, Some(Advice { action: known, proven: true }));
    assert!(!app.requests().iter().any(|request| matches!(request, Request::Hint { .. })));
    keys(&mut app, "2", now);
    assert!(app.hint.is_none() && app.values.found.is_none(), "they were of another position");
    assert!(app.values.on, "but new ones are wanted");
    assert!(app.requests().iter().any(|request| matches!(request, Request::Values { .. })));
}

#[test]
fn the_end_and_the_review() {
    let (mut app, now) = app("kalah(3,2)", "human", "human");
    while app.play.result().is_none() {
        let action = app.play.position().moves().next().unwrap();
        keys(&mut app, &action.to_string(), now);
    }
    assert_snapshot!("end", screen(&app, now));
    answer(&mut app, now);
    assert_snapshot!("end_reviewed", screen(&app, now));
    keys(&mut app, "v", now);
    assert_snapshot!("review", screen(&app, now));
    app.input(Input::Escape, now);
    assert_eq!(app.popup, None);
    keys(&mut app, "1", now);
    assert!(app.message.starts_with("The game is over"), "{}", app.message);
    // How it ended stays, whatever is said after that; on a narrow screen too it can be read whole.
    let shown = screen_of(&app, now, (60, 24), PLAIN);
    let words = |text: &str| text.split([' ', '\n', '"']).filter(|word| !word.is_empty()).count();
    let said = app.verdict();
    assert!(words(&said) > 5 && shown.contains(&app.message), "{shown}");
    assert!(said.split(' ').all(|word| shown.contains(word)), "{said} in {shown}");
    // Taken back, the game is not over, and its result counts no more.
    keys(&mut app, "u", now);
    assert_eq!(app.score().games(), 0);
}

#[test]
fn other_screens() {
    let (mut first, now) = app("kalah(6,4)", "human", "level:3");
    assert_snapshot!("small", screen_of(&first, now, (59, 24), PLAIN));
    assert_snapshot!("narrow", screen_of(&first, now, (60, 24), PLAIN));
    assert_snapshot!("large", screen_of(&first, now, (100, 32), PLAIN));
    assert_snapshot!("ascii", screen_of(&first, now, (80, 24), Theme { ascii: true, color: true }));
    keys(&mut first, "?", now);
    assert_snapshot!("help", screen(&first, now));
    first.scroll = scroll(Rect::new(0, 0, 60, 24), &first);
    let Scroll { page, end } = first.scroll;
    assert!(page > 10 && end > 1, "{:?}", first.scroll);
    let steps = [Input::Down, Input::PageDown, Input::End, Input::Down, Input::Up, Input::Home];
    let tops = [1, (1 + page).min(end), end, end, end - 1, 0];
    for (step, top) in steps.into_iter().zip(tops) {
        first.input(step, now);
        assert_eq!(first.popup, Some(Popup::Help(top)), "{step:?}");
    }
    first.input(Input::End, now);
    assert_snapshot!("rules", screen_of(&first, now, (60, 24), PLAIN));
    let (wide, now) = app("kalah(16,5)", "human", "pdp:2");
    assert_snapshot!("wide", screen(&wide, now));
    assert_snapshot!("wide_narrow", screen_of(&wide, now, (60, 24), PLAIN));
    let (huge, now) = app("s-kalaha(10,10000000000000000)", "human", "human");
    assert_snapshot!("huge", screen(&huge, now));
    let (one, now) = app("kalah(1,40)", "human", "human");
    assert_snapshot!("one_house", screen(&one, now));
    let (mut pie, now) = app("kalah(6,4,pie)", "human", "human");
    keys(&mut pie, "1", now);
    assert_snapshot!("pie_offer", screen(&pie, now));
    keys(&mut pie, "s", now);
    assert_snapshot!("pie_swapped", screen(&pie, now));
    assert!(pie.play.swapped());
}

/// No size of screen and no game breaks the drawing.
#[test]
fn every_size_of_every_board() {
    for houses in 1..=16 {
        for seeds in [1, 9, 120, 10_000_000_000_000_000u64] {
            let (mut app, now) = app(&format!("kalah({houses},{seeds},relay)"), "human", "human");
            app.values.on = true;
            app.event(
                WorkerEvent::Found { request_id: 0, found: Box::new(Analysis::new(&app.play)) },
                now,
            );
            let question = Some(Popup::Query(Leaving::Quit));
            for size in [(1, 1), (10, 40), (60, 24), (80, 24), (100, 25), (133, 27), (300, 100)] {
                for popup in [None, Some(Popup::Help(3)), Some(Popup::Review(5)), question] {
                    app.popup = popup;
                    screen_of(&app, now, size, PLAIN);
                }
            }
        }
    }
}

#[test]
fn undo_goes_back_to_a_person() {
    let (mut app, now) = app("kalah(6,4)", "human", "level:3");
    keys(&mut app, "1", now);
    let request_id = asked(&mut app).unwrap();
    app.event(WorkerEvent::Chose { request_id, action: Move::house(1) }, now);
    keys(&mut app, "3", now);
    assert_eq!(app.play.plays().len(), 3);
    // While the opponent thinks: its answer is no longer wanted.
    let request_id = asked(&mut app).unwrap();
    keys(&mut app, "u", now);
    assert_eq!(app.play.plays().len(), 2);
    app.event(WorkerEvent::Chose { request_id, action: Move::house(2) }, now);
    assert_eq!(app.play.plays().len(), 2);
    keys(&mut app, "u", now);
    assert_eq!(app.play.plays().len(), 0, "the opponent's move goes with it");
    keys(&mut app, "u", now);
    assert!(app.message.contains("nothing to take back"));
    keys(&mut app, "r", now);
    assert_eq!(app.play.plays().len(), 2);
    keys(&mut app, "rr", now);
    assert_eq!(app.play.plays().len(), 3);
}

/// The winner of a game starts the next, and the score is kept by player, not by row.
#[test]
fn a_match() {
    let (mut app, now) = app("kalah(1,3)", "human", "human");
    app.settings.games = 3;
    // With one house the first player wins at once.
    keys(&mut app, "1", now);
    assert_eq!(app.score().wins, [1, 0]);
    keys(&mut app, "n", now);
    assert_eq!((app.south, app.score().wins), (0, [1, 0]));
    // Players change places: now the other one moves first, and wins.
    keys(&mut app, "s1", now);
    assert_eq!(app.score().wins, [1, 1]);
    app.input(Input::Enter, now);
    assert_eq!(app.south, 1);
    keys(&mut app, "1", now);
    assert_eq!(app.score().wins, [1, 2]);
    assert!(app.message.contains("wins the match"), "{}", app.message);
    keys(&mut app, "n", now);
    assert_eq!(app.score().games(), 0);
}

#[test]
fn houses_by_cursor_click_and_two_digits() {
    let (mut app, now) = app("kalah(12,3)", "human", "human");
    keys(&mut app, "12", now);
    assert_eq!(app.play.plays()[0].action, Move::house(12));
    keys(&mut app, "1", now);
    app.input(Input::Enter, now);
    assert_eq!(app.play.plays()[1].action, Move::house(1));
    // South again: to the right is up, at North it is down.
    app.input(Input::Right, now);
    app.input(Input::Enter, now);
    assert_eq!(
        (app.play.plays()[2].side, app.play.plays()[2].action),
        (Side::South, Move::house(2))
    );
    app.input(Input::Left, now);
    app.input(Input::Enter, now);
    assert_eq!(
        (app.play.plays()[3].side, app.play.plays()[3].action),
        (Side::North, Move::house(3))
    );
    let area = ratatui::layout::Rect::new(0, 0, 80, 24);
    let places = Places::new(area, &app).unwrap();
    let all = (0..80).flat_map(|x| (0..24).map(move |y| (x, y)));
    let hit: std::collections::HashSet<_> =
        all.filter_map(|(x, y)| places.house_at(x, y)).collect();
    assert_eq!(hit.len(), 24, "every house can be clicked");
    app.input(Input::Click(Side::North, 4), now);
    assert!(app.message.contains("South's turn"));
    app.input(Input::Click(Side::South, 4), now);
    assert_eq!(app.play.plays()[4].action, Move::house(5));
    keys(&mut app, "0", now);
    assert!(app.message.contains("no house 0"), "{}", app.message);
}

#[test]
fn a_record_is_written() {
    let (mut app, now) = app("kalah(6,4)", "human", "human");
    keys(&mut app, "36w", now);
    let requests = app.requests();
    let Some(Request::Write { name, text }) = requests.last() else { panic!("{requests:?}") };
    assert_eq!(name, "kalah-6-4");
    assert!(text.ends_with("# north: human\n3.6,\n"), "{text}");
    let record: sowing_rules::Record = text.parse().unwrap();
    assert_eq!(record.replay().unwrap().plays().len(), 2);
}

/// A person at North sees that row below, and the arrows go with it.
#[test]
fn the_board_is_turned_for_north() {
    let (mut app, now) = app("kalah(6,4)", "level:3", "human");
    let request_id = asked(&mut app).unwrap();
    app.event(WorkerEvent::Chose { request_id, action: Move::house(1) }, now);
    assert!(app.human_to_move());
    assert_snapshot!("turned", screen(&app, now));
    app.input(Input::Right, now);
    assert_eq!(app.cursor, 1);
    let area = ratatui::layout::Rect::new(0, 0, 80, 24);
    let places = Places::new(area, &app).unwrap();
    assert_eq!(places.house_at(12, 12), Some((Side::North, 0)));
    assert_eq!(places.house_at(12, 6), Some((Side::South, 5)));
}

/// A game that is not over is left after a question only, and its record is not lost.
#[test]
fn games_are_not_lost() {
    let (mut first, now) = app("kalah(6,4)", "human", "human");
    assert_eq!(first.records(), [""; 0]);
    keys(&mut first, "36q", now);
    assert_eq!((first.quit, first.popup), (false, Some(Popup::Query(Leaving::Quit))));
    assert_snapshot!("question", screen(&first, now));
    keys(&mut first, "x", now);
    assert_eq!((first.quit, first.popup), (false, None));
    // What was taken back can be played again, and so is not left without a question either.
    keys(&mut first, "uuq", now);
    assert_eq!((first.quit, first.popup), (false, Some(Popup::Query(Leaving::Quit))));
    keys(&mut first, "xrr", now);
    keys(&mut first, "ny", now);
    assert_eq!(first.play.plays().len(), 0);
    keys(&mut first, "1qq", now);
    assert!(first.quit);
    let records = first.records();
    assert_eq!(records.len(), 2, "the one broken off, and the present one");
    assert!(records[0].ends_with("\n3.6,\n") && records[1].ends_with("\n1,\n"), "{records:?}");
    // Where a file keeps them, it has every move at once, and nothing is left to print.
    let (mut kept, now) = app("kalah(6,4)", "human", "human");
    (kept.settings.recorded, kept.keeps) = (true, true);
    keys(&mut kept, "36u", now);
    keys(&mut kept, "ny1", now);
    let texts = kept.requests().into_iter().filter_map(|request| match request {
        Request::Keep { number, text } => {
            Some((number, text.lines().last().unwrap_or_default().to_string()))
        }
        _ => None,
    });
    let texts: Vec<(usize, String)> = texts.collect();
    let kept_as = [(1, "3."), (1, "3.6,"), (1, "3."), (2, "1,")];
    assert_eq!(texts, kept_as.map(|(number, text)| (number, text.to_string())));
    // A file that cannot be written keeps nothing: then the record is printed.
    kept.event(WorkerEvent::Unkept("no room".to_string()), now);
    assert_eq!(kept.records().len(), 1);
}

/// From a line of the review to its board, where opponents wait, and back.
#[test]
fn a_turn_of_the_review_is_looked_at() {
    let (mut app, now) = app("kalah(3,2)", "human", "level:1");
    while app.play.result().is_none() {
        let action = app.play.position().moves().next().unwrap();
        match app.human_to_move() {
            true => keys(&mut app, &action.to_string(), now),
            false => {
                let request_id = asked(&mut app).unwrap();
                app.event(WorkerEvent::Chose { request_id, action }, now);
            }
        }
    }
    // While the review is being made, no line changes its place.
    let last = app.play.turns().len();
    keys(&mut app, "v", now);
    let places = |screen: String| -> Vec<String> {
        screen.lines().filter_map(|line| line.split("South").next().map(String::from)).collect()
    };
    let before = places(screen(&app, now));
    app.input(Input::Escape, now);
    answer(&mut app, now);
    app.popup = Some(Popup::Review(0));
    let after = places(screen(&app, now));
    assert_eq!(before.len(), after.len());
    let moves = app.play.plays().len();
    // The second turn is the opponent's.
    app.input(Input::Down, now);
    app.input(Input::Enter, now);
    assert!(app.looking && !app.human_to_move());
    assert_eq!(app.play.plays().len(), app.reviewed.as_ref().unwrap().turns()[1].start);
    assert_eq!(asked(&mut app), None, "it waits");
    assert_snapshot!("looked_at", screen(&app, now));
    // Leaving now loses nothing.
    let record = app.records().pop().unwrap();
    assert_eq!(
        record.parse::<sowing_rules::Record>().unwrap().replay().unwrap().plays().len(),
        moves
    );
    // Step by step to the end again, where the review still stands.
    while app.looking {
        keys(&mut app, "r", now);
    }
    assert_eq!((app.play.plays().len(), app.review.len()), (moves, last));
    assert!(!app.requests().iter().any(|request| matches!(request, Request::Review { .. })));
    // What was played, played again there, is the same game; another move is another one.
    app.popup = Some(Popup::Review(0));
    app.input(Input::Enter, now);
    let first = app.reviewed.as_ref().unwrap().plays()[0].action;
    keys(&mut app, &first.to_string(), now);
    assert!(app.looking && app.reviewed.is_some());
    // From a position that is looked at, play can go on another way.
    app.popup = Some(Popup::Review(1));
    app.input(Input::Enter, now);
    app.input(Input::Enter, now);
    assert!(!app.looking && asked(&mut app).is_some());
    let records = app.records();
    assert_eq!(records.len(), 2, "the game that was played stays");
    assert_eq!(records[0], record);
}

/// So many moves of one turn, after which it goes on.
fn long_turn(position: Position, moves: usize) -> Option<Vec<Move>> {
    if moves == 0 {
        return Some(Vec::new());
    }
    position.moves().find_map(|action| {
        let (next, report) = position.try_play(action).ok()?;
        if !report.again || report.finished {
            return None;
        }
        let rest = long_turn(next, moves - 1)?;
        Some([vec![action], rest].concat())
    })
}

/// Turns are listed whole, and the curve says who leads.
#[test]
fn turns_and_the_curve() {
    let (mut app, now) = app("kalah(6,4)", "human", "human");
    keys(&mut app, "3625", now);
    let shown = screen(&app, now);
    assert!(shown.contains("1 South 3-6, 2 North 2-5"), "{shown}");
    assert!(shown.contains("lead █▄ even"), "{shown}");
    assert_snapshot!("turns_beside", screen_of(&app, now, (110, 26), PLAIN));
    // A turn too long for one line has more of them; where there are too few, it is cut at its start.
    let (mut long, now) = self::app("s-kalaha(6,6)", "human", "human");
    for action in long_turn(*long.play.position(), 32).expect("there are longer ones") {
        keys(&mut long, &action.to_string(), now);
    }
    assert_eq!(long.play.turns().len(), 1);
    let turn = super::view::listed(&long.play).remove(0).moves;
    assert!(turn.len() > 60, "{turn}");
    let shown = |height: u16| -> String {
        let shown = screen_of(&long, now, (60, height), PLAIN);
        shown.replace(['\n', '"', ' '], "")
    };
    assert!(shown(30).contains(&format!("1South{turn}")), "{}", shown(30));
    long.message = "A word that takes its line. ".repeat(5);
    let shown = screen_of(&long, now, (60, 24), PLAIN);
    let line = shown.lines().rev().nth(1).unwrap();
    let last = long.play.plays().last().unwrap().action;
    assert!(line.contains("…") && line.contains(&format!("-{last} ")), "{shown}");
}

/// Drawing is quick also while all cores are at work.
#[test]
fn frames_are_quick_while_the_solver_works() {
    let game: Game = "kalah(6,6)".parse().unwrap();
    let mut solver = Solver::new(game).unwrap();
    let stop = solver.stop_switch();
    let work = std::thread::spawn(move || solver.value(&Position::start(game)).map(drop));
    let (mut app, now) = app("kalah(6,6)", "human", "level:3");
    app.values.on = true;
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let start = Instant::now();
            terminal.draw(|frame| draw(frame, &app, PLAIN, now)).unwrap();
            start.elapsed()
        })
        .collect();
    stop.store(true, Relaxed);
    work.join().unwrap().unwrap();
    times.sort();
    println!("frames: median {:?}, slowest {:?}", times[100], times[199]);
    assert!(times[100] < Duration::from_millis(16), "median {:?}", times[100]);
}

#[test]
fn players_have_names() {
    for name in ["human", "random", "pdp:4", "level:9", "perfect"] {
        assert_eq!(name.parse::<Seat>().unwrap().to_string(), name);
    }
    assert!("nobody".parse::<Seat>().unwrap_err().contains("human"));
}
