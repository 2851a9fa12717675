"""A small agent that learns Kalah(6,4) from exact values, graded exactly against perfect play.

    python examples/learn.py [grade.png [seconds]]

It learns for about a minute from positions with the value of every move (`sowing.dataset`): a network
of one hidden layer, in numpy alone, that says what a position is worth to the player to move. It
plays the move after which that is best. Its grade is exact: on positions that it has not seen, what
its moves give away, by the endgame tables (`Tables.moves_many`). The plot, if matplotlib is there,
shows the grade while it learns beside those of the opponents that the package has.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import numpy.typing as npt
import sowing
from sowing.oracle import Oracle

GAME = "kalah(6,4)"
SEEDS = (4, 16)
HIDDEN = 128
SECONDS = 60.0
BATCH = 512

Floats = npt.NDArray[np.float32]


def features(boards: npt.NDArray[np.int16]) -> Floats:
    """What the network sees of the houses: for each, how many seeds it has, up to 13 and beyond."""
    houses = np.concatenate([boards[:, :6], boards[:, 7:13]], axis=1)
    seen = np.minimum(houses, 13)[:, :, None] == np.arange(14)
    many = houses[:, :, None].astype(np.float32) / 8
    return np.concatenate([seen, many], axis=2).reshape(len(boards), -1).astype(np.float32)


class Network:
    """What the seeds in houses are worth to the mover, in points of margin."""

    def __init__(self, inputs: int, rng: np.random.Generator) -> None:
        self.weights = [
            (rng.normal(size=(inputs, HIDDEN)) * np.sqrt(2 / 24)).astype(np.float32),
            np.zeros(HIDDEN, np.float32),
            (rng.normal(size=HIDDEN) * np.sqrt(1 / HIDDEN)).astype(np.float32),
            np.zeros(1, np.float32),
        ]
        self.moments = [(np.zeros_like(w), np.zeros_like(w)) for w in self.weights]
        self.steps = 0

    def __call__(self, inputs: Floats) -> Floats:
        first, bias, second, last = self.weights
        return np.asarray(np.maximum(inputs @ first + bias, 0) @ second + last[0], np.float32)

    def learn(self, inputs: Floats, wanted: Floats, rate: float) -> None:
        """A step of Adam down the mean square of the error."""
        first, bias, second, last = self.weights
        hidden = np.maximum(inputs @ first + bias, 0)
        error = 2 * (hidden @ second + last[0] - wanted) / len(wanted)
        back = np.outer(error, second) * (hidden > 0)
        slopes = [inputs.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(keepdims=True)]
        self.steps += 1
        for weight, slope, (mean, square) in zip(self.weights, slopes, self.moments):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            step = mean / (1 - 0.9**self.steps)
            weight -= rate * step / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)


def after_moves(boards: npt.NDArray[np.int16]) -> tuple[npt.NDArray[np.int16], Floats, Floats]:
    """The boards after each house, as whoever is to move then sees them, whose they are (1 for the
    same player, -1 for the other), and which are over (their margin for that player, else NaN)."""
    after = np.zeros((len(boards), 6, 14), np.int16)
    sign, over = np.ones((2, len(boards), 6), np.float32)
    for row, board in enumerate(boards):
        position = sowing.Position(GAME, board, free=True)
        for move in position.legal_moves:
            house = int(move) - 1
            next_ = position.play(move)
            after[row, house] = next_.board
            sign[row, house] = 1 if position.report(move).again else -1
            over[row, house] = np.nan if next_.margin is None else next_.margin
    return after, sign, over


class Test:
    """Positions to be graded on, with what every move gives away."""

    def __init__(self, tables: sowing.Tables, many: int) -> None:
        found = sowing.dataset(GAME, many, seeds=SEEDS, even=True, seed=2, tables=tables)
        choice = found.legal.sum(axis=1) > 1
        self.boards, self.legal = found.boards[choice], found.legal[choice]
        self.oracle = Oracle(GAME, tables=tables)
        self.after, self.sign, self.over = after_moves(self.boards)
        self.inputs = features(self.after.reshape(-1, 14))

    def lost(self, actions: npt.ArrayLike) -> float:
        """What a move gives away in the mean: exactly, for each of these positions."""
        return float(self.oracle.regrets(self.boards, actions).mean())

    def of_network(self, network: Network) -> float:
        guess = network(self.inputs).reshape(-1, 6)
        guess = guess + self.after[:, :, 6] - self.after[:, :, 13]
        guess = np.where(np.isnan(self.over), guess, self.over) * self.sign
        return self.lost(np.where(self.legal, guess, -np.inf).argmax(axis=1))

    def of_player(self, name: str) -> float:
        player = sowing.Player(name, GAME, seed=1)
        positions = [sowing.Position(GAME, board, free=True) for board in self.boards]
        return self.lost([int(player.choose(position)) - 1 for position in positions])


def main() -> None:
    """Learns, tells how it goes, and draws."""
    rng = np.random.default_rng(1)
    tables = sowing.Tables.build(GAME, SEEDS[1])
    test = Test(tables, 5000)
    print(f"graded on {len(test.boards)} positions with {SEEDS[0]} to {SEEDS[1]} seeds in houses")
    levels = {
        name: test.of_player(name) for name in ("random", "level:3", "level:5", "level:7", "level:9")
    }
    for name, lost in levels.items():
        print(f"{name:10} gives away {lost:.3f} a move")
    data = sowing.dataset(GAME, 400_000, seeds=SEEDS, even=True, seed=1, tables=tables)
    inputs = features(data.boards)
    wanted = (data.values - data.boards[:, 6] + data.boards[:, 13]).astype(np.float32)
    network = Network(inputs.shape[1], rng)
    curve = [(0.0, test.of_network(network))]
    started = time.monotonic()
    told, learning = 0.0, 0.0
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    while learning < limit:
        before = time.monotonic()
        rate = 2e-3 * max(0.02, 1 - learning / limit)
        for _ in range(50):
            rows = rng.integers(len(inputs), size=BATCH)
            network.learn(inputs[rows], wanted[rows], rate)
        learning += time.monotonic() - before
        if learning - told > limit / 30 or learning >= limit:
            told = learning
            curve.append((learning, test.of_network(network)))
            print(f"{learning:5.1f} s: the agent gives away {curve[-1][1]:.3f} a move", flush=True)
    print(f"learnt in {time.monotonic() - started:.0f} s, {network.steps * BATCH:,} positions seen")
    if len(sys.argv) > 1:
        draw(curve, levels, sys.argv[1])


def draw(curve: list[tuple[float, float]], levels: dict[str, float], path: str) -> None:
    """The grade while it learns, beside those of the opponents."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    end = curve[-1][0]
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for name, lost in levels.items():
        axes.axhline(lost, color="0.75", linewidth=1)
        axes.annotate(
            name, (end, lost), (4, 0), "data", "offset points", color="0.4", va="center", fontsize=8
        )
    axes.plot(*zip(*curve), color="#a33", linewidth=2, label="the agent")
    axes.set(xlim=(0, end), ylim=(0, None), xlabel="seconds of learning")
    axes.set_ylabel("margin given away a move, exactly")
    axes.set_title(f"Kalah(6,4) with {SEEDS[0]} to {SEEDS[1]} seeds in houses", fontsize=10)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
