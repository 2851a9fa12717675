"""Whatever is wrong is an exception with one clear line: never a crash, never a wrong answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
import sowing
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from sowing import Game, Playthrough, Position, Record, Solver, Tables, solitaire
from sowing.vector import Env

GOOD = np.zeros((3, 14), np.int64)

WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: Game("chess(8,8)"), sowing.InputError, "unknown game"),
    (lambda: Game("kalah(17,4)"), sowing.InputError, "houses must be"),
    (lambda: Game(7), TypeError, ""),  # type: ignore[arg-type]
    (lambda: Position(3), TypeError, "a game is"),  # type: ignore[arg-type]
    (lambda: Position("kalah(3,2)", "1,2|3"), sowing.InputError, "both need the same"),
    (
        lambda: Position("kalah(3,2)", [2, 2, -2, 0, 2, 2, 2, 4]),
        sowing.InputError,
        "pit 3 of the mover",
    ),
    (lambda: Position("kalah(3,2)", [2, 2, 2.5, 0, 2, 2, 2, 0]), sowing.InputError, "not a number"),  # type: ignore[list-item]
    (
        lambda: Position("kalah(3,2)", [2, 2, 2, 0, 2, 2, 2, 1]),
        sowing.InputError,
        "12 seeds in all",
    ),
    (lambda: Position("kalah(3,2)", 12), sowing.InputError, "a board is"),  # type: ignore[arg-type]
    (lambda: Position("kalah(3,2)").play(9), sowing.IllegalMove, "there is no house 9"),
    (lambda: Position("kalah(3,2)").play(-1), sowing.IllegalMove, "from 1"),
    (lambda: Position("kalah(3,2)").play(10**30), sowing.IllegalMove, "from 1"),
    (lambda: Position("kalah(3,2)").play("swap"), sowing.IllegalMove, "swap"),
    (lambda: Position("kalah(3,2)").play(True), TypeError, "a move is"),
    (lambda: Position("kalah(3,2)").play(1.0), TypeError, "a move is"),  # type: ignore[arg-type]
    (lambda: Position("kalah(3,2)").turns(limit=1), sowing.LimitError, "more than 1"),
    (lambda: Position("kalah(3,2)").svg(mover="east"), sowing.InputError, "a side is"),
    (lambda: Record("36,2"), sowing.InputError, "names no game"),
    (lambda: Record("# game: kalah(3,2)\n9"), sowing.InputError, "is not a house"),
    (lambda: Record("# game: kalah(3,2)\n1.1").replay(), sowing.InputError, "belongs there"),
    (
        lambda: Record("# game: kalah(3,2)\n2.2").replay(),
        sowing.InputError,
        "move 2 .* house 2 is empty",
    ),
    (lambda: Record("", game="kalah(3,2)").with_header("a\nb", "c"), sowing.InputError, "header"),
    (lambda: Record("", game="kalah(3,2)").with_header(" ", "c"), sowing.InputError, "header"),
    (lambda: Solver("kalah(3,2)", threads=0), sowing.InputError, "threads"),
    (lambda: Solver("kalah(3,2)", threads=-1), sowing.InputError, "from 0 to .* not -1"),
    (lambda: Solver("kalah(3,2)", memory=-1), sowing.InputError, "from 0 to .* not -1"),
    (lambda: Position("kalah(3,2)").perft(-1), sowing.InputError, "from 0 to .* not -1"),
    (lambda: sowing.tree(Position("kalah(3,2)"), depth=2**32), sowing.InputError, "to 4294967295"),
    (lambda: Solver("kalah(3,2)", memory=1 << 63), sowing.InputError, "memory"),
    (lambda: Solver("kalah(3,2)", time=-1.0), sowing.InputError, "seconds"),
    (lambda: Solver("kalah(3,2)", time=float("nan")), sowing.InputError, "seconds"),
    (lambda: Solver("kalah(3,2)", book="x.book"), TypeError, "book must be"),  # type: ignore[arg-type]
    (
        lambda: Solver("kalah(3,2)", book=sowing.Book.built_in("kalah(6,4)")),
        sowing.InputError,
        "kalah",
    ),
    (
        lambda: Solver("kalah(3,2)").value(Position("kalah(3,3)")),
        sowing.InputError,
        "the solver is of",
    ),
    (lambda: Solver("kalah(3,2)").value("start"), TypeError, "is needed"),  # type: ignore[arg-type]
    (lambda: Solver("kalah(3,2)").value(progress=3), sowing.InputError, "progress"),  # type: ignore[arg-type]
    (lambda: Solver("kalah(6,9,clockwise)", memory=1 << 20).value(), sowing.LimitError, ""),
    (lambda: Tables.build("kalah(6,4,clockwise)", 8), sowing.InputError, "clockwise"),
    (lambda: Tables.build("kalah(9,1)", 8), sowing.InputError, "at most 8 houses"),
    (lambda: Tables.build("kalah(6,4)", 0), sowing.InputError, "2 to"),
    (lambda: Tables.build("kalah(6,4)", 40, memory=1 << 20), sowing.LimitError, "memory"),
    (lambda: Tables.open("kalah(6,4)", "/nowhere"), sowing.DataError, "nowhere"),
    (lambda: sowing.Book.open("/nowhere"), sowing.DataError, "nowhere"),
    (lambda: sowing.Certificate.open("/nowhere"), sowing.DataError, "nowhere"),
    (lambda: sowing.Certificate("nonsense"), sowing.InputError, ""),
    (lambda: sowing.solve_many("kalah(6,4)", np.zeros((2, 13), int)), sowing.InputError, "shape"),
    (lambda: sowing.solve_many("kalah(6,4)", np.zeros(14, int)), sowing.InputError, "shape"),
    (lambda: sowing.solve_many("kalah(6,4)", np.zeros((2, 14))), TypeError, "whole numbers"),
    (lambda: sowing.solve_many("kalah(6,4)", np.zeros((2, 14), object)), TypeError, "whole"),
    (lambda: sowing.solve_many("kalah(6,4)", GOOD - 1), sowing.InputError, "board 0"),
    (lambda: sowing.solve_many("kalah(6,4)", GOOD + 2**62), sowing.InputError, "at most"),
    (
        lambda: sowing.solve_many("kalah(6,4)", [Position("kalah(6,3)")]),
        sowing.InputError,
        "not of",
    ),
    (lambda: sowing.solve_many("kalah(6,4)", [3]), sowing.InputError, "shape"),  # type: ignore[arg-type]
    (lambda: sowing.solve_many("kalah(6,4)", [[3], [3, 4]]), TypeError, "boards are"),
    (lambda: sowing.solve_many("kalah(6,4)", [[0.5] * 14]), TypeError, "whole"),  # type: ignore[arg-type]
    (
        lambda: sowing.solve_many("kalah(6,4)", [Position("kalah(6,4)"), 3]),  # type: ignore[arg-type]
        TypeError,
        "or none",
    ),
    (lambda: sowing.solve_many("kalah(6,4)", 3), TypeError, "boards are"),  # type: ignore[arg-type]
    (
        lambda: sowing.solve_many("kalah(3,2,pie)", [Position("kalah(3,2,pie)")]),
        sowing.InputError,
        "swap",
    ),
    (
        lambda: sowing.solve_many("kalah(6,6)", np.full((1, 14), 6), time=0.05, book=False),
        sowing.Stopped,
        "proven",
    ),
    (lambda: sowing.playouts("kalah(6,4)", 0), sowing.InputError, "games are"),
    (lambda: sowing.playouts("kalah(6,4)", 10, seed=-1), sowing.InputError, "from 0 to .* not -1"),
    (lambda: sowing.playouts("kalah(6,4)", 10, seed=2**64), sowing.InputError, "from 0 to"),
    (lambda: sowing.Player("random", "kalah(6,4)", seed=-1), sowing.InputError, "from 0 to"),
    (lambda: sowing.dataset("kalah(6,4)", 5, seed=-1), sowing.InputError, "from 0 to"),
    (lambda: sowing.study("thesis-3", seed=-1), sowing.InputError, "from 0 to"),
    (lambda: sowing.count("kalah(6,4)", memory=1), sowing.LimitError, "too few"),
    (lambda: sowing.count("kalah(3,2,pie)"), sowing.InputError, "pie"),
    (lambda: sowing.tree(Position("kalah(6,4)")), sowing.LimitError, "more than 500"),
    (lambda: sowing.study("thesis-99"), sowing.InputError, "no study"),
    (lambda: sowing.study("thesis-1", games=3), sowing.InputError, "random games"),
    (lambda: sowing.dataset("kalah(6,4)", 5, seeds=(3, 1)), sowing.Error, ""),
    (
        lambda: sowing.dataset("kalah(6,4)", 5, source="chess"),
        sowing.InputError,
        "positions are from",
    ),
    (lambda: sowing.dataset("kalah(6,4,pie)", 5), sowing.InputError, "pie"),
    (lambda: sowing.dataset("kalah(6,4)", -5), sowing.InputError, "from 0 to"),
    (lambda: sowing.dataset("kalah(6,4)", 5, first=2**64 - 2), sowing.InputError, "at most"),
    (lambda: sowing.Player("grandmaster", "kalah(6,4)"), sowing.InputError, "unknown player"),
    (lambda: solitaire.winning_board(0), sowing.InputError, "1 or more"),
    (lambda: solitaire.winning_board(2**63), sowing.LimitError, "bins"),
    (lambda: solitaire.why_lost([]), sowing.InputError, "empty"),
    (lambda: solitaire.why_lost([-1]), sowing.InputError, "0 stones or more"),
    (lambda: solitaire.matrix("identity", 3), sowing.InputError, "the matrices are"),
    (lambda: solitaire.matrix("unplay", 0), sowing.InputError, "length"),
    (lambda: solitaire.matrix("unplay", 10**6), sowing.LimitError, "too large"),
    (lambda: solitaire.product("unplay", [1, 2], length=3), sowing.InputError, ""),
    (lambda: solitaire.wins("chess", [1]), sowing.InputError, "the game is"),
    (lambda: solitaire.wins("chaining", [9] * 30), sowing.InputError, "too many to search"),
    (lambda: solitaire.sequence("A000001", 3), sowing.InputError, "sequence"),
    (lambda: Env("kalah(9,4)", 4), sowing.InputError, "up to 8 houses"),
    (lambda: Env("kalah(8,40)", 4), sowing.InputError, "255 seeds"),
    (lambda: Env("kalah(6,4)", 0), sowing.InputError, "games are"),
    (lambda: Env("kalah(6,4)", -1), sowing.InputError, "from 0 to"),
    (lambda: Env("kalah(6,4)", 10**9), sowing.InputError, "games are 1 to"),
    (lambda: Env("kalah(6,4)", 10**30), sowing.InputError, "from 0 to"),
    (lambda: Env("kalah(6,4)", 4, seed=1.5), TypeError, "integer"),  # type: ignore[arg-type]
    (lambda: Env("kalah(6,4)", 4).reset(seed=-1), sowing.InputError, "a seed is"),
    (lambda: Env("kalah(6,4)", 4, max_moves=-1), sowing.InputError, "from 0 to"),
    (lambda: Env("kalah(6,4)", 4, reward="seeds"), sowing.InputError, "reward must"),
    (lambda: Env("kalah(6,4)", 4, seed=-1), sowing.InputError, "a seed is"),
    (lambda: Env("kalah(6,4)", 4, max_moves=0), sowing.InputError, "1 move or more"),
    (lambda: Env("kalah(6,4)", 4, random_moves=-1), sowing.InputError, "random_moves"),
    (lambda: Env("kalah(6,4)", 4).step([0, 1]), sowing.InputError, "4 actions"),
    (lambda: Env("kalah(6,4)", 2).step([0.0, 1.0]), sowing.InputError, "whole number"),
    (lambda: Env("kalah(6,4)", 2).step([0, 6]), sowing.IllegalMove, "game 1: action 6"),
    (lambda: Env("kalah(6,4)", 2).step([-1, 0]), sowing.IllegalMove, "game 0: action -1"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_wrong_is_one_line(number: int) -> None:
    ask, kind, words = WRONG[number]
    with pytest.raises(kind, match=words or ".") as raised:
        ask()
    message = str(raised.value)
    assert message
    assert "\n" not in message
    assert len(message) < 400


def test_tables_of_other_games(tables: Tables, boards: np.ndarray) -> None:
    with pytest.raises(sowing.InputError, match="rules or houses differ"):
        Solver("kalah(6,4,empty-capture)", tables=tables)
    with pytest.raises(sowing.InputError, match="rules or houses differ"):
        tables.probe(Position("kalah(5,4)"))
    with pytest.raises(sowing.InputError, match="tables of"):
        tables.probe_many([Position("kalah(5,4)")])
    with pytest.raises(sowing.InputError, match="rules or houses differ"):
        sowing.dataset("kalah(5,3)", 5, tables=tables)
    with pytest.raises(sowing.InputError, match="shape"):
        tables.probe_many(np.zeros((3, 12), int))
    many = boards.copy()
    many[700, 3] = -4
    with pytest.raises(sowing.InputError, match="board 700: pit 3"):
        tables.probe_many(many)
    many[700, 3] = 40
    for threads in (1, 2):
        with pytest.raises(sowing.LimitError, match=r"board 700 .* up to 12"):
            tables.probe_many(np.repeat(many, 3, axis=0)[2::3], threads=threads)
    missing = tables.probe_many(many, missing=-99)
    assert np.flatnonzero(missing == -99).tolist() == [700]
    many[700, 3] = 300
    with pytest.raises(sowing.InputError, match="board 700 has more than 255"):
        tables.probe_many(many)


def test_arrays_however_they_lie(tables: Tables, boards: np.ndarray) -> None:
    expected = tables.probe_many(boards).tolist()
    after = tables.moves_many(boards)[0].tolist()
    wide = np.pad(boards, ((0, 0), (3, 2)))
    shifted = np.frombuffer(b"x" + boards.astype(np.int64).tobytes(), np.int64, offset=1)
    assert not shifted.flags.aligned
    positions = [Position("kalah(6,4)", board) for board in boards]
    forms: list[Any] = [
        np.asfortranarray(boards),
        np.repeat(boards, 2, axis=0)[::2],
        wide[:, 3:-2],
        boards.astype(">i4"),
        boards.astype(">u8"),
        boards.astype(np.int8),
        boards.astype(np.longlong),
        shifted.reshape(-1, 14),
        boards.tolist(),
        positions,
    ]
    for form in forms:
        assert tables.probe_many(form).tolist() == expected
        assert tables.moves_many(form)[0].tolist() == after
        assert sowing.solve_many("kalah(6,4)", form).tolist() == expected
    # What can be read only once has all its boards too.
    assert tables.probe_many(iter(positions)).tolist() == expected
    assert tables.probe_many(iter(boards.tolist())).tolist() == expected
    for kind in (float, complex, bool, object, str, "m8[s]"):
        with pytest.raises(TypeError, match="whole numbers"):
            tables.probe_many(boards.astype(kind))
    for shape in ((), (0,), (14,), (2, 14, 1), (14, 2)):
        with pytest.raises(sowing.InputError, match="shape"):
            tables.probe_many(np.zeros(shape, int))
    assert tables.probe_many(boards[:0]).shape == tables.probe_many([]).shape == (0,)
    assert tables.moves_many([])[0].shape == (0, 6)
    with pytest.raises(sowing.InputError, match="threads"):
        tables.probe_many(boards[:5], threads=0)


def test_stores_that_no_game_has(tables: Tables) -> None:
    for pit in (6, 13):
        board = np.zeros((1, 14), np.int64)
        board[0, [0, 7, pit]] = 1, 1, 2**63 - 1
        for ask in (tables.probe_many, tables.moves_many):
            for kind in (np.int64, np.uint64):
                with pytest.raises(sowing.InputError, match="board 0: a store holds at most"):
                    ask(board.astype(kind))
        board[0, pit] = 320_000_000_000_000_000
        lead = 320_000_000_000_000_000 if pit == 6 else -320_000_000_000_000_000
        assert abs(int(tables.probe_many(board)[0]) - lead) <= 2


def test_the_last_numbers_of_a_data_set(tables: Tables) -> None:
    last = sowing.dataset("kalah(6,4)", 3, first=2**64 - 4, tables=tables)
    assert len(last) == 3


def test_damaged_tables(tmp_path: Path) -> None:
    told: list[tuple[int, int, int]] = []
    Tables.build("kalah(4,3)", 10, dir=tmp_path, progress=told.append)
    assert told[-1][1] == told[-1][2]
    file = tmp_path / "kalah-4" / "level-10.table"
    bytes_ = bytearray(file.read_bytes())
    bytes_[-1] ^= 1
    file.write_bytes(bytes_)
    found = sowing.dataset("kalah(4,3)", 3000, seeds=(2, 10), seed=2).boards
    with pytest.raises(sowing.DataError, match=r"level-10\.table"):
        Tables.open("kalah(4,3)", tmp_path).probe_many(found)
    file.write_bytes(b"")
    with pytest.raises(sowing.DataError, match=r"level-10\.table"):
        Tables.open("kalah(4,3)", tmp_path)


@settings(max_examples=200, deadline=None)
@given(
    st_numpy.arrays(
        st.sampled_from([np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float64, np.bool_]),
        st_numpy.array_shapes(max_dims=3, max_side=9),
    )
)
def test_any_array_is_answered_or_refused(array: np.ndarray) -> None:
    tables = SMALL
    try:
        values = tables.probe_many(array, missing=-1000)
    except (sowing.Error, TypeError):
        return
    assert values.shape == (array.shape[0],)
    for row, value in zip(array.tolist(), values.tolist()):
        expected = tables.probe(Position("kalah(2,2)", row, free=True))
        assert value == (-1000 if expected is None else expected)


SMALL = Tables.build("kalah(2,2)", 8)


@settings(max_examples=200)
@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (Game, Record, lambda t: Position("kalah(2,2)", t), sowing.Certificate):
        try:
            read(text)
        except sowing.InputError as error:
            assert "\n" not in str(error)


def test_a_closed_solver_is_an_exception() -> None:
    solver = Solver("kalah(4,3)")
    solver.close()
    solver.close()
    calls: list[Callable[[], object]] = [
        solver.value,
        solver.outcome,
        solver.analyze,
        solver.turns,
        solver.line,
        solver.proven,
        lambda: solver.review(Playthrough("kalah(4,3)")),
        lambda: sowing.tree(Position("kalah(4,3)"), depth=1, solver=solver),
        lambda: sowing.Certificate.prove(solver, Position("kalah(4,3)"), at_least=1),
    ]
    for call in calls:
        with pytest.raises(sowing.Closed, match="closed"):
            call()


def test_a_solver_that_is_closed_under_threads() -> None:
    """Eight threads ask one solver; another closes it. Each has an answer or an exception."""
    solver = Solver("kalah(6,5)", book=False, memory=1 << 28)
    ends: list[Any] = []

    def ask() -> None:
        try:
            ends.append(solver.value())
        except sowing.Error as error:
            ends.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    started = time.monotonic()
    solver.close()
    assert time.monotonic() - started < 5
    for thread in threads:
        thread.join(timeout=10)
        assert not thread.is_alive()
    assert len(ends) == 8
    assert all(isinstance(end, sowing.Closed) for end in ends)
    other = Solver("kalah(6,5)", book=False)
    threading.Timer(0.3, other.stop).start()
    with pytest.raises(sowing.Stopped):
        other.value()


def test_threads_share_a_solver() -> None:
    solver = Solver("kalah(5,3)", memory=1 << 27)
    expected = solver.value()
    values: list[int] = []
    threads = [threading.Thread(target=lambda: values.append(solver.value())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == [expected] * 6


LONG = {
    "solver": "sowing.Solver('kalah(6,6)', book=False).value()",
    "analysis": "sowing.Solver('kalah(6,6)', book=False).analyze()",
    "many": "sowing.solve_many('kalah(6,6)', [sowing.Position('kalah(6,6)')] * 40, book=False)",
    "playouts": "sowing.playouts('kalah(6,4)', 10**12)",
    "count": "sowing.count('kalah(6,4)', memory=1 << 27)",
    "tables": "sowing.Tables.build('s-kalaha(6,4)', 30)",
    "clockwise": "sowing.Solver('kalah(4,4,clockwise)').value()",
    "turns": "sowing.Solver('kalah(6,6)', book=False).turns()",
    "line": "sowing.Solver('kalah(6,6)', book=False).line()",
    "dataset": "sowing.dataset('kalah(6,4)', 10**9, source='uniform')",
    "walk": "sowing.tree(sowing.Position('kalah(6,4)'), limit=10**8)",
    "certificate": "s = sowing.Position('kalah(6,6)');"
    " sowing.Certificate.prove(sowing.Solver('kalah(6,6)', book=False), s, at_least=2)",
    "perft": "sowing.Position('kalah(6,4)').perft(40)",
    "tree": "sowing.tree(sowing.Position('kalah(6,6)'), depth=1,"
    " solver=sowing.Solver('kalah(6,6)', book=False))",
    "shared": "s = sowing.Solver('kalah(6,6)', book=False); import threading;"
    " threading.Thread(target=s.value, daemon=True).start(); s.value()",
}


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as Unix does")
def test_ctrl_c_ends_long_work() -> None:
    """All of them one after the other in one process, which Ctrl-C does not harm."""
    code = f"""
import signal, sowing
# Whoever started the tests may have told their processes to ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
for line in {list(LONG.values())!r}:
    print("ready", flush=True)
    try:
        exec(compile(line, "line", "exec"))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
print(sowing.Solver("kalah(4,3)").value(), flush=True)
"""
    line = [sys.executable, "-c", code]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        # One that does not heed it is not waited for.
        patience = threading.Timer(120, process.kill)
        patience.start()
        assert process.stdout is not None
        for name in LONG:
            assert process.stdout.readline() == "ready\n", name
            time.sleep(0.4)
            started = time.monotonic()
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n", name
            assert time.monotonic() - started < 20, name
        assert process.stdout.readline() == "6\n"
        process.wait(timeout=60)
        patience.cancel()
    assert process.returncode == 0


@pytest.mark.parametrize("name", ["solver", "playouts", "count", "told"])
def test_a_thread_at_work_does_not_harm_the_end(name: str) -> None:
    told = "sowing.playouts('kalah(6,4)', 10**12, progress=lambda done: None)"
    code = f"""
import sowing, threading, time
threading.Thread(target=lambda: {LONG.get(name, told)}, daemon=True).start()
time.sleep(0.2)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


FORKED = """
import multiprocessing, sowing
solver = sowing.Solver("kalah(5,3)")
def ask(move):
    value = solver.value(sowing.Position("kalah(5,3)").play(move))
    return value, sowing.playouts("kalah(4,3)", 5000, seed=move).wins
if __name__ == "__main__":
    solver.value()
    here = [ask(move) for move in (1, 2, 4)]
    for start in ("fork", "spawn"):
        with multiprocessing.get_context(start).Pool(2) as pool:
            assert pool.map(ask, (1, 2, 4)) == here
            start = sowing.Position("kalah(5,3)")
            assert pool.map(str, [start]) == [str(start)]
"""


@pytest.mark.skipif(os.name != "posix", reason="processes are forked as Unix does")
def test_other_processes(tmp_path: Path) -> None:
    (tmp_path / "forked.py").write_text(FORKED)
    line = [sys.executable, str(tmp_path / "forked.py")]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
