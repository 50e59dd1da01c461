"""Report costs besides steps: importing, opening files, memory over time, and how costs grow with sizes."""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import goals
from sides import ENVIRONMENT, ORACLE, OUR_ENVIRONMENT, Options, Samples, compared, requests_of, started
from tables import best, goal_text, markdown, median, ratio_text, table, time_text
from workloads import (
    BATCHES,
    DEEPEST,
    DEPTHS,
    GROWTH,
    GROWTH_MODES,
    MEMORY_STEPS,
    NUM_SHAPES,
    SIZES,
    Workload,
    select,
)

# -- Import, files, memory over time -----------------------------------------------------------------------------------

IMPORTS = {  # Python, the timed statement, the statement before it
    "torch": (sys.executable, "import torch", ""),
    "ours after torch": (sys.executable, "import mxnet", "import torch"),
    "ours": (sys.executable, "import mxnet", ""),
    "MXNet": (str(ORACLE), "import mxnet", ""),
}


def _import_times(rounds: int) -> dict[str, float]:
    """Return median seconds in fresh processes."""
    samples: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, (python, statement, before) in IMPORTS.items():
            if not Path(python).exists():
                continue
            code = f"import time\n{before}\na = time.perf_counter()\n{statement}\nprint(time.perf_counter() - a)"
            own = OUR_ENVIRONMENT if name.startswith("ours") else {}
            child = subprocess.run(
                [python, "-c", code],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, **ENVIRONMENT, **own},
            )
            samples.setdefault(name, []).append(float(child.stdout))
    return {name: statistics.median(seconds) for name, seconds in samples.items()}


def _report_import(rounds: int) -> list[str]:
    seconds = _import_times(rounds)
    extra = seconds["ours after torch"]
    return [
        *markdown(
            ["import", *seconds, "sought after torch"],
            [["seconds", *(f"{s:.2f}" for s in seconds.values()), goal_text(extra, goals.IMPORT_EXTRA)]],
        ),
        "",
    ]


def _report_open(workload: Workload, rounds: int) -> list[str]:
    """Measure how each library opens the file that it writes itself."""
    with tempfile.TemporaryDirectory() as folder, started("ours", "torch", "MXNet") as sides:
        requests = {}
        for name, side in sides.items():
            path = Path(folder) / ("torch.pt" if name == "torch" else f"{name}.params")
            side.ask(f"save_params {path}")
            columns = [column for column in workload.requests if column.partition(" ")[0] == name]
            requests |= {column: (side, workload.requests[column].format(path=path)) for column in columns}
        samples = compared(requests, rounds)
    ratios = (("ours", best(samples, ("torch", "torch mapped"))), ("ours", "MXNet"))
    return [*table({"open_params": samples}, tuple(workload.requests), ratios, {"open_params": goals.OPEN_PARAMS}), ""]


def _ask_fresh(workload: Workload, path: object = "") -> dict[str, list[float]]:
    """Ask each side in a fresh process; the peak of an earlier request would hide that of this one."""
    found = {}
    for name in workload.requests:
        with started(name) as sides:
            for side, request in requests_of(workload, sides, path).values():
                found[name] = side.ask(request)
    return found


def report_startup(options: Options) -> list[str]:
    """Measure importing, opening a model, and memory over many steps."""
    workloads, lines = options.select(select("startup")), []
    if "import" in workloads:  # first, when no other process disturbs it
        lines += _report_import(options.fewer(5))
    if "open_params" in workloads:
        lines += _report_open(workloads["open_params"], options.fewer(3))
        lines += ["- A model of 100 MB is opened, and one element of each of its 100 arrays read."]
    if "memory_growth" in workloads:
        found = _ask_fresh(workloads["memory_growth"])
        grown = ", ".join(f"{size:.1f} MB ({name})" for name, size in found.items())
        lines += [
            f"- {MEMORY_STEPS:,} recorded steps with their losses added up; the process grows by {grown}; sought: flat."
        ]
    return lines


# -- Growth of cost ----------------------------------------------------------------------------------------------------

# The largest size should take as many times as long as it is larger, or as long as the smallest.
LINEAR = {"first_step": (1000, 10000), "tojson": (1000, 10000)}
FLAT = {"unused": (10, 10000), "unused_eager": (10, 10000)}
HYBRIDIZED = "ours hybridized"


def _grown(found: Mapping[str, Samples], kind: str, sizes: tuple[int, ...], mine: str, goal: float | None) -> list[str]:
    """Return a note on how many times longer the largest size takes than the smallest, by side."""
    small, large = found.get(f"{kind}_{sizes[0]}"), found.get(f"{kind}_{sizes[-1]}")
    if not (small and large):
        return []
    times = {name: median(large, name) / median(small, name) for name in small}
    grown = ", ".join(f"{value:.{0 if value > 9 else 1}f} ({name})" for name, value in times.items())
    sought = f" Sought for {mine}: {goal_text(times[mine], goal)}." if goal else ""
    return [
        f"- From {kind} {sizes[0]:,} to {sizes[-1]:,}, {sizes[-1] // sizes[0]:,} times as large, it takes so many "
        f"times as long: {grown}.{sought}"
    ]


def _step_rows(found: Mapping[str, Samples], first: Mapping[str, Mapping[str, float]]) -> Iterator[list[str]]:
    for name, samples in found.items():
        yield [
            name,
            *(
                f"{time_text(median(samples, side))}, {first[name][side]:.2f} s" if side in samples else "-"
                for side in GROWTH_MODES
            ),
            ratio_text(samples, HYBRIDIZED, "torch"),
            ratio_text(samples, HYBRIDIZED, "MXNet static"),
        ]


def _report_steps(options: Options, workloads: Mapping[str, Workload]) -> list[str]:
    """Measure training steps of growing depth and batch."""
    found, first = {}, {}
    with started(*options.select_sides(tuple(GROWTH_MODES), HYBRIDIZED)) as sides:
        for name, workload in workloads.items():
            requests = requests_of(workload, sides)
            first[name] = {column: side.ask(f"first {request}") for column, (side, request) in requests.items()}
            found[name] = compared(requests, options.fewer(2))
            options.curves[name] = {side: median(found[name], side) for side in found[name]}
    sides_head = (f"{side}, its first step" for side in GROWTH_MODES)
    head = ["work", *sides_head, f"{HYBRIDIZED} / torch", f"{HYBRIDIZED} / MXNet static"]
    depths = (*DEPTHS, DEEPEST)
    return [
        *markdown(head, _step_rows(found, first)),
        "",
        *_grown(found, "depth", depths, HYBRIDIZED, goals.LINEAR * DEEPEST / DEPTHS[0]),
        *_grown(found, "batch", BATCHES, HYBRIDIZED, None),
        "- Training steps: depth is that of a chain of dense layers of 32 units, batch 8; batch is that of LeNet.",
        "",
    ]


def _size_rows(found: Mapping[str, Samples]) -> Iterator[list[str]]:
    for name, samples in found.items():
        mine = median(samples, "ours")
        times = [time_text(median(samples, side)) if side in samples else "-" for side in ("ours", "MXNet")]
        yield [name, *times, ratio_text(samples, "ours", "MXNet"), goal_text(mine, goals.GROWTH.get(name))]


def _report_sizes(options: Options, workloads: Mapping[str, Workload]) -> list[str]:
    """Measure costs that occur once per network, and costs that should not depend on its size."""
    with started("ours", "MXNet") as sides:
        found = {name: compared(requests_of(workload, sides), options.fewer(3)) for name, workload in workloads.items()}
    return [
        *markdown(["work", "ours", "MXNet", "ours / MXNet", "seconds sought"], _size_rows(found)),
        "",
        *(
            line
            for kind, sizes in LINEAR.items()
            for line in _grown(found, kind, sizes, "ours", goals.LINEAR * sizes[-1] / sizes[0])
        ),
        *(line for kind, sizes in FLAT.items() for line in _grown(found, kind, sizes, "ours", goals.FLAT)),
        "- first_step: the first recorded call of a hybridized network of so many operators, and its backward. "
        "tojson: its graph as text. unused: a call of a network that has so many parameters more than it needs.",
    ]


def _report_load(workload: Workload, megabytes: int) -> list[str]:
    """Measure how each side loads the file that ours writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.params"
        with started("ours") as sides:
            sides["ours"].ask(f"save_large {megabytes} {path}")
        found = _ask_fresh(workload, path)
    grown = ", ".join(
        f"{own:.0f} MB, {resident:.0f} in {seconds:.2f} s ({name})" for name, (own, resident, seconds) in found.items()
    )
    return [
        f"- A file of {megabytes:,} MB is loaded, and one element of each of its 100 arrays read: the process grows by "
        f"so much, and so much with pages of the file, which the system may drop: {grown}. Sought, "
        f"in MB: {goal_text(found['ours'][0], goals.LOAD_MEMORY)}."
    ]


def _report_shapes(workload: Workload) -> list[str]:
    found = _ask_fresh(workload)
    grown = ", ".join(
        f"{size:.0f} MB, {time_text(seconds)} for each ({name})" for name, (size, seconds) in found.items()
    )
    return [
        f"- Images of {NUM_SHAPES:,} shapes through one hybridized network: the process grows by {grown}. Sought, in "
        f"MB: {goal_text(found['ours'][0], goals.SHAPES_MEMORY)}."
    ]


def report_growth(options: Options) -> list[str]:
    """Measure how costs grow with depth, nodes, parameters, batch, shapes of data, and size of a file."""
    workloads, lines = options.select(select("growth")), []
    if steps := {name: workload for name, workload in workloads.items() if name in GROWTH}:
        lines += _report_steps(options, steps)
    if sizes := {name: workload for name, workload in workloads.items() if name in SIZES}:
        lines += _report_sizes(options, sizes)
    if "load_large" in workloads:
        lines += _report_load(workloads["load_large"], options.file_megabytes)
    if "many_shapes" in workloads:
        lines += _report_shapes(workloads["many_shapes"])
    return lines
