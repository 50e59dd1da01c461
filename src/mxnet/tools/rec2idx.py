"""Makes the index of a record file: `python -m mxnet.tools.rec2idx records.rec records.idx`.

A file whose writer died has its last record cut off: the index names the whole ones.
"""

import argparse
import contextlib
import sys
from collections.abc import Sequence

from ..base import MXNetError
from ..formats.atomic import Path, atomic_write
from ..formats.record_file import RecordFile
from ..formats.recordio import index_line


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
    """Runs the program; the exit status is 0 if all went well."""
    parser = argparse.ArgumentParser(prog="python -m mxnet.tools.rec2idx", description="Makes a record file's index.")
    parser.add_argument("record", help="path of the .rec file")
    parser.add_argument("index", help="path of the .idx file to write")
    args = parser.parse_args(argv)
    try:
        print(f"{write_index(args.record, args.index)} records")
    except MXNetError as error:
        print(f"rec2idx: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
