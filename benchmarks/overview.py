"""The picture of the start page and the README, from the figures of the last runs: python benchmarks/overview.py."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
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
COLORS = {"torch": "#ee6c4d", "MXNet": "#7a8ca0"}
SETTINGS = {"svg.hashsalt": "regluon", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10}
GRAY = "#808891"  # reads on light and on dark pages


def draw(plots: dict[str, dict[str, Any]], path: Path) -> None:
    """How many times as fast as the others, as bars: 1 is as fast. Needs matplotlib."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    titles = {work: title for work, title in TITLES.items() if work in plots}
    with rc_context(SETTINGS):
        figure = Figure(figsize=(8, 4.6), layout="constrained")
        axes = figure.add_subplot()
        for place, work in enumerate(titles):
            for shift, library in ((-0.2, "torch"), (0.2, "MXNet")):
                times = 1 / plots[work][library][0]
                label = f"against the best of {'PyTorch' if library == 'torch' else 'MXNet 1.9.1'}"
                axes.barh(place + shift, times, 0.36, color=COLORS[library], label=None if place else label)
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
    """Draws the figures that benchmarks/run.py has kept."""
    draw(json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))["plots"], FOLDER / "overview.svg")


if __name__ == "__main__":
    main()
