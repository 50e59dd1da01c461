"""Packs folders of images into record files: `python -m mxnet.tools.im2rec`.

First the list of images, then the records:

    python -m mxnet.tools.im2rec --list --recursive data/train images/
    python -m mxnet.tools.im2rec --resize 256 --num-thread 4 data/train images/
"""

import argparse
import itertools
import os
import random
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

from ..base import MXNetError
from ..data.recordio import IRHeader, MXIndexedRecordIO, pack
from ..formats.atomic import atomic_path, atomic_write
from ..formats.images import Pixels, decode, encode, opencv
from .output import DONE, FAILED, HelpFormatter, Targets, add_force, clear, describe_exits, progress, run_reported

EXTENSIONS = (".jpeg", ".jpg", ".png")
# MXNet's, so that the same folder gives the same list.
SHUFFLE_SEED = 100
_REPORT_EVERY = 1000
_EXITS = {
    DONE: "the lists or record files are written; images that cannot be read are named and left out",
    FAILED: "there is nothing to list or to pack, or a file would be replaced; the message says which",
}


class _Formatter(HelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Show default values, and keep the lines of the exit codes."""


class Entry(NamedTuple):
    """A line of an image list."""

    number: int
    path: str
    labels: tuple[float, ...]


Entry.__module__ = "mxnet.tools.im2rec"


def list_image(root: str, recursive: bool, exts: Sequence[str]) -> Iterator[tuple[int, str, int]]:
    """Number, path and label of each image of a folder.

    Args:
        root: the folder.
        recursive: also look into folders inside; each folder with images is a class, in the order of their names.
        exts: endings of image files, in lower case.
    """
    number = 0
    classes: dict[str, int] = {}
    for folder, folders, files in os.walk(root, followlinks=True):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.path.splitext(name)[1].lower() in exts:
                label = classes.setdefault(folder, len(classes)) if recursive else 0
                yield number, os.path.relpath(path, root), label
                number += 1
        if not recursive:
            return
    for folder, label in classes.items():
        print(os.path.relpath(folder, root), label)


def write_list(path_out: str, image_list: Iterable[Sequence[Any]]) -> None:
    """Writes lines `number TAB label TAB ... TAB path` from tuples `(number, path, label, ...)`."""
    lines = []
    for number, path, *labels in image_list:
        numbers = "".join(f"{label:f}\t" for label in labels)
        lines.append(f"{number}\t{numbers}{path}\n")
    with atomic_write(path_out, "im2rec") as stream:
        stream.write("".join(lines).encode("utf-8", "surrogateescape"))


def make_list(args: argparse.Namespace) -> int:
    """Write the lists of a folder's images: one, or several for chunks and for training, validation and tests."""
    parts = _parts(args)
    targets = _targets(args, [_list_path(args, number, part) for number in range(args.chunks) for part in parts])
    targets.expect_new()
    if not os.path.isdir(args.root):
        raise MXNetError(f"[im2rec] received the folder {args.root!r}; expected an existing one.")
    images = list(list_image(args.root, args.recursive, [ext.lower() for ext in args.exts]))
    if not images:
        deeper = "" if args.recursive else " Give --recursive to look into the folders inside."
        raise MXNetError(
            f"[im2rec] {args.root!r} has no file that ends in {', '.join(args.exts)}; expected images.{deeper}"
        )
    if args.shuffle:
        random.Random(SHUFFLE_SEED).shuffle(images)
    size = -(-len(images) // args.chunks)
    train, test = int(size * args.train_ratio), int(size * args.test_ratio)
    slices = {"_test": slice(test), "_val": slice(test + train, None), "_train": slice(test, test + train)}
    with targets.save():
        for number in range(args.chunks):
            chunk = images[number * size : (number + 1) * size]
            for part in parts:
                write_list(_list_path(args, number, part), chunk[slices[part]] if part else chunk)
    return DONE


def _parts(args: argparse.Namespace) -> list[str]:
    """Return what the names of a chunk's lists end with; one list of all images has the empty ending."""
    if args.train_ratio == 1.0:
        return [""]
    has_rest = args.train_ratio + args.test_ratio < 1.0
    return [*["_test"] * bool(args.test_ratio), *["_val"] * has_rest, "_train"]


def _list_path(args: argparse.Namespace, number: int, part: str) -> str:
    chunk = f"_{number}" if args.chunks > 1 else ""
    return f"{args.prefix}{chunk}{part}.lst"


def _targets(args: argparse.Namespace, paths: Sequence[str]) -> Targets:
    return Targets(paths, "im2rec", "Give another prefix", args.force)


def _record_paths(list_path: str) -> tuple[str, str]:
    base = os.path.splitext(list_path)[0]
    return f"{base}.rec", f"{base}.idx"


def read_list(path_in: str) -> Iterator[Entry]:
    """The lines of an image list; those that are none are named and left out."""
    with open(path_in, encoding="utf-8", errors="surrogateescape") as stream:
        for number, line in enumerate(stream, 1):
            fields = [field.strip() for field in line.strip().split("\t")]
            try:
                if len(fields) < 3:
                    raise ValueError(f"received {len(fields)} columns")
                yield Entry(int(fields[0]), fields[-1], tuple(float(field) for field in fields[1:-1]))
            except ValueError as error:
                _complain(
                    f"{path_in}, line {number}: {error} in {line.strip()[:60]!r}; expected a number, one or more "
                    "labels and a path between tabulators. Left out."
                )


def pack_image(args: argparse.Namespace, entry: Entry) -> bytes | None:
    """The record of an image; None, and a complaint, if it cannot be read or written."""
    path = os.path.join(args.root, entry.path)
    label = entry.labels if len(entry.labels) > 1 and args.pack_label else entry.labels[0]
    try:
        with open(path, "rb") as stream:
            content = stream.read()
        if not args.pass_through:
            pixels = _prepare(args, decode(content, args.color, "im2rec", path))
            content = encode(pixels, args.quality, args.encoding, "im2rec")
        return pack(IRHeader(0, label, entry.number, 0), content)
    except (OSError, MXNetError) as error:
        _complain(f"{path}: {error} Left out.")
        return None


def _prepare(args: argparse.Namespace, pixels: Pixels) -> Pixels:
    """Crops the middle and resizes, as wanted."""
    height, width = pixels.shape[:2]
    if args.center_crop:
        side = min(height, width)
        top, left = (height - side) // 2, (width - side) // 2
        pixels = pixels[top : top + side, left : left + side]
        height = width = side
    if args.resize:
        if height > width:
            size = args.resize, height * args.resize // width
        else:
            size = width * args.resize // height, args.resize
        pixels = opencv("im2rec").resize(pixels, size)
    return pixels


def make_records(args: argparse.Namespace, list_path: str) -> tuple[int, int]:
    """Makes the `.rec` and `.idx` files of an image list; both appear when they are whole.

    Returns:
        How many images were packed, and how many were left out.
    """
    entries = list(read_list(list_path))
    paths = _record_paths(list_path)
    packed = 0
    with (
        _targets(args, paths).save(),
        atomic_path(paths[0], "im2rec") as records,
        atomic_path(paths[1], "im2rec") as index,
        MXIndexedRecordIO(index, records, "w") as file,
    ):
        for entry, record in _reported(_in_order(args, entries), len(entries)):
            if record is not None:
                file.write_idx(entry.number, record)
                packed += 1
        file.close()
    return packed, len(entries) - packed


def _in_order(args: argparse.Namespace, entries: list[Entry]) -> Iterator[tuple[Entry, bytes | None]]:
    """Packs images in threads and gives them in the order of the list; OpenCV works beside the interpreter."""
    if args.num_thread <= 1:
        yield from ((entry, pack_image(args, entry)) for entry in entries)
        return
    with ThreadPoolExecutor(args.num_thread) as threads:
        waiting: deque[tuple[Entry, Future[bytes | None]]] = deque()
        rest = iter(entries)
        try:
            # Few at a time, so that images which wait to be written do not fill the memory.
            while True:
                for entry in itertools.islice(rest, 4 * args.num_thread - len(waiting)):
                    waiting.append((entry, threads.submit(pack_image, args, entry)))
                if not waiting:
                    return
                entry, future = waiting.popleft()
                yield entry, future.result()
        finally:
            for _, future in waiting:
                future.cancel()


def _reported(items: Iterable[Any], total: int) -> Iterator[Any]:
    """Yield the items and show a status line; without a terminal, print a line for every 1000 items, for logs."""
    for count, item in enumerate(progress(items, total, "im2rec: packing image"), 1):
        if count % _REPORT_EVERY == 0 and not sys.stderr.isatty():
            print(f"{count} of {total} images", flush=True)
        yield item


def _complain(text: str) -> None:
    clear()
    print(f"im2rec: {text}", file=sys.stderr, flush=True)


def make_all_records(args: argparse.Namespace) -> int:
    """Write the record files of all lists whose name begins with the prefix."""
    folder = args.prefix if os.path.isdir(args.prefix) else os.path.dirname(args.prefix)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [os.path.join(folder, name) for name in names if name.endswith(".lst")]
    lists = [path for path in paths if path.startswith(args.prefix) and os.path.isfile(path)]
    if not lists:
        raise MXNetError(
            f"[im2rec] there is no list {args.prefix}*.lst; expected one or more. Make it first: "
            f"python -m mxnet.tools.im2rec --list --recursive {args.prefix} {args.root}"
        )
    _targets(args, [record for path in lists for record in _record_paths(path)]).expect_new()
    for path in lists:
        print("Creating .rec file from", path, "in", folder)
        packed, left_out = make_records(args, path)
        print(f"{packed} images packed, {left_out} left out")
        if left_out and not packed:
            raise MXNetError(f"[im2rec] no image of {path} could be packed; expected paths below {args.root}.")
    return DONE


def _at_least(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"received {text}; expected {least} or more")
        return int(text)

    return read


def _share(text: str) -> float:
    if not 0 <= float(text) <= 1:
        raise argparse.ArgumentTypeError(f"received {text}; expected 0 to 1")
    return float(text)


def parse_args(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m mxnet.tools.im2rec",
        formatter_class=_Formatter,
        description="Lists the images of a folder, or packs listed images into a record file. An existing file is "
        "replaced with --force only.",
        epilog=describe_exits(_EXITS),
    )
    parser.add_argument("prefix", help="path of the .lst, .rec and .idx files, without the ending")
    parser.add_argument("root", help="folder of the images")
    add_force(parser)
    _add_list_options(parser.add_argument_group("lists"))
    _add_record_options(parser.add_argument_group("records"))
    args = parser.parse_args(argv)
    if args.train_ratio + args.test_ratio > 1:
        parser.error(
            f"--train-ratio {args.train_ratio} and --test-ratio {args.test_ratio}: expected 1 at most together"
        )
    args.prefix, args.root = os.path.abspath(args.prefix), os.path.abspath(args.root)
    return args


def _add_list_options(group: Any) -> None:
    add = group.add_argument
    add("--list", action="store_true", help="write lists; otherwise pack the images of <prefix>*.lst")
    add("--exts", nargs="+", default=list(EXTENSIONS), help="endings of image files")
    add("--chunks", type=_at_least(1), default=1, help="write so many lists")
    add("--train-ratio", type=_share, default=1.0, help="share of the images for training")
    add("--test-ratio", type=_share, default=0.0, help="share of the images for tests; the rest is for validation")
    add("--recursive", action="store_true", help="look into folders inside; the label is the number of the folder")
    add("--no-shuffle", dest="shuffle", action="store_false", help="keep the order of the names")


def _add_record_options(group: Any) -> None:
    add = group.add_argument
    add("--pass-through", action="store_true", help="pack files as they are")
    add("--resize", type=_at_least(0), default=0, help="length of the shorter edge; 0 keeps the size")
    add("--center-crop", action="store_true", help="crop the largest square in the middle")
    add("--quality", type=int, default=95, help="of JPEG, 1 to 100; compression of PNG, 0 to 9")
    add(
        "--num-thread", type=_at_least(1), default=1, help="pack with so many threads; the order stays that of the list"
    )
    add("--color", type=int, default=1, choices=[-1, 0, 1], help="1 color, 0 gray, -1 as in the file, with alpha")
    add("--encoding", default=".jpg", choices=[".jpg", ".png"], help="of the packed images")
    add("--pack-label", action="store_true", help="pack all labels of a line, not only the first")


def main(argv: Sequence[str] | None = None) -> int:
    """Write lists or record files and return the exit status."""
    args = parse_args(argv)
    return run_reported("im2rec", lambda: make_list(args) if args.list else make_all_records(args))


if __name__ == "__main__":
    sys.exit(main())
