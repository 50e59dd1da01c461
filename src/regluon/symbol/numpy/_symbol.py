"""Symbols with NumPy's rules: what functions of `mx.sym.np` take and give."""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any

from ...array.numpy.arithmetic import NumpyArithmetic
from ...array.numpy.dispatch import call, expect_c_order
from ...array.numpy.methods import NumpyMethods
from ...base import NotImplementedForSymbol, integer_types
from ...ops.registry import Operator
from ...runtime.handle import Handle
from ..graph_builder import set_class, symbol_of
from ..numpy_composition import composed, outputs_in_list
from ..symbol import Symbol
from ..symbol import load as symbol_load
from ..symbol import load_json as symbol_load_json

__all__ = ["_Symbol", "load", "load_json"]


def _in_place(name: str) -> Any:
    def method(self: Any, other: Any) -> Any:
        raise NotImplementedForSymbol(method, None, other)

    method.__name__ = name
    return method


def is_basic(key: Any) -> bool:
    """Whether a key needs no shape to be understood: integers, slices, or a tuple of them."""
    return all(
        isinstance(item, (slice, *integer_types)) and not isinstance(item, bool)
        for item in (key if isinstance(key, tuple) else (key,))
    )


class NumpySymbol(NumpyArithmetic, NumpyMethods):
    """What tells symbols with NumPy's rules from others: arithmetic and methods end in the operators of `mx.np`."""

    __module__ = "mxnet.symbol.numpy._symbol"

    __slots__ = ()

    _is_numpy = True
    _heads: tuple[Any, ...]

    # A symbol has no memory to write to: `x = x + y` says what is meant.
    __iadd__, __isub__, __imul__ = _in_place("__iadd__"), _in_place("__isub__"), _in_place("__imul__")
    __itruediv__, __imod__, __imatmul__ = _in_place("__itruediv__"), _in_place("__imod__"), _in_place("__imatmul__")
    __idiv__ = __itruediv__
    __iand__, __ior__, __ixor__ = _in_place("__iand__"), _in_place("__ior__"), _in_place("__ixor__")

    def __neg__(self) -> Any:
        return self * -1.0

    def _call(self, name: str, inputs: Sequence[Any], params: dict[str, Any], out: Any) -> Any:
        """A function of `mx.np` met this: its operator joins the graph."""
        if out is not None:
            raise NotImplementedForSymbol(name, "out=")
        symbols = [self._captured(given) if isinstance(given, Handle) else given for given in inputs]
        return outputs_in_list(composed(name, symbols, dict(params)))

    def _invoke(self, operator: Operator, inputs: Sequence[Any], params: dict[str, Any], out: Any) -> Any:
        """An operator on arrays met this."""
        names = (operator.name, *operator.aliases)
        return self._call(next((name for name in names if name.startswith("_np")), operator.name), inputs, params, out)

    def _captured(self, array: Any) -> Any:
        """What stands for an array in an expression with this symbol."""
        raise NotImplementedError

    @property
    def num_outputs(self) -> int:
        """How many outputs it stands for."""
        return len(self._heads)

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Any:
        """The values in another dtype."""
        if order not in ("K", "C") or casting != "unsafe" or not subok:
            raise ValueError(
                "[np.ndarray.astype] only order='K' or 'C', casting='unsafe' and subok=True are available."
            )
        return call("_npi_cast", (self,), {"dtype": dtype})

    def reshape(self, *args: Any, **kwargs: Any) -> Any:
        """The values in another shape, given as one tuple or length by length; one may be -1 and is worked out."""
        order = kwargs.pop("order", "C")
        if kwargs or not args:
            raise TypeError(f"[np.ndarray.reshape] received {args}, {kwargs}; expected a shape and order.")
        expect_c_order("ndarray.reshape", order)
        shape = args[0] if len(args) == 1 else args
        return call("_np_reshape", (self,), {"newshape": shape, "order": order})

    def flatten(self, order: str = "C") -> Any:
        """The values in one row."""
        return self.reshape((-1,), order=order)

    def as_np_ndarray(self) -> Any:
        """Itself."""
        return self

    def as_nd_ndarray(self) -> Any:
        """The same outputs as a classic symbol."""
        return symbol_of(self._heads)

    def _part(self, key: Any) -> Any:
        """`x[key]` for an integer, a slice, or a tuple of them, whatever the shape."""
        if isinstance(key, tuple):
            return self._sliced(key) if key else self
        if isinstance(key, slice):
            if key.step == 0:
                raise ValueError(f"[Symbol] received {key}; the step of a slice cannot be 0.")
            begin, end = ([None] if bound is None else bound for bound in (key.start, key.stop))
            return call("_npi_slice", (self,), {"begin": begin, "end": end, "step": key.step})
        end = None if key == -1 else key + 1
        part = call("_npi_slice", (self,), {"begin": [key], "end": [end]})
        return call("_npx_reshape", (part,), {"newshape": (-3, -4)})

    def _sliced(self, key: tuple[Any, ...]) -> Any:
        """`x[key]` for integers and slices, one for each of the first axes."""
        begin: list[int | None] = []
        end: list[int | None] = []
        step: list[int | None] = []
        for item in key:
            if isinstance(item, slice):
                if item.step == 0:
                    raise ValueError(f"[Symbol] received {item}; the step of a slice cannot be 0.")
                bounds: Sequence[int | None] = (item.start, item.stop, item.step)
            elif item >= 0:
                bounds = (int(item), int(item) + 1, 1)
            else:
                bounds = (int(item), int(item) - 1, -1)
            for limits, bound in zip((begin, end, step), bounds, strict=True):
                limits.append(bound)
        result = call("_npi_slice", (self,), {"begin": begin, "end": end, "step": step})
        codes = tuple(-2 if isinstance(item, slice) else -3 for item in key)
        return call("_npx_reshape", (result,), {"newshape": (*codes, -4)})


class _Symbol(NumpySymbol, Symbol):  # type: ignore[misc]
    """One or several outputs of a graph, with the arithmetic, indexing and methods of `mx.np` arrays."""

    __slots__ = ()
    __module__ = "mxnet.symbol.numpy"
    __hash__ = None

    def _captured(self, array: Any) -> Any:
        return Symbol._captured(self, array)

    def __repr__(self) -> str:
        if len(self._heads) > 1:
            return f"<_Symbol group [{', '.join(repr(output) for output in self)}]>"
        return f"<_Symbol {self.name}>"

    def __len__(self) -> int:
        if len(self._heads) == 1:
            raise TypeError(f"[_Symbol] {self.name} is one output; its length is known when it is computed.")
        return len(self._heads)

    def __iter__(self) -> Iterator[Any]:
        if len(self._heads) == 1:
            raise TypeError(f"[_Symbol] {self.name} is one output and not iterable; its shape is not known.")
        return super().__iter__()

    def __getitem__(self, key: Any) -> Any:
        """One of several outputs; of a single one, parts of the data by integers and slices."""
        if len(self._heads) > 1 or isinstance(key, str):
            return super().__getitem__(key)
        if is_basic(key):
            return self._part(key)
        raise IndexError(
            f"[_Symbol] received the key {key!r}; expected integers, slices, or a tuple of them, since shapes are not "
            "known yet. Index arrays are for np.take."
        )

    def __setitem__(self, key: Any, value: Any) -> None:
        raise NotImplementedForSymbol("__setitem__", "x[...] = value")


set_class(True, _Symbol)


def load(fname: str | PathLike[str]) -> _Symbol:
    """Loads a graph from a file, with NumPy's rules."""
    return symbol_load(fname).as_np_ndarray()


def load_json(json_str: str | bytes) -> _Symbol:
    """The graph in JSON text, with NumPy's rules."""
    return symbol_load_json(json_str).as_np_ndarray()
