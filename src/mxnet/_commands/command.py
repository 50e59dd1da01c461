"""`python -m mxnet`: the commands and their exit status."""

import argparse
from collections.abc import Sequence

from regluon.cli.convert import add_parser as add_convert
from regluon.cli.inspect_files import add_parser as add_inspect
from regluon.cli.migrate.command import add_parser as add_migrate
from regluon.cli.output import DONE, FAILED, HelpFormatter, describe_exits, run_reported
from regluon.cli.repair import add_parser as add_repair

from ..libinfo import __version__, regluon_version
from .bench import add_parser as add_bench
from .doctor import add_parser as add_doctor

_EXITS = {DONE: "the command succeeded", FAILED: "it did not; each command lists its own codes"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status. A wrong command line ends the process with USAGE."""
    parser = argparse.ArgumentParser(
        prog="python -m mxnet",
        formatter_class=HelpFormatter,
        description="Looks at, converts and repairs MXNet's files; examines and times this installation; reads "
        "what programs use of MXNet. `python -m mxnet COMMAND --help` says more. Others: `python -m mxnet.launch` "
        "starts a training with several processes, `python -m regluon.native` builds the kernels in C++, `python -m "
        "mxnet.tools.im2rec` packs images into records, `python -m mxnet.tools.rec2idx` makes the index of a record "
        "file.",
        epilog=describe_exits(_EXITS),
    )
    parser.add_argument("--version", action="version", version=f"regluon {regluon_version} (MXNet {__version__})")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add_parser in (add_inspect, add_convert, add_repair, add_doctor, add_bench, add_migrate):
        add_parser(commands)
    args = parser.parse_args(argv)
    return run_reported("python -m mxnet", lambda: args.run(args))
