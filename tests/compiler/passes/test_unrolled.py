"""Unrolled recurrent cells in graphs that gradients are asked of."""

from collections import Counter

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn
from regluon.compiler.passes import unrolled
from regluon.compiler.passes.cse import merge_equal
from regluon.compiler.passes.unrolled import join_unrolled
from regluon.graph.node import in_order
from regluon.graph.placement import PLACE

sym = mx.sym
CELLS = {
    "lstm": lambda: rnn.LSTMCell(3),
    "gru": lambda: rnn.GRUCell(3),
    "tanh": lambda: rnn.RNNCell(3),
    "relu": lambda: rnn.RNNCell(3, activation="relu"),
}


def _ops(*heads) -> Counter:
    """How often each operator is in the rewritten graph."""
    found = join_unrolled(merge_equal(sym.Group(list(heads))._heads))
    return Counter(node.op_name for node in in_order(found) if not node.is_variable)


def _steps(length: int) -> list:
    return [sym.var(f"x{step}") for step in range(length)]


@pytest.mark.parametrize("name", CELLS)
def test_finds_the_cells(name: str) -> None:
    outputs, _ = CELLS[name]().unroll(5, sym.var("x"), merge_outputs=True)
    joined = {"Reshape": 2, "Flatten": 1, "transpose": 2, "_zeros": 1, "expand_dims": 2 if name == "lstm" else 1}
    assert _ops(outputs) == {**joined, "_rnn_by_parts": 1}


@pytest.mark.parametrize("name", CELLS)
def test_finds_them_without_merging(name: str) -> None:
    outputs, _ = CELLS[name]().unroll(5, sym.var("x"), merge_outputs=True)
    found = Counter(node.op_name for node in in_order(join_unrolled(outputs._heads)))
    assert found["_rnn_by_parts"] == 1
    assert not found["FullyConnected"]


def test_time_on_the_first_axis() -> None:
    outputs, _ = rnn.GRUCell(3).unroll(5, sym.var("x"), layout="TNC", merge_outputs=True)
    assert _ops(outputs) == {"Reshape": 2, "Flatten": 1, "_zeros": 1, "expand_dims": 1, "_rnn_by_parts": 1}


def test_a_list_of_steps() -> None:
    outputs, _ = rnn.GRUCell(3).unroll(5, _steps(5))
    expected = {"Flatten": 5, "stack": 1, "_zeros": 1, "expand_dims": 1, "_rnn_by_parts": 1, "SliceChannel": 1}
    assert _ops(*outputs) == expected


def test_the_last_states_alone() -> None:
    _, states = rnn.LSTMCell(3).unroll(5, sym.var("x"), layout="TNC")
    found = _ops(*states)
    assert (found["_rnn_by_parts"], found["squeeze"], found["SliceChannel"]) == (1, 2, 0)


def test_three_steps_are_too_few() -> None:
    outputs, _ = rnn.LSTMCell(3).unroll(3, sym.var("x"), merge_outputs=True)
    assert not _ops(outputs)["_rnn_by_parts"]


def test_layer_upon_layer() -> None:
    cells = rnn.HybridSequentialRNNCell()
    for make in CELLS.values():
        cells.add(make())
    outputs, states = cells.unroll(6, sym.var("x"), merge_outputs=True)
    found = _ops(outputs, *states)
    assert (found["_rnn_by_parts"], found["SliceChannel"], found["stack"]) == (4, 0, 0)
    after = [cells.begin_state(func=sym.zeros)]
    outputs = []
    for step in _steps(6):
        output, states = cells(step, after[-1])
        outputs.append(output)
        after.append(states)
    found = _ops(*outputs, after[-1][1])
    assert (found["_rnn_by_parts"], found["SliceChannel"], found["stack"]) == (4, 1, 1)


def test_arrays_between_layers() -> None:
    """What was joined is not taken apart again."""
    first, _ = rnn.LSTMCell(3).unroll(5, sym.var("x"), merge_outputs=True)
    second, _ = rnn.GRUCell(3).unroll(5, first, merge_outputs=True)
    found = _ops(second)
    assert (found["_rnn_by_parts"], found["transpose"], found["SliceChannel"]) == (2, 2, 0)


def test_both_directions() -> None:
    cell = rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.LSTMCell(3))
    outputs, _ = cell.unroll(5, sym.var("x"), merge_outputs=True)
    assert _ops(outputs)["_rnn_by_parts"] == 2


def test_two_sequences_and_one_cell() -> None:
    """From equal first states, the first linear map is one node for both."""
    cell = rnn.GRUCell(3)
    heads = [cell.unroll(length, sym.var(f"x{length}"), merge_outputs=True)[0] for length in (5, 7)]
    found = _ops(*heads)
    assert (found["_rnn_by_parts"], found["FullyConnected"]) == (2, 0)


def test_two_continuations_of_one_sequence() -> None:
    cell = rnn.LSTMCell(3)
    _, states = cell.unroll(5, sym.var("x"))
    heads = [cell.unroll(4, sym.var(name), states)[0][-1] for name in "yz"]
    assert _ops(*heads)["_rnn_by_parts"] == 3


def _lstm_parts(length: int = 5) -> tuple[list, dict]:
    """The outputs of an unrolled cell, and all of its nodes by name."""
    outputs, _ = rnn.LSTMCell(3, prefix="c_").unroll(length, sym.var("x"))
    inside = sym.Group(outputs).get_internals()
    return outputs, {name: inside[name] for name in inside.list_outputs()}


@pytest.mark.parametrize(
    "part", ["i_output", "slice_output2", "plus0_output", "i2h_output", "h2h_output", "mul1_output"]
)
def test_leaves_cells_whose_inside_is_read(part: str) -> None:
    outputs, parts = _lstm_parts()
    assert not _ops(outputs[-1], parts[f"c_t2_{part}"])["_rnn_by_parts"]
    assert not _ops(outputs[-1], parts[f"c_t2_{part}"] * 2)["_rnn_by_parts"]


def test_leaves_cells_whose_earlier_states_are_read() -> None:
    outputs, parts = _lstm_parts()
    assert not _ops(outputs[-1], parts["c_t2_state_output"])["_rnn_by_parts"]
    assert _ops(outputs[-1], parts["c_t4_state_output"])["_rnn_by_parts"] == 1
    outputs, states = rnn.LSTMCell(3).unroll(5, sym.var("x"), valid_length=sym.var("lengths"), merge_outputs=True)
    assert not _ops(outputs, *states)["_rnn_by_parts"]
    outputs, states = rnn.GRUCell(3).unroll(5, sym.var("x"), valid_length=sym.var("lengths"), merge_outputs=True)
    assert _ops(outputs, *states)["_rnn_by_parts"] == 1


def test_leaves_inputs_that_depend_on_outputs() -> None:
    cell, data = rnn.GRUCell(3), sym.var("x")
    states, outputs = [sym.var("state")], []
    for _ in range(6):
        data, states = cell(sym.FullyConnected(data, sym.var("w"), sym.var("b"), num_hidden=3), states)
        outputs.append(data)
    assert not _ops(*outputs)["_rnn_by_parts"]


def test_weights_that_depend_on_outputs() -> None:
    """They are other weights, so that no chain reads what depends on it."""
    weight, recurrent, *biases = map(sym.var, "wuab")

    def step(data, state, weight):
        i2h = sym.FullyConnected(data, weight, biases[0], num_hidden=2)
        return sym.tanh(sym.elemwise_add(i2h, sym.FullyConnected(state, recurrent, biases[1], num_hidden=2)))

    first = sym.var("state")
    for data in _steps(4):
        first = step(data, first, weight)
    second = first
    for data in _steps(4):
        second = step(data, second, sym.reshape(first, shape=(2, 2)))
    assert _ops(second)["_rnn_by_parts"] == 2


def test_leaves_chains_that_wait_for_each_other() -> None:
    """Each could become a layer if the other did not."""
    left, right = rnn.GRUCell(3), rnn.GRUCell(3)
    outputs = {left: [], right: []}
    states = {left: [sym.var("a")], right: [sym.var("b")]}

    def step(cell, data) -> None:
        output, states[cell] = cell(data, states[cell])
        outputs[cell].append(output)

    for number in range(2):
        step(left, sym.var(f"l{number}"))
        step(right, sym.var(f"r{number}"))
    for number in range(2, 4):
        step(left, outputs[right][1])
        step(right, outputs[left][1] if number == 2 else sym.var("last"))
    assert _ops(outputs[left][-1], outputs[right][-1])["_rnn_by_parts"] == 1


def test_feedback_from_a_layer_above() -> None:
    below, above = rnn.LSTMCell(3), rnn.LSTMCell(3)
    states = [cell.begin_state(func=sym.zeros) for cell in (below, above)]
    output = sym.zeros((0, 3))
    for step in _steps(5):
        data, states[0] = below(sym.concat(step, output, dim=1), states[0])
        output, states[1] = above(data, states[1])
    assert not _ops(output)["_rnn_by_parts"]


def test_leaves_other_parameters_and_other_operators() -> None:
    dense = {"num_hidden": 3}

    def chain(step) -> int:
        state = sym.var("state")
        for data in _steps(5):
            state = step(data, state)
        return _ops(state)["_rnn_by_parts"]

    w, u, a, b = map(sym.var, "wuab")

    def plain(x, h, **how):
        return sym.tanh(sym.FullyConnected(x, w, a, **dense, **how) + sym.FullyConnected(h, u, b, **dense, **how))

    left = sym.FullyConnected
    assert chain(lambda x, h: sym.tanh(sym.elemwise_add(left(x, w, a, **dense), left(h, u, b, **dense)))) == 1
    assert chain(lambda x, h: sym.tanh(left(x, w, a, **dense) * left(h, u, b, **dense))) == 0
    assert chain(lambda x, h: sym.softsign(sym.elemwise_add(left(x, w, a, **dense), left(h, u, b, **dense)))) == 0
    assert chain(lambda x, h: plain(x, h, flatten=False)) == 0
    assert chain(lambda x, h: sym.tanh(left(x, w, no_bias=True, **dense) + left(h, u, b, **dense))) == 0
    assert chain(lambda x, h: sym.tanh(sym.broadcast_add(left(x, w, a, **dense), left(h, u, b, **dense)))) == 0
    assert chain(lambda x, h: sym.tanh(left(h, u, b, **dense) + left(x, w, sym.var(f"{x.name}b"), **dense))) == 0
    others = rnn.LSTMCell(3, activation="softsign").unroll(5, sym.var("x"))[0]
    assert not _ops(others[-1])["_rnn_by_parts"]


def test_leaves_states_that_are_changed_between_steps() -> None:
    cell = rnn.ZoneoutCell(rnn.LSTMCell(3), zoneout_states=0.5)
    assert not _ops(cell.unroll(5, sym.var("x"), merge_outputs=True)[0])["_rnn_by_parts"]
    cell, states = rnn.LSTMCell(3), [sym.var("h"), sym.var("c")]
    for step in _steps(5):
        output, (hidden, memory) = cell(step, states)
        states = [sym.BlockGrad(hidden), memory]
    assert not _ops(output)["_rnn_by_parts"]
    cell, states = rnn.LSTMCell(3), [sym.var("h"), sym.var("c")]
    for step in _steps(5):  # states in the wrong order
        output, states = cell(step, states)
        states = states[::-1]
    assert not _ops(output)["_rnn_by_parts"]


def test_places_are_kept() -> None:
    def network(places) -> Counter:
        cell, state = rnn.GRUCell(3, prefix="c_"), [sym.var("state")]
        for place, data in zip(places, _steps(4), strict=True):
            with mx.AttrScope(**{PLACE: place}):
                _, state = cell(data, state)
        heads = join_unrolled(state[0]._heads)
        return Counter((node.op_name, node.attrs.get(PLACE)) for node in in_order(heads) if not node.is_variable)

    assert network(["cpu(1)"] * 4)["_rnn_by_parts", "cpu(1)"] == 1
    assert {name for name, _ in network(["cpu(0)", "cpu(0)", "cpu(1)", "cpu(1)"])}.isdisjoint({"_rnn_by_parts"})


def test_nodes_of_a_large_graph_are_hardly_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Counter()
    matches = unrolled._matches

    def counted(*args) -> bool:
        looks["all"] += 1
        return matches(*args)

    monkeypatch.setattr(unrolled, "_matches", counted)
    x, w, b = map(sym.var, "xwb")
    for _ in range(1500):
        x = sym.FullyConnected(x, w, b, num_hidden=4)
        gate = sym.sigmoid(sym.tanh(x + 1))
        x = sym.elemwise_mul(gate, x) + sym.elemwise_mul(x, gate)
    assert join_unrolled(x._heads) == x._heads
    assert looks["all"] < len(in_order(x._heads))


class _Network(gluon.HybridBlock):
    """A recurrent network of a function that unrolls its cells."""

    def __init__(self, cells, unroll) -> None:
        super().__init__()
        self._unroll = unroll
        self.cells = cells
        for number, cell in enumerate(cells):
            self.register_child(cell, str(number))

    def hybrid_forward(self, F, *inputs):
        return self._unroll(F, self.cells, *inputs)


def _whole(F, cells, x):
    outputs, states = cells[0].unroll(6, x, merge_outputs=True)
    return [outputs, *states]


def _stepwise(F, cells, x):
    states = [cell.begin_state(func=F.zeros, batch_size=2, dtype=x.dtype) for cell in cells]
    found = []
    for data in F.split(x, num_outputs=6, axis=1, squeeze_axis=True):
        for place, cell in enumerate(cells):
            data, states[place] = cell(data, states[place])
        found.append(F.sigmoid(data))
    return [F.concat(*found, dim=1), states[0][0]]


def _last(F, cells, x):
    data, _ = cells[0].unroll(6, x, layout="TNC")
    again, states = cells[1].unroll(4, data[1:5])
    return [again[-1] * 2, states[0], data[3]]


def _with_states(F, cells, x, *states):
    outputs, after = cells[0].unroll(6, x, [*states], merge_outputs=True)
    return [outputs, *after]


def _encoded(F, cells, x, y):
    _, states = cells[0].unroll(6, x)
    outputs, _ = cells[0].unroll(4, y, states)
    others, _ = cells[1].unroll(6, x, states)
    return [F.stack(*outputs, axis=1), F.concat(*others, dim=1)]


def _fed_back(F, cells, x):
    data, found = F.zeros_like(F.slice_axis(x, axis=2, begin=0, end=3)).sum(axis=1), []
    states = cells[0].begin_state(func=F.zeros, batch_size=2)
    for step in F.split(x, num_outputs=6, axis=1, squeeze_axis=True):
        data, states = cells[0](F.concat(step, data, dim=1), states)
        found.append(data)
    return [F.stack(*found, axis=1)]


def _stacked(*names: str):
    cells = rnn.HybridSequentialRNNCell()
    for name in names:
        cells.add(CELLS[name]())
    return cells


def _dropping():
    cells = _stacked("lstm", "gru")
    cells.add(rnn.DropoutCell(0.0))
    cells.add(rnn.ResidualCell(rnn.LSTMCell(3)))
    return cells


X, TIME_MAJOR, MORE_AXES = (2, 6, 4), (6, 2, 4), (2, 6, 2, 2)
STATE = (2, 3)
NETWORKS = {
    **{f"{name} whole": (lambda name=name: [CELLS[name]()], _whole, [X]) for name in CELLS},
    **{f"{name} stepwise": (lambda name=name: [CELLS[name](), CELLS[name]()], _stepwise, [X]) for name in CELLS},
    **{f"{name} last": (lambda name=name: [CELLS[name](), CELLS[name]()], _last, [TIME_MAJOR]) for name in CELLS},
    **{f"{name} more axes": (lambda name=name: [CELLS[name]()], _whole, [MORE_AXES]) for name in CELLS},
    "lstm states": (lambda: [CELLS["lstm"]()], _with_states, [X, STATE, STATE]),
    "lstm states of more axes": (lambda: [CELLS["lstm"]()], _with_states, [X, (2, 3, 1), STATE]),
    "gru states": (lambda: [CELLS["gru"]()], _with_states, [X, STATE]),
    "tanh states of more axes": (lambda: [CELLS["tanh"]()], _with_states, [X, (2, 1, 3)]),
    "one sample": (lambda: [CELLS["lstm"]()], _whole, [(1, 6, 4)]),
    "no sample": (lambda: [CELLS["lstm"]()], _with_states, [(0, 6, 4), (0, 3), (0, 3)]),
    "stacked": (lambda: [_stacked("lstm", "gru", "tanh", "relu")], _whole, [X]),
    "dropout and residual": (lambda: [_dropping()], _whole, [X]),
    "both directions": (lambda: [rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.GRUCell(3))], _whole, [X]),
    "more axes in both": (lambda: [rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.GRUCell(3))], _whole, [MORE_AXES]),
    "encoded": (lambda: [rnn.LSTMCell(3), rnn.LSTMCell(3)], _encoded, [X, (2, 4, 4)]),
    "zoneout": (lambda: [rnn.ZoneoutCell(rnn.LSTMCell(3), zoneout_states=0.0)], _whole, [X]),
    "fed back": (lambda: [rnn.GRUCell(3)], _fed_back, [X]),
}


def _trained(name: str, compiled: bool, dtype: str = "float32", again: bool = False) -> list[np.ndarray]:
    """Results and gradients of three steps of a network."""
    cells, unroll, shapes = NETWORKS[name]
    mx.random.seed(0)
    net = _Network(cells(), unroll)
    net.initialize(mx.init.Uniform(0.5))
    net.cast(dtype)
    if compiled:
        net.hybridize()
    draw, found = np.random.RandomState(1), []
    for _ in range(3):
        inputs = [nd.array(draw.randn(*shape), dtype=dtype) for shape in shapes]
        for each in inputs:
            each.attach_grad()
        parameters = net.collect_params().values()
        with autograd.record():
            outputs = net(*inputs)
            total = sum((each * nd.array(draw.randn(*each.shape), dtype=dtype)).sum() for each in outputs)
            if again:
                variables = [*inputs, *(each.data() for each in parameters)]
                first = autograd.grad(total, variables, create_graph=True, retain_graph=True)
                total = sum((each * each).sum() for each in first)
        total.backward()
        found += [each.asnumpy() for each in outputs]
        found += [each.grad.asnumpy() for each in inputs]
        found += [each.grad().asnumpy() for each in parameters]
        for each in parameters:
            each.set_data(each.data() - (1e-4 if again else 0.1) * each.grad())
    return found


def _compare(tolerance: float, *how) -> None:
    """Compares a network with itself, compiled."""
    name, *others = how
    for compiled, eager in zip(_trained(name, True, *others), _trained(name, False, *others), strict=True):
        np.testing.assert_allclose(compiled, eager, rtol=10 * tolerance, atol=tolerance)


@pytest.mark.parametrize("name", NETWORKS)
def test_learns_the_same_compiled(name: str) -> None:
    _compare(1e-5, name)


@pytest.mark.parametrize("name", [*(f"{name} whole" for name in CELLS), "lstm stepwise", "both directions"])
def test_in_other_dtypes(name: str) -> None:
    _compare(1e-10, name, "float64")
    _compare(3e-3, name, "float16")


@pytest.mark.parametrize("name", [*(f"{name} whole" for name in CELLS), "encoded", "gru stepwise"])
def test_second_derivatives(name: str) -> None:
    _compare(1e-5, name, "float32", True)


def test_dropout_between_layers_draws_the_same() -> None:
    results = []
    for compiled in (False, True):
        mx.random.seed(3)
        cells = rnn.HybridSequentialRNNCell()
        cells.add(rnn.LSTMCell(3, input_size=4))
        cells.add(rnn.DropoutCell(0.5))
        cells.add(rnn.LSTMCell(3, input_size=3))
        net = _Network([cells], _whole)
        net.initialize(mx.init.Uniform(0.5))
        if compiled:
            net.hybridize()
        with autograd.record():
            total = net(nd.ones(X))[0].sum()
        total.backward()
        results.append([each.grad().asnumpy() for each in net.collect_params().values()])
    for eager, compiled in zip(*results, strict=True):
        np.testing.assert_allclose(compiled, eager, rtol=1e-4, atol=1e-6)


def test_a_sentence_classifier_for_batches_of_all_sizes() -> None:
    """One graph serves all."""
    embedding, cell, dense = nn.Embedding(9, 4), rnn.LSTMCell(3, input_size=4), nn.Dense(2, in_units=3)
    net = _Network([embedding, cell, dense], lambda F, parts, x: parts[2](parts[1].unroll(5, parts[0](x))[0][-1]))
    net.initialize(mx.init.Uniform(0.5))
    for size in (3, 1, 4):
        words = nd.array(np.arange(size * 5).reshape(size, 5) % 9)
        found = []
        for compiled in (False, True):
            net.hybridize(compiled)
            with autograd.record():
                result = net(words)
            result.backward()
            found.append([result.asnumpy(), *(each.grad().asnumpy() for each in net.collect_params().values())])
        for eager, compiled in zip(*found, strict=True):
            np.testing.assert_allclose(compiled, eager, rtol=1e-4, atol=1e-6)
