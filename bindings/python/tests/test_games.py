"""Games, positions, records."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import plain
import pytest
import sowing
from conftest import GAMES
from hypothesis import given
from hypothesis import strategies as st
from sowing import Game, Playthrough, Position, Record


@st.composite
def playthroughs(draw: st.DrawFn) -> Playthrough:
    play = Playthrough(draw(st.sampled_from(GAMES)))
    for _ in range(draw(st.integers(0, 30))):
        if play.is_over:
            break
        play.play(draw(st.sampled_from(play.position.legal_moves)))
    return play


@given(playthroughs())
def test_seeds_are_conserved(play: Playthrough) -> None:
    assert play.position.total == play.game.total == sum(play.position.board)
    assert play.position.layer == sum(play.position.houses) + sum(play.position.other_houses)


@given(playthroughs())
def test_texts_are_read_again(play: Playthrough) -> None:
    position = play.position
    if not play.game.pie:
        for text in (str(position), position.kgp, position.board, np.array(position.board)):
            again = Position(play.game, text)
            assert again == position
            assert hash(again) == hash(position)
    assert Game(str(play.game)) == play.game
    record = play.record()
    assert str(Record(str(record))) == str(record)
    assert record.replay().position == position
    assert record.moves == play.moves


@given(playthroughs())
def test_copies_go_their_own_way(play: Playthrough) -> None:
    for made in (
        play.copy(),
        copy.copy(play),
        copy.deepcopy(play),
        pickle.loads(pickle.dumps(play)),
    ):
        assert (made.moves, made.position, made.side) == (play.moves, play.position, play.side)
        while made.undo() is not None:
            pass
        assert made.position == play.start
        assert made.moves == ()
    assert len(play.moves) <= 30


@given(playthroughs())
def test_moves_and_reports_agree(play: Playthrough) -> None:
    position = play.position
    for move in position.legal_moves:
        report, after = position.report(move), position.play(move)
        assert report.finished == after.is_finished
        if move != "swap":
            store = after.store if report.again else after.other_store
            assert store == position.store + report.gain
        assert report.captured <= report.gain


@given(playthroughs())
def test_turns_are_moves_until_the_other_plays(play: Playthrough) -> None:
    position = play.position
    for moves, after in position.turns():
        at = position
        for move in moves[:-1]:
            assert at.report(move).again
            at = at.play(move)
        last = at.report(moves[-1])
        assert last.finished or not last.again
        assert at.play(moves[-1]) == after


@given(playthroughs())
def test_margins_are_zero_sum(play: Playthrough) -> None:
    if play.is_over and not play.is_endless:
        assert play.position.margin == -play.position.flip().margin  # type: ignore[operator]
        margin = play.margin
        assert margin is not None
        assert (margin == 0) == (play.result == "draw")
    else:
        assert play.position.margin is None


@given(st.lists(st.integers(0, 5), min_size=6, max_size=6))
def test_moves_are_those_of_plain_python(pits: list[int]) -> None:
    own, other = tuple(pits[:3]), tuple(pits[3:])
    position = Position("kalah(3,4)", [*own, 0, *other, 0], free=True)
    for move in position.legal_moves:
        assert isinstance(move, int)
        mine, theirs, gain, again = plain.play(own, other, move - 1)
        after = position.play(move)
        after = after if again else after.flip()
        assert (after.houses, after.other_houses, after.store) == (mine, theirs, gain)


def test_positions_in_notebooks() -> None:
    picture = Position("kalah(6,4)")._repr_svg_()
    assert picture.startswith("<svg")
    assert "kalah(6,4)" in picture


def test_a_swap() -> None:
    play = Playthrough("kalah(3,2,pie)")
    play.play(1)
    assert play.player == 1
    assert play.position.may_swap
    with pytest.raises(sowing.InputError, match="swap is still"):
        pickle.dumps(play.position)
    assert copy.copy(play.position).may_swap
    assert copy.deepcopy([play.position])[0] == play.position
    play.play("swap")
    assert (play.player, play.swapped, play.side) == (0, True, "north")
    assert pickle.loads(pickle.dumps(play)).swapped


def test_positions_are_keys() -> None:
    start = Position("kalah(6,4)")
    known = {start: 10}
    assert known[Game("kalah(6,4)").start()] == 10
    assert start != Position("kalah(6,4,empty-capture)")
    assert pickle.loads(pickle.dumps(start)) == start
    assert start.perft(2) == 35
    # Deeper ones are counted piece by piece.
    for game in GAMES[:8]:
        first = Position(game)
        below = [first.play(move) for move in first.legal_moves]
        assert first.perft(7) == sum(after.perft(6) for after in below)
    assert len({start.report(move) for move in (1, 2)}) == 1
    assert start.report(1) != start.report(3)


def test_rules_in_words() -> None:
    assert any("store" in sentence for sentence in Game("kalah(6,4)").rules)
    assert Game("kalah(6,4,clockwise)").repeats
