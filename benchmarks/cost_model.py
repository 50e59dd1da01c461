"""Model the cost of a training step over many ranks with two numbers: latency and time per byte (Hockney).

    .venv/bin/python benchmarks/cost_model.py       after `make bench ARGS="--only distributed"`, whose figures it takes

A sum of S bytes over n ranks in a ring sends 2 (n - 1) messages one after the other, and 2 (n - 1) / n S bytes over
every link:

    sum(n, S) = 2 (n - 1) alpha + 2 (n - 1) / n S beta
    step(n) = compute + max(what the sums take after backward, the last bucket's sum)

With more ranks than cores on one machine, ranks wait for cores: computing and messages take n / cores times as long,
and bytes u n / cores times, for a rank that sends keeps a core busy for a share u of the time only. There the bytes
are carried by the cores that compute, so that nothing is hidden behind backward.

Prints tables and writes them to RESULTS.md, and draws cost_model.png.
"""

import json
import os
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from report_distributed import FIGURES, put_part
from sides import HERE
from tables import markdown, time_text
from workloads import RANKS

PICTURE = HERE / "cost_model.png"
BUCKET = 8 * 2**20  # bytes; the default of MXNET_KVSTORE_BUCKET_MB
PACKED = 16  # elements in two bits for one in single precision
NETWORK_LATENCY = 30e-6  # seconds for a message between two machines, assumed
GIGABITS = {10: "#d95f02", 25: "#7570b3", 100: "#1b9e77"}
COLORS = {2: "#d95f02", 4: "#7570b3", 8: "#1b9e77"}
MANY = [2**power for power in range(11)]
SHOWN = (1, 8, 64, 256, 1024)


class Link(NamedTuple):
    """The cost of messages.

    Args:
        alpha: seconds for one.
        beta: seconds for a byte.
        cores: that all ranks share; 0 where every rank has its own.
        share: of the time that a rank keeps a core busy while it sends.
    """

    alpha: float
    beta: float
    cores: int = 0
    share: float = 1.0

    def waits(self, ranks: int, share: float = 1.0) -> float:
        """Return the factor by which waiting for cores slows ranks down."""
        return max(1.0, share * ranks / self.cores) if self.cores else 1.0

    def sum(self, ranks: int, size: float) -> float:
        """Return the seconds of a sum over ranks in a ring."""
        latency = 2 * (ranks - 1) * self.alpha * self.waits(ranks)
        return latency + 2 * (ranks - 1) / ranks * size * self.beta * self.waits(ranks, self.share)

    def gather(self, ranks: int, size: float) -> float:
        """Return the seconds of an all-gather, which sends gradients in two bits."""
        return (ranks - 1) * (self.alpha * self.waits(ranks) + size * self.beta * self.waits(ranks, self.share))


class Model(NamedTuple):
    """A network's step on one rank.

    Args:
        compute: seconds, forward, backward and update.
        backward: seconds of it in backward.
        size: bytes of the gradients.
    """

    compute: float
    backward: float
    size: float


# Sizes are those of the networks; the seconds are assumed, about those of a current accelerator with a batch that
# fills it. Two thirds of a step are backward.
LARGE = {
    "ResNet-18, 47 MB, 60 ms": Model(0.060, 0.040, 46.8e6),
    "ResNet-50, 102 MB, 150 ms": Model(0.150, 0.100, 102.2e6),
    "BERT-base, 440 MB, 250 ms": Model(0.250, 0.167, 440e6),
}


def buckets(size: float, bucket: float = BUCKET) -> list[float]:
    """Return the bytes of each bucket of gradients."""
    full, left = divmod(size, bucket)
    return [bucket] * int(full) + ([left] if left else [])


def exposed(backward: float, costs: Sequence[float]) -> float:
    """Return the seconds that sums take after the end of backward; they run in turn, as buckets fill in turn."""
    end = 0.0
    for number, cost in enumerate(costs, 1):
        end = max(end, backward * number / len(costs)) + cost
    return max(0.0, end - backward)


def step(model: Model, link: Link, ranks: int, is_packed: bool = False) -> float:
    """Return the seconds of a step: gradients in buckets, or all in two bits after backward."""
    if ranks == 1:
        return model.compute
    if is_packed:
        return model.compute * link.waits(ranks) + link.gather(ranks, model.size / PACKED)
    costs = [link.sum(ranks, size) for size in buckets(model.size)]
    is_busy = link.cores and ranks >= link.cores  # no core is left to send while others compute
    after = sum(costs) if is_busy else exposed(model.backward, costs)
    return model.compute * link.waits(ranks) + after


def measured_sums(curves: dict[str, dict[str, float]]) -> Iterator[tuple[int, int, float]]:
    """Yield ranks, bytes and seconds of all measured sums over several ranks."""
    for name, times in curves.items():
        if name.startswith("all_reduce_"):
            for ranks in RANKS[1:]:
                yield ranks, int(name.rpartition("_")[2]), times[str(ranks)]


def fitted(points: Sequence[tuple[int, int, float]], cores: int) -> Link:
    """Fit a link to measured sums by least squares of the relative differences."""
    best, least = Link(0, 0), np.inf
    for share in np.linspace(0.05, 1, 20):
        alpha_only, beta_only = Link(1, 0, cores, share), Link(0, 1, cores, share)
        rows = [(alpha_only.sum(n, size) / took, beta_only.sum(n, size) / took) for n, size, took in points]
        matrix = np.array(rows)
        solution = np.linalg.lstsq(matrix, np.ones(len(rows)), rcond=None)[0]
        error = float(np.square(matrix @ solution - 1).sum())
        if error < least and min(solution) >= 0:
            best, least = Link(float(solution[0]), float(solution[1]), cores, float(share)), error
    return best


def _models(curves: dict[str, dict[str, float]]) -> dict[str, Model]:
    """Return the measured networks with their times on one rank."""
    return {
        name[6:]: Model(curves[f"step_{name[6:]}"]["1"], parts["backward"], parts["bytes"])
        for name, parts in curves.items()
        if name.startswith("parts_")
    }


def _sum_rows(points: Sequence[tuple[int, int, float]], link: Link) -> Iterator[list[str]]:
    for size in sorted({size for _, size, _ in points}):
        cells = [_size_text(size)]
        for ranks, _, took in (point for point in points if point[1] == size):
            predicted = link.sum(ranks, size)
            cells += [time_text(predicted), time_text(took), f"{predicted / took:.2f}"]
        yield cells


def _step_rows(curves: dict[str, dict[str, float]], link: Link) -> Iterator[list[str]]:
    for name, model in _models(curves).items():
        for ranks in RANKS:
            predicted, took = step(model, link, ranks), curves[f"step_{name}"][str(ranks)]
            yield [name, str(ranks), time_text(predicted), time_text(took), f"{predicted / took:.2f}"]


def _large_rows() -> Iterator[list[str]]:
    for name, model in LARGE.items():
        for gigabits in GIGABITS:
            link = _network(gigabits)
            times = [step(model, link, ranks) for ranks in SHOWN]
            packed = [step(model, link, ranks, is_packed=True) for ranks in SHOWN]
            cells = [f"{time * 1e3:.0f}, {two_bits * 1e3:.0f} ms" for time, two_bits in zip(times, packed, strict=True)]
            yield [name, str(gigabits), *cells]


def _size_text(size: float) -> str:
    return f"{size / 2**10:.0f} kB" if size < 2**20 else f"{size / 2**20:.0f} MB"


def _network(gigabits: int) -> Link:
    return Link(NETWORK_LATENCY, 8e-9 / gigabits)


def report(curves: dict[str, dict[str, float]], link: Link) -> list[str]:
    """Return the part of the report as lines of Markdown."""
    points = list(measured_sums(curves))
    errors = [abs(np.log(link.sum(ranks, size) / took)) for ranks, size, took in points]
    each = ["predicted", "measured", "ratio"]
    return [
        f"![cost model]({PICTURE.name})",
        "",
        f"Made {date.today()} by `python benchmarks/cost_model.py` from the figures above; the file says what the "
        "model is.",
        "",
        f"- On this machine ({link.cores} cores, loopback): alpha {time_text(link.alpha)} for a message, beta "
        f"{link.beta * 1e9:.2f} ns for a byte ({8e-9 / link.beta:.1f} Gbit/s), a rank that sends keeps a core busy for "
        f"{link.share:.0%} of the time; sums over 2, 4 and 8 ranks are predicted within a factor of "
        f"{np.exp(np.median(errors)):.2f} (median), {np.exp(max(errors)):.2f} (largest).",
        "- Steps are predicted from the time of one rank and from sums alone; no number was fitted to them.",
        "",
        *markdown(
            ["sum of", *(f"{ranks} ranks, {what}" for ranks in RANKS[1:] for what in each)], _sum_rows(points, link)
        ),
        "",
        *markdown(["step of", "ranks", *each], _step_rows(curves, link)),
        "",
        "Predicted steps in clusters, one rank a machine; after the comma, with gradients in two bits:",
        "",
        *markdown(
            ["network, gradients, one rank's step", "Gbit/s", *(f"{n:,} rank{'s' * (n > 1)}" for n in SHOWN)],
            _large_rows(),
        ),
        "",
        f"- Assumed: {time_text(NETWORK_LATENCY)} for a message, the seconds of a step on one rank, and software that "
        "keeps up with the network.",
        "- Two bits are gathered from all ranks, so that what is received grows with their number: beyond "
        f"{2 * PACKED} ranks, sums of all bits send less.",
        f"- Over many ranks messages count, not bytes: there larger buckets help (MXNET_KVSTORE_BUCKET_MB, "
        f"{BUCKET // 2**20} by default).",
    ]


def _draw_sums(axes: Any, curves: dict[str, dict[str, float]], link: Link) -> None:
    points = list(measured_sums(curves))
    sizes = np.geomspace(min(size for _, size, _ in points), max(size for _, size, _ in points), 80)
    for ranks, color in COLORS.items():
        mine = [(size, took) for n, size, took in points if n == ranks]
        axes.plot(*zip(*mine, strict=True), "o", color=color)
        label = f"{ranks} ranks"
        axes.plot(sizes, [link.sum(ranks, size) for size in sizes], color=color, label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = [2**power for power in range(10, 27, 4)]
    axes.set_xticks(ticks, [_size_text(tick) for tick in ticks])
    axes.set_yticks([1e-3, 1e-2, 1e-1], ["1 ms", "10 ms", "100 ms"])
    axes.set_xlabel("bytes that are summed up")
    axes.set_title("One sum here: points measured, lines fitted", fontsize=10)
    axes.legend()


def _draw_steps(axes: Any, curves: dict[str, dict[str, float]], link: Link) -> None:
    for (name, model), color in zip(_models(curves).items(), COLORS.values(), strict=False):
        axes.plot(RANKS, [curves[f"step_{name}"][str(ranks)] for ranks in RANKS], "o", color=color)
        axes.plot(RANKS, [step(model, link, ranks) for ranks in RANKS], color=color, label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(RANKS, map(str, RANKS))
    axes.set_yticks([1e-3, 1e-2, 1e-1, 1], ["1 ms", "10 ms", "100 ms", "1 s"])
    axes.set_xlabel("ranks")
    axes.set_title(f"Steps here, on {link.cores} cores: points measured, lines predicted", fontsize=10)
    axes.legend()


def _draw_large(axes: Any, name: str, model: Model) -> None:
    for gigabits, color in GIGABITS.items():
        link = _network(gigabits)
        for is_packed, style in ((False, "-"), (True, "--")):
            shares = [100 * model.compute / step(model, link, ranks, is_packed) for ranks in MANY]
            label = None if is_packed else f"{gigabits} Gbit/s"
            axes.plot(MANY, shares, style, color=color, label=label, linewidth=1.2 if is_packed else 1.8)
    axes.plot([], [], "--", color="gray", label="in two bits")
    axes.set_xscale("log", base=2)
    axes.set_xticks(MANY[::2], [f"{ranks:,}" for ranks in MANY[::2]])
    axes.set_ylim(0, 105)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_xlabel("ranks")
    axes.set_title(name, fontsize=10)


def draw(curves: dict[str, dict[str, float]], link: Link) -> str:
    """Draw the picture and return a message."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return "no picture: matplotlib is not installed (pip install matplotlib)"
    figure = Figure(figsize=(11, 8), layout="constrained")
    places = figure.add_gridspec(2, 1)
    upper, lower = figure.add_subfigure(places[0]), figure.add_subfigure(places[1])
    left, right = lower.subplots(1, 2)
    _draw_sums(left, curves, link)
    _draw_steps(right, curves, link)
    panels = upper.subplots(1, len(LARGE), sharey=True)
    for axes, (name, model) in zip(panels, LARGE.items(), strict=True):
        _draw_large(axes, name, model)
    panels[0].set_ylabel("% of the speed of ranks on their own")
    panels[0].legend(loc="lower left")
    upper.suptitle("Predicted for clusters: bytes of gradients and time of a step on one rank, by bandwidth")
    figure.savefig(PICTURE, dpi=120)
    return f"picture: {PICTURE.name}"


def main() -> None:
    """Command line."""
    curves = json.loads(FIGURES.read_text(encoding="utf-8"))["curves"] if FIGURES.exists() else {}
    if not any(name.startswith("parts_") for name in curves):
        raise SystemExit(f'{FIGURES.name} has no figures of ranks: run `make bench ARGS="--only distributed"` first')
    link = fitted(list(measured_sums(curves)), os.cpu_count() or 1)
    lines = report(curves, link)
    print("\n".join(lines))
    print(draw(curves, link))
    put_part("Cost model", lines)


if __name__ == "__main__":
    main()
