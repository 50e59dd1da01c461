"""Makes the index of a record file: `python -m mxnet.tools.rec2idx records.rec records.idx`.

A file whose writer died has its last record cut off: the index names the whole ones.
"""

import argparse
import contextlib
import sys
from collections.abc import Sequence

from ..formats.atomic import Path, atomic_write
from ..formats.record_file import RecordFile
from ..formats.recordio import index_line
from .output import DONE, FAILED, HelpFormatter, Targets, add_force, describe_exits, run_reported

_EXITS = {
    DONE: "the index is written; a record that was cut off at the end is left out",
    FAILED: "the record file is damaged or missing, or the index would be replaced; the message says which",
}


def whole_records(file: RecordFile) -> tuple[list[int], int, str]:
    """Where the whole records of a file begin, where they end, and what is cut off behind them, if anything.

    Raises:
        FileFormatError: a record is damaged and whole ones follow: this is not how a writer dies.
    """
    offsets, end, damage = file.scan()
    if damage is not None and not file.is_torn(end):
        raise damage
    return offsets, end, "" if damage is None else str(damage)


def write_index(records: Path, index: Path) -> int:
    """Writes an index that numbers the records of a file from 0 on.

    Returns:
        How many records there are.
    """
    with contextlib.closing(RecordFile(records, "rec2idx")) as file:
        offsets, end, torn = whole_records(file)
    if torn:
        print(f"rec2idx: the record at byte {end} was cut off and is left out: {torn}", file=sys.stderr)
    with atomic_write(index, "rec2idx") as stream:
        stream.write("".join(index_line(number, offset) for number, offset in enumerate(offsets)).encode())
    return len(offsets)


def main(argv: Sequence[str] | None = None) -> int:
    """Write the index and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m mxnet.tools.rec2idx",
        description="Makes a record file's index. An existing index is replaced with --force only.",
        epilog=describe_exits(_EXITS),
        formatter_class=HelpFormatter,
    )
    parser.add_argument("record", help="path of the .rec file")
    parser.add_argument("index", help="path of the .idx file to write")
    add_force(parser)
    args = parser.parse_args(argv)
    return run_reported("rec2idx", lambda: _run(args))


def _run(args: argparse.Namespace) -> int:
    targets = Targets([args.index], "rec2idx", "Give another index", args.force)
    targets.expect_new()
    with targets.save():
        count = write_index(args.record, args.index)
    print(f"{count} records")
    return DONE


if __name__ == "__main__":
    sys.exit(main())
