"""Define what a library must offer to run the workloads: the interface of adapter_mxnet.py and adapter_torch.py.

tasks.py writes each shared workload once, in terms of this interface. `Array` is the library's own array type. Modes
are those of `workloads.MODES`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

import numpy as np
from workloads import Step

Array = Any
Run = Callable[[], list]  # one step or call; returns its outputs, and the loss of a training step
TrainBatch = Callable[[Array, Array], tuple[Array, Array]]  # data, label -> outputs, loss


class Network(NamedTuple):
    """A network with the arrays of one step.

    Args:
        net: block or module.
        data: its inputs.
        label: further arguments of the loss.
        loss: function of the outputs and the label.
        fill: makes the initial value of a parameter from its number, shape and kind; see inputs.py.
    """

    net: Any
    data: list[Array]
    label: list[Array]
    loss: Any
    fill: Callable[[int, tuple[int, ...], str], np.ndarray]


class ImageSet(NamedTuple):
    """Images in memory, and how a loader reads them.

    Args:
        images: (n, height, width, channels) in uint8.
        labels: (n,) integers.
        mean: subtracted from pixels between 0 and 1.
        deviation: divides the pixels.
        batch: images per batch.
        order: indices of the images of an epoch.
    """

    images: np.ndarray
    labels: np.ndarray
    mean: float
    deviation: float
    batch: int
    order: Sequence[int]


class Adapter(Protocol):
    """One library.

    Args:
        library: "ours", "torch" or "MXNet".
    """

    def __init__(self, library: str) -> None:
        self.library = library

    def warm_up(self, step: Step) -> int:
        """Return the number of warm-up calls of a step for this library."""
        return getattr(step.warm_up, self.library.lower())

    # -- arrays

    def array(self, values: np.ndarray) -> Array:
        """Copy a NumPy array to the library."""

    def variable(self, array: Array) -> Array:
        """Copy an array and allocate a gradient for it."""

    def mean(self, loss: Array) -> Array:
        """Return the mean of the losses of a batch."""

    def wait(self) -> None:
        """Block until asynchronous work is done."""

    def record(self) -> AbstractContextManager:
        """Return the context in which autograd records."""

    # -- eager calls

    def calls(self, inputs: Mapping[str, Array]) -> dict[str, tuple[Array, Callable[[Array], Array]]]:
        """Return, by the names of `workloads.CALLS`, the array that gets a gradient and a function of it."""

    def backward_step(self, variable: Array, a: Array, b: Array, loops: int) -> Array:
        """Compute `variable * b + a` and its backward so many times. Return the gradient."""

    def backward_call(self, call: Callable[[Array], Array], variable: Array, head: Array, loops: int) -> Array:
        """Compute a call and its backward from `head` so many times. Return the gradient."""

    # -- networks

    def network(self, step: Step, path: str = "") -> Network:
        """Build the network of a step; torch builds it from the graph in the file `path`, if given."""

    def training(self, network: Network, mode: str, optimizer: str, rate: float) -> Run:
        """Prepare a network and return its training step: forward, backward, update."""

    def inference(self, network: Network, mode: str) -> Run:
        """Prepare a network and return its call on `network.data`."""

    def predict(self, network: Network) -> Callable[[Array], Array]:
        """Return a call of a prepared network that is safe in any thread and returns when the result is there."""

    def results(self, step: Step) -> Callable[[list], Sequence]:
        """Return a function that converts the outputs of a step to arrays that are equal on all sides."""

    # -- files and data

    def save_params(self, path: str) -> None:
        """Write 100 arrays of 1 MB."""

    def open_params(self, path: str, is_mapped: bool) -> list[float]:
        """Open a file of `save_params` and return one element of each array."""

    def loader(self, images: ImageSet, num_workers: int) -> Iterable[Any]:
        """Return a data loader that normalizes images one by one."""

    def read(self, loader: Iterable[Any]) -> Sequence[Array]:
        """Read a whole epoch and return its last batch."""

    # -- whole jobs

    def trainer(self, step: Step, mode: str, rate: float) -> TrainBatch:
        """Return a function that trains the network of a step on a batch with SGD."""

    def accuracy(self) -> Any:
        """Return a metric with `reset()`, `update(label, outputs)` and `get()`."""

    def clothes_batches(self) -> Callable[[], Iterator[tuple[Array, Array]]]:
        """Return a function that starts an epoch over the normalized images in memory."""

    def forecaster(self, mode: str, is_fused: bool, example: Sequence[np.ndarray]) -> Callable[[Sequence], Array]:
        """Return a function that trains DeepAR on a batch with Adam and returns the loss."""
