"""`python -m mxnet`: see _commands/command.py."""

import sys

from mxnet._commands.command import main

if __name__ == "__main__":
    sys.exit(main())
