"""Draw ratios and growth as pictures, from this run and from the results of earlier runs.

    python benchmarks/pictures.py       draw overview.svg, the picture of the start page and the README, again

Pictures need matplotlib; results are stored without it.
"""

import json
from pathlib import Path
from typing import Any

import figures
from sides import Options
from workloads import BATCHES, DEPTHS

FOLDER = Path(__file__).parent
Plots = dict[str, dict[str, Any]]  # by workload and library: our ratio and the goal
Curves = dict[str, dict[str, float]]

# -- results.png -------------------------------------------------------------------------------------------------------

COLORS = {"torch": "#d95f02", "MXNet": "#1f78b4"}


def store(options: Options, path: Path) -> str:
    """Store the figures of a run, draw the pictures, and return a message."""
    plots, curves = _store_figures(options, path.with_suffix(".json"))
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return "no picture: matplotlib is not installed (pip install matplotlib)"
    figure = Figure(figsize=(11, 8), layout="constrained")
    places = figure.add_gridspec(2, 2, height_ratios=(3, 2))
    _draw_ratios(figure.add_subplot(places[0, :]), plots)
    for place, kind, sizes in ((places[1, 0], "depth", DEPTHS), (places[1, 1], "batch", BATCHES)):
        _draw_growth(figure.add_subplot(place), kind, sizes, curves)
    figure.savefig(path, dpi=120)
    draw_overview(plots, path.with_name("overview.svg"))
    return f"pictures: {path.name}, overview.svg"


def _store_figures(options: Options, path: Path) -> tuple[Plots, Curves]:
    """Merge the figures of this run into those of the file, and return all."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"plots": {}, "curves": {}}
    found = {**kept, "plots": options.plots or kept["plots"], "curves": {**kept["curves"], **options.curves}}
    path.write_text(figures.dumped(found), encoding="utf-8")
    return found["plots"], found["curves"]


def _draw_ratios(axes: Any, plots: Plots) -> None:
    """Draw two bars per workload, with a line across each at its goal."""
    names = list(plots)
    for shift, (library, color) in zip((-0.2, 0.2), COLORS.items(), strict=True):
        for place, name in enumerate(names):
            if library not in plots[name]:
                continue
            value, goal = plots[name][library]
            axes.bar(place + shift, value, 0.38, color=color, label=f"best of {library}" if place == 0 else None)
            if goal:
                axes.plot([place + shift - 0.19, place + shift + 0.19], [goal, goal], color="black", linewidth=2)
    axes.axhline(1, color="gray", linewidth=0.8)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set_ylabel("time of ours / time of the other")
    axes.set_title("Networks: below 1 is faster; black: what was sought")
    axes.legend()


def _draw_growth(axes: Any, kind: str, sizes: tuple[int, ...], curves: Curves) -> None:
    known = [size for size in sizes if f"{kind}_{size}" in curves]
    for side in curves[f"{kind}_{known[0]}"] if known else ():
        axes.plot(known, [curves[f"{kind}_{size}"][side] * 1e3 for size in known], marker="o", label=side)
    if known:
        axes.legend()
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(kind)
    axes.set_ylabel("ms for a training step")


# -- overview.svg ------------------------------------------------------------------------------------------------------

TITLES = {
    "resnet18_train": "ResNet-18, training",
    "resnet18_infer_8": "ResNet-18, 8 images",
    "mobilenet_infer_1": "MobileNetV2, 1 image",
    "lenet_train": "LeNet, training",
    "transformer_train": "transformer layer, training",
    "lstm_train": "LSTM, training",
    "ssd_head_train": "SSD head, training",
    "mlp_train": "small perceptron, training",
    "adam_160_train": "80 tiny layers, Adam",
}
OVERVIEW_COLORS = {"torch": "#ee6c4d", "MXNet": "#7a8ca0"}
SETTINGS = {"svg.hashsalt": "regluon", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10}
GRAY = "#808891"  # readable on light and on dark pages


def draw_overview(plots: Plots, path: Path) -> None:
    """Draw bars of how many times as fast as the other libraries this project is."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    titles = {name: title for name, title in TITLES.items() if name in plots}
    with rc_context(SETTINGS):
        figure = Figure(figsize=(8, 4.6), layout="constrained")
        axes = figure.add_subplot()
        for place, name in enumerate(titles):
            for shift, library in ((-0.2, "torch"), (0.2, "MXNet")):
                times = 1 / plots[name][library][0]
                label = f"against the best of {'PyTorch' if library == 'torch' else 'MXNet 1.9.1'}"
                color = OVERVIEW_COLORS[library]
                axes.barh(place + shift, times, 0.36, color=color, label=None if place else label)
                axes.text(times + 0.06, place + shift, f"{times:.1f}x", va="center", color=GRAY, size=9)
        axes.axvline(1, color=GRAY, linewidth=1)
        axes.set_yticks(range(len(titles)), titles.values())
        axes.invert_yaxis()
        axes.set_xlabel("times as fast (longer is better; the line is equal speed)", color=GRAY)
        axes.tick_params(colors=GRAY)
        axes.spines[:].set_visible(False)
        axes.legend(loc=(0.52, 0.36), frameon=False, labelcolor=GRAY)
        figure.savefig(path, transparent=True, metadata={"Date": None})


def main() -> None:
    """Draw overview.svg from results.json."""
    draw_overview(json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))["plots"], FOLDER / "overview.svg")


if __name__ == "__main__":
    main()
