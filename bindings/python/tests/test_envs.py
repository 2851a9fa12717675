"""Environments, by the frameworks' own tests and by ours."""

from __future__ import annotations

import copy
import random
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pyspiel
import pytest
import sowing
import sowing.gymnasium
import sowing.openspiel
import sowing.pettingzoo
from conftest import GAMES
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test
from sowing import Playthrough, Solver, Tables
from sowing.oracle import Oracle, OracleEnv
from sowing.vector import Env

OPEN_GAMES = ["kalah(6,4)", "s-kalaha(6,3)", "kalah(6,4,pie)", "kalah(4,3,clockwise)"]


@pytest.mark.parametrize("game", GAMES + OPEN_GAMES)
def test_many_games_are_games(game: str) -> None:
    """Every game of the vectorised environment is played along with a playthrough."""
    env = Env(game, 40, seed=8, max_moves=200)
    boards, info = env.reset(seed=8)
    plays: list[Playthrough | None] = [Playthrough(game) for _ in range(40)]
    houses = env.game.houses
    ends = 0
    for _ in range(150):
        for index, play in enumerate(plays):
            # A playthrough that went round in a circle is over; the environment goes on.
            if play is None or play.is_endless:
                plays[index] = None
                continue
            assert tuple(boards[index].tolist()) == play.position.board
            legal = [houses if m == "swap" else m - 1 for m in play.position.legal_moves]
            assert np.flatnonzero(info["mask"][index]).tolist() == legal
            assert info["player"][index] == play.player
        actions = env.sample()
        before = [play.player if play else 0 for play in plays]
        boards, rewards, over, given_up, info = env.step(actions)
        for index, (play, action) in enumerate(zip(plays, actions.tolist())):
            if play is None:
                continue
            report = play.position.report("swap" if action == houses else action + 1)
            play.play("swap" if action == houses else action + 1)
            assert info["again"][index] == report.again
            assert over[index] == play.position.is_finished
            if over[index]:
                ends += 1
                margin = play.margin
                assert margin is not None
                assert rewards[index] == (margin if before[index] == 0 else -margin)
                last = play.position if play.player == before[index] else play.position.flip()
                assert tuple(info["final_obs"][index].tolist()) == last.board
            else:
                assert given_up[index] == (len(play.moves) == 200)
                assert rewards[index] == 0 or given_up[index]
            if over[index] or given_up[index]:
                plays[index] = Playthrough(game)
    assert ends > 0


def test_seeds_and_rewards() -> None:
    one, two, other = (Env("kalah(6,4)", 64, seed=seed) for seed in (1, 1, 2))
    by_outcome = Env("kalah(6,4)", 64, seed=1, reward="outcome")
    differ = False
    for _ in range(100):
        actions = one.sample()
        assert (actions == two.sample()).all()
        assert (actions == by_outcome.sample()).all()
        differ |= bool((actions != other.sample()).any())
        rewards, same, signs = (env.step(actions)[1] for env in (one, two, by_outcome))
        assert (rewards == same).all()
        assert (np.sign(rewards) == signs).all()
        other.step(other.sample())
    assert differ


def test_a_seed_is_for_all_games_that_follow() -> None:
    def play(again: int | None) -> list[list[int]]:
        env = Env("kalah(6,4)", 16, seed=1)
        env.reset(seed=again)
        env.step(env.sample())
        env.reset()
        return [env.sample().tolist() for _ in range(5)]

    assert play(None) == play(None) == play(1)
    assert play(2) != play(1)


def test_random_openings() -> None:
    env = Env("kalah(6,4)", 256, seed=5, random_moves=6)
    assert (env.lengths == 6).all()
    assert len(np.unique(env.boards, axis=0)) > 100
    for _ in range(200):
        env.step(env.sample())
    assert (env.lengths >= 6).all()
    # A game that is over before is not looked for for ever, and is played move by move after that.
    short = Env("kalah(2,1)", 4, seed=5, random_moves=50)
    plays = [Playthrough("kalah(2,1)") for _ in range(4)]
    for _ in range(40):
        assert short.lengths.tolist() == [len(play.moves) for play in plays]
        actions = short.sample()
        over = short.step(actions)[2]
        for index, action in enumerate(actions.tolist()):
            plays[index].play(action + 1)
            assert over[index] == plays[index].is_over
            if over[index]:
                plays[index] = Playthrough("kalah(2,1)")


def test_random_games_of_both_kinds_agree() -> None:
    """Games of the vectorised environment have the same mean as random games of the laboratory."""
    played = sowing.playouts("kalah(6,4)", 200_000, seed=3)
    env = Env("kalah(6,4)", 4000, seed=3, reward="outcome")
    first, wins = np.zeros(4000, bool), 0
    length = np.zeros(4000)
    while not first.all():
        player = env.player
        lengths = env.lengths
        _, rewards, over, _, _ = env.step(env.sample())
        ended = over & ~first
        wins += int(((rewards > 0) == (player == 0))[ended & (rewards != 0)].sum())
        length[ended] = lengths[ended] + 1
        first |= over
    mean, half = played.depth
    spread = length.std() / np.sqrt(4000)
    assert abs(length.mean() - mean) < 5 * (half + spread)
    assert abs(wins / 4000 - played.wins / 200_000) < 5 * np.sqrt(0.25 / 4000)


def test_regrets_are_exact(tables: Tables) -> None:
    oracle = Oracle("kalah(6,4)", tables=tables)
    env = OracleEnv(Env("kalah(6,4)", 500, seed=4), oracle)
    known = 0
    solver = Solver("kalah(6,4)")
    for _ in range(60):
        before = env.boards
        actions = env.sample()
        regret = env.step(actions)[-1]["regret"]
        seeds = before.sum(axis=1, dtype=int) - before[:, 6] - before[:, 13]
        assert (np.isnan(regret) == (seeds > 12)).all()
        assert not (regret < 0).any()
        for index in np.flatnonzero(~np.isnan(regret))[:3]:
            position = sowing.Position("kalah(6,4)", before[index])
            report = position.report(int(actions[index]) + 1)
            after = solver.value(position.play(int(actions[index]) + 1))
            after = after if report.again else -after
            assert regret[index] == solver.value(position) - after
            known += 1
    assert known > 50
    both = Oracle("kalah(4,3)", solver=Solver("kalah(4,3)"), tables=Tables.build("kalah(4,3)", 8))
    whole = OracleEnv(Env("kalah(4,3)", 8, seed=4), both)
    for _ in range(20):
        assert (whole.step(whole.sample())[-1]["regret"] >= 0).all()
    with pytest.raises(sowing.LimitError, match="give a solver"):
        oracle.value(sowing.Position("kalah(6,4)"))
    assert copy.copy(whole).oracle is both
    board = np.array([[0, 0, 0, 0, 0, 1, 9, 1, 0, 0, 0, 0, 0, 0]])
    assert oracle.regrets(board.tolist(), [5]).tolist() == [0]
    assert oracle.regrets(board[:0], []).shape == (0,)
    wrong: list[tuple[Any, Any]] = [
        (board, [0]),
        (board, [5.0]),
        (board, [-1]),
        (board, [6]),
        (board, [5, 5]),
        (board[0], [5]),
        (board[:, 1:], [5]),
        (board / 2, [5]),
        (board - 1, [5]),
    ]
    for boards, actions in wrong:
        with pytest.raises(sowing.InputError):
            oracle.regrets(boards, actions)
    perfect = Env("kalah(6,4)", 200, seed=6, random_moves=30)
    near = tables.probe_many(perfect.boards, missing=99) != 99
    values, legal = tables.moves_many(perfect.boards[near])
    best = np.where(legal, values, -99).argmax(axis=1)
    assert near.sum() > 20
    assert (oracle.regrets(perfect.boards[near], best) == 0).all()


def test_an_oracle_that_cannot_answer_plays_nothing() -> None:
    solver = Solver("kalah(4,3)")
    env = OracleEnv(Env("kalah(4,3)", 4, seed=4), Oracle("kalah(4,3)", solver=solver))
    solver.close()
    with pytest.raises(sowing.Closed):
        env.step(env.sample())
    assert (env.lengths == 0).all()


def test_oracles_and_pictures_that_do_not_fit() -> None:
    other = Oracle("kalah(3,2)", solver=Solver("kalah(3,2)"))
    for make in (sowing.gymnasium.SowingEnv, sowing.pettingzoo.raw_env):
        with pytest.raises(sowing.InputError, match="the oracle is of"):
            make("kalah(6,4)", oracle=other)
    with pytest.raises(sowing.InputError, match="render_mode must"):
        sowing.gymnasium.SowingEnv("kalah(6,4)", render_mode="human")
    with pytest.raises(sowing.InputError, match="the oracle is of"):
        OracleEnv(Env("kalah(6,4)", 4, seed=4), other)


@pytest.mark.parametrize("game", ["kalah(6,4)", "s-kalaha(4,2)", "kalah(4,3,pie)"])
@pytest.mark.parametrize("reward", ["margin", "outcome"])
def test_pettingzoo(game: str, reward: str) -> None:
    def make(**options: Any) -> Any:
        return sowing.pettingzoo.env(game=game, reward=reward, **options)

    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        # As all of PettingZoo's own games have it, an observation is a board and a mask.
        warnings.filterwarnings("ignore", message="Observation space for each agent probably")
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        api_test(make(), num_cycles=500, verbose_progress=False)
    seed_test(make, num_cycles=50)
    render_test(make, custom_tests={"svg": lambda picture: picture.startswith("<svg")})


@pytest.mark.parametrize("opponent", ["random", "level:2", "perfect"])
@pytest.mark.parametrize("player", ["first", "second", "either"])
def test_gymnasium(opponent: str, player: str) -> None:
    game = "kalah(3,2)" if opponent == "perfect" else "kalah(6,4)"
    made = gymnasium.make("sowing/Sowing-v0", game=game, opponent=opponent, player=player)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        check_env(made.unwrapped, skip_render_check=False)


def test_gymnasium_games_are_played_out() -> None:
    oracle = Oracle("kalah(3,2)", tables=Tables.build("kalah(3,2)", 12))
    rng = random.Random(3)
    for player in ("first", "second", "either"):
        env = sowing.gymnasium.SowingEnv(
            "kalah(3,2)", opponent="perfect", player=player, oracle=oracle, illegal="raise"
        )
        for seed in range(20):
            observation, info = env.reset(seed=seed)
            start = oracle.value(sowing.Position("kalah(3,2)", observation, free=True))
            lost, over, reward = 0, False, 0.0
            while not over:
                action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
                observation, reward, over, _, info = env.step(action)
                lost += info["regret"]
            # Against a perfect opponent, what is lost is what was given away.
            assert reward == start - lost


def test_illegal_actions() -> None:
    env = sowing.gymnasium.SowingEnv("kalah(6,4)", opponent="random")
    env.reset(seed=1)
    env.step(2)
    _, reward, over, _, info = env.step(2)
    assert (reward, over, info["illegal"]) == (-48.0, True, True)
    with pytest.raises(sowing.InputError, match="reset"):
        env.step(2)
    strict = sowing.gymnasium.SowingEnv("kalah(6,4)", opponent="random", illegal="raise")
    strict.reset(seed=1)
    strict.step(2)
    with pytest.raises(sowing.IllegalMove, match="house 3 is empty"):
        strict.step(2)
    with pytest.raises(TypeError):
        strict.step(2.5)
    for kind, worst in (("margin", -48), ("outcome", -1)):
        checked = sowing.pettingzoo.env(game="kalah(6,4)", reward=kind)
        checked.reset(seed=1)
        checked.step(2)
        checked.step(2)
        assert checked.rewards["player_0"] == worst
        assert all(checked.terminations.values())
    zoo = sowing.pettingzoo.raw_env("kalah(6,4)")
    zoo.reset()
    zoo.step(2)
    with pytest.raises(sowing.IllegalMove, match="house 3 is empty"):
        zoo.step(2)


@pytest.mark.parametrize(
    "name",
    [
        "python_sowing",
        "python_sowing(houses=6,seeds=4,reward=margin)",
        "python_sowing(houses=4,seeds=3,rules=relay+no-capture)",
        "python_sowing(houses=4,seeds=3,rules=pie)",
    ],
)
def test_openspiel(name: str) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=10, serialize=True, verbose=False)
    state = game.new_initial_state()
    while not state.is_terminal():
        assert len(state.observation_tensor(0)) == game.observation_tensor_size()
        assert len(state.information_state_tensor(1)) == game.information_state_tensor_size()
        state.apply_action(state.legal_actions()[-1])
    assert sum(state.returns()) == 0
    assert game.min_utility() <= state.returns()[0] <= game.max_utility()


def test_openspiel_api_tests_as_they_ship() -> None:
    """OpenSpiel's own tests of its interface, on our game alone."""
    code = """
import sys
from absl.testing import absltest
import pyspiel
import sowing.openspiel
registered = pyspiel.registered_games
ours = [game for game in registered() if game.short_name == "python_sowing"]
assert len(ours) == 1
pyspiel.registered_games = lambda: ours
pyspiel.registered_names = lambda: ["python_sowing"]
from open_spiel.integration_tests import api_test
absltest.main(module=api_test, argv=[sys.argv[0]])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "OK" in done.stderr


def test_openspiels_mancala_plays_our_games() -> None:
    """10,000 random games of ours, move for move. Its rules are Kalah's; it pays outcomes only, and
    ends a game after 1,000 moves, which none of ours has."""
    mancala, rng = pyspiel.load_game("mancala"), random.Random(10)
    moves = 0
    for _ in range(10_000):
        state, play = mancala.new_initial_state(), Playthrough("kalah(6,4)")
        while not play.is_over:
            first = 0 if play.side == "south" else 7
            assert state.current_player() == play.player
            legal = play.position.legal_moves
            assert state.legal_actions() == [first + int(move) for move in legal]
            move = int(rng.choice(legal))
            play.play(move)
            state.apply_action(first + move)
            moves += 1
        assert state.is_terminal()
        south = play.position if play.side == "south" else play.position.flip()
        pits = [south.other_store, *south.houses, south.store, *south.other_houses]
        assert state.observation_tensor(0)[:14] == pits
        assert play.margin is not None
        assert state.returns()[0] == np.sign(play.margin)
        assert len(play.moves) < 1000
    assert moves > 200_000
