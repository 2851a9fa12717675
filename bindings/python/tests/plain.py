"""Kalah once more, in plain Python, and its values by plain minimax: to check the package with.

A board is the mover's houses and store and the opponent's houses and store, as lists.
"""

from __future__ import annotations

from functools import cache

Row = tuple[int, ...]


def play(own: Row, other: Row, house: int) -> tuple[Row, Row, int, bool]:
    """Sows a house, counted from 0: both rows after it, the seeds that came home, and whether the
    last one fell into the store."""
    houses = len(own)
    pits = [*own, 0, *other]
    hand, pits[house] = pits[house], 0
    at = house
    while hand:
        at = (at + 1) % len(pits)
        pits[at] += 1
        hand -= 1
    if at < houses and pits[at] == 1:
        opposite = 2 * houses - at
        if pits[opposite]:
            pits[houses] += pits[at] + pits[opposite]
            pits[at] = pits[opposite] = 0
    return tuple(pits[:houses]), tuple(pits[houses + 1 :]), pits[houses], at == houses


@cache
def worth(own: Row, other: Row) -> int:
    """What the mover gets of the seeds in houses, less what the opponent gets, by minimax."""
    if not any(own) or not any(other):
        return sum(own) - sum(other)
    best = None
    for house, seeds in enumerate(own):
        if seeds:
            mine, theirs, gain, again = play(own, other, house)
            rest = worth(mine, theirs) if again else -worth(theirs, mine)
            best = gain + rest if best is None else max(best, gain + rest)
    assert best is not None
    return best


def value(board: tuple[int, ...]) -> int:
    """The mover's margin with perfect play: a board in the order of a position's text."""
    half = len(board) // 2
    own, other = board[:half], board[half:]
    return own[-1] - other[-1] + worth(own[:-1], other[:-1])
