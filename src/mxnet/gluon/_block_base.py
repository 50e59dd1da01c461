"""Blocks: what networks are made of."""

import re
import warnings
from collections import OrderedDict
from collections.abc import Callable
from os import PathLike, fspath
from typing import Any, NoReturn, TypeVar

from regluon.arguments import check_keywords, unknown_keywords
from regluon.config import process
from regluon.formats.atomic import together
from regluon.operators import Result
from regluon.symbol.tracer import is_inferring

from ..error import OpTypeError
from ..initializer import Uniform
from ..ndarray import save
from ._block_inputs import indented
from ._block_naming import BlockScope
from ._block_repr import block_html, summary
from ._parameter_dict import ParameterDict
from ._weight_files import is_binding, load_by_layout, load_structure, locate, misfit, save_structure
from .parameter import Parameter, ParameterError
from .utils import HookHandle

__all__ = ["Block"]

B = TypeVar("B", bound="Block")
T = TypeVar("T")

# Attributes that blocks have themselves, in which no block can be forgotten.
_OWN_CONTAINERS = frozenset(
    ("_children", "_reg_params", "_flags", "_compiled", "_forward_hooks", "_forward_pre_hooks", "_op_hooks")
)


def _inside(value: Any, kind: type[T]) -> list[T]:
    """The objects of a kind in nested lists, tuples and dicts."""
    found: list[T] = []
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, kind):
            found.append(item)
        elif isinstance(item, (list, tuple, dict)):
            found += _inside(item, kind)
    return found


class _SetByInit:
    """Stands for an attribute until `Block.__init__` has set it, to say what was forgotten."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, block: Any, owner: type) -> Any:
        raise AttributeError(
            f"'{type(block).__name__}' object has no attribute '{self._name}'. Call super().__init__(**kwargs) in its "
            "__init__ before you set layers or parameters."
        )


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

    __module__ = "mxnet.gluon.block"  # the public path, which printed types and pickles show

    _hook_changes = 0  # counts hooks set anywhere: compiled networks look whether any lies inside of them
    _is_row = False  # whether it does nothing but run other blocks: see summary.py
    _children: OrderedDict[str, "Block"] = _SetByInit()  # type: ignore[assignment]
    _reg_params: dict[str, Parameter] = _SetByInit()  # type: ignore[assignment]
    _params: ParameterDict = _SetByInit()  # type: ignore[assignment]
    _scope: BlockScope = _SetByInit()  # type: ignore[assignment]
    _forward_pre_hooks: OrderedDict[int, Callable[..., Any]] = _SetByInit()  # type: ignore[assignment]

    def __new__(cls: type[B], *args: Any, **kwargs: Any) -> B:
        """Refuses arguments that the constructor does not have, with the nearest of those it has."""
        if kwargs:
            check_keywords(cls, kwargs)
        if cls._is_row and args and isinstance(args[0], Block) and not cls._has_own_constructor():
            raise OpTypeError(
                f"[{cls.__name__}] received {len(args)} block(s); expected none. Make it empty, then add them: "
                f"net = nn.{cls.__name__}(); net.add({type(args[0]).__name__}(...), ...)."
            )
        return super().__new__(cls)

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None, **unknown: NoReturn) -> None:
        if unknown:
            raise unknown_keywords(type(self), unknown)
        if not (prefix is None or isinstance(prefix, str)):
            raise OpTypeError(f"[{type(self).__name__}] prefix: received {type(prefix).__name__}; expected a text.")
        self._empty_prefix = prefix == ""
        self._prefix, self._params = BlockScope.create(prefix, params, self._alias())
        self._name = self._prefix[:-1] if self._prefix.endswith("_") else self._prefix
        self._params._owner = f"{type(self).__name__} {self._name}"
        self._scope = BlockScope(self)
        self._children = OrderedDict()
        self._reg_params = {}
        self._forward_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self._forward_pre_hooks = OrderedDict()

    @classmethod
    def _has_own_constructor(cls) -> bool:
        """Whether it has another constructor than blocks in general."""
        return cls.__init__.__qualname__ not in ("Block.__init__", "HybridBlock.__init__")

    def _alias(self) -> str:
        return type(self).__name__.lower()

    def __repr__(self) -> str:
        lines = [
            f"  ({key}): {indented(repr(block))}" for key, block in self.__dict__.items() if isinstance(block, Block)
        ]
        return f"{type(self).__name__}(\n{chr(10).join(lines)}\n)"

    _repr_html_ = block_html

    def __setattr__(self, name: str, value: Any) -> None:
        existing = getattr(self, name, None)
        if isinstance(existing, (Parameter, Block)) and not isinstance(value, type(existing)):
            raise TypeError(f"Changing attribute type for {name} from {type(existing)} to {type(value)}is not allowed.")
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
        for name, value in self.__dict__.items():
            if not isinstance(value, (list, tuple, dict)) or not value or name in _OWN_CONTAINERS or name[:2] == "__":
                continue
            inside = _inside(value, Block)
            if inside and not set(inside) <= set(self._children.values()):
                warnings.warn(
                    f'"{type(self).__name__}.{name}" is an unregistered container with Blocks: their parameters are '
                    "neither trained nor saved. Use nn.Sequential or nn.HybridSequential, or register_child().",
                    stacklevel=3,
                )
            loose = _inside(value, Parameter)
            if loose and not {id(parameter) for parameter in loose} <= self._parameter_ids():
                warnings.warn(
                    f'"{type(self).__name__}.{name}" is an unregistered container with Parameters: they are neither '
                    "initialized, trained nor saved. Make each with self.params.get(name, ...), or set it as an "
                    "attribute.",
                    stacklevel=3,
                )

    def _parameter_ids(self) -> set[int]:
        """The identities of all parameters of this block and its children."""
        found = {id(parameter) for parameter in (*self._params.values(), *self._reg_params.values())}
        return found.union(*(child._parameter_ids() for child in self._children.values()))

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
            deduplicate: save a parameter that several layers share once, under the last of its names.
        """
        named = self._collect_params_with_prefix()
        if deduplicate:
            name_of = {parameter: name for name, parameter in named.items()}  # the last one, as in MXNet
            named = {name: parameter for parameter, name in name_of.items()}
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
        load_by_layout(self, filename, ctx, allow_missing, ignore_extra, cast_dtype, dtype_source)

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

    def save(self, prefix: str | PathLike[str]) -> None:
        """Saves how the network is built up to `<prefix>-model.json`, its parameters to `<prefix>-model.params`."""
        with together("Block.save"):
            save_structure(self, prefix)
            self.save_parameters(f"{fspath(prefix)}-model.params")

    def load(self, prefix: str | PathLike[str]) -> None:
        """Loads what `save` saved into a network built in the same order; its blocks take the saved names."""
        load_structure(self, prefix)
        self.load_parameters(f"{fspath(prefix)}-model.params")

    # -- structure --------------------------------------------------------------------------------------------------

    def register_child(self, block: "Block", name: str | None = None) -> None:
        """Makes a block part of this one; setting an attribute does it too."""
        self._children[str(len(self._children)) if name is None else name] = block

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Calls `hook(block, inputs)` before every forward."""
        return self._hooked(self._forward_pre_hooks, hook)

    def register_forward_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Calls `hook(block, inputs, outputs)` after every forward."""
        return self._hooked(self._forward_hooks, hook)

    def _hooked(self, hooks: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any]) -> HookHandle:
        handle = HookHandle()
        handle.attach(hooks, hook)
        Block._hook_changes += 1
        return handle

    def register_op_hook(self, callback: Callable[..., Any], monitor_all: bool = False) -> None:
        """Calls `callback(name, operator, array)` with every result inside of hybridized blocks.

        Args:
            callback: the function; it receives the name of the result, the operator's, and the array.
            monitor_all: whether to show the inputs of each operator as well.
        """
        for child in self._children.values():
            child.register_op_hook(callback, monitor_all)

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

    def summary(self, *inputs: Any) -> None:
        """Prints the layers with the shapes they return and the numbers of their parameters, by running them once."""
        summary(self, *inputs)

    # -- computation ------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Result:
        """Runs `forward`, and the hooks before and after it."""
        if self._forward_pre_hooks and not is_inferring():
            for hook in list(self._forward_pre_hooks.values()):  # a hook may detach itself
                hook(self, args)
        try:
            if process.tracer is None:
                out = self.forward(*args, **kwargs)
            else:
                with process.tracer.block(self._name):
                    out = self.forward(*args, **kwargs)
        except Exception as error:
            if type(error) is TypeError and is_binding(error):
                error = misfit(self, "forward", args, kwargs)
            if not locate(self, error):
                raise
            __tracebackhide__ = True
            raise error  # the frames inside are folded away: MXNET_FULL_TRACEBACK=1 shows them
        if self._forward_hooks and not is_inferring():
            for hook in list(self._forward_hooks.values()):
                hook(self, args, out)
        return out

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; written by subclasses."""
        raise NotImplementedError(f"[{type(self).__name__}] write a forward method.")
