"""``python -m sowing`` runs the command ``sow``."""

import os
import signal
import sys

from sowing._sowing import command


def main() -> int:
    """Runs the command with the arguments of this process."""
    # The command ends at Ctrl-C as other commands do, and not when Python next looks.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    code = command(["sow", *sys.argv[1:]])
    sys.stdout.flush()
    sys.stderr.flush()
    # A thread of the command that still waits for input does not keep the process.
    os._exit(code)


if __name__ == "__main__":
    main()
