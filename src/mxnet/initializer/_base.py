"""Define the base of initializers and combinations of them."""

import json
import logging
import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

import mxnet.ndarray as nd
import mxnet.random as random
import mxnet.registry as registry

from ..base import any_parameters
from ..error import OpParamError, OpShapeError, OpTypeError
from ..ndarray import NDArray, load

# Ends of names, and the methods that fill arrays of such names. The first that fits decides.
_METHODS = {
    "weight": "_init_weight",
    "bias": "_init_bias",
    "gamma": "_init_gamma",
    "beta": "_init_beta",
    "min": "_init_zero",
    "max": "_init_one",
    "weight_quantize": "_init_quantized_weight",
    "bias_quantize": "_init_quantized_bias",
}
# The same for arrays that are described by nothing but a name, as in MXNet's first versions.
_OLD_METHODS = {
    "bias": "_init_bias",
    "gamma": "_init_gamma",
    "beta": "_init_beta",
    "weight": "_init_weight",
    "moving_mean": "_init_zero",
    "moving_var": "_init_one",
    "moving_inv_var": "_init_zero",
    "moving_avg": "_init_zero",
    "min": "_init_zero",
    "max": "_init_one",
}


class InitDesc(str):
    """The name of a parameter, with what else decides about its first values.

    Args:
        name: of the parameter.
        attrs: attributes of its variable; `__init__` names an initializer that goes before all others.
        global_init: the initializer of the whole network.
    """

    __module__ = "mxnet.initializer"

    attrs: dict[str, Any]
    global_init: Any

    def __new__(cls, name: str, attrs: dict[str, Any] | None = None, global_init: Any = None) -> "InitDesc":
        """A str with two attributes more."""
        desc = super().__new__(cls, name)
        desc.attrs = attrs or {}
        desc.global_init = global_init
        return desc


class Initializer:
    """Fills arrays with first values; the base of all initializers.

    Args:
        **kwargs: the arguments of the subclass, which `dumps` writes down.
    """

    __module__ = "mxnet.initializer"

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[NDArray], Any] | None = None

    def set_verbosity(self, verbose: bool = False, print_func: Callable[[NDArray], Any] | None = None) -> "Initializer":
        """Whether each array that was filled is logged, and how; returns the initializer.

        Args:
            verbose: whether to log.
            print_func: makes the text about an array; its root mean square by default.
        """
        self._verbose = verbose
        self._print_func = print_func or _root_mean_square
        return self

    def _verbose_print(self, desc: str, init: Any, arr: NDArray) -> None:
        if self._verbose and self._print_func:
            logging.info("Initialized %s as %s: %s", desc, init, self._print_func(arr))

    def dumps(self) -> str:
        """JSON text that `mx.init.create` makes the same initializer from."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, desc: str, arr: NDArray) -> None:
        """Fills an array as its description asks."""
        if not isinstance(desc, InitDesc):
            self._legacy_init(desc, arr)
            return
        if desc.global_init is None:
            desc.global_init = self
        own = desc.attrs.get("__init__", "")
        if own:
            create(own)._init_weight(desc, arr)
            self._verbose_print(desc, own, arr)
            return
        for ending, method in _METHODS.items():
            if desc.endswith(ending):
                getattr(self, method)(desc, arr)
                self._verbose_print(desc, ending, arr)
                return
        self._init_default(desc, arr)

    def _legacy_init(self, name: str, arr: NDArray) -> None:
        """Fills an array that only has a name."""
        warnings.warn(
            "[init] called with a plain name, which will end; call it with mx.init.InitDesc(name).",
            DeprecationWarning,
            stacklevel=3,
        )
        if not isinstance(name, str):
            raise OpTypeError(f"[init] name: received {name!r}; expected a str.")
        if not isinstance(arr, NDArray):
            raise OpTypeError(f"[init] {name}: received {type(arr).__name__}; expected an NDArray.")
        if name.startswith("upsampling"):
            self._init_bilinear(name, arr)
        elif name.startswith("stn_loc") and name.endswith("weight"):
            self._init_zero(name, arr)
        elif name.startswith("stn_loc") and name.endswith("bias"):
            self._init_loc_bias(name, arr)
        else:
            fitting = (method for ending, method in _OLD_METHODS.items() if name.endswith(ending))
            getattr(self, next(fitting, "_init_default"))(name, arr)

    # What subclasses override. The first argument is an InitDesc or, from old programs, a str.

    @any_parameters
    def _init_weight(self, name: str, arr: NDArray) -> None:
        raise NotImplementedError(
            f"[{type(self).__name__}] {name}: there is no _init_weight(self, name, arr); write one, or take an "
            "initializer that has it, for example mx.init.Xavier()."
        )

    @any_parameters
    def _init_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    @any_parameters
    def _init_gamma(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0

    @any_parameters
    def _init_beta(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    @any_parameters
    def _init_zero(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    @any_parameters
    def _init_one(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0

    def _init_quantized_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = random.randint(-127, 127, shape=arr.shape, dtype="int32", ctx=arr.context).astype(arr.dtype)

    def _init_quantized_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0

    @any_parameters
    def _init_bilinear(self, name: str, arr: NDArray) -> None:
        """Weights of an upsampling convolution: the product of a tent along either of the last two axes."""
        if arr.ndim != 4:
            raise OpShapeError(f"[Bilinear] {name}: received shape {arr.shape}; expected 4 axes, as of a convolution.")
        half = math.ceil(arr.shape[3] / 2)
        center = (2 * half - 1 - half % 2) / (2 * half)
        rows, columns = (1 - np.abs(np.arange(length) / half - center) for length in arr.shape[2:])
        arr[:] = np.outer(rows, columns)

    @any_parameters
    def _init_loc_bias(self, name: str, arr: NDArray) -> None:
        """The identity, as the first transformation of a spatial transformer."""
        if arr.shape[0] != 6:
            raise OpShapeError(f"[init] {name}: received shape {arr.shape}; expected (6,), an affine transformation.")
        arr[:] = np.array([1.0, 0, 0, 0, 1.0, 0])

    @any_parameters
    def _init_default(self, name: str, _: NDArray) -> None:
        raise OpParamError(
            f"[{type(self).__name__}] {name}: received a name that tells nothing; expected one that ends in weight, "
            "bias, gamma or beta. Say how to fill it: mx.sym.Variable(name, init=...), or init= of the parameter."
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Initializer):
            return NotImplemented
        return type(self) is type(other) and _are_same(self._kwargs, other._kwargs)

    __hash__ = None  # type: ignore[assignment] # as in MXNet: equal ones may change


def _root_mean_square(arr: NDArray) -> str:
    return str((nd.norm(arr) / math.sqrt(arr.size)).asscalar())


def _are_same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return first.keys() == second.keys() and all(
        np.array_equal(as_plain(value), as_plain(second[key])) for key, value in first.items()
    )


def as_plain(value: Any) -> Any:
    """An NDArray as NumPy array; anything else as it is."""
    return value.asnumpy() if isinstance(value, NDArray) else value


_register = registry.get_register_func(Initializer, "initializer")
alias = registry.get_alias_func(Initializer, "initializer")
create = registry.get_create_func(Initializer, "initializer")


Kind = TypeVar("Kind", bound=type[Initializer])


def register(klass: Kind) -> Kind:
    """Enters an initializer of your own, so that it can be given by its name in lower case."""
    return _register(klass)


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
