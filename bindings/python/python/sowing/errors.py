"""What can go wrong. Each message is one line that says what would be right."""

from __future__ import annotations


class Error(Exception):
    """Anything that this package raises by itself."""


class InputError(Error, ValueError):
    """What was given is wrong: a name, a board, a number out of range, the wrong game."""


class IllegalMove(InputError):
    """A move cannot be played."""


class LimitError(Error):
    """The work is more than memory or a limit allows."""


class DataError(Error):
    """A file, a table or a book is missing, damaged or in use."""


class Refuted(Error):
    """A claim is false, or a certificate does not prove it."""


class Closed(Error):
    """A solver was closed."""


class Stopped(Error):
    """A limit or somebody ended the work. What is proven of the value is in ``bounds``."""

    bounds: tuple[int, int] | None

    def __init__(self, message: str, bounds: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.bounds = bounds
