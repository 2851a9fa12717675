"""What several tests use."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sowing

#: Games of every kind of rule, small enough to be solved at once.
GAMES = [
    "kalah(3,2)",
    "kalah(4,2)",
    "kalah(3,3,empty-capture)",
    "kalah(3,2,last-seed-capture)",
    "kalah(3,3,no-capture)",
    "kalah(3,2,relay)",
    "s-kalaha(3,2)",
    "s-kalaha(4,1)",
    "kalah(3,2,remaining-lost)",
    "kalah(3,2,pie)",
    "kalah(2,2,clockwise)",
]


def random_position(rng: random.Random, houses: int, most: int) -> sowing.Position:
    """A live position with up to so many seeds in houses, whether play can reach it or not."""
    while True:
        board = [0] * (2 * houses + 2)
        for _ in range(rng.randint(2, most)):
            board[rng.choice([pit for pit in range(2 * houses + 1) if pit != houses])] += 1
        board[houses], board[-1] = rng.randint(0, 9), rng.randint(0, 9)
        position = sowing.Position(f"kalah({houses},4)", board, free=True)
        if not position.is_finished:
            return position


@pytest.fixture(scope="session")
def tables() -> sowing.Tables:
    """Tables of Kalah with six houses to 12 seeds."""
    return sowing.Tables.build("kalah(6,4)", 12)


@pytest.fixture
def boards() -> np.ndarray:
    """A thousand boards of Kalah(6,4) with up to 12 seeds in houses."""
    return sowing.dataset("kalah(6,4)", 1000, seeds=(2, 12), seed=3).boards
