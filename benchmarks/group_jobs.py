"""Whole jobs, with their data, metrics and updates: how long each takes, and the most memory that it needs."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import goals
from options import Options
from sides import Samples, agreed, interleaved, started
from tables import goal_text, markdown, table

TITLE = "Whole jobs"
MINE, OTHERWISE = "ours", "ours otherwise"
SIDES = (MINE, OTHERWISE, "torch", "MXNet")
INT8 = "int8_resnet18"
# What each side is asked for; the second of ours is another way to the same end in this library.
JOBS = {
    "lenet_epoch": {MINE: "lenet_epoch hybridized", "torch": "lenet_epoch", "MXNet": "lenet_epoch static"},
    "module_fit": {
        MINE: "module_fit",
        OTHERWISE: "gluon_fit hybridized",
        "torch": "gluon_fit",
        "MXNet": "module_fit",
    },
    "deepar_epoch": {
        MINE: "deepar_epoch hybridized fused",
        "torch": "deepar_epoch",
        "MXNet": "deepar_epoch static fused",
    },
    "deepar_unrolled": {
        MINE: "deepar_epoch hybridized",
        OTHERWISE: "deepar_epoch hybridized fused",
        "torch": "deepar_epoch",
        "MXNet": "deepar_epoch static",
    },
    "bucketed_lstm": {MINE: "bucketed_lstm hybridized", "torch": "bucketed_lstm", "MXNet": "bucketed_lstm static"},
    INT8: {
        MINE: INT8,
        OTHERWISE: "network resnet18_infer_8 hybridized",
        "torch": "network resnet18_infer_8 tuned",
        "MXNet": "network resnet18_infer_8 static",
    },
}
NAMES = tuple(JOBS)
TOLERANCE = 1e-2  # a whole epoch also tells apart how libraries round


class Measured(NamedTuple):
    """What is known of one job: times, and the peak memory by side."""

    samples: Samples
    memory: dict[str, float]


def _has_int8() -> bool:
    """Whether the processor multiplies and adds numbers of 8 bits in one instruction; without, they gain nothing."""
    known = Path("/proc/cpuinfo")
    return known.exists() and "vnni" in known.read_text(encoding="utf-8")


def _measured(work: str, rounds: int) -> Measured:
    """Every side in a fresh process, so that its memory is its own."""
    with started(*JOBS[work]) as sides:
        requests = {name: (side, JOBS[work][name]) for name, side in sides.items()}
        agreed({name: request for name, request in requests.items() if request[1] != INT8}, TOLERANCE)
        samples = interleaved(requests, rounds)
        return Measured(samples, {name: side.ask("peak_memory") for name, side in sides.items()})


def _memory_rows(rows: dict[str, Measured]) -> Iterator[list[str]]:
    for work, (_, memory) in rows.items():
        cells = [f"{memory[name]:.0f} MB" if name in memory else "-" for name in SIDES]
        for other, goal in (("torch", goals.JOB_MEMORY.torch), ("MXNet", goals.JOB_MEMORY.mxnet)):
            against = memory[MINE] / memory[other] if other in memory else None
            cells += [f"{against:.2f}" if against else "-", goal_text(against, goal)]
        yield [work, *cells]


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    works = [work for work in options.works(NAMES) if work != INT8 or _has_int8()]
    rows = {work: _measured(work, options.fewer(3)) for work in works}
    ratios = [(MINE, other) for other in ("torch", "MXNet", OTHERWISE)]
    heads = [text for other in ("torch", "MXNet") for text in (f"{MINE} / {other}", "sought")]
    return [
        *table({work: found.samples for work, found in rows.items()}, SIDES, ratios, goals.JOBS),
        "",
        "Memory, the most that a process of its own took, imports included:",
        "",
        *markdown(["work", *SIDES, *heads], _memory_rows(rows)),
        "",
        "- lenet_epoch: 6,000 images of clothing through a loader with transforms, without workers, with an accuracy.",
        "- module_fit: `Module.fit` over the same images in an array; otherwise, and on torch: a loop as Gluon's.",
        "- deepar_epoch: 50 batches of windows that Python cuts out of series; two layers of 40 LSTM cells over 72 "
        "hours, as one operator; Student-t, Adam.",
        "- deepar_unrolled: the same of single cells, as GluonTS writes it; otherwise, and on torch: one operator.",
        "- bucketed_lstm: a training step on a batch of sentences of each of 20 lengths from 5 to 60 words.",
        f"- {INT8}: 8 images of 224 x 224 in 8 bits; otherwise, and on the other sides, in float32."
        + ("" if _has_int8() else " Left out: this processor has no instructions for it."),
    ]
