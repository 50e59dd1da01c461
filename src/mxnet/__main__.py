"""`python -m mxnet`: see tools/command.py."""

import sys

from .tools.command import main

if __name__ == "__main__":
    sys.exit(main())
