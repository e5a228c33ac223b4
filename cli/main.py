"""The command `catledger`: parses words, calls one command, turns errors into exit codes."""

from __future__ import annotations

import sys

from cli.app import app
from cli.exits import run


def main() -> None:
    """Entry point of the installed command."""
    sys.exit(run(app, sys.argv[1:]))


if __name__ == "__main__":
    main()
