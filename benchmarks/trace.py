"""Draw one training step of ResNet-18 on 2 ranks, in which sums of gradients overlap with backward.

    .venv/bin/python benchmarks/trace.py            draws trace.png and writes its part of RESULTS.md

Times are those of rank 0, with one thread for computing: the parts of the step on the main thread, and of each bucket
the span from the start of its sum to its end.
"""

from datetime import date
from typing import Any

from report_distributed import put_part, teams
from sides import HERE

PICTURE = HERE / "trace.png"
STEP, RANKS, NUM_TRACES = "resnet18", 2, 7
COLORS = {"forward": "#1f78b4", "backward": "#d95f02", "step": "#7570b3", "sum": "#1b9e77"}

Span = tuple[Any, float, float]  # a name or a number of bytes, begin and end in seconds


def traced() -> dict[str, list[Span]]:
    """Return the step of median length of several."""
    with teams(RANKS, "ours") as found:
        traces = [found["ours"].ask(f"trace {STEP}") for _ in range(NUM_TRACES)]
    return sorted(traces, key=lambda trace: trace["main"][-1][2])[NUM_TRACES // 2]


def hidden(trace: dict[str, list[Span]]) -> float:
    """Return the share of the time of sums that overlaps with backward."""
    begin, end = next((begin, end) for name, begin, end in trace["main"] if name == "backward")
    spans = sorted((first, last) for _, first, last in trace["sums"])
    whole = inside = reached = 0.0
    for first, last in spans:
        first = max(first, reached)
        if last > first:
            whole += last - first
            inside += max(0.0, min(last, end) - max(first, begin))
            reached = last
    return inside / whole


def draw(trace: dict[str, list[Span]]) -> str:
    """Draw the picture and return a message."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return "no picture: matplotlib is not installed (pip install matplotlib)"
    figure = Figure(figsize=(11, 0.42 * len(trace["sums"]) + 2.2), layout="constrained")
    axes = figure.add_subplot()
    for name, begin, end in trace["main"]:
        axes.barh(0, (end - begin) * 1e3, left=begin * 1e3, height=0.8, color=COLORS[name])
        axes.text((begin + end) * 500, 0, name, ha="center", va="center", color="white", clip_on=True)
    rows = ["program"]
    for place, (size, begin, end) in enumerate(trace["sums"], 1):
        axes.barh(place, (end - begin) * 1e3, left=begin * 1e3, height=0.7, color=COLORS["sum"])
        axes.text(end * 1e3 + 1, place, f"{(end - begin) * 1e3:.0f} ms", va="center", fontsize=9)
        rows.append(f"bucket {place}: {size / 1e6:.1f} MB")
    for name, begin, end in trace["main"]:
        if name == "backward":
            axes.axvspan(begin * 1e3, end * 1e3, color=COLORS[name], alpha=0.08, zorder=0)
    axes.set_yticks(range(len(rows)), rows)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("ms since the step began")
    axes.set_title(
        f"A step of ResNet-18 (16 x 3 x 64 x 64) on rank 0 of {RANKS}: sums over ranks (green) run during backward"
    )
    figure.savefig(PICTURE, dpi=120)
    return f"picture: {PICTURE.name}"


def main() -> None:
    """Command line."""
    trace = traced()
    print(draw(trace))
    parts = ", ".join(f"{name} {(end - begin) * 1e3:.1f} ms" for name, begin, end in trace["main"])
    sizes = ", ".join(f"{size / 1e6:.1f}" for size, _, _ in trace["sums"])
    lines = [
        f"![a step of ResNet-18 on rank 0 of {RANKS}]({PICTURE.name})",
        "",
        f"Made {date.today()} by `python benchmarks/trace.py`: {parts}; sums of {sizes} MB. "
        f"Of the time in which sums were under way, {hidden(trace):.0%} lies in backward; the last bucket is sent "
        "after it.",
    ]
    print("\n".join(lines))
    put_part("Overlap", lines)


if __name__ == "__main__":
    main()
