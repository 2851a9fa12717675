"""A PettingZoo environment in which two agents take turns (AEC).

>>> from sowing.pettingzoo import env
>>> game = env(game="kalah(6,4)")
>>> game.reset(seed=7)
>>> game.agent_selection, game.observe("player_0")["action_mask"].tolist()
('player_0', [1, 1, 1, 1, 1, 1])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from sowing._sowing import Game, Playthrough
from sowing.gymnasium import action_mask, board_space
from sowing.oracle import Oracle, action_to_move
from sowing.vector import by_outcome

AGENTS = ["player_0", "player_1"]


def env(**options: Any) -> AECEnv[str, dict[str, Any], int]:
    """The environment with the checks that PettingZoo's own environments have: an illegal move loses
    the game, and what is out of order raises."""
    made: Any = raw_env(**options)
    # As much as a game can be lost by, so that it never pays.
    worst = -1 if made.by_outcome else -made.game.total
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=worst)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class raw_env(AECEnv[str, dict[str, Any], int]):  # type: ignore[misc]
    """Agents are ``"player_0"``, who starts, and ``"player_1"``. An observation has the board as the
    agent sees it and the mask of legal actions; an action is a house's number less one, and one more
    for a swap. After a move that ends in the store the same agent is selected again. Rewards come
    when the game ends: the margin, or 1, 0 or -1 with ``reward="outcome"``. With an ``oracle``,
    ``infos[agent]["regret"]`` is what the agent's last move gave away.
    """

    metadata = {  # noqa: RUF012
        "name": "sowing_v0",
        "render_modes": ["ansi", "svg"],
        "render_fps": 4,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: Game | str = "kalah(6,4)",
        *,
        reward: str = "margin",
        oracle: Oracle | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = game if isinstance(game, Game) else Game(game)
        self.by_outcome = by_outcome(reward)
        if oracle is not None:
            oracle.require(self.game)
        self._oracle = oracle
        self.render_mode = render_mode
        self._actions = self.game.houses + int(self.game.pie)
        self.possible_agents = list(AGENTS)
        mask = spaces.Box(0, 1, (self._actions,), np.int8)
        one = spaces.Dict({"observation": board_space(self.game), "action_mask": mask})
        self.observation_spaces = dict.fromkeys(AGENTS, one)
        self.action_spaces = {agent: spaces.Discrete(self._actions) for agent in AGENTS}
        self._play = Playthrough(self.game)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent can do."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game. Nothing in it is left to chance."""
        if seed is not None:
            for index, space in enumerate(self.action_spaces.values()):
                space.seed(seed + index)
        self._play = Playthrough(self.game)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self._play.player]

    def observe(self, agent: str) -> dict[str, Any]:
        """The board as an agent sees it, and what it may play."""
        to_move = AGENTS[self._play.player] == agent
        position = self._play.position if to_move else self._play.position.flip()
        mask = action_mask(self._play, self._actions)
        return {
            "observation": np.array(position.board, np.int64),
            "action_mask": mask if to_move else np.zeros_like(mask),
        }

    def step(self, action: int | None) -> None:
        """Plays the move of the agent that is selected."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("a live agent has to act: None is for one whose game is over")
        move = action_to_move(action, self.game.houses)
        position = self._play.position
        if self._oracle is not None and move in position.legal_moves:
            self.infos[agent]["regret"] = self._oracle.regret(position, move)
        self._play.play(move)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        margin = self._play.margin
        if margin is not None:
            reward = float(np.sign(margin)) if self.by_outcome else float(margin)
            self.rewards = dict(zip(AGENTS, (reward, -reward)))
            self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[self._play.player]
        self._accumulate_rewards()
        if self.render_mode is not None:
            self.render()

    def render(self) -> Any:
        """The board, as lines or as SVG."""
        position, side = self._play.position, self._play.side
        return position.svg(mover=side) if self.render_mode == "svg" else position.text(mover=side)

    def close(self) -> None:
        """Nothing is left behind."""
