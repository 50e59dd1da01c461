"""Define arithmetic and functions of symbols."""

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

import torch

from ..array.autograd import Function, run_function
from ..base import MXNetError, NotImplementedForSymbol, numeric_types
from ..context import Context
from ..graph.node import Entry, Node, in_order
from ..ops.params import Training
from ..ops.registry import Operator, find
from ..ops.shape_rules import Spec
from ..ops.signatures import Description, Inferred, Surroundings
from .graph_builder import apply_operator

if TYPE_CHECKING:
    from .symbol import Symbol

__all__ = ["TracedFunction", "function_node", "inlined"]


class TracedFunction(Description):
    """A user's function at one place of a network.

    Args:
        function: the instance that the network's code made; each run takes a copy, since it keeps arrays of its own.
        array_type: the class of the arrays it takes and gives.
        specs: shapes and dtypes it was traced with.
        context: where it was traced.
        heads: what its `forward` gave on symbols.
        infer: from a function of arrays, shapes and dtypes of its inputs, a context and whether they are of `mx.np`,
            to shapes and dtypes of its results.
    """

    def __init__(
        self,
        function: Function,
        array_type: Any,
        specs: Sequence[Spec],
        context: Context,
        heads: Sequence[Entry],
        infer: Callable[[Any, Sequence[Spec], Context, bool], list[Spec]],
    ) -> None:
        self._infer = infer
        self._function, self._array_type, self._specs, self._context = function, array_type, specs, context
        self.heads = tuple(heads)
        self.arguments: tuple[str, ...] = tuple(f"input{place}" for place in range(len(specs)))
        self.outputs: tuple[str, ...] = tuple(f"output{place}" for place in range(len(heads)))
        self.states = ()

    def infer_shapes(self, arguments: Sequence[tuple[int, ...] | None]) -> Inferred:
        """Runs `forward` on symbols that know their shapes."""
        specs = [(shape, dtype) for shape, (_, dtype) in zip(arguments, self._specs, strict=True)]
        return Inferred(list(arguments), [shape for shape, _ in self._inferred(specs)], [])

    def infer_dtypes(self, arguments: Sequence[torch.dtype | None]) -> Inferred:
        """Runs `forward` on symbols that know their shapes."""
        specs = [(shape, dtype) for dtype, (shape, _) in zip(arguments, self._specs, strict=True)]
        return Inferred(list(arguments), [dtype for _, dtype in self._inferred(specs)], [])

    def _inferred(self, specs: Sequence[tuple[Any, Any]]) -> list[Spec]:
        if any(None in spec for spec in specs):
            raise MXNetError(f"the inputs of {type(self._function).__name__} are not known yet")
        is_numpy = self._array_type is self._array_type._numpy_type
        return self._infer(self._function._fresh().forward, specs, self._context, is_numpy)

    def run(self, tensors: Sequence[torch.Tensor], training: bool, surroundings: Surroundings) -> tuple[Any, ...]:
        """Runs the user's `forward`, and has its `backward` called for gradients."""
        return run_function(self._function._fresh(), tensors, self._array_type, surroundings.context)


# Nodes find their functions by number: parameters of nodes are texts. They hold the functions, this only lists them.
_traced: WeakValueDictionary[str, TracedFunction] = WeakValueDictionary()
_numbers = itertools.count()


def _run(
    *data: torch.Tensor, number: str, description: Description, training: Training, surroundings: Surroundings
) -> tuple[Any, None]:
    return description.run(data, training, surroundings), None


# Not among the registered operators: no file may ask for it.
_OPERATOR = Operator(
    *("_CustomFunction", (), _run),
    free_params=True,
    describes=lambda texts: _traced[texts["number"]],
    auxiliary=lambda num_inputs: (),
)


def function_node(traced: TracedFunction, inputs: Sequence[Entry]) -> Node:
    """A node that runs a function."""
    number = str(next(_numbers))
    _traced[number] = traced
    return Node(_OPERATOR, traced.heads[0].node.name, {"number": number}, inputs)


def inlined(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with the operators of functions in place of their nodes; the same graph if it has none."""
    if all(node.operator is not _OPERATOR for node in in_order(heads)):
        return tuple(heads)
    made: dict[int, Node] = {}

    def moved(entry: Entry) -> Entry:
        traced = _traced_by(entry.node)
        return entry._replace(node=made[id(entry.node)]) if traced is None else moved(traced.heads[entry.index])

    stack = [(head.node, False) for head in reversed(heads)]
    while stack:
        node, inputs_done = stack.pop()
        traced = _traced_by(node)
        if inputs_done:
            inputs = tuple(moved(source) for source in node.inputs)
            is_same = all(after.node is before.node for after, before in zip(inputs, node.inputs, strict=True))
            made[id(node)] = node if is_same else Node(node.operator, node.name, node.attrs, inputs, node.subgraphs)
        elif traced is not None:
            stack.extend((head.node, False) for head in reversed(traced.heads))
        elif id(node) not in made:
            stack.append((node, True))
            stack.extend((source.node, False) for source in reversed(node.inputs))
    return tuple(moved(head) for head in heads)


def _traced_by(node: Node) -> TracedFunction | None:
    return node.params["description"] if node.operator is _OPERATOR else None


class _Forms(NamedTuple):
    """The operators of one operation, by the names MXNet calls them: automatic names of symbols show them."""

    alike: str  # of two symbols of one shape
    broadcast: str  # of two symbols whose shapes are known to differ
    scalar: str
    reverse_scalar: str


_FORMS = {
    "+": _Forms("_Plus", "broadcast_add", "_PlusScalar", "_PlusScalar"),
    "-": _Forms("_Minus", "broadcast_sub", "_MinusScalar", "_RMinusScalar"),
    "*": _Forms("_Mul", "broadcast_mul", "_MulScalar", "_MulScalar"),
    "/": _Forms("_Div", "broadcast_div", "_DivScalar", "_RDivScalar"),
    "%": _Forms("_Mod", "broadcast_mod", "_ModScalar", "_RModScalar"),
    "**": _Forms("_Power", "broadcast_power", "_PowerScalar", "_rpower_scalar"),
    "==": _Forms("_equal", "broadcast_equal", "_equal_scalar", "_equal_scalar"),
    "!=": _Forms("_not_equal", "broadcast_not_equal", "_not_equal_scalar", "_not_equal_scalar"),
    ">": _Forms("_greater", "broadcast_greater", "_greater_scalar", "_lesser_scalar"),
    ">=": _Forms("_greater_equal", "broadcast_greater_equal", "_greater_equal_scalar", "_lesser_equal_scalar"),
    "<": _Forms("_lesser", "broadcast_lesser", "_lesser_scalar", "_greater_scalar"),
    "<=": _Forms("_lesser_equal", "broadcast_lesser_equal", "_lesser_equal_scalar", "_greater_equal_scalar"),
    "pow": _Forms("_Power", "broadcast_power", "_PowerScalar", "_RPowerScalar"),
    "maximum": _Forms("_Maximum", "broadcast_maximum", "_MaximumScalar", "_MaximumScalar"),
    "minimum": _Forms("_Minimum", "broadcast_minimum", "_MinimumScalar", "_MinimumScalar"),
    "hypot": _Forms("_Hypot", "broadcast_hypot", "_HypotScalar", "_HypotScalar"),
}


def _operate(sign: str, lhs: Any, rhs: Any) -> Any:
    forms = _FORMS[sign]
    left, right = hasattr(lhs, "_heads"), hasattr(rhs, "_heads")
    if (left and right) or (left and hasattr(rhs, "_ctx")) or (right and hasattr(lhs, "_ctx")):
        lhs, rhs = _as_symbol(lhs, rhs), _as_symbol(rhs, lhs)
        name = forms.broadcast if _known_to_differ(lhs, rhs) else forms.alike
        return apply_operator(find(name), name, (lhs, rhs), {})
    if left and isinstance(rhs, numeric_types):
        return apply_operator(find(forms.scalar), forms.scalar, (lhs,), {"scalar": rhs})
    if right and isinstance(lhs, numeric_types):
        return apply_operator(find(forms.reverse_scalar), forms.reverse_scalar, (rhs,), {"scalar": lhs})
    given = rhs if left else lhs
    raise TypeError(f"[{sign}] received {given!r} of type {type(given).__name__}; expected a Symbol or a number.")


def _as_symbol(value: Any, other: Any) -> Any:
    """An array met while a network is traced becomes a constant of the graph."""
    return value if hasattr(value, "_heads") else other._captured(value)


def _known_to_differ(lhs: Any, rhs: Any) -> bool:
    """Whether both shapes are known, as while a network is traced, and differ."""
    left, right = lhs._known_shape(), rhs._known_shape()
    return left is not None and right is not None and left != right


def _operation(sign: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: _operate(sign, self, other)


def _reflected(sign: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: _operate(sign, other, self)


def _in_place(sign: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        raise NotImplementedForSymbol(method, f"{sign}=", other)

    method.__name__ = {"+": "__iadd__", "-": "__isub__", "*": "__imul__", "/": "__itruediv__"}[sign]
    return method


class Expression:
    """The operators of Python expressions on symbols."""

    __slots__ = ()

    if not TYPE_CHECKING:  # to checkers, those of Expressions
        # A symbol has no memory to write to: `x = x + y` says what is meant.
        __iadd__, __isub__, __imul__, __itruediv__ = (_in_place(sign) for sign in "+-*/")
        __idiv__ = __itruediv__

        __add__, __radd__ = _operation("+"), _reflected("+")
        __sub__, __rsub__ = _operation("-"), _reflected("-")
        __mul__, __rmul__ = _operation("*"), _reflected("*")
        __truediv__, __rtruediv__ = _operation("/"), _reflected("/")
        __div__, __rdiv__ = __truediv__, __rtruediv__
        __mod__, __rmod__ = _operation("%"), _reflected("%")
        __pow__, __rpow__ = _operation("**"), _reflected("**")
        __eq__, __ne__ = _operation("=="), _operation("!=")
        __gt__, __ge__ = _operation(">"), _operation(">=")
        __lt__, __le__ = _operation("<"), _operation("<=")

        def __neg__(self) -> Any:
            return _operate("*", self, -1.0)

        def __abs__(self) -> Any:
            return apply_operator(find("abs"), "abs", (self,), {})


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, numeric_types) for value in values)


def pow(base: Any, exp: Any) -> "Symbol":
    """base ** exp, element by element; either may be a number."""
    return base**exp if _are_numbers(base, exp) else _operate("pow", base, exp)


power = pow


def maximum(left: Any, right: Any) -> "Symbol":
    """The larger of the two, element by element; either may be a number."""
    if _are_numbers(left, right):
        return left if left > right else right
    return _operate("maximum", left, right)


def minimum(left: Any, right: Any) -> "Symbol":
    """The smaller of the two, element by element; either may be a number."""
    if _are_numbers(left, right):
        return left if left < right else right
    return _operate("minimum", left, right)


def hypot(left: Any, right: Any) -> "Symbol":
    """The length of the hypotenuse of a right triangle with these legs; either may be a number."""
    if _are_numbers(left, right):
        return float(abs(complex(left, right)))  # type: ignore[return-value]  # of numbers, a number
    return _operate("hypot", left, right)
