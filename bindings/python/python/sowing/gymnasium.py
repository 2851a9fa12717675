"""A Gymnasium environment: one player who learns, against any opponent.

>>> import gymnasium
>>> import sowing.gymnasium
>>> env = gymnasium.make("sowing/Sowing-v0", game="kalah(6,4)", opponent="level:1")
>>> observation, info = env.reset(seed=7)
>>> observation.tolist(), info["action_mask"].tolist()
([4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0], [1, 1, 1, 1, 1, 1])
>>> observation, reward, terminated, truncated, info = env.step(2)
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from sowing._sowing import Game, Player, Playthrough
from sowing.errors import InputError
from sowing.oracle import Oracle, action_to_move
from sowing.vector import by_outcome

Board = npt.NDArray[np.int64]


def board_space(game: Game) -> spaces.Box:
    """Boards of a game as the player to move sees them."""
    return spaces.Box(0, game.total, (2 * game.houses + 2,), np.int64)


def action_mask(play: Playthrough, actions: int) -> npt.NDArray[np.int8]:
    """Which actions are legal: a house's number less one, and one more for a swap."""
    mask = np.zeros(actions, np.int8)
    if not play.is_over:
        for move in play.position.legal_moves:
            mask[actions - 1 if isinstance(move, str) else move - 1] = 1
    return mask


class SowingEnv(gymnasium.Env[Any, Any]):
    """The player who learns moves one house at a time, as often as its turn goes on; then the
    opponent plays its whole turn.

    ``opponent`` is the name of one, as in ``"level:3"``, or anything with ``choose(playthrough)``.
    ``player`` is ``"first"``, ``"second"`` or ``"either"``, by the seed. The reward is 0 until the
    game ends, then the margin, or 1, 0 or -1 with ``reward="outcome"``. An illegal action loses the
    game by all its seeds, and ``info["illegal"]`` says so; with ``illegal="raise"`` it raises. With
    an ``oracle``, ``info["regret"]`` is what each move gave away.
    """

    metadata = {"render_modes": ["ansi", "svg"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str = "kalah(6,4)",
        *,
        opponent: Any = "random",
        player: str = "first",
        reward: str = "margin",
        illegal: str = "lose",
        oracle: Oracle | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.game = game if isinstance(game, Game) else Game(game)
        if player not in ("first", "second", "either"):
            raise InputError(f'player must be "first", "second" or "either", not {player!r}')
        if illegal not in ("lose", "raise"):
            raise InputError(f'illegal must be "lose" or "raise", not {illegal!r}')
        if isinstance(opponent, str):
            # A wrong name is told now.
            Player(opponent, self.game)
        elif not hasattr(opponent, "choose"):
            raise InputError('an opponent is a name, as in "level:3", or has choose(playthrough)')
        if oracle is not None:
            oracle.require(self.game)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise InputError(f'render_mode must be None, "ansi" or "svg", not {render_mode!r}')
        self._opponent_name, self._player_name = opponent, player
        self._by_outcome, self._illegal = by_outcome(reward), illegal
        self._oracle = oracle
        self.render_mode = render_mode
        self.observation_space = board_space(self.game)
        self._actions = self.game.houses + int(self.game.pie)
        self.action_space = spaces.Discrete(self._actions)
        self._play: Playthrough | None = None
        self._own = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Board, dict[str, Any]]:
        """Starts a game; if the opponent is first, it has moved."""
        super().reset(seed=seed)
        self._play = Playthrough(self.game)
        self._own = {"first": 0, "second": 1}.get(self._player_name, 0)
        if self._player_name == "either":
            self._own = int(self.np_random.integers(2))
        self._opponent = self._opponent_name
        if isinstance(self._opponent_name, str):
            number = int(self.np_random.integers(2**63))
            self._opponent = Player(self._opponent_name, self.game, seed=number)
        self._answer()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Board, float, bool, bool, dict[str, Any]]:
        """Plays a move and, where the turn is over, the opponent's turn."""
        play = self._playing()
        if play.is_over:
            raise InputError("the game is over: reset the environment")
        move = action_to_move(action, self.game.houses)
        if move not in play.position.legal_moves:
            if self._illegal == "raise":
                play.play(move)
            reward = -1.0 if self._by_outcome else -float(self.game.total)
            self._play = None
            info = {"action_mask": np.zeros(self._actions, np.int8), "illegal": True}
            return self._lost, reward, True, False, info
        info = {}
        if self._oracle is not None:
            info["regret"] = self._oracle.regret(play.position, move)
        play.play(move)
        self._answer()
        reward = 0.0
        if play.margin is not None:
            margin = play.margin if self._own == 0 else -play.margin
            reward = float(np.sign(margin)) if self._by_outcome else float(margin)
        return self._observation(), reward, play.is_over, False, {**self._info(), **info}

    def render(self) -> Any:
        """The board, as lines or as SVG."""
        if self._play is None or self.render_mode is None:
            return None
        position, side = self._play.position, self._play.side
        return position.svg(mover=side) if self.render_mode == "svg" else position.text(mover=side)

    @property
    def playthrough(self) -> Playthrough:
        """The game so far: a copy."""
        return self._playing().copy()

    def _playing(self) -> Playthrough:
        if self._play is None:
            raise InputError("no game is under way: reset the environment")
        return self._play

    def _answer(self) -> None:
        play = self._playing()
        while not play.is_over and play.player != self._own:
            play.play(self._opponent.choose(play))

    def _observation(self) -> Board:
        play = self._playing()
        position = play.position
        # A finished game may be seen by the other side.
        own = position if play.player == self._own else position.flip()
        self._lost = np.array(own.board, np.int64)
        return np.array(own.board, np.int64)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": action_mask(self._playing(), self._actions)}


gymnasium.register("sowing/Sowing-v0", entry_point="sowing.gymnasium:SowingEnv")
