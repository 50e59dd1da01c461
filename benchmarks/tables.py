"""Format samples as Markdown: medians of times, and of the rounds' ratios with their goals."""

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from goals import Goal
from sides import Samples

Goals = Mapping[str, Sequence[float | None]]  # by workload, an upper bound of each ratio


def time_text(seconds: float) -> str:
    """Format seconds in microseconds or milliseconds."""
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def rate_text(seconds: float) -> str:
    """Format the seconds of one item as items per second."""
    return f"{1 / seconds:,.0f} /s"


def median(samples: Samples, name: str) -> float:
    """Return the median seconds of the clock."""
    return statistics.median(sample.clock for sample in samples[name])


def best(samples: Samples, names: Iterable[str]) -> str:
    """Return the fastest of the measured sides, or "" if none was measured."""
    return min((name for name in names if name in samples), key=lambda name: median(samples, name), default="")


def ratio(samples: Samples, mine: str, other: str) -> float:
    """Return the median of the rounds' ratios."""
    return statistics.median(_ratios(samples, mine, other))


def _ratios(samples: Samples, mine: str, other: str) -> list[float]:
    return sorted(a.clock / b.clock for a, b in zip(samples[mine], samples[other], strict=True))


def ratio_text(samples: Samples, mine: str, other: str) -> str:
    """Format the median, 10th and 90th percentile of the rounds' ratios, or "-" if a side is missing."""
    return spread_text(_ratios(samples, mine, other)) if mine in samples and other in samples else "-"


def spread_text(values: Iterable[float], percent: bool = False) -> str:
    """Format the median with the 10th and 90th percentile."""
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]
    middle = statistics.median(ordered)
    return f"{middle:.0%} ({low:.0%}-{high:.0%})" if percent else f"{middle:.2f} ({low:.2f}-{high:.2f})"


def processor_text(samples: Samples, mine: str, other: str) -> str:
    """Format the ratio of processor seconds over all rounds; the kernel's clock is too coarse for single rounds."""
    if mine not in samples or other not in samples:
        return "-"
    a, b = (sum(sample.processor for sample in samples[name]) for name in (mine, other))
    return f"{a / b:.2f}" if b else "-"


def against(samples: Samples, mine: str, others: Iterable[str], goal: float | None) -> list[str]:
    """Return cells about the best other side: its time and name, our ratio to it by clock and processor, the goal."""
    other = best(samples, others)
    if not other:
        return ["-", "-", "-", goal_text(None, goal)]
    return [
        f"{time_text(median(samples, other))} {other.partition(' ')[2] or 'eager'}",
        ratio_text(samples, mine, other),
        processor_text(samples, mine, other),
        goal_text(ratio(samples, mine, other), goal),
    ]


def summary(
    rows: Mapping[str, Samples], mine: str, libraries: Mapping[str, Sequence[str]], mean_goal: Goal, worst_goal: Goal
) -> Iterator[str]:
    """Yield, per library, a note with the geometric mean and the worst of the ratios to its best side."""
    for library, names in libraries.items():
        ratios = {
            work: ratio(samples, mine, other) for work, samples in rows.items() if (other := best(samples, names))
        }
        if not ratios:
            continue
        mean, worst = statistics.geometric_mean(ratios.values()), max(ratios, key=ratios.__getitem__)
        yield (
            f"- {mine} / best of {library}, {len(ratios)} networks: geometric mean {mean:.2f} (sought "
            f"{goal_text(mean, getattr(mean_goal, library.lower()))}); worst {ratios[worst]:.2f}, {worst} (sought "
            f"{goal_text(ratios[worst], getattr(worst_goal, library.lower()))})."
        )


def goal_text(value: float | None, goal: float | None, at_least: bool = False) -> str:
    """Format a goal and whether it was met; "" without a goal."""
    if goal is None:
        return ""
    text = f">= {goal:.0%}" if at_least else f"<= {goal:.2f}"
    if value is None:
        return text
    return f"{text}, {'met' if (value >= goal if at_least else value <= goal) else 'missed'}"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)]


def table(
    rows: Mapping[str, Samples],
    columns: Sequence[str],
    ratios: Sequence[tuple[str, str]],
    goals: Goals,
    shown: Callable[[float], str] = time_text,
) -> list[str]:
    """Return a table with a row per workload: the medians of the columns, then the ratios by clock and processor."""
    heads = [text for mine, other in ratios for text in (f"{mine} / {other}", "processor", "sought")]
    lines = []
    for workload, samples in rows.items():
        cells = [shown(median(samples, name)) if name in samples else "-" for name in columns]
        for (mine, other), goal in zip(ratios, goals.get(workload, [None] * len(ratios)), strict=True):
            found = ratio(samples, mine, other) if mine in samples and other in samples else None
            cells += [
                ratio_text(samples, mine, other),
                processor_text(samples, mine, other),
                goal_text(found, goal),
            ]
        lines.append([workload, *cells])
    return markdown(["work", *columns, *heads], lines)
