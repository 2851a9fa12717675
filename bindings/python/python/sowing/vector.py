"""Many games at once, as numpy arrays.

>>> from sowing.vector import Env
>>> env = Env("kalah(6,4)", 512, seed=7)
>>> boards, info = env.reset()
>>> boards.shape, info["mask"].shape
((512, 14), (512, 6))
>>> boards, rewards, over, given_up, info = env.step(env.sample())
>>> int(info["player"].sum()) == int((~info["again"]).sum())
True

Observations are boards as the player to move sees them: houses and store of the mover, houses and
store of the opponent. An action is a house's number less one; where the pie rule offers a swap, one
more. After a move that ends in the mover's store the same player moves again: ``info["player"]``
says who is to move, 0 being the player who started. The reward is that of the player who made the
move, and the other's is the same with the other sign: 0 until the game ends, then the final margin,
or 1, 0 or -1 with ``reward="outcome"``. A game that ends starts anew at once, in the same step, as
in Gymnasium's ``AutoresetMode.SAME_STEP``: its row of the boards is that of the new game, and its last
board, as the player who ended it sees it, is the row of ``info["final_obs"]``, which is 0 elsewhere.
"""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from sowing._sowing import Batch, Game
from sowing.errors import InputError

Boards = npt.NDArray[np.uint8]
Info = dict[str, npt.NDArray[Any]]


def by_outcome(reward: str) -> bool:
    """Whether rewards are outcomes instead of margins."""
    if reward not in ("margin", "outcome"):
        raise InputError(f'reward must be "margin" or "outcome", not {reward!r}')
    return reward == "outcome"


def checked_seed(seed: int) -> int:
    """A seed for random numbers."""
    if not 0 <= index(seed) < 2**64:
        raise InputError(f"a seed is a number from 0 to 2^64 - 1, not {seed}")
    return index(seed)


def any_seed() -> int:
    """Some other seed each time."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


class Env:
    """``games`` games side by side, of up to 8 houses and 255 seeds.

    Each game has random numbers of its own, which depend on ``seed`` and its index alone. With
    ``random_moves``, so many random moves start every game. A game is given up after ``max_moves``
    moves, 1,000 of them where positions can repeat and without end otherwise, unless given; then
    the seeds in houses count for nobody.
    """

    def __init__(
        self,
        game: Game | str,
        games: int,
        *,
        reward: str = "margin",
        seed: int | None = None,
        random_moves: int = 0,
        max_moves: int | None = None,
    ) -> None:
        if not 0 <= random_moves <= 1000:
            raise InputError(f"random_moves must be 0 to 1000, not {random_moves}")
        self._batch = Batch(
            game,
            games,
            by_outcome=by_outcome(reward),
            most=max_moves,
            seed=any_seed() if seed is None else checked_seed(seed),
        )
        self._random_moves = random_moves
        self._batch.shuffle(random_moves)

    @property
    def game(self) -> Game:
        """The game."""
        return self._batch.game

    @property
    def num_envs(self) -> int:
        """How many games there are."""
        return len(self._batch)

    @property
    def num_actions(self) -> int:
        """How many actions there are, legal or not."""
        return self.game.houses + int(self.game.pie)

    @property
    def boards(self) -> Boards:
        """The boards now."""
        return self._batch.boards()

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal now."""
        return self._batch.masks()

    @property
    def player(self) -> npt.NDArray[np.int8]:
        """Who is to move now."""
        return self._batch.players()

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """How many moves each game has had."""
        return self._batch.lengths()

    def sample(self) -> npt.NDArray[np.int64]:
        """A legal action of each game at random, each as likely as the other."""
        return self._batch.sample()

    def reset(self, seed: int | None = None) -> tuple[Boards, Info]:
        """Starts all games anew. Without a seed their random numbers go on where they are, as in
        Gymnasium."""
        self._batch.reset(None if seed is None else checked_seed(seed))
        self._batch.shuffle(self._random_moves)
        return self.boards, {"mask": self.mask, "player": self.player}

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Boards, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], Info]:
        """Plays a move in each game: the boards after it, the rewards of those who moved, which games
        are over, which were given up, and more. If a move is illegal, none is played."""
        asked = np.asarray(actions)
        if asked.ndim != 1 or asked.dtype.kind not in "iu":
            raise InputError(f"actions are a whole number a game, not {asked.dtype} {asked.shape}")
        final = np.zeros((self.num_envs, 2 * self.game.houses + 2), np.uint8)
        rewards, over, given_up, again = self._batch.step(asked.astype(np.int64, copy=False), final)
        if self._random_moves:
            self._batch.shuffle(self._random_moves)
        info = {"mask": self.mask, "player": self.player, "again": again, "final_obs": final}
        return self.boards, rewards, over, given_up, info

    def close(self) -> None:
        """Nothing is left behind."""
