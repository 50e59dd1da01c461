"""Loops and branches in graphs: `sym.contrib.foreach`, `while_loop` and `cond`.

The code of a body runs once, on variables that stand for one step's arrays. What it makes is marked, cut out of the
graph and becomes a subgraph of the node; what it reads from outside becomes an input.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from ..array.control_flow import Form, flatten, regroup
from ..graph.attributes import stored
from ..graph.node import Entry, Node, in_order, variable
from ..graph.subgraph import MARK, Body, cut, is_inside
from ..ops.registry import find
from ..ops.signatures import item_shape
from .attribute_scope import AttrScope
from .attribute_scope import current as current_attributes
from .graph_builder import apply_operator, follows_numpy, local, symbol_of
from .name_scope import current as current_names
from .symbol import Symbol

Result = TypeVar("Result")

__all__ = ["cond", "foreach", "while_loop"]


class UnusedError(ValueError, AssertionError):
    """A body does not use something that it was given; MXNet asserts that it does."""


def foreach(body: Callable[..., Any], data: Any, init_states: Any, name: str = "foreach") -> tuple[Any, Any]:
    """Runs a body on each slice of the data along their first axis, with states that go from step to step.

    Args:
        body: from a slice (a list of them where `data` is a list) and the states to the results and the new states.
        data: a symbol or a list of symbols.
        init_states: the states to begin with: a symbol, or nested lists of them.
        name: marks the body in the graph.

    Returns:
        The results of all steps, stacked, and the states after the last one.
    """
    items, data_form = _flat(data, "[foreach] data")
    states, state_form = _flat(init_states, "[foreach] init_states")
    full_name = _unique(name)
    with AttrScope(**{MARK: full_name}):
        slices, state_vars = _stand_ins(items, sliced=True), _stand_ins(states)
        outputs, new_states = body(regroup(slices, data_form), regroup(state_vars, state_form))
        results, result_form = _flat(outputs, "[foreach] the body's results")
        kept, kept_form = _flat(new_states, "[foreach] the body's states")
        if kept_form != state_form:
            raise ValueError(
                f"[foreach] the body returned {_form_text(kept_form)} as states; expected {_form_text(state_form)}, "
                "as it was given."
            )
        own = _nodes([*slices, *state_vars])
        part = _cut([*_made_inside(results, full_name), *_made_inside(kept, full_name, results)], full_name, own)
    places = {id(node): place for place, node in enumerate(part.variables)}
    unused = [node.name for node in own if id(node) not in places]
    if unused:
        raise UnusedError(f"[foreach] the body does not use {', '.join(unused)}; expected all data and states in use.")
    at = [places[id(node)] for node in own]
    rest = [place for place in range(len(part.variables)) if place not in at]
    params = {
        "num_outputs": len(results) + len(kept),
        "num_out_data": len(results),
        "in_state_locs": at[len(items) :],
        "in_data_locs": at[: len(items)],
        "remain_locs": rest,
    }
    inputs = [*_heads([*items, *states]), *(part.sources[place] for place in rest)]
    found = _node("_foreach", inputs, [part], params, follows_numpy([*items, *states]))
    return regroup(found[: len(results)], result_form), regroup(found[len(results) :], state_form)


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., Any],
    loop_vars: Any,
    max_iterations: int | None = None,
    name: str = "while_loop",
) -> tuple[Any, Any]:
    """Runs a body as long as a condition on the loop's variables holds.

    Args:
        cond: from the variables to a symbol of one element.
        func: from the variables to the results of a step and the new variables.
        loop_vars: the variables to begin with: a symbol, or nested lists of them.
        max_iterations: when to stop at the latest, and the number of rows of the results; unused ones are zeros.
        name: marks the bodies in the graph.

    Returns:
        The results of all steps, stacked, and the variables after the last one.
    """
    if max_iterations is None:
        raise ValueError("[while_loop] max_iterations: expected a number; the shapes of the results depend on it.")
    start, form = _flat(loop_vars, "[while_loop] loop_vars")
    if not start:
        raise ValueError("[while_loop] loop_vars: received an empty list; expected at least one symbol.")

    def test(*variables: Any) -> tuple[Any, Any]:
        state_vars = cond(*variables)
        if not isinstance(state_vars, Symbol):
            raise ValueError(f"[while_loop] cond returned {state_vars!r}; expected a Symbol.")
        return [], [state_vars]

    tested = _loop_part(test, start, form, f"{name}_cond")
    done = _loop_part(func, start, form, f"{name}_func")
    if len(done.states) != len(start):
        raise ValueError(f"[while_loop] func returned {len(done.states)} variables; expected {len(start)}.")
    pool = _Inputs()
    beginnings = _heads(start)
    params: dict[str, Any] = {"max_iterations": int(max_iterations)}
    for key, part in (("cond", tested), ("func", done)):
        begins = dict(zip(map(id, part.own), beginnings, strict=True))
        params[f"{key}_input_locs"] = [
            pool.place(begins.get(id(node), source), shared=id(node) in begins)
            for node, source in zip(part.body.variables, part.body.sources, strict=True)
        ]
    places = {id(node): place for place, node in enumerate(done.body.variables)}
    unused = [node.name for node in done.own if id(node) not in places]
    if unused:
        raise UnusedError(f"[while_loop] func does not use {', '.join(unused)}; expected all loop_vars in use.")
    params["func_var_locs"] = [places[id(node)] for node in done.own]
    params |= {"num_out_data": len(done.results), "num_outputs": len(done.results) + len(done.states)}
    found = _node("_while_loop", pool.entries, [tested.body, done.body], params, follows_numpy(start))
    return regroup(found[: len(done.results)], done.form), regroup(found[len(done.results) :], form)


def cond(pred: Symbol, then_func: Callable[[], Result], else_func: Callable[[], Result], name: str = "cond") -> Result:
    """Runs one of two bodies, as a condition says.

    Args:
        pred: a symbol of one element.
        then_func: gives the results if it is not zero: a symbol, or nested lists of them.
        else_func: gives the results if it is zero, in the same form.
        name: marks the bodies in the graph.
    """
    if not isinstance(pred, Symbol) or len(pred._heads) != 1:
        raise ValueError(f"[cond] pred: received {pred!r}; expected a Symbol of one output.")
    parts = [
        _branch(function, f"{name}_{key}")
        for function, key in ((lambda: pred, "pred"), (then_func, "then"), (else_func, "else"))
    ]
    _, (then_body, form), (else_body, _) = parts
    if len(then_body.heads) != len(else_body.heads):
        counts = f"{len(then_body.heads)} symbol(s), else_func {len(else_body.heads)}"
        raise ValueError(f"[cond] then_func returned {counts}; expected as many.")
    pool = _Inputs()
    params: dict[str, Any] = {
        f"{key}_input_locs": [pool.place(source, shared=source.node.is_variable) for source in body.sources]
        for (body, _), key in zip(parts, ("cond", "then", "else"), strict=True)
    }
    params["num_outputs"] = len(then_body.heads)
    return regroup(_node("_cond", pool.entries, [body for body, _ in parts], params, pred._is_numpy), form)


class _LoopPart(NamedTuple):
    """The condition or the body of a while loop: its graph, its variables, and what its code returned."""

    body: Body
    own: list[Node]
    results: list[Any]
    states: list[Any]
    form: Form


def _loop_part(function: Callable[..., Any], start: Sequence[Any], form: Form, name: str) -> _LoopPart:
    full_name = _unique(name)
    with AttrScope(**{MARK: full_name}):
        state_vars = _stand_ins(start)
        given = regroup(state_vars, form)
        outputs, new_states = function(*(given if isinstance(given, list) else [given]))
        results, result_form = _flat([] if outputs is None else outputs, "[while_loop] the results")
        states, _ = _flat([] if new_states is None else new_states, "[while_loop] the new variables")
        own = _nodes(state_vars)
        body = _cut(_made_inside([*results, *states], full_name), full_name, own)
    return _LoopPart(body, own, results, states, result_form)


def _branch(function: Callable[[], Any], name: str) -> tuple[Body, Form]:
    full_name = _unique(name)
    with AttrScope(**{MARK: full_name}):
        results, form = _flat(function(), "[cond] the results")
        return _cut(_made_inside(results, full_name), full_name, []), form


class _Inputs:
    """The inputs of a node, listed as MXNet does: a result that two bodies read is listed twice."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._places: dict[tuple[int, int], int] = {}

    def place(self, entry: Entry, shared: bool) -> int:
        """The place of an entry among the inputs: the one it has already, where bodies share it."""
        key = id(entry.node), entry.index
        if not shared or key not in self._places:
            self._places[key] = len(self.entries)
            self.entries.append(entry)
        return self._places[key]


def _flat(value: Any, what: str) -> tuple[list[Any], Form]:
    """Symbols of one output each; one of several counts as the list of them."""
    if isinstance(value, Symbol) and len(value._heads) > 1:
        value = [symbol_of((head,), value._is_numpy) for head in value._heads]
    elif isinstance(value, (list, tuple)):
        parts = [_flat(item, what) for item in value]
        return [symbol for symbols, _ in parts for symbol in symbols], [form for _, form in parts]
    return flatten(value, Symbol, what)


def _form_text(form: Form) -> str:
    return "a single one" if form is None else f"a list of {len(form)}"


def _unique(name: str) -> str:
    """A name for a body that no other one has; within another body, it begins with that one's."""
    outer = current_attributes().get(None).get(MARK, "")
    return AttrScope._unique_subgraph(f"{outer}${name}" if outer else name)


def _stand_ins(symbols: Sequence[Any], sliced: bool = False) -> list[Any]:
    """Variables for the arrays of one step."""
    made = []
    for symbol, head in zip(symbols, _heads(symbols), strict=True):
        node = variable(f"{head.node.name}-{head.index}", current_attributes().get(None))
        if local.maker is not None:
            local.maker.know_like(node, head, item_shape if sliced else None)
        made.append(symbol_of((Entry(node),), symbol._is_numpy))
    return made


def _made_inside(symbols: Sequence[Any], name: str, before: Sequence[Any] = ()) -> list[Any]:
    """What a body returned, each the result of a node of its own: what is not is copied."""
    taken = {head.node.name for head in _heads(before)}
    inputs = {node.name for node in in_order(_heads([*before, *symbols])) if node.is_variable}
    return [
        symbol
        if is_inside(node, name) and node.name not in inputs and node.name not in taken
        else apply_operator(find("_copy"), "identity", (symbol,), {})
        for symbol, node in zip(symbols, _nodes(symbols), strict=True)
    ]


def _cut(symbols: Sequence[Any], name: str, own: Sequence[Node]) -> Body:
    return cut(_heads(symbols), name, own)


def _heads(symbols: Sequence[Any]) -> list[Entry]:
    return [symbol._heads[0] for symbol in symbols]


def _nodes(symbols: Sequence[Any]) -> list[Node]:
    return [head.node for head in _heads(symbols)]


def _node(
    op: str, inputs: Sequence[Entry], bodies: Sequence[Body], params: dict[str, Any], is_numpy: bool
) -> list[Any]:
    """The symbols of a loop's or branch's outputs."""
    name = current_names().get(None, op)
    texts = {key: str(value) for key, value in params.items()}
    texts["num_args"] = str(len(inputs) + len(bodies))
    attrs = {**stored(current_attributes().get(None)), **texts}
    node = Node(find(op), name, attrs, inputs, [body.heads for body in bodies])
    return [symbol_of((Entry(node, index),), is_numpy) for index in range(node.num_outputs)]
