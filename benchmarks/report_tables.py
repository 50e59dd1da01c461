"""Report the groups that are one table: eager calls, data, operators, models from graphs, whole jobs."""

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import goals
from inputs import write_photographs
from sides import Options, Samples, check_agreement, compared, interleaved, requests_of, started
from tables import against, goal_text, markdown, median, rate_text, ratio, summary, table, time_text
from workloads import (
    ALTERNATIVE,
    COMPILED,
    COMPILED_MODELS,
    GRAPH_MODES,
    INT8,
    MINE,
    UNTUNED,
    Workload,
    select,
)

TOLERANCE = 2e-3

# -- Eager calls -------------------------------------------------------------------------------------------------------


def report_dispatch(options: Options) -> list[str]:
    """Measure small eager calls."""
    workloads = options.select(select("dispatch"))
    with started("ours", "torch", "MXNet") as sides:
        rows = {name: compared(requests_of(each, sides), options.rounds) for name, each in workloads.items()}
    sought = {name: (goal.torch, goal.mxnet) for name, goal in goals.DISPATCH.items()}
    return [
        *table(rows, ("ours", "torch", "MXNet"), (("ours", "torch"), ("ours", "MXNet")), sought),
        "",
        "- Seconds of one call on arrays of 3 x 4 (mul_chain: of eight products; fully_connected: 4 x 16, 16 units).",
        "- With backward: the call while autograd records, and the backward of it alone.",
        "- eager_network: a training step of a loop in Python over about 60 small operators; batch 8, width 32.",
        "- MXNet hands its calls to threads of its engine: the clock stops when all results are there.",
    ]


# -- Reading data ------------------------------------------------------------------------------------------------------

NUM_PHOTOGRAPHS = 400
PHOTOGRAPH_TOLERANCE = 0.03  # libraries of JPEG and resizing round differently


def _records(folder: Path) -> Path:
    """Write a record file of photographs and its index; return the path without suffix."""
    pictures, prefix = folder / "pictures", folder / "records"
    pictures.mkdir()
    write_photographs(pictures, NUM_PHOTOGRAPHS)
    for arguments in (["--list"], ["--pass-through"]):
        command = [sys.executable, "-m", "mxnet.tools.im2rec", *arguments, str(prefix), str(pictures)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return prefix


def report_data(options: Options) -> list[str]:
    """Measure loaders of images in memory and in record files."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder, started("ours", "torch", "MXNet") as sides:
        prefix = _records(Path(folder))
        for name, workload in options.select(select("data")).items():
            tolerance = PHOTOGRAPH_TOLERANCE if name.startswith("Image") else 1e-3
            rows[name] = compared(requests_of(workload, sides, prefix), options.fewer(3), tolerance)
    ratios = (("ours", "torch"), ("ours", "MXNet"))
    return [
        *table(rows, ("ours", "torch", "MXNet"), ratios, goals.DATA, rate_text),
        "",
        "- Rates are images, or records, a second; ratios are of the times for one.",
        "- Transforms are applied to whole batches here, where that gives the same; the loaders of torch and MXNet "
        "apply theirs image by image.",
        "- MXNet's ImageRecordIter takes fewer threads than asked for on few cores, and says so on its error output.",
    ]


# -- Operators ---------------------------------------------------------------------------------------------------------


def report_operators(options: Options) -> list[str]:
    """Measure operators of detection, sequences, sparse arrays and training against the real MXNet."""
    workloads = select("operators")
    with started("ours", "MXNet") as sides:
        rows = {
            name: compared(requests_of(workload, sides), options.fewer(3))
            for name, workload in options.select(workloads).items()
        }
    lines = table(rows, ("ours", "MXNet"), (("ours", "MXNet"),), dict.fromkeys(workloads, (1.0,)))
    if all("MXNet" in samples for samples in rows.values()):
        mean = statistics.geometric_mean(ratio(samples, "ours", "MXNet") for samples in rows.values())
        lines += ["", f"- Geometric mean of the ratios: {mean:.2f}; sought: at most {1 / 1.5:.2f}."]
    return lines


# -- Model zoo and untuned networks: torch's networks are built from Gluon's graphs ------------------------------------

HYBRIDIZED = "ours hybridized"
LIBRARIES = {library: [side for side in GRAPH_MODES if side.startswith(library)] for library in ("torch", "MXNet")}


def _measure_graphs(options: Options, group: str) -> dict[str, Samples]:
    """Measure each network in fresh processes: parameters of all models together would not fit into memory."""
    found = {}
    with started("ours") as source, tempfile.TemporaryDirectory() as folder:
        for name, workload in options.select(select(group)).items():
            path = Path(folder) / f"{name}.json"
            path.write_text(json.dumps(source["ours"].ask(f"graph {name}")), encoding="utf-8")
            with started(*_graph_sides(options, workload)) as sides:
                found[name] = compared(requests_of(workload, sides, path), options.fewer(2), TOLERANCE)
    return found


def _graph_sides(options: Options, workload: Workload) -> list[str]:
    is_compiled = COMPILED in options.sides or workload.name in COMPILED_MODELS
    names = [side for side in workload.requests if side != COMPILED or is_compiled]
    return options.select_sides(names, HYBRIDIZED)


def _graph_cells(samples: Samples) -> list[str]:
    return [cell for names in LIBRARIES.values() for cell in against(samples, HYBRIDIZED, names, None)[:-1]]


def _graph_table(head: Sequence[str], rows: Iterator[list[str]]) -> list[str]:
    columns = [text for library in LIBRARIES for text in (f"best of {library}", "ours / it", "processor")]
    return markdown([*head, HYBRIDIZED, *columns], rows)


def report_zoo(options: Options) -> list[str]:
    """Measure inference of every model of gluon.model_zoo.vision, one image at a time."""
    found = _measure_graphs(options, "zoo")
    rows = ([name, time_text(median(samples, HYBRIDIZED)), *_graph_cells(samples)] for name, samples in found.items())
    return [
        *_graph_table(["model"], rows),
        "",
        *summary(found, HYBRIDIZED, LIBRARIES, goals.ZOO_MEAN, goals.ZOO_WORST),
        "- Inference, one image of 224 x 224, of 299 x 299 for Inception. Best of torch: the quicker of eager and "
        f"channels last; for {', '.join(COMPILED_MODELS)} also `torch.compile`, frozen. Best of MXNet: the quicker of "
        "`hybridize()` and `hybridize(static_alloc=True, static_shape=True)`.",
        "- torch's models are written from the graph of Gluon's: each operator as the layer of torch.nn that one would "
        f"write for it. All sides begin with the same parameters; their results agree within {TOLERANCE}.",
    ]


def report_untuned(options: Options) -> list[str]:
    """Measure networks and shapes that nothing was tuned with."""
    found = _measure_graphs(options, "untuned")
    rows = (
        [
            name,
            " x ".join(map(str, UNTUNED[name].shape)),
            time_text(median(samples, HYBRIDIZED)),
            *_graph_cells(samples),
        ]
        for name, samples in found.items()
    )
    return [
        *_graph_table(["work", "data"], rows),
        "",
        *summary(found, HYBRIDIZED, LIBRARIES, goals.UNTUNED_MEAN, goals.UNTUNED_WORST),
        "- Nothing in this library was written or tuned with these networks and shapes. One that it is tuned with "
        "goes.",
        "- Best of torch: the quicker of eager and tuned (channels last, fused optimizer). Best of MXNet: the quicker "
        "of `hybridize()` and `hybridize(static_alloc=True, static_shape=True)`.",
        "- torch's networks are written from the graph of Gluon's. All sides begin with the same parameters; outputs "
        f"and losses of the first steps agree within {TOLERANCE}.",
    ]


# -- Whole jobs --------------------------------------------------------------------------------------------------------

JOB_SIDES = (MINE, ALTERNATIVE, "torch", "MXNet")
JOB_TOLERANCE = 1e-2  # rounding accumulates over an epoch


class _MeasuredJob(NamedTuple):
    samples: Samples
    memory: dict[str, float]  # by side, the peak in megabytes


def _has_int8() -> bool:
    """Return whether the processor multiplies and adds int8 in one instruction; otherwise int8 gains nothing."""
    known = Path("/proc/cpuinfo")
    return known.exists() and "vnni" in known.read_text(encoding="utf-8")


def _measure_job(workload: Workload, rounds: int) -> _MeasuredJob:
    """Measure every side in a fresh process, so that its memory is its own."""
    with started(*workload.requests) as sides:
        requests = requests_of(workload, sides)
        check_agreement({name: request for name, request in requests.items() if request[1] != INT8}, JOB_TOLERANCE)
        samples = interleaved(requests, rounds)
        return _MeasuredJob(samples, {name: side.ask("peak_memory") for name, side in sides.items()})


def _memory_rows(rows: Mapping[str, _MeasuredJob]) -> Iterator[list[str]]:
    for name, (_, memory) in rows.items():
        cells = [f"{memory[side]:.0f} MB" if side in memory else "-" for side in JOB_SIDES]
        for other, goal in (("torch", goals.JOB_MEMORY.torch), ("MXNet", goals.JOB_MEMORY.mxnet)):
            share = memory[MINE] / memory[other] if other in memory else None
            cells += [f"{share:.2f}" if share else "-", goal_text(share, goal)]
        yield [name, *cells]


def report_jobs(options: Options) -> list[str]:
    """Measure whole jobs with their data, metrics and updates, and their peak memory."""
    workloads = {name: each for name, each in options.select(select("jobs")).items() if name != INT8 or _has_int8()}
    rows = {name: _measure_job(workload, options.fewer(3)) for name, workload in workloads.items()}
    ratios = [(MINE, other) for other in ("torch", "MXNet", ALTERNATIVE)]
    heads = [text for other in ("torch", "MXNet") for text in (f"{MINE} / {other}", "sought")]
    return [
        *table({name: found.samples for name, found in rows.items()}, JOB_SIDES, ratios, goals.JOBS),
        "",
        "Memory, the most that a process of its own took, imports included:",
        "",
        *markdown(["work", *JOB_SIDES, *heads], _memory_rows(rows)),
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
