"""What moves give away, exactly: the regret of each move against perfect play."""

from __future__ import annotations

from operator import index
from typing import Any, SupportsIndex, Union

import numpy as np
import numpy.typing as npt

from sowing import vector
from sowing._sowing import Game, Playthrough, Position, Solver, Tables
from sowing.errors import InputError, LimitError

Move = Union[int, str]


class Oracle:
    """Knows the value of every position: by tables as far as they reach, by a solver beyond.

    Without a solver, what the tables do not reach raises ``LimitError`` where one move is asked
    about, and is NaN where many are.

    >>> oracle = Oracle("kalah(4,3)", solver=Solver("kalah(4,3)"))
    >>> [oracle.regret(Position("kalah(4,3)"), move) for move in (1, 2, 3, 4)]
    [12, 0, 4, 8]
    """

    def __init__(
        self,
        game: Game | str,
        *,
        tables: Tables | None = None,
        solver: Solver | None = None,
    ) -> None:
        self.game = game if isinstance(game, Game) else Game(game)
        if tables is None and solver is None:
            raise InputError("an oracle needs tables, a solver, or both")
        if solver is not None and solver.game != self.game:
            raise InputError(f"the solver is of {solver.game}, the oracle of {self.game}")
        if tables is not None:
            # Refuses tables of other games.
            tables.probe(self.game.start())
        self._tables, self._solver = tables, solver

    def value(self, position: Position | Playthrough) -> int:
        """The mover's margin with perfect play."""
        at = position.position if isinstance(position, Playthrough) else position
        known = None
        if self._tables is not None:
            known = self._tables.probe(at)
        if known is not None:
            return known
        if self._solver is None:
            reach = self._tables.seeds if self._tables is not None else 0
            raise LimitError(
                f"{at.layer} seeds lie in houses, and the tables have up to {reach}: give a solver"
            )
        return self._solver.value(position)

    def require(self, game: Game) -> None:
        """Refuses another game than its own."""
        if game != self.game:
            raise InputError(f"the oracle is of {self.game}, the environment of {game}")

    def after(self, position: Position, move: Move) -> int:
        """The mover's margin after a move, with perfect play from there on."""
        again = position.report(move).again
        value = self.value(position.play(move))
        return value if again else -value

    def regret(self, position: Position, move: Move) -> int:
        """What a move gives away, in points of margin: 0 for a best one."""
        return self.value(position) - self.after(position, move)

    def regrets(self, boards: npt.ArrayLike, actions: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """What one action on each board gives away; NaN where nobody knows. An action is a house's
        number less one."""
        boards, chosen = np.asarray(boards), np.asarray(actions)
        houses = self.game.houses
        if boards.ndim != 2 or boards.shape[1] != 2 * houses + 2 or boards.dtype.kind not in "iu":
            raise InputError(
                f"boards of {self.game} are whole numbers of shape (boards, {2 * houses + 2}), "
                f"not {boards.dtype} {boards.shape}"
            )
        lost = np.full(len(boards), np.nan, np.float32)
        if not len(boards) and not len(chosen):
            return lost
        if chosen.shape != lost.shape or chosen.dtype.kind not in "iu" or (chosen < 0).any():
            raise InputError("there is one action a board, a house's number less one")
        if (chosen >= houses).any():
            raise InputError("a board says nothing of a swap: ask for its regret by position")
        seeds = boards[:, :houses].sum(axis=1) + boards[:, houses + 1 : -1].sum(axis=1)
        known = np.zeros(len(boards), bool)
        if self._tables is not None:
            known = seeds <= self._tables.seeds
            values, legal = self._tables.moves_many(np.ascontiguousarray(boards[known]))
            rows = np.arange(len(values))
            if not legal[rows, chosen[known]].all():
                raise InputError("an action is not legal on its board")
            best = np.where(legal, values, -(2**40)).max(axis=1, initial=-(2**40))
            lost[known] = best - values[rows, chosen[known]]
        if self._solver is not None:
            for row in np.flatnonzero(~known):
                position = Position(self.game, boards[row], free=True)
                lost[row] = self.regret(position, int(chosen[row]) + 1)
        return lost


class OracleEnv:
    """A vectorised environment that says what each move gave away: ``info["regret"]``, exactly, and
    NaN where the oracle does not know.

    >>> env = OracleEnv(vector.Env("kalah(3,2)", 64, seed=1),
    ...                 Oracle("kalah(3,2)", tables=Tables.build("kalah(3,2)", 12)))
    >>> boards, rewards, over, given_up, info = env.step(env.sample())
    >>> bool((info["regret"] >= 0).all())
    True
    """

    def __init__(self, env: vector.Env, oracle: Oracle) -> None:
        oracle.require(env.game)
        if env.game.pie:
            raise InputError("a board says nothing of a swap: take the game without pie")
        self.env, self.oracle = env, oracle

    def __getattr__(self, name: str) -> Any:
        # While a copy is being made there is no environment yet.
        if name.startswith("__") or name in ("env", "oracle"):
            raise AttributeError(name)
        return getattr(self.env, name)

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[
        vector.Boards,
        npt.NDArray[np.float32],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        vector.Info,
    ]:
        """As the environment's, with the regret of each move."""
        # First, so that nothing is played if the oracle cannot answer.
        regret = self.oracle.regrets(self.env.boards, actions)
        boards, rewards, over, given_up, info = self.env.step(actions)
        info["regret"] = regret
        return boards, rewards, over, given_up, info


def action_to_move(action: SupportsIndex, houses: int) -> Move:
    """The move that an action of an environment stands for."""
    number = index(action)
    return number + 1 if number < houses else "swap"
