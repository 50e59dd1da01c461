"""Samples as Markdown: medians of times, and of the rounds' ratios with what was sought."""

import statistics
from collections.abc import Callable, Mapping, Sequence

from sides import Samples

Goals = Mapping[str, Sequence[float | None]]  # of each workload, the most that each ratio was to be


def time_text(seconds: float) -> str:
    """Seconds in a readable unit."""
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def rate_text(seconds: float) -> str:
    """Seconds for one as how many a second."""
    return f"{1 / seconds:,.0f} /s"


def _ratios(samples: Samples, mine: str, other: str) -> list[float]:
    return sorted(a / b for a, b in zip(samples[mine], samples[other], strict=True))


def ratio(samples: Samples, mine: str, other: str) -> float:
    """Median of the rounds' ratios."""
    return statistics.median(_ratios(samples, mine, other))


def _ratio_text(samples: Samples, mine: str, other: str) -> str:
    if mine not in samples or other not in samples:
        return "-"
    ratios = _ratios(samples, mine, other)
    low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
    return f"{statistics.median(ratios):.2f} ({low:.2f}-{high:.2f})"


def table(
    rows: Mapping[str, Samples],
    columns: Sequence[str],
    ratios: Sequence[tuple[str, str]],
    goals: Goals,
    shown: Callable[[float], str] = time_text,
) -> list[str]:
    """A row for each workload: the medians of the columns, then each ratio and the most that it was to be."""
    heads = [text for mine, other in ratios for text in (f"{mine} / {other}", "sought")]
    lines = [f"| work | {' | '.join([*columns, *heads])} |", "|---" * (1 + len(columns) + len(heads)) + "|"]
    for workload, samples in rows.items():
        cells = [shown(statistics.median(samples[name])) if name in samples else "-" for name in columns]
        for (mine, other), goal in zip(ratios, goals.get(workload, [None] * len(ratios)), strict=True):
            cells += [_ratio_text(samples, mine, other), f"<= {goal:.2f}" if goal else ""]
        lines.append(f"| {workload} | {' | '.join(cells)} |")
    return lines
