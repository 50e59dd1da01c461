"""Networks: training steps and inference, in every way that each library has; their memory and their first calls."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import goals
from networks import WORKS
from networks_large import LARGE
from options import Options
from sides import Samples, Side, agreed, interleaved, started
from tables import best, goal_text, markdown, median, processor_text, ratio, ratio_text, spread_text, time_text

TITLE = "Networks"
NAMES = (*WORKS, *LARGE)
MODES = {
    "ours": "eager",
    "ours hybridized": "hybridized",
    "torch": "eager",
    "torch tuned": "tuned",
    "torch compiled": "compiled",
    "MXNet": "eager",
    "MXNet hybridized": "hybridized",
    "MXNet static": "static",
}
MINE, LIMIT = "ours hybridized", "torch limit"
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
    "- Memory: the most that a process of its own took, imports included. First: seconds of its first step.",
)


class Measured(NamedTuple):
    """What is known of one work: times, operations, and by side the peak memory and the seconds of the first call."""

    samples: Samples
    operations: float
    memory: dict[str, float]
    first: dict[str, float]


def _measured(work: str, options: Options, limit: Side) -> Measured:
    """Every mode in a fresh process, so that its memory and its first call are its own."""
    workload, operations, rounds = "network", "operations", options.rounds
    if work in LARGE:
        workload, operations, rounds = "large", "large_operations", options.fewer(2)
    with started(*options.modes(tuple(MODES), [MINE])) as sides:
        requests = {name: (side, f"{workload} {work} {MODES[name]}") for name, side in sides.items()}
        first = {name: side.ask(f"first {request}") for name, (side, request) in requests.items()}
        agreed(requests, TOLERANCE)
        samples = interleaved({**requests, LIMIT: (limit, "product")}, rounds)
        memory = {name: side.ask("peak_memory") for name, side in sides.items()}
    return Measured(samples, limit.ask(f"{operations} {work}"), memory, first)


def _shares(found: Measured) -> list[float]:
    """Of the machine's limit, round by round."""
    pairs = zip(found.samples[LIMIT], found.samples[MINE], strict=True)
    return [found.operations * limit.clock / mine.clock for limit, mine in pairs]


def _against(samples: Samples, others: list[str], goal: float | None) -> list[str]:
    other = best(samples, others)
    if not other:
        return ["-", "-", "-", goal_text(None, goal)]
    name = other.partition(" ")[2] or "eager"
    return [
        f"{time_text(median(samples, other))} {name}",
        ratio_text(samples, MINE, other),
        processor_text(samples, MINE, other),
        goal_text(ratio(samples, MINE, other), goal),
    ]


def _ratio_rows(rows: dict[str, Measured]) -> Iterator[list[str]]:
    for work, found in rows.items():
        goal = goals.NETWORKS.get(work, goals.Goal())
        shares = sorted(_shares(found))
        yield [
            work,
            time_text(median(found.samples, MINE)),
            *_against(found.samples, TORCH, goal.torch),
            *_against(found.samples, MXNET, goal.mxnet),
            spread_text(shares, percent=True),
            goal_text(shares[len(shares) // 2], goal.limit, at_least=True),
        ]


def _time_rows(rows: dict[str, Measured]) -> Iterator[list[str]]:
    for work, found in rows.items():
        yield [work, *(time_text(median(found.samples, name)) if name in found.samples else "-" for name in MODES)]


def _cost_rows(rows: dict[str, Measured]) -> Iterator[list[str]]:
    for work, (_, _, memory, first) in rows.items():
        goal = goals.PEAK_MEMORY_LARGE if work in LARGE else goals.PEAK_MEMORY
        yield [
            work,
            *(f"{memory[name]:.0f} MB, {first[name]:.2f} s" if name in memory else "-" for name in MODES),
            *_memory_against(memory, "torch", goal.torch),
            *_memory_against(memory, "MXNet", goal.mxnet),
            goal_text(first[MINE], goals.FIRST_CALL.get(work)),
        ]


def _memory_against(memory: dict[str, float], other: str, goal: float | None) -> list[str]:
    against = memory[MINE] / memory[other] if other in memory else None
    return [f"{against:.2f}" if against else "-", goal_text(against, goal)]


def bars(rows: dict[str, Measured]) -> dict[str, dict[str, Any]]:
    """For the plot: of each work, our ratio to the best of each library and what was sought."""
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
    """Runs the group; its report as lines of Markdown."""
    with started(LIMIT) as sides:
        limit = sides[LIMIT]
        rows = {work: _measured(work, options, limit) for work in options.works(NAMES)}
    options.plots.update(bars(rows))
    peak = 1 / min(sample.clock for found in rows.values() for sample in found.samples[LIMIT])
    against = ["ours / it", "processor", "sought"]
    memories = [text for other in ("torch", "MXNet") for text in (f"memory of {MINE} / {other}", "sought")]
    return [
        *markdown(
            ["work", MINE, "best of torch", *against, "best of MXNet", *against, "of the limit", "sought"],
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
        f"- The most that the machine did: {peak / 1e9:.0f} GFLOP/s.",
        *NOTES,
    ]
