"""Sowing games - Kalah and its variants, S-Kalaha, Tchoukaillon - played, solved exactly and studied.

>>> import sowing
>>> start = sowing.Position("kalah(4,3)")
>>> sowing.Solver("kalah(4,3)").value(start)
6
>>> print(start.play(2))
3,0,4,4,1|3,3,3,3,0

A value is always exact; bounds and estimates are called that. Positions are as the player to move
sees them. Houses are numbered from 1 at their owner's left.

``sowing.vector``, ``sowing.gymnasium``, ``sowing.pettingzoo`` and ``sowing.openspiel`` are
environments, ``sowing.oracle`` says what moves gave away, and ``sowing.solitaire`` has the solitaires.
"""

from sowing import errors, solitaire
from sowing._sowing import (
    Analysis,
    Book,
    Census,
    Certificate,
    Game,
    MoveFound,
    MoveReport,
    Player,
    Playouts,
    Playthrough,
    Position,
    Progress,
    Record,
    Review,
    ReviewedTurn,
    Solver,
    Study,
    Tables,
    Tree,
    TreeNode,
    TurnFound,
    __version__,
    count,
    playouts,
    solve_many,
    studies,
    study,
    tree,
)
from sowing.data import (
    Dataset,
    census_to_pandas,
    dataset,
    study_to_pandas,
    tree_to_networkx,
)
from sowing.errors import (
    Closed,
    DataError,
    Error,
    IllegalMove,
    InputError,
    LimitError,
    Refuted,
    Stopped,
)

__all__ = [
    "Analysis",
    "Book",
    "Census",
    "Certificate",
    "Closed",
    "DataError",
    "Dataset",
    "Error",
    "Game",
    "IllegalMove",
    "InputError",
    "LimitError",
    "MoveFound",
    "MoveReport",
    "Player",
    "Playouts",
    "Playthrough",
    "Position",
    "Progress",
    "Record",
    "Refuted",
    "Review",
    "ReviewedTurn",
    "Solver",
    "Stopped",
    "Study",
    "Tables",
    "Tree",
    "TreeNode",
    "TurnFound",
    "__version__",
    "census_to_pandas",
    "count",
    "dataset",
    "errors",
    "playouts",
    "solitaire",
    "solve_many",
    "studies",
    "study",
    "study_to_pandas",
    "tree",
    "tree_to_networkx",
]
