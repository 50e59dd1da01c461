"""Blocks: what networks are made of."""

import re
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from os import PathLike, fspath
from typing import Any

import mxnet.ndarray as F

from ..autograd import pause
from ..base import MXNetError
from ..config import switches
from ..context import Context
from ..initializer import Uniform
from ..ndarray import NDArray, load, save
from ..ndarray.abstract import UnknownArray, abstract, abstract_zeros, shapes_only
from .naming import BlockScope
from .parameter import DeferredInitializationError, Parameter, ParameterError, shape_is_known
from .parameter_dict import ParameterDict, assign, plain_name
from .utils import HookHandle

__all__ = ["Block", "HybridBlock"]


class _Hooks(OrderedDict[int, Callable[..., Any]]):
    """The hooks of a block, in the order of their registration; a handle refers to it weakly."""


class Block:
    """Base of all layers and networks.

    Subclass it, make layers and parameters in `__init__`, inside `with self.name_scope():`, and write `forward`.
    Attributes that are blocks or parameters are registered by being set.

    Args:
        prefix: beginning of the names of everything inside; by default made from the class's name and a counter.
        params: parameters of another block, to share them.

    Example:
        >>> class Model(nn.Block):
        ...     def __init__(self, **kwargs):
        ...         super().__init__(**kwargs)
        ...         with self.name_scope():
        ...             self.hidden = nn.Dense(20, activation="relu")
        ...             self.output = nn.Dense(10)
        ...
        ...     def forward(self, x):
        ...         return self.output(self.hidden(x))
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        self._empty_prefix = prefix == ""
        self._prefix, self._params = BlockScope.create(prefix, params, self._alias())
        self._name = self._prefix[:-1] if self._prefix.endswith("_") else self._prefix
        self._params._owner = f"{type(self).__name__} {self._name}"
        self._scope = BlockScope(self)
        self._children: OrderedDict[str, Block] = OrderedDict()
        self._reg_params: dict[str, Parameter] = {}
        self._forward_hooks = _Hooks()
        self._forward_pre_hooks = _Hooks()

    def _alias(self) -> str:
        return type(self).__name__.lower()

    def __repr__(self) -> str:
        lines = [
            f"  ({key}): {_indented(repr(block))}" for key, block in self.__dict__.items() if isinstance(block, Block)
        ]
        return f"{type(self).__name__}(\n{chr(10).join(lines)}\n)"

    def __setattr__(self, name: str, value: Any) -> None:
        existing = getattr(self, name, None)
        if isinstance(existing, (Parameter, Block)) and not isinstance(value, type(existing)):
            raise TypeError(
                f"Changing attribute type for {name} from {type(existing)} to {type(value)} is not allowed."
            )
        if isinstance(value, Block):
            self.register_child(value, name)
        elif isinstance(value, Parameter):
            if name in self._reg_params and self._reg_params[name] is not value:
                raise ParameterError(
                    f"[{self._name}] parameter {name!r} cannot be replaced. To share parameters between blocks, pass "
                    "params=other.params when the block is made."
                )
            self._reg_params[name] = value
        super().__setattr__(name, value)

    # -- names and parameters ---------------------------------------------------------------------------------------

    @property
    def prefix(self) -> str:
        """Beginning of the names of everything inside."""
        return self._prefix

    @property
    def name(self) -> str:
        """The prefix without the underscore at its end."""
        return self._name

    def name_scope(self) -> BlockScope:
        """`with self.name_scope():` gives blocks made inside this block's prefix."""
        return self._scope

    @property
    def params(self) -> ParameterDict:
        """The parameters of this block alone; `collect_params` has those of its children too."""
        return self._params

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """All parameters of this block and its children.

        Args:
            select: a regular expression that the beginning of the names must match, such as 'dense0_|.*bias'.
        """
        self._warn_about_unregistered()
        collected = ParameterDict(self._params.prefix)
        if select is None:
            collected.update(self.params)
        else:
            pattern = re.compile(select)
            collected._params.update((name, p) for name, p in self.params.items() if pattern.match(name))
        for child in self._children.values():
            collected.update(child.collect_params(select))
        return collected

    def _warn_about_unregistered(self) -> None:
        """Blocks in a plain list or dict are invisible: their parameters would not be trained or saved."""
        registered = set(self._children.values())
        for name, value in self.__dict__.items():
            if name.startswith("__") or name == "_children" or not isinstance(value, (list, tuple, dict)):
                continue
            if any(isinstance(item, Block) and item not in registered for item in _leaves(value)):
                warnings.warn(
                    f'[{self._name}] attribute "{name}" is a container with Blocks that are not registered: their '
                    "parameters are neither trained nor saved. Use nn.Sequential, or register_child().",
                    stacklevel=3,
                )

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """All parameters by the attributes that lead to them: '0.weight', 'features.1.bias'."""
        prefix = f"{prefix}." if prefix else ""
        found = {prefix + key: parameter for key, parameter in self._reg_params.items()}
        for name, child in self._children.items():
            found.update(child._collect_params_with_prefix(prefix + name))
        return found

    def initialize(self, init: Any = None, ctx: Any = None, verbose: bool = False, force_reinit: bool = False) -> None:
        """Initializes all parameters, those inside included.

        Args:
            init: initializer for parameters without one of their own; small uniform numbers by default.
            ctx: a context, or a list of them for copies on each.
            verbose: print what is initialized.
            force_reinit: initialize again what is initialized already.
        """
        self.collect_params().initialize(Uniform() if init is None else init, ctx, verbose, force_reinit)

    def zero_grad(self) -> None:
        """Sets the gradients of all parameters to zero."""
        self.collect_params().zero_grad()

    def reset_ctx(self, ctx: Any) -> None:
        """Moves all parameters to other contexts."""
        self.collect_params().reset_ctx(ctx)

    # -- files ------------------------------------------------------------------------------------------------------

    def save_parameters(self, filename: str | PathLike[str], deduplicate: bool = False) -> None:
        """Saves all parameters by the attributes that lead to them; the suffix `.safetensors` chooses that format.

        Args:
            filename: the file.
            deduplicate: save a parameter that several layers share once.
        """
        named = self._collect_params_with_prefix()
        if deduplicate:
            first = {id(parameter): name for name, parameter in reversed(named.items())}
            named = {name: parameter for name, parameter in named.items() if first[id(parameter)] == name}
        save(filename, {name: parameter._reduce() for name, parameter in named.items()})

    def load_parameters(
        self,
        filename: str | PathLike[str],
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Loads parameters, whichever way they were saved: by attributes, by full names, or by an exported symbol.

        Args:
            filename: the file.
            ctx: where to put parameters that are not initialized; their context otherwise.
            allow_missing: leave parameters that the file lacks as they are.
            ignore_extra: ignore what the network lacks.
            cast_dtype: convert where dtypes differ.
            dtype_source: whose dtype to convert to: that of the network ('current') or the file ('saved').
        """
        loaded = load(filename)
        if not isinstance(loaded, dict):
            if not loaded and not self._collect_params_with_prefix():
                return
            raise ParameterError(f"[load_parameters] {fspath(filename)} holds a list; expected names and arrays.")
        given = {plain_name(name): value for name, value in loaded.items()}
        assign(
            self._layout_of(given),
            given,
            source=fspath(filename),
            ctx=ctx,
            allow_missing=allow_missing,
            ignore_extra=ignore_extra,
            cast_dtype=cast_dtype,
            dtype_source=dtype_source,
        )

    def _layout_of(self, given: dict[str, NDArray]) -> dict[str, Parameter]:
        """The parameters by the kind of names that the file uses: the kind that finds most of them."""
        by_attribute = self._collect_params_with_prefix()
        by_name = dict(self.collect_params().items())
        stripped = {name.removeprefix(self._prefix): parameter for name, parameter in by_name.items()}
        layouts = (by_attribute, by_name, stripped)
        best = max(layouts, key=lambda layout: sum(name in given for name in layout))
        # A shared parameter may have been saved under one of its names only.
        saved = {id(parameter) for name, parameter in best.items() if name in given}
        return {name: p for name, p in best.items() if name in given or id(p) not in saved}

    def save_params(self, filename: str | PathLike[str]) -> None:
        """Saves parameters by their names, as early versions did; `save_parameters` is the way now."""
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(
        self,
        filename: str | PathLike[str],
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> None:
        """Loads parameters; the former name of `load_parameters`."""
        self.load_parameters(filename, ctx, allow_missing, ignore_extra)

    # -- structure --------------------------------------------------------------------------------------------------

    def register_child(self, block: "Block", name: str | None = None) -> None:
        """Makes a block part of this one; setting an attribute does it too."""
        self._children[str(len(self._children)) if name is None else name] = block

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Calls `hook(block, inputs)` before every forward."""
        handle = HookHandle()
        handle.attach(self._forward_pre_hooks, hook)
        return handle

    def register_forward_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Calls `hook(block, inputs, outputs)` after every forward."""
        handle = HookHandle()
        handle.attach(self._forward_hooks, hook)
        return handle

    def apply(self, fn: Callable[["Block"], Any]) -> "Block":
        """Calls a function on every child, deepest first, then on this block."""
        for child in self._children.values():
            child.apply(fn)
        fn(self)
        return self

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Switches all children that can be compiled to compiled mode."""
        for child in self._children.values():
            child.hybridize(active, **kwargs)

    def cast(self, dtype: Any) -> None:
        """Converts all parameters to another dtype."""
        for child in self._children.values():
            child.cast(dtype)
        for parameter in self.params.values():
            parameter.cast(dtype)

    # -- computation ------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if switches.shapes_only:
            return self.forward(*args, **kwargs)
        for hook in self._forward_pre_hooks.values():
            hook(self, args)
        out = self.forward(*args, **kwargs)
        for hook in self._forward_hooks.values():
            hook(self, args, out)
        return out

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; written by subclasses."""
        raise NotImplementedError(f"[{type(self).__name__}] write a forward method.")


class HybridBlock(Block):
    """A block whose computation can be compiled: `hybrid_forward(F, x, ...)` uses operators of `F` only.

    Its parameters arrive in `hybrid_forward` as keyword arguments named like the attributes that hold them.

    Example:
        >>> class Scale(nn.HybridBlock):
        ...     def __init__(self, **kwargs):
        ...         super().__init__(**kwargs)
        ...         with self.name_scope():
        ...             self.weight = self.params.get("weight", shape=(1,), init="ones")
        ...
        ...     def hybrid_forward(self, F, x, weight):
        ...         return F.broadcast_mul(x, weight)
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix, params)
        self._active = False
        self._flags: dict[str, Any] = {}

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Makes a block part of this one; it must be a HybridBlock too."""
        if not isinstance(block, HybridBlock):
            raise ValueError(
                f"[{self._name}] children of a HybridBlock must be HybridBlocks; received {type(block).__name__}. Use "
                "nn.Sequential instead of nn.HybridSequential, or derive the child from HybridBlock."
            )
        super().register_child(block, name)

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Asks for compiled execution, of this block and all inside; computes the same either way.

        Args:
            active: whether to compile.
            kwargs: `static_alloc`, `static_shape`, `inline_limit` and others of MXNet are accepted.
        """
        self._active, self._flags = bool(active), dict(kwargs)
        super().hybridize(active, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Collects the parameters on the context of the data and calls `hybrid_forward`."""
        context = _context_of(self, args)
        if switches.shapes_only:
            return self._forward_abstract(context, args, kwargs)
        try:
            parameters = {name: parameter.data(context) for name, parameter in self._reg_params.items()}
        except DeferredInitializationError:
            self.infer_shape(*args, **kwargs)
            for parameter in self._reg_params.values():
                parameter._finish_deferred_init()
            parameters = {name: parameter.data(context) for name, parameter in self._reg_params.items()}
        return self.hybrid_forward(F, *args, **parameters, **kwargs)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The computation, on operators of `F`; written by subclasses."""
        raise NotImplementedError(f"[{type(self).__name__}] write a hybrid_forward method.")

    def infer_shape(self, *args: Any, **kwargs: Any) -> None:
        """Finds the shapes of the parameters from inputs, by running the computation without data."""
        with shapes_only(), pause():
            self._forward_abstract(_context_of(self, args), _mapped(abstract, args), kwargs)

    def infer_type(self, *args: Any) -> None:
        """Gives the parameters the dtype of the first input."""
        first = next(leaf for leaf in _leaves(args) if isinstance(leaf, NDArray))
        for parameter in self._reg_params.values():
            parameter.cast(first.dtype)

    def _forward_abstract(self, context: Context, args: Any, kwargs: dict[str, Any]) -> Any:
        arrays: dict[str, NDArray] = {}
        for name, parameter in self._reg_params.items():
            if shape_is_known(parameter.shape):
                arrays[name] = abstract_zeros(parameter.shape, parameter.dtype, context)
            else:
                arrays[name] = UnknownArray(f"parameter {parameter.name}", parameter.shape, parameter.dtype, context)
        try:
            out = self.hybrid_forward(F, *args, **arrays, **kwargs)
        except NotImplementedError:
            raise
        except Exception as error:
            raise self._not_inferred(error) from error
        for name, array in arrays.items():
            if isinstance(array, UnknownArray):
                if not array.is_settled:
                    raise self._not_inferred(MXNetError(f"{array.label} is not used in a way that tells its shape"))
                self._reg_params[name].shape = array.shape
        return out

    def _not_inferred(self, error: Exception) -> MXNetError:
        if isinstance(error, MXNetError) and str(error).startswith("[") and "infer_shape" in str(error):
            return error
        return DeferredInitializationError(
            f"[{type(self).__name__} {self._name}] infer_shape: the shapes of its parameters do not follow from the data: "
            f"{error}. Give the layer its input size (in_units, in_channels, ...), or the parameter its shape."
        )


def _context_of(block: Block, args: Any) -> Context:
    """The context of the inputs."""
    if args and isinstance(args[0], NDArray):
        return args[0]._ctx
    for leaf in _leaves(args):
        if isinstance(leaf, NDArray):
            return leaf._ctx
    raise ValueError(
        f"[{block._name}] received {', '.join(type(arg).__name__ for arg in args) or 'no inputs'}; expected at least one "
        "NDArray among the inputs."
    )


def _leaves(value: Any) -> Iterator[Any]:
    """The values in nested lists, tuples and dicts."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        yield value
        return
    for item in value:
        yield from _leaves(item)


def _mapped(function: Callable[[NDArray], Any], value: Any) -> Any:
    """Nested inputs with a function applied to every array."""
    if isinstance(value, NDArray):
        return function(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(function, item) for item in value)
    return value


def _indented(text: str) -> str:
    """Text whose further lines stand two spaces in, as nested blocks are printed."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(f"  {line}" for line in rest)])
