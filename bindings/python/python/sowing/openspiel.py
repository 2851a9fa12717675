"""Sowing games for OpenSpiel, with the pit numbering of its own ``mancala``.

>>> import pyspiel
>>> import sowing.openspiel
>>> game = pyspiel.load_game("python_sowing(houses=6,seeds=4)")
>>> state = game.new_initial_state()
>>> state.legal_actions()
[1, 2, 3, 4, 5, 6]
>>> state.apply_action(3)
>>> state.current_player(), state.legal_actions()
(0, [1, 2, 4, 5, 6])

With h houses a row, the pits go round the board: 0 is the store of the second player, 1 to h the
houses of the first, h + 1 the first player's store, h + 2 to 2h + 1 the houses of the second. An
action is the pit of a house; 0 is a swap, where the pie rule offers one.

Parameters: ``houses``, ``seeds``, ``rules`` (the options of a game's name with ``+`` between them, as
in ``"relay+no-capture"``), and ``reward`` (``"outcome"``, as ``mancala`` has it, or ``"margin"``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from sowing._sowing import Game, Playthrough
from sowing.errors import InputError
from sowing.vector import by_outcome

#: OpenSpiel counts moves in 32 bits.
MOST_MOVES = 2**31 - 1

_TYPE = pyspiel.GameType(
    short_name="python_sowing",
    long_name="Sowing games: Kalah and its variants",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"houses": 6, "seeds": 4, "rules": "", "reward": "outcome"},
)


def longest_game(game: Game) -> int:
    """A bound on the moves of a game, as OpenSpiel wants one.

    A move brings a seed into a store, or leaves all that it sows in the mover's row, nearer to its
    end. There are ``total`` moves of the first kind at most, and between two of them no more of the
    second than the seeds have steps to the ends of their rows, ``total * houses`` at most.
    """
    if game.repeats:
        raise InputError(f"OpenSpiel needs a bound on the length of a game, and {game} has none")
    bound = (game.total + 1) * (game.total * game.houses + 1)
    if bound > MOST_MOVES:
        raise InputError(f"a game of {game} can be longer than OpenSpiel counts moves")
    return bound


class SowingGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its size, rules and rewards."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**_TYPE.parameter_specification, **(params or {})}
        rules = [word for word in str(given["rules"]).split("+") if word]
        name = ",".join([str(given["houses"]), str(given["seeds"]), *rules])
        self.sowing = Game(f"kalah({name})")
        self.by_outcome = by_outcome(str(given["reward"]))
        most = 1.0 if self.by_outcome else float(self.sowing.total)
        info = pyspiel.GameInfo(
            num_distinct_actions=2 * self.sowing.houses + 2,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=longest_game(self.sowing),
        )
        super().__init__(_TYPE, info, given)

    def new_initial_state(self, state: Any = None) -> SowingState:
        """The start of a game."""
        if state is not None:
            raise ValueError("a state is made by playing: only None is understood")
        return SowingState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Who sees the board, and with perfect recall the moves too. Nothing is private."""
        if iig_obs_type is not None and not iig_obs_type.public_info:
            return IIGObserverForPublicInfoGame(iig_obs_type, params)
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return BoardObserver(self.sowing, recall, params)


class SowingState(pyspiel.State):  # type: ignore[misc]
    """A game as it stands."""

    def __init__(self, game: SowingGame) -> None:
        super().__init__(game)
        self._by_outcome = game.by_outcome
        self._play = Playthrough(game.sowing)
        self._houses = game.sowing.houses

    @property
    def playthrough(self) -> Playthrough:
        """The game so far: a copy."""
        return self._play.copy()

    def current_player(self) -> int:
        """Who is to move: 0 started."""
        return int(pyspiel.PlayerId.TERMINAL) if self._play.is_over else self._play.player

    def _first_pit(self) -> int:
        """The pit before the first house of the row that is to move."""
        return 0 if self._play.side == "south" else self._houses + 1

    def _legal_actions(self, player: int) -> list[int]:
        if self._play.is_over:
            return []
        moves = self._play.position.legal_moves
        first = self._first_pit()
        return sorted(0 if isinstance(move, str) else first + move for move in moves)

    def _apply_action(self, action: int) -> None:
        self._play.play("swap" if action == 0 else action - self._first_pit())

    def _action_to_string(self, player: int, action: int) -> str:
        return "swap" if action == 0 else str(action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._play.is_over

    def returns(self) -> list[float]:
        """What the players have got: nothing until the game is over."""
        margin = self._play.margin or 0
        reward = float(np.sign(margin)) if self._by_outcome else float(margin)
        return [reward, -reward]

    def pits(self) -> list[int]:
        """The seeds in all pits, in the numbering above."""
        position = self._play.position
        south = position if self._play.side == "south" else position.flip()
        return [south.other_store, *south.houses, south.store, *south.other_houses]

    def __str__(self) -> str:
        pits = self.pits()
        middle = self._houses + 1
        upper = "-".join(str(seeds) for seeds in reversed(pits[middle + 1 :]))
        lower = "-".join(str(seeds) for seeds in pits[1:middle])
        width = max(len(upper), len(lower))
        store = f"{pits[0]}{'-' * width}{pits[middle]}"
        return f"-{upper}-\n{store}\n-{lower}-\nCurrent player: {self.current_player()}"


class BoardObserver:
    """Tensors of what a player sees: the seeds in all pits, who is to move and, with perfect recall,
    how often each action was played by then."""

    def __init__(self, game: Game, recall: bool, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters are not understood: {params}")
        self._pits, self._recall = 2 * game.houses + 2, recall
        size = self._pits + 2 + (self._pits if recall else 0)
        self.tensor = np.zeros(size, np.float32)
        pits, players = self.tensor[: self._pits], self.tensor[self._pits : self._pits + 2]
        self.dict = {"pits": pits, "player": players}
        if recall:
            self.dict["played"] = self.tensor[self._pits + 2 :]

    def set_from(self, state: SowingState, player: int) -> None:
        """Takes a state in."""
        self.tensor.fill(0)
        self.dict["pits"][:] = state.pits()
        if not state.is_terminal():
            self.dict["player"][state.current_player()] = 1
        if self._recall:
            for action in state.history():
                self.dict["played"][action] += 1

    def string_from(self, state: SowingState, player: int) -> str:
        """A state in words."""
        return state.history_str() if self._recall else str(state)


pyspiel.register_game(_TYPE, SowingGame)
