"""Ratios and growth as a picture."""

import json
from pathlib import Path
from typing import Any

import figures
import overview
from networks import BATCHES, DEPTHS
from options import Options

COLORS = {"torch": "#d95f02", "MXNet": "#1f78b4"}


def written(options: Options, path: Path) -> str:
    """Draws what was measured, with what earlier runs have measured of the rest; says what came of it."""
    plots, curves = _with_earlier(options, path.with_suffix(".json"))
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return "no picture: matplotlib is not installed (pip install matplotlib)"
    figure = Figure(figsize=(11, 8), layout="constrained")
    places = figure.add_gridspec(2, 2, height_ratios=(3, 2))
    _ratios(figure.add_subplot(places[0, :]), plots)
    for place, kind, sizes in ((places[1, 0], "depth", DEPTHS), (places[1, 1], "batch", BATCHES)):
        _growth(figure.add_subplot(place), kind, sizes, curves)
    figure.savefig(path, dpi=120)
    overview.draw(plots, path.with_name("overview.svg"))
    return f"pictures: {path.name}, overview.svg"


def _with_earlier(options: Options, path: Path) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, float]]]:
    """The figures of this run, and those kept of groups that it has not measured; keeps all."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"plots": {}, "curves": {}}
    found = {**kept, "plots": options.plots or kept["plots"], "curves": {**kept["curves"], **options.curves}}
    path.write_text(figures.dumped(found), encoding="utf-8")
    return found["plots"], found["curves"]


def _ratios(axes: Any, plots: dict[str, dict[str, Any]]) -> None:
    """Two bars for each work, a line across each at what was sought."""
    works = list(plots)
    for shift, (library, color) in zip((-0.2, 0.2), COLORS.items(), strict=True):
        for place, work in enumerate(works):
            if library not in plots[work]:
                continue
            value, sought = plots[work][library]
            axes.bar(place + shift, value, 0.38, color=color, label=f"best of {library}" if place == 0 else None)
            if sought:
                axes.plot([place + shift - 0.19, place + shift + 0.19], [sought, sought], color="black", linewidth=2)
    axes.axhline(1, color="gray", linewidth=0.8)
    axes.set_xticks(range(len(works)), works, rotation=30, ha="right")
    axes.set_ylabel("time of ours / time of the other")
    axes.set_title("Networks: below 1 is faster; black: what was sought")
    axes.legend()


def _growth(axes: Any, kind: str, sizes: tuple[int, ...], curves: dict[str, dict[str, float]]) -> None:
    known = [size for size in sizes if f"{kind}_{size}" in curves]
    for name in curves[f"{kind}_{known[0]}"] if known else ():
        axes.plot(known, [curves[f"{kind}_{size}"][name] * 1e3 for size in known], marker="o", label=name)
    if known:
        axes.legend()
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(kind)
    axes.set_ylabel("ms for a training step")
