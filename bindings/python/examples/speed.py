"""How fast things are, side by side with OpenSpiel's ``mancala`` in one run.

    python examples/speed.py             everything, about two minutes
    python examples/speed.py vector      only this; also openspiel, playouts, probe, solve

Needs open_spiel for its part.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable

import numpy as np
import sowing
from sowing.vector import Env

GAME = "kalah(6,4)"


def told(what: str, many: float, seconds: float) -> None:
    print(f"{what:58} {many / seconds / 1e6:9.3f} million a second ({seconds:.2f} s)", flush=True)


def best(work: Callable[[], float], times: int = 3) -> tuple[float, float]:
    """How much was done and the shortest of some times."""
    done, shortest = 0.0, float("inf")
    for _ in range(times):
        started = time.perf_counter()
        done = work()
        shortest = min(shortest, time.perf_counter() - started)
    return done, shortest


def vector() -> None:
    """Random games in the vectorised environment, one thread."""
    for games in (64, 1024, 4096):
        env = Env(GAME, games, seed=1)
        steps = 2_000_000 // games

        def play(env: Env = env, steps: int = steps) -> float:
            for _ in range(steps):
                env.step(env.sample())
            return float(steps * env.num_envs)

        told(f"moves, {games} games side by side, random legal moves", *best(play))
    env = Env(GAME, 4096, seed=1)
    rng = np.random.default_rng(1)

    def masked() -> float:
        mask = env.mask
        for _ in range(100):
            actions = (rng.random(mask.shape, np.float32) * mask).argmax(axis=1)
            mask = env.step(actions)[-1]["mask"]
        return 100.0 * 4096

    told("moves, 4096 games, the moves chosen by numpy from masks", *best(masked))


def openspiel() -> None:
    """OpenSpiel's own game, as its users play it."""
    import pyspiel

    game, rng = pyspiel.load_game("mancala"), random.Random(1)

    def loop() -> float:
        moves = 0
        for _ in range(1500):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
                moves += 1
        return float(moves)

    told("OpenSpiel: moves of random games, a loop in Python", *best(loop))
    # A search of one simulation is that many random games from the position that it expands.
    evaluator = pyspiel.RandomRolloutEvaluator(50_000, 1)
    bot = pyspiel.MCTSBot(
        game, evaluator, 2.0, 1, 64, False, 1, False, pyspiel.ChildSelectionPolicy.UCT
    )
    state = game.new_initial_state()

    def rollouts() -> float:
        bot.mcts_search(state)
        return 50_000.0

    told("OpenSpiel: random games, its rollouts in C++, one thread", *best(rollouts))


def playouts() -> None:
    """Random games without Python in between."""
    for threads in (1, 2):

        def play(threads: int = threads) -> float:
            return float(sowing.playouts(GAME, 1_000_000, threads=threads).games)

        told(f"random games, playouts, threads={threads}", *best(play))


def probe() -> None:
    """Look-ups in tables to 20 seeds: boards of all layers alike, and the costliest layer."""
    started = time.perf_counter()
    tables = sowing.Tables.build(GAME, 20)
    told("positions of the tables to 20 seeds, built", tables.positions, time.perf_counter() - started)
    for seeds in ((2, 20), (20, 20)):
        found = sowing.dataset(GAME, 2_000_000, seeds=seeds, source="uniform", tables=tables)
        boards = found.boards.astype(np.uint8)
        for threads in (1, 2):
            values = tables.probe_many(boards, threads=threads)
            assert (values == found.values).all()

            def look(threads: int = threads, boards: np.ndarray = boards) -> float:
                return float(len(tables.probe_many(boards, threads=threads)))

            told(f"probe_many, uniform, {seeds[0]} to {seeds[1]} seeds, threads={threads}", *best(look))


def solve() -> None:
    """Many positions by ``solve_many`` and by the command, which reads a line a position."""
    for seeds, many in (((20, 24), 4000), ((28, 30), 300)):
        tables = sowing.Tables.build(GAME, 12)
        rng = random.Random(1)
        positions: list[sowing.Position] = []
        while len(positions) < many:
            play = sowing.Playthrough(GAME)
            while not play.is_over and play.position.layer > seeds[1]:
                play.play(rng.choice(play.position.legal_moves))
            if not play.is_over and play.position.layer >= seeds[0]:
                positions.append(play.position)
        del tables
        started = time.perf_counter()
        values = sowing.solve_many(GAME, positions, threads=2, memory=2 << 30)
        ours = time.perf_counter() - started
        with tempfile.TemporaryDirectory() as folder:
            lines = Path(folder) / "positions"
            lines.write_text("".join(f"{position}\n" for position in positions))
            line = [sys.executable, "-m", "sowing", "solve", GAME, "-", "--value", "--threads", "2"]
            started = time.perf_counter()
            with lines.open() as stdin:
                out = subprocess.run(
                    [*line, "--memory", "2G"], stdin=stdin, capture_output=True, check=True
                )
            theirs = time.perf_counter() - started
        import json

        answers = [json.loads(answer)["value"] for answer in out.stdout.splitlines()]
        assert answers == values.tolist()
        print(
            f"{many} positions of random games with {seeds[0]} to {seeds[1]} seeds in houses: "
            f"solve_many {ours:.2f} s, the command {theirs:.2f} s, ratio {ours / theirs:.2f}"
        )


PARTS = {
    "vector": vector,
    "openspiel": openspiel,
    "playouts": playouts,
    "probe": probe,
    "solve": solve,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
