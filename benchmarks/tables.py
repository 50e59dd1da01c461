"""Samples as Markdown: medians of times, and of the rounds' ratios with what was sought."""

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from goals import Goal
from sides import Samples

Goals = Mapping[str, Sequence[float | None]]  # of each workload, the most that each ratio was to be


def time_text(seconds: float) -> str:
    """Seconds in a readable unit."""
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def rate_text(seconds: float) -> str:
    """Seconds for one as how many a second."""
    return f"{1 / seconds:,.0f} /s"


def median(samples: Samples, name: str) -> float:
    """Median of the seconds of the clock."""
    return statistics.median(sample.clock for sample in samples[name])


def best(samples: Samples, names: Iterable[str]) -> str:
    """The one that took the least time of those that were measured; empty if none was."""
    return min((name for name in names if name in samples), key=lambda name: median(samples, name), default="")


def ratio(samples: Samples, mine: str, other: str) -> float:
    """Median of the rounds' ratios."""
    return statistics.median(_ratios(samples, mine, other))


def _ratios(samples: Samples, mine: str, other: str) -> list[float]:
    return sorted(a.clock / b.clock for a, b in zip(samples[mine], samples[other], strict=True))


def ratio_text(samples: Samples, mine: str, other: str) -> str:
    """Median of the rounds' ratios, with the 10th and the 90th percentile."""
    return spread_text(_ratios(samples, mine, other)) if mine in samples and other in samples else "-"


def spread_text(values: Iterable[float], percent: bool = False) -> str:
    """The median, with the 10th and the 90th percentile."""
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]
    middle = statistics.median(ordered)
    return f"{middle:.0%} ({low:.0%}-{high:.0%})" if percent else f"{middle:.2f} ({low:.2f}-{high:.2f})"


def processor_text(samples: Samples, mine: str, other: str) -> str:
    """Ratio of the processor's seconds over all rounds: the clock of the kernel is too coarse for single ones."""
    if mine not in samples or other not in samples:
        return "-"
    a, b = (sum(sample.processor for sample in samples[name]) for name in (mine, other))
    return f"{a / b:.2f}" if b else "-"


def against(samples: Samples, mine: str, others: Iterable[str], goal: float | None) -> list[str]:
    """Cells about the best of others: its time and name, our ratio to it by clock and processor, what was sought."""
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
    """Of each library, the geometric mean of the ratios to the best of its sides, and the worst one."""
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
    """What was sought, and whether it was found."""
    if goal is None:
        return ""
    text = f">= {goal:.0%}" if at_least else f"<= {goal:.2f}"
    if value is None:
        return text
    return f"{text}, {'met' if (value >= goal if at_least else value <= goal) else 'missed'}"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table."""
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)]


def table(
    rows: Mapping[str, Samples],
    columns: Sequence[str],
    ratios: Sequence[tuple[str, str]],
    goals: Goals,
    shown: Callable[[float], str] = time_text,
) -> list[str]:
    """A row for each workload: the medians of the columns, then each ratio, by the clock and by the processor."""
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
