"""Report the results of lenet.py: training curves, a grid of predictions, and the kernels in use."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import mxnet as mx
from mxnet.gluon import Block
from mxnet.gluon.data import DataLoader, Dataset

ROWS, COLUMNS = 6, 8  # of test images
CORRECT, WRONG = "#1a7f37", "#cf222e"
NATIVE_GAIN = 1.5  # training speed with native kernels, relative to PyTorch's kernels


@dataclass
class History:
    """Points (epoch, value) of the training loss and of the test accuracy."""

    losses: list[tuple[float, float]] = field(default_factory=list)
    accuracies: list[tuple[float, float]] = field(default_factory=list)


def make_figure(history: History, net: Block, data: Dataset, names: Sequence[str], title: str) -> Figure:
    """Return a figure of the loss and accuracy curves above the predictions for the first images of a data set."""
    figure = Figure(figsize=(11, 3.4 + 1.45 * ROWS), dpi=110, layout="constrained")
    figure.suptitle(title, fontsize=14, fontweight="bold")
    (curves,), (grid,) = figure.subfigures(2, 1, squeeze=False, height_ratios=[2.8, 1.45 * ROWS])
    _draw_curves(curves.subplots(1, 2), history)
    images, labels = next(iter(DataLoader(data, batch_size=ROWS * COLUMNS)))
    probabilities = net(images).softmax().asnumpy()
    truths, guesses = labels.asnumpy().astype(int), probabilities.argmax(axis=1)
    cells = grid.subplots(ROWS, COLUMNS).flat
    for axes, image, row, truth, guess in zip(cells, images.asnumpy(), probabilities, truths, guesses, strict=True):
        _draw_prediction(axes, image[0], f"{names[guess]} {row[guess]:.0%}", names[truth], truth == guess)
    mistakes = (truths != guesses).sum()
    grid.suptitle(f"The first {len(truths)} test images: prediction and its probability; mistakes in red: {mistakes}")
    return figure


def _draw_curves(pair: Sequence[Axes], history: History) -> None:
    pair[0].plot(*zip(*history.losses, strict=True), color="#0969da", linewidth=2)
    pair[0].set_ylim(bottom=0)
    pair[1].plot(*zip(*history.accuracies, strict=True), color="#0969da", linewidth=2, marker="o")
    pair[1].set_xticks([epoch for epoch, _ in history.accuracies])
    pair[1].yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    pair[1].margins(x=0.12, y=0.25)
    for epoch, accuracy in history.accuracies:
        pair[1].annotate(f"{accuracy:.1%}", (epoch, accuracy), (0, 6), textcoords="offset points", ha="center")
    for axes, title in zip(pair, ("training loss", "test accuracy"), strict=True):
        axes.set(title=title, xlabel="epoch")
        axes.grid(alpha=0.3)


def _draw_prediction(axes: Axes, image: np.ndarray, guess: str, truth: str, is_correct: bool) -> None:
    color = CORRECT if is_correct else WRONG
    axes.imshow(image, cmap="gray_r", vmin=0, vmax=1)
    axes.set(xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set(color=color, linewidth=1 if is_correct else 3)
    axes.set_title(guess, fontsize=9, color=color, pad=3)
    axes.set_xlabel(truth if is_correct else f"is: {truth}", fontsize=8, labelpad=2)


def describe_kernels() -> str:
    """Return a line that says whether the native kernels were used, or how to build them."""
    if mx.runtime.Features().is_enabled("NATIVE_KERNELS"):
        return "Native kernels: used."
    return f"Native kernels: not built. They train this network {NATIVE_GAIN} times as fast. To build them: make native"
