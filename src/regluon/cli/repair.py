"""`python -m mxnet repair PATH`: finishes what a process that died left unfinished.

- A folder: files that were saved beside their place are put there, temporary files of dead processes are removed.
- A `.rec` file: a last record that was cut off is removed, and the index beside it is made again. Keys are kept as far
  as the old index has them.
"""

import argparse
import contextlib
import os

from ..base import MXNetError
from ..formats.atomic import atomic_write
from ..formats.commits import promised, recover
from ..formats.record_file import RecordFile
from ..formats.recordio import index_line
from ..formats.temporary_files import sweep
from .output import DONE, FAILED, HelpFormatter, describe_exits
from .rec2idx import whole_records

_EXITS = {
    DONE: "every path is in order now",
    FAILED: "a path is neither a folder nor a record file, or it cannot be repaired; later paths are untouched",
}


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "repair",
        help="finish what a process that died left unfinished",
        description="Changes files in place and keeps no copies. In a folder: puts files in place that were saved and "
        "not put there, and removes temporary files of dead processes. In a .rec file: removes a last "
        "record that was cut off, and makes the .idx file again.",
        epilog=describe_exits(_EXITS),
        formatter_class=HelpFormatter,
    )
    parser.add_argument("path", nargs="+", help="a folder of saved files, or a .rec file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Repair each path in place."""
    for path in args.path:
        if os.path.isdir(path):
            _repair_folder(os.path.realpath(path))
        elif path.endswith(".rec"):
            _repair_records(path)
        else:
            raise MXNetError(f"[repair] received {path!r}; expected an existing folder, or a file that ends with .rec.")
    return DONE


def _repair_folder(folder: str) -> None:
    for path in recover(folder):
        print(f"put {path} in place")
    before = set(os.listdir(folder))
    sweep(folder, lambda: [move.temporary for move in promised(folder)])
    print(f"removed {len(before - set(os.listdir(folder)))} temporary files")


def _repair_records(path: str) -> None:
    _repair_folder(os.path.dirname(os.path.realpath(path)))
    with contextlib.closing(RecordFile(path, "repair")) as file:
        offsets, end, torn = whole_records(file)
        size = file.size
    if torn:
        os.truncate(path, end)
        print(f"removed {size - end} bytes of a record that was cut off at byte {end}")
    index = f"{path.removesuffix('.rec')}.idx"
    keys = _known_keys(index)
    used = set(keys.values())
    unused = (number for number in range(len(used) + len(offsets)) if str(number) not in used)
    lines = [index_line(keys[offset] if offset in keys else next(unused), offset) for offset in offsets]
    with atomic_write(index, "repair") as stream:
        stream.write("".join(lines).encode())
    print(f"{index}: {len(offsets)} records")


def _known_keys(index: str) -> dict[int, str]:
    """Key by offset, from the lines of an index that are whole."""
    found = {}
    if os.path.exists(index):
        with open(index, encoding="utf-8", errors="replace") as stream:
            for line in stream:
                key, _, offset = line.rstrip("\n").partition("\t")
                if line.endswith("\n") and offset.isascii() and offset.isdigit():
                    found[int(offset)] = key
    return found
