"""`python -m mxnet bench`: how fast this machine is, beside torch on the same work."""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import torch

from regluon import native
from regluon.cli.exits import DONE, FAILED, HelpFormatter, describe_exits
from regluon.cli.progress import progress
from regluon.cli.text import table

from .bench_tasks import add_arrays, load_batches, predict, train

_EXITS = {
    DONE: "the table is printed",
    FAILED: "the time is not above 0, or a measurement failed; the message says which",
}

Run = Callable[[], None]


class Row(NamedTuple):
    """One kind of work.

    Attributes:
        name: what is done.
        make: makes the function that does it once here, and the same for torch.
        repeat: how many times it is done for one measurement, where a single one is too short.
    """

    name: str
    make: Callable[[], tuple[Run, Run]]
    repeat: int = 1


ROWS = (
    Row("add two arrays of 1,000 numbers", add_arrays, 1000),
    Row("train LeNet for a step, 64 images of 28x28", train),
    Row("ResNet-18 on an image of 224x224", predict),
    Row("read 10,000 images in batches of 100", load_batches),
)


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "bench",
        help="time this machine, in a minute",
        description="Times a few kinds of work here and with plain torch, in turns, and prints the medians. Networks "
        "are hybridized. Nothing is downloaded or written. Other programs on the machine disturb the numbers.",
        epilog=describe_exits(_EXITS),
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=6.0, help="how long each kind of work may take (default: 6)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the table."""
    if args.seconds <= 0:
        raise ValueError(f"[bench] --seconds: received {args.seconds}; expected more than 0.")
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads; kernels: {native.library()}")
    lines: list[tuple[str, ...]] = [("", "here", "torch", "torch / here")]
    for row in progress(ROWS, len(ROWS), "bench: measuring row"):
        here, theirs = measure(row, args.seconds)
        lines.append((row.name, _time_text(here), _time_text(theirs), f"{theirs / here:.2f}"))
    print("\n".join(table(lines)))
    print("torch / here above 1: this library is the faster one.")
    return DONE


def measure(row: Row, seconds: float) -> tuple[float, float]:
    """The median times of one run, here and with torch, measured in turns so that both meet the same disturbances."""
    runs = row.make()
    for each in runs:
        for _ in range(5):  # compiles, and chooses kernels
            each()
    times: tuple[list[float], list[float]] = [], []
    end = time.perf_counter() + seconds
    while len(times[0]) < 3 or time.perf_counter() < end:
        for each, found in zip(runs, times, strict=True):
            began = time.perf_counter()
            for _ in range(row.repeat):
                each()
            found.append((time.perf_counter() - began) / row.repeat)
    return statistics.median(times[0]), statistics.median(times[1])


def _time_text(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"
