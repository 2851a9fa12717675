"""Tchoukaillon and its relatives, exactly: boards, matrices with ``Fraction`` entries, wins, sequences.

>>> from sowing import solitaire
>>> solitaire.winning_board(11)
(1, 1, 1, 3, 5)
>>> solitaire.matrix("unplay", 3)[0]
(Fraction(1, 1), Fraction(-1, 1), Fraction(-1, 1))
"""

from sowing._sowing import (
    Wins,
    matrix,
    product,
    sequence,
    why_lost,
    win,
    winning_board,
    winning_counts,
    winning_length,
    winning_moves,
    wins,
)

__all__ = [
    "Wins",
    "matrix",
    "product",
    "sequence",
    "why_lost",
    "win",
    "winning_board",
    "winning_counts",
    "winning_length",
    "winning_moves",
    "wins",
]
