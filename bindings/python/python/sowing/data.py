"""Results as the tables and graphs that other packages work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
import numpy.typing as npt

from sowing._sowing import Census, Game, Study, Tables, Tree, dataset_columns

if TYPE_CHECKING:
    import networkx
    import pandas
    import pyarrow

PHASES = ("opening", "middle", "end")


@dataclass(frozen=True)
class Dataset:
    """Positions of a game with the exact value of each and of every move, as arrays.

    Rows are positions. A value is the mover's margin with perfect play, stores included.
    """

    game: Game
    #: Houses and store of the mover, houses and store of the opponent.
    boards: npt.NDArray[np.int16]
    #: The value of each position.
    values: npt.NDArray[np.int16]
    #: The value after each move; what stands for an illegal move means nothing.
    move_values: npt.NDArray[np.int16]
    #: Which moves are legal.
    legal: npt.NDArray[np.bool_]
    #: The moves played before the position; -1 if it is from no game.
    played: npt.NDArray[np.int32]
    #: 0 for the opening, 1 for the middle and 2 for the end, as in ``PHASES``.
    phases: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def lost(self) -> npt.NDArray[np.float32]:
        """What each move would give away; NaN for illegal ones."""
        lost = (self.values[:, None] - self.move_values).astype(np.float32)
        lost[~self.legal] = np.nan
        return lost

    def _columns(self) -> list[tuple[str, npt.NDArray[Any], npt.NDArray[np.bool_] | None]]:
        """The numbers of ``sow dataset``: names, columns, and where there is nothing."""
        houses = range(1, self.game.houses + 1)
        pits = [f"own{house}" for house in houses] + ["store"]
        pits += [f"other{house}" for house in houses] + ["other_store"]
        seeds = self.boards.sum(axis=1) - self.boards[:, len(houses)] - self.boards[:, -1]
        columns: list[tuple[str, npt.NDArray[Any], npt.NDArray[np.bool_] | None]]
        columns = [(pit, self.boards[:, index], None) for index, pit in enumerate(pits)]
        columns += [("seeds", seeds.astype(np.int16), None)]
        columns += [("played", self.played, self.played < 0), ("value", self.values, None)]
        for house in houses:
            illegal = ~self.legal[:, house - 1]
            columns.append((f"move{house}", self.move_values[:, house - 1], illegal))
        return columns

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table with the columns of ``sow dataset``; what is missing is null."""
        import pyarrow

        columns = {
            name: pyarrow.array(np.ascontiguousarray(column), mask=missing)
            for name, column, missing in self._columns()
        }
        columns["phase"] = pyarrow.array(np.array(PHASES)[self.phases])
        return pyarrow.table(columns).replace_schema_metadata({"game": str(self.game)})

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with the columns of ``sow dataset``; what is missing is ``pandas.NA``."""
        import pandas

        frame = pandas.DataFrame(
            {
                name: column
                if missing is None
                else pandas.arrays.IntegerArray(np.ascontiguousarray(column), missing)
                for name, column, missing in self._columns()
            }
        )
        frame["phase"] = pandas.Categorical.from_codes(self.phases, PHASES)
        return frame


def dataset(
    game: Game | str,
    positions: int,
    *,
    seeds: tuple[int, int] = (2, 12),
    source: str = "random",
    even: bool = False,
    seed: int = 1,
    first: int = 0,
    tables: Tables | None = None,
    threads: int | None = None,
    progress: Callable[[tuple[int, int]], object] | None = None,
) -> Dataset:
    """Positions of a game with so many seeds in houses and the exact value of every move.

    They are from games of ``source`` against itself (``"random"``, ``"level:3"``, ``"perfect"``) or
    ``"uniform"``; with ``even``, from each number of seeds as many. Which position has which number
    depends on the seed alone, so that ``first`` goes on where another data set ended. Tables that
    reach far enough are built unless they are given.

    >>> found = dataset("kalah(4,3)", 1000, seeds=(2, 10), seed=7)
    >>> found.boards.shape, found.move_values.shape
    ((1000, 10), (1000, 4))
    >>> bool((found.values == np.where(found.legal, found.move_values, -99).max(axis=1)).all())
    True
    """
    game = game if isinstance(game, Game) else Game(game)
    if tables is None:
        tables = Tables.build(game, seeds[1], threads=threads)
    columns = dataset_columns(
        game,
        positions,
        tables,
        layers=seeds,
        source=source,
        even=even,
        seed=seed,
        first=first,
        threads=threads,
        progress=progress,
    )
    return Dataset(game, **columns)


def study_to_pandas(study: Study) -> pandas.DataFrame:
    """A study as a data frame, a row a figure, with the columns of ``sow study --csv``."""
    import pandas

    return pandas.DataFrame(study.cells)


def census_to_pandas(census: Census) -> pandas.DataFrame:
    """A count as a data frame, a row for every number of seeds in houses."""
    import pandas

    return pandas.DataFrame(census.layers, columns=["seeds", "live", "finished"])


def tree_to_networkx(tree: Tree) -> networkx.MultiDiGraph:
    """A tree as a graph: nodes have ``position``, ``side``, ``depth``, ``result``, ``cut`` and
    ``value``, edges ``moves``."""
    import networkx

    graph = networkx.MultiDiGraph()
    for index, node in enumerate(tree.nodes):
        graph.add_node(
            index,
            position=node.position,
            side=node.side,
            depth=node.depth,
            result=node.result,
            cut=node.cut,
            value=node.value,
        )
    for start, end, moves in tree.edges:
        graph.add_edge(start, end, moves=moves)
    return graph
