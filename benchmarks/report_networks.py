"""Report networks: training steps and inference in every mode of each library, their memory and first calls."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import goals
from sides import Options, Samples, Side, check_agreement, interleaved, requests_of, started
from tables import against, best, goal_text, markdown, median, ratio, spread_text, time_text
from workloads import LARGE, MODES, Workload, select

MINE, LIMIT, MEMORY = "ours hybridized", "torch limit", "torch memory"
TORCH, MXNET = ([name for name in MODES if name.startswith(library)] for library in ("torch", "MXNet"))
TOLERANCE = 2e-3
NOTES = (
    "- Best of torch: the quickest of eager, tuned (channels last, fused optimizer) and compiled (`torch.compile`; "
    "frozen for inference). Best of MXNet: the quickest of eager, `hybridize()` and `hybridize(static_alloc=True, "
    "static_shape=True)`.",
    "- All sides begin with the same parameters and take the same inputs; outputs and losses of the first "
    f"steps agree within {TOLERANCE}.",
    "- Processor: ratio of the user time of all threads, which other programs on the machine disturb less.",
    "- Limit: additions and multiplications of products and convolutions a second, against those of a product of "
    "large matrices in the same rounds. An algorithm that saves multiplications may pass 100%.",
    "- Bound by: the larger of two times. Operations: as many in the product of large matrices. Memory: as many bytes "
    "in an addition of arrays of 64 MB as the work moves at least: what products and convolutions read and write, and "
    "parameters once, when trained with SGD 4 times, with Adam 8 times. Of the bound: that time, of ours; above 100% "
    "where caches hold what the work moves, or multiplications are saved.",
    "- Memory: the most that a process of its own took, imports included. First: seconds of its first step.",
)


class Measured(NamedTuple):
    """Measurements of one workload.

    Args:
        samples: times by side, and of the machine's limits.
        operations: number of operations in products and convolutions.
        bytes: least number of bytes that a step moves.
        memory: peak by side, in megabytes.
        first: seconds of the first call by side.
    """

    samples: Samples
    operations: float
    bytes: float
    memory: dict[str, float]
    first: dict[str, float]


def _measure(workload: Workload, options: Options, limit: Side) -> Measured:
    """Measure every mode in a fresh process, so that its memory and its first call are its own."""
    rounds = options.fewer(2) if workload.name in LARGE else options.rounds
    with started(*options.select_sides(tuple(MODES), MINE)) as sides:
        requests = requests_of(workload, sides)
        first = {name: side.ask(f"first {request}") for name, (side, request) in requests.items()}
        check_agreement(requests, TOLERANCE)
        peaks = {LIMIT: (limit, "product"), MEMORY: (limit, "addition")}
        samples = interleaved({**requests, **peaks}, rounds)
        memory = {name: side.ask("peak_memory") for name, side in sides.items()}
    return Measured(samples, **limit.ask(f"least {workload.name}"), memory=memory, first=first)


def _shares(found: Measured) -> list[float]:
    """Return our share of the machine's peak rate, round by round."""
    pairs = zip(found.samples[LIMIT], found.samples[MINE], strict=True)
    return [found.operations * limit.clock / mine.clock for limit, mine in pairs]


def _bound(found: Measured) -> list[str]:
    """Return operations per second, the roofline bound (what sets it, its time), and its share of our time."""
    ours = median(found.samples, MINE)
    least = {
        "operations": found.operations * median(found.samples, LIMIT),
        "memory": found.bytes * median(found.samples, MEMORY),
    }
    name = max(least, key=least.__getitem__)
    return [
        f"{found.operations / ours / 1e9:.0f}",
        f"{name}, {time_text(least[name])}",
        f"{least[name] / ours:.0%}",
    ]


def _ratio_rows(rows: dict[str, Measured]) -> Iterator[list[str]]:
    for work, found in rows.items():
        goal = goals.NETWORKS.get(work, goals.Goal())
        shares = sorted(_shares(found))
        yield [
            work,
            time_text(median(found.samples, MINE)),
            *against(found.samples, MINE, TORCH, goal.torch),
            *against(found.samples, MINE, MXNET, goal.mxnet),
            spread_text(shares, percent=True),
            goal_text(shares[len(shares) // 2], goal.limit, at_least=True),
            *_bound(found),
        ]


def _time_rows(rows: dict[str, Measured]) -> Iterator[list[str]]:
    for work, found in rows.items():
        yield [work, *(time_text(median(found.samples, name)) if name in found.samples else "-" for name in MODES)]


def _cost_rows(rows: dict[str, Measured]) -> Iterator[list[str]]:
    for work, found in rows.items():
        memory, first = found.memory, found.first
        goal = goals.PEAK_MEMORY_LARGE if work in LARGE else goals.PEAK_MEMORY
        yield [
            work,
            *(f"{memory[name]:.0f} MB, {first[name]:.2f} s" if name in memory else "-" for name in MODES),
            *_memory_against(memory, "torch", goal.torch),
            *_memory_against(memory, "MXNet", goal.mxnet),
            goal_text(first[MINE], goals.FIRST_CALL.get(work)),
        ]


def _memory_against(memory: dict[str, float], other: str, goal: float | None) -> list[str]:
    found = memory[MINE] / memory[other] if other in memory else None
    return [f"{found:.2f}" if found else "-", goal_text(found, goal)]


def bars(rows: dict[str, Measured]) -> dict[str, dict[str, Any]]:
    """Return for the picture, by workload and library: our ratio to its best side, and the goal."""
    found: dict[str, dict[str, Any]] = {}
    for work, measured in rows.items():
        goal = goals.NETWORKS.get(work, goals.Goal())
        found[work] = {
            label: (ratio(measured.samples, MINE, other), sought)
            for label, others, sought in (("torch", TORCH, goal.torch), ("MXNet", MXNET, goal.mxnet))
            if (other := best(measured.samples, others))
        }
    return found


def report(options: Options) -> list[str]:
    """Measure the group and return its section as lines of Markdown."""
    with started(LIMIT) as sides:
        limit = sides[LIMIT]
        workloads = options.select(select("networks"))
        rows = {name: _measure(workload, options, limit) for name, workload in workloads.items()}
    options.plots.update(bars(rows))
    peak, rate = (
        1 / min(sample.clock for found in rows.values() for sample in found.samples[name]) for name in (LIMIT, MEMORY)
    )
    heads, bounds = ["ours / it", "processor", "sought"], ["GFLOP/s of ours", "bound by", "of the bound"]
    memories = [text for other in ("torch", "MXNet") for text in (f"memory of {MINE} / {other}", "sought")]
    return [
        *markdown(
            ["work", MINE, "best of torch", *heads, "best of MXNet", *heads, "of the limit", "sought", *bounds],
            _ratio_rows(rows),
        ),
        "",
        "Times:",
        "",
        *markdown(["work", *MODES], _time_rows(rows)),
        "",
        "Memory, first:",
        "",
        *markdown(["work", *MODES, *memories, "first, sought"], _cost_rows(rows)),
        "",
        f"- The most that the machine did: {peak / 1e9:.0f} GFLOP/s; {rate / 1e9:.1f} GB/s of memory.",
        *NOTES,
    ]
