"""Initializers that leave the work to others: by name, by part, or to a file."""

import logging
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..error import OpParamError, OpShapeError, OpTypeError
from ..ndarray import NDArray, load
from ._base import InitDesc, Initializer, create, register

_GATES = {
    "rnn_relu": ("",),
    "rnn_tanh": ("",),
    "lstm": ("_i", "_f", "_c", "_o"),
    "gru": ("_r", "_z", "_o"),
}


class Load:
    """Takes values from a file or a dict, and leaves the rest to another initializer.

    Args:
        param: a `.params` file, or a dict of arrays by name; `arg:` and `aux:` before a name are dropped.
        default_init: the initializer for names that are not among them.
        verbose: whether to log where each array came from.
    """

    __module__ = "mxnet.initializer"

    def __init__(self, param: str | dict[str, NDArray], default_init: Any = None, verbose: bool = False) -> None:
        arrays = load(param) if isinstance(param, str) else param
        if not isinstance(arrays, dict):
            raise OpTypeError(f"[Load] received {type(arrays).__name__}; expected arrays with names.")
        self.param = {name.removeprefix("arg:").removeprefix("aux:"): array for name, array in arrays.items()}
        self.default_init = default_init
        self.verbose = verbose

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fills the array with the values stored under its name."""
        if name in self.param:
            stored = self.param[name]
            if arr.shape != stored.shape:
                raise OpShapeError(f"[Load] {name}: received a stored shape of {stored.shape}; expected {arr.shape}.")
            arr[:] = stored
        elif self.default_init is None:
            raise OpParamError(f"[Load] {name}: is not among the loaded arrays; give default_init for such names.")
        else:
            self.default_init(name, arr)
        if self.verbose:
            logging.info("Initialized %s by %s", name, "loading" if name in self.param else "default")


class Mixed:
    """Chooses among several initializers by name.

    Args:
        patterns: regular expressions; the first that fits the beginning of a name decides. End with ".*".
        initializers: one for each pattern.
    """

    __module__ = "mxnet.initializer"

    def __init__(self, patterns: Sequence[str], initializers: Sequence[Any]) -> None:
        if len(patterns) != len(initializers):
            raise OpParamError(
                f"[Mixed] received {len(patterns)} patterns and {len(initializers)} initializers; expected as many."
            )
        self.map = [(re.compile(pattern), init) for pattern, init in zip(patterns, initializers, strict=True)]

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fills the array with the first initializer whose pattern fits."""
        for pattern, init in self.map:
            if pattern.match(name):
                init(name, arr)
                return
        raise OpParamError(f'[Mixed] {name}: fits none of the patterns; add ".*" with an initializer at the end.')


@register
class FusedRNN(Initializer):
    """The one long vector of a fused recurrent layer, filled part by part.

    Args:
        init: the initializer of the parts; the network's own if None.
        num_hidden: size of the hidden state.
        num_layers: number of layers.
        mode: "rnn_relu", "rnn_tanh", "lstm" or "gru".
        bidirectional: whether there are two directions.
        forget_bias: of the forget gate, if there is one.
    """

    __module__ = "mxnet.initializer"

    def __init__(
        self,
        init: Any,
        num_hidden: int,
        num_layers: int,
        mode: str,
        bidirectional: bool = False,
        forget_bias: float = 1.0,
    ) -> None:
        if mode not in _GATES:
            raise OpParamError(f"[FusedRNN] mode: received {mode!r}; expected one of {', '.join(_GATES)}.")
        if isinstance(init, str):
            init = create(init)
        super().__init__(
            init=None if init is None else init.dumps(),
            num_hidden=num_hidden,
            num_layers=num_layers,
            mode=mode,
            bidirectional=bidirectional,
            forget_bias=forget_bias,
        )
        self._init = init
        self._num_hidden = num_hidden
        self._num_layers = num_layers
        self._mode = mode
        self._bidirectional = bidirectional
        self._forget_bias = forget_bias

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        init = self._init or getattr(desc, "global_init", None)
        if init is None:
            raise OpParamError(f"[FusedRNN] {desc}: there is no initializer for the parts; give FusedRNN one.")
        start = 0
        for name, shape in self._parts(desc, arr.size):
            stop = start + math.prod(shape)
            part = arr[start:stop].reshape(shape)  # a view
            if self._mode == "lstm" and name.endswith("_f_bias"):
                part[:] = self._forget_bias
            else:
                init(InitDesc(name, global_init=getattr(desc, "global_init", None)), part)
            start = stop

    def _parts(self, desc: str, size: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Names and shapes of what the vector consists of, in order."""
        gates, hidden = _GATES[self._mode], self._num_hidden
        directions = ("l", "r") if self._bidirectional else ("l",)
        below = len(directions) * hidden  # what a layer hands to the next one
        per_gate, rest = divmod(size, len(directions) * len(gates) * hidden)
        num_input = per_gate - (self._num_layers - 1) * (below + hidden + 2) - hidden - 2
        if rest or num_input < 1:
            raise OpShapeError(f"[FusedRNN] {desc}: received {size} elements, which make no such layers; see {self!r}.")
        cells = [(layer, direction) for layer in range(self._num_layers) for direction in directions]
        for layer, direction in cells:
            for source, width in (("i2h", below if layer else num_input), ("h2h", hidden)):
                for gate in gates:
                    yield f"{direction}{layer}_{source}{gate}_weight", (hidden, width)
        for layer, direction in cells:
            for source in ("i2h", "h2h"):
                for gate in gates:
                    yield f"{direction}{layer}_{source}{gate}_bias", (hidden,)

    def __repr__(self) -> str:
        return f"FusedRNN({', '.join(f'{name}={value!r}' for name, value in self._kwargs.items())})"
