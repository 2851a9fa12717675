"""Values, and what is made of them."""

from __future__ import annotations

import json
import pickle
import random
import threading
import time

import numpy as np
import plain
import pytest
import sowing
from conftest import GAMES, random_position
from hypothesis import given, settings
from hypothesis import strategies as st
from sowing import Certificate, Playthrough, Position, Solver, Tables


def test_values_of_3000_random_positions_are_those_of_plain_minimax() -> None:
    rng = random.Random(19)
    positions = {3: [], 4: [], 6: []}  # type: dict[int, list[Position]]
    for houses, most, many in ((3, 14, 1200), (4, 12, 1000), (6, 9, 800)):
        positions[houses] = [random_position(rng, houses, most) for _ in range(many)]
    for houses, some in positions.items():
        game = f"kalah({houses},4)"
        expected = [plain.value(position.board) for position in some]
        assert sowing.solve_many(game, some, book=False).tolist() == expected
        boards = np.array([position.board for position in some])
        assert Tables.build(game, 14).probe_many(boards).tolist() == expected
        solver = Solver(game, threads=1)
        assert [solver.value(position) for position in some[:300]] == expected[:300]


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(GAMES), st.randoms(use_true_random=False))
def test_a_value_is_the_best_of_its_moves(game: str, rng: random.Random) -> None:
    solver = Solver(game, threads=1)
    play = Playthrough(game)
    for _ in range(rng.randint(0, 12)):
        if not play.is_over:
            play.play(rng.choice(play.position.legal_moves))
    if play.is_over:
        return
    found = solver.analyze(play)
    assert found.complete
    assert found.value == solver.value(play)
    if not play.game.repeats:
        assert max(move.value for move in found.moves) == found.value  # type: ignore[type-var]
        assert found.best is not None
        assert found.moves[0].move == found.best[0] or found.moves[0].value == found.value
    outcomes = {1: "win", 0: "draw", -1: "loss"}
    assert found.outcome == outcomes[int(np.sign(found.value or 0))]


def test_an_analysis_is_what_the_command_prints() -> None:
    found = Solver("kalah(4,3)").analyze(turns=True, line=True)
    form = json.loads(found.to_json())
    assert form["value"] == found.value == 6
    assert form["words"] == found.words
    assert [move["move"] for move in form["moves"]] == [str(move.move) for move in found.moves]
    assert found.turns is not None
    assert found.line is not None
    assert [turn["value"] for turn in form["turns"]] == [turn.value for turn in found.turns]
    assert form["line"] == [[str(move) for move in turn] for turn in found.line]


def test_a_line_is_perfect() -> None:
    solver = Solver("kalah(4,3)")
    play = Playthrough("kalah(4,3)")
    for turn in solver.line():
        play.play(*turn)
    assert play.is_over
    assert play.margin == solver.value() == 6
    assert solver.review(play).lost == (0, 0)


def test_a_review_says_what_was_lost() -> None:
    play = Playthrough("kalah(4,3)")
    play.play(3)
    told: list[sowing.ReviewedTurn] = []
    review = Solver("kalah(4,3)").review(play.record(), progress=told.append)
    assert [turn.lost for turn in review.turns] == [4]
    best = review.turns[0].best
    assert best is not None
    after = Position("kalah(4,3)").play(*best)
    assert -Solver("kalah(4,3)").value(after) == review.turns[0].before == 6
    assert (review.lost, review.worst, review.complete) == ((4, 0), [1], True)
    assert len(told) == 1


def test_books_and_tables(tables: Tables, tmp_path) -> None:  # type: ignore[no-untyped-def]
    found = Solver("kalah(6,4)").analyze(moves=False)
    assert (found.value, found.source) == (8, "book")
    position = Position("kalah(6,4)", "0,0,1,0,0,2,22|3,0,0,1,0,0,19")
    found = Solver("kalah(6,4)", tables=tables, build_tables=False).analyze(position)
    assert found.source == "table"
    assert found.value == tables.probe(position)
    solver = Solver("kalah(5,3)")
    solver.value()
    book = solver.proven()
    book.save(tmp_path / "some.book")
    again = sowing.Book.open(tmp_path / "some.book")
    assert len(again) == len(book) > 0
    assert again.family == "kalah(5,.)"
    kept = Solver("kalah(5,3)", book=again)
    assert kept.value() == solver.value()
    assert kept.nodes <= solver.nodes


def test_limits_end_a_search_with_true_bounds() -> None:
    solver = Solver("kalah(6,5)", book=False)
    # The value is among the results of the project.
    known = 10
    with pytest.raises(sowing.Stopped, match="proven to lie in") as stopped:
        solver.value(time=0.1)
    bounds = stopped.value.bounds
    assert bounds is not None
    for low, high in (bounds, solver.bounds(time=0.1)):
        assert low <= known <= high
        assert low < high
    assert not solver.analyze(time=0.1).complete


def test_progress_is_told_and_may_raise() -> None:
    told: list[sowing.Progress] = []
    with pytest.raises(sowing.Stopped):
        Solver("kalah(6,5)", book=False).value(time=1.5, progress=told.append)
    assert told
    assert all(step.low <= step.high for step in told)

    class Enough(Exception):
        pass

    def enough(_: object) -> None:
        raise Enough

    started = time.monotonic()
    with pytest.raises(Enough):
        Solver("kalah(6,6)", book=False).value(progress=enough)
    assert time.monotonic() - started < 30


def test_a_progress_function_cannot_ask_its_solver() -> None:
    solver = Solver("kalah(6,5)", book=False)
    with pytest.raises(sowing.InputError, match="progress function"):
        solver.value(time=20, progress=lambda _: solver.value())


def test_other_threads_go_on_while_a_search_runs() -> None:
    counted = 0

    def count() -> None:
        nonlocal counted
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(sowing.Stopped):
        Solver("kalah(6,6)", book=False).value(time=0.6)
    thread.join()
    assert counted > 10_000


def test_certificates(tmp_path) -> None:  # type: ignore[no-untyped-def]
    start = Position("kalah(4,2)")
    solver = Solver("kalah(4,2)")
    value = solver.value()
    for bound in ({"at_least": value}, {"at_most": value}):
        proof = Certificate.prove(solver, start, **bound)
        proof.verify()
        proof.save(tmp_path / "proof.txt")
        again = Certificate.open(tmp_path / "proof.txt")
        again.verify()
        assert str(again) == str(proof) == str(pickle.loads(pickle.dumps(proof)))
        assert again.position == start
    with pytest.raises(sowing.Refuted, match="false"):
        Certificate.prove(solver, start, at_least=value + 2)
    lines = str(proof).splitlines(keepends=True)
    with pytest.raises(sowing.Error):
        Certificate("".join(lines[:-1])).verify()


def test_solve_many_in_order(boards: np.ndarray, tables: Tables) -> None:
    told: list[tuple[int, int]] = []
    values = sowing.solve_many("kalah(6,4)", boards, threads=2, progress=told.append)
    assert values.tolist() == tables.probe_many(boards).tolist()
    assert told[-1] == (1000, 1000)
    for kind in (np.uint8, np.int16, np.uint32, np.int64, np.uint64):
        some = boards[:20].astype(kind)
        assert sowing.solve_many("kalah(6,4)", some, threads=1).tolist() == values[:20].tolist()
    backwards = boards[::-1]
    assert tables.probe_many(backwards).tolist() == values[::-1].tolist()
    assert sowing.solve_many("kalah(6,4)", boards[:0]).tolist() == []


def test_moves_many(boards: np.ndarray, tables: Tables) -> None:
    values, legal = tables.moves_many(boards)
    assert (legal == (boards[:, :6] > 0)).all()
    best = np.where(legal, values, -99).max(axis=1)
    assert best.tolist() == tables.probe_many(boards).tolist()
