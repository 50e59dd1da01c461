"""`python -m mxnet`: the commands and their exit status."""

import argparse
import sys
from collections.abc import Sequence

from ..base import MXNetError
from ..libinfo import __version__, regluon_version
from .bench import add_parser as add_bench
from .convert import add_parser as add_convert
from .doctor import add_parser as add_doctor
from .inspect_files import add_parser as add_inspect
from .migrate.command import add_parser as add_migrate
from .repair import add_parser as add_repair


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command.

    Returns:
        0 if all went well, 1 for a problem with what was given, 2 for a wrong command line.
    """
    parser = argparse.ArgumentParser(
        prog="python -m mxnet",
        description="Looks at, converts and repairs MXNet's files; examines and times this installation; reads "
        "what programs use of MXNet.",
        epilog="`python -m mxnet COMMAND --help` says more. Others: `python -m mxnet.launch` starts a training with "
        "several processes, `python -m mxnet.native` builds the kernels in C++, `python -m mxnet.tools.im2rec` packs "
        "images into records.",
    )
    parser.add_argument("--version", action="version", version=f"regluon {regluon_version} (MXNet {__version__})")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    add_inspect(commands)
    add_convert(commands)
    add_repair(commands)
    add_doctor(commands)
    add_bench(commands)
    add_migrate(commands)
    args = parser.parse_args(argv)
    try:
        status: int = args.run(args)
    except (MXNetError, OSError, ValueError, ImportError, MemoryError) as error:
        print(f"python -m mxnet: {error}", file=sys.stderr)
        return 1
    return status
