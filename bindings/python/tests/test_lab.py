"""Random games, counts, trees, studies, data sets, solitaires."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import plain
import pytest
import sowing
from sowing import Position, Solver, solitaire


def test_playouts() -> None:
    played = sowing.playouts("kalah(6,4)", 20_000, seed=5)
    assert played.games == played.wins + played.draws + played.losses == 20_000
    assert sum(played.depths.values()) == 20_000
    assert played.moves == sum(depth * games for depth, games in played.depths.items())
    assert sowing.playouts("kalah(6,4)", 20_000, seed=5, threads=1).wins == played.wins
    mean, half = played.depth
    assert mean == pytest.approx(played.moves / 20_000)
    assert half < 1
    assert 3 < played.branching[0] < 6


def test_count() -> None:
    told: list[tuple[int, int]] = []
    counted = sowing.count("s-kalaha(3,4)", progress=told.append)
    assert (counted.live + counted.finished) == counted.total
    frame = sowing.census_to_pandas(counted)
    assert int(frame["live"].sum()) == counted.live
    assert told
    # Every position that play can reach, by walking there.
    seen: set[tuple[Position, int | None]] = set()
    open_ = [(Position("kalah(3,2)"), 0)]
    while open_:
        position, player = open_.pop()
        if position.is_finished:
            key: tuple[Position, int | None] = (position if player == 0 else position.flip(), None)
        else:
            key = (position, player)
        if key in seen:
            continue
        seen.add(key)
        for move in position.legal_moves:
            again = position.report(move).again
            open_.append((position.play(move), player if again else 1 - player))
    assert sowing.count("kalah(3,2)").total == len(seen)


class Enough(Exception):
    """Raised by whoever is told how far something is."""


def enough(_: object) -> None:
    raise Enough


LONG: list[Callable[[], object]] = [
    lambda: sowing.count("kalah(6,3)", progress=enough),
    lambda: sowing.count("s-kalaha(3,4)", progress=enough),
    lambda: sowing.study("thesis-1", progress=enough),
    lambda: sowing.playouts("kalah(6,4)", 10**9, progress=enough),
    lambda: sowing.Tables.build("kalah(6,4)", 14, progress=enough),
    lambda: sowing.dataset("kalah(6,4)", 10**6, progress=enough),
    lambda: sowing.solve_many("kalah(3,2)", [Position("kalah(3,2)")], progress=enough),
    lambda: Solver("kalah(4,3)").analyze(progress=enough),
    lambda: Solver("kalah(4,3)").review(sowing.Record("1", game="kalah(4,3)"), progress=enough),
]


@pytest.mark.parametrize("number", range(len(LONG)))
def test_what_a_progress_function_raises_is_raised(number: int) -> None:
    with pytest.raises(Enough):
        LONG[number]()


def test_trees() -> None:
    tree = sowing.tree(Position("s-kalaha(2,1)"), solver=Solver("s-kalaha(2,1)"))
    graph = sowing.tree_to_networkx(tree)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (10, 9)
    assert sum(1 for _, end in graph.out_degree() if end == 0) == 3
    assert graph.nodes[0]["value"] == Solver("s-kalaha(2,1)").value()
    assert tree.svg().startswith("<svg")
    assert "digraph" in tree.dot()
    assert "s-kalaha(2,1)" in tree.text()


def test_studies() -> None:
    assert "thesis-1" in sowing.studies()
    study = sowing.study("thesis-1")
    assert study.agrees
    assert study.unreached == 0
    frame = sowing.study_to_pandas(study)
    assert len(frame) == len(study.cells)
    assert set(frame["verdict"]) == {"equal"}
    assert study.svg().startswith("<svg")
    assert "tabular" in study.latex()


def test_data_sets_are_exact() -> None:
    found = sowing.dataset("kalah(3,3)", 500, seeds=(2, 10), seed=11)
    for board, value in zip(found.boards[:200].tolist(), found.values[:200].tolist()):
        assert plain.value(tuple(board)) == value
    lost = found.lost
    assert np.nanmin(lost, axis=1).tolist() == [0] * 500
    table = found.to_arrow()
    frame = found.to_pandas()
    assert table.column_names == list(frame.columns)
    assert table.num_rows == len(frame) == 500
    assert table["move1"].null_count == int((~found.legal[:, 0]).sum()) == frame["move1"].isna().sum()
    assert table["value"].to_pylist() == frame["value"].tolist()
    later = sowing.dataset("kalah(3,3)", 100, seeds=(2, 10), seed=11, first=400)
    assert later.boards.tolist() == found.boards[400:].tolist()
    assert set(sowing.dataset("kalah(3,3)", 50, source="uniform").played.tolist()) == {-1}


def test_solitaires_are_exact() -> None:
    for stones in (1, 8, 11, 1000):
        board, moves = solitaire.winning_board(stones), solitaire.winning_moves(stones)
        assert sum(board) == sum(moves) == stones
        assert solitaire.why_lost(board) is None
        assert solitaire.product("unplay", moves) == tuple(map(Fraction, board))
        assert solitaire.product("inverse", board) == tuple(map(Fraction, moves))
    unplay = np.array(solitaire.matrix("unplay", 5), dtype=object)
    inverse = np.array(solitaire.matrix("inverse", 5), dtype=object)
    assert ((unplay @ inverse) == np.eye(5, dtype=int)).all()
    assert solitaire.sequence("A002491", 10) == [1, 2, 4, 6, 10, 12, 18, 22, 30, 34]
    assert solitaire.wins("tchoukaillon", solitaire.winning_board(8)).plays == 1
    assert solitaire.win("tchuka-ruma", [2, 2, 2, 2]) is not None
    assert solitaire.winning_counts("chaining", 6, 10)[0] == 1


def test_players() -> None:
    game = "kalah(4,3)"
    south, north = sowing.Player("perfect", game), sowing.Player("level:2", game, seed=3)
    play = sowing.Playthrough(game)
    while not play.is_over:
        play.play((south, north)[play.player].choose(play))
    assert play.margin is not None
    assert play.margin >= 6
