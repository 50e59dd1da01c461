"""Code on `mx.np` arrays gives the same whether it is traced or runs as written."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as onp
import pytest

import mxnet as mx
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn
from tools.oracle.np_symbol_programs import EXPRESSIONS


@pytest.fixture(autouse=True)
def numpy_semantics() -> Iterator[None]:
    npx.set_np()
    yield
    npx.reset_np()


def arrays() -> dict[str, Any]:
    return {
        "x": np.array([[1.5, 2.0, 3.0], [4.0, 0.5, 2.5]]),
        "y": np.array([[1.5, 1.0, 4.0], [2.0, 3.0, 2.5]]),
        "v": np.array([1.0, 2.0, 0.5]),
        "w": np.array([[1.0, 2.0], [0.5, 3.0], [2.0, 1.0]]),
        "n": np.array([1, 0], dtype="int32"),
    }


class Expression(nn.HybridBlock):
    """Computes an expression with the functions of `F`, which differ by the way it runs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def hybrid_forward(self, F: Any, x: Any, y: Any, v: Any, w: Any, n: Any) -> Any:
        return eval(self._text, {"F": F, "x": x, "y": y, "v": v, "w": w, "n": n, "np": np, "npx": npx})


class Written(Expression):
    """The same in a plain `forward`, with the functions of `mx.np` and `mx.npx`."""

    def forward(self, x: Any, y: Any, v: Any, w: Any, n: Any) -> Any:
        return self.hybrid_forward(mx, x, y, v, w, n)


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
        return
    assert type(found) is type(expected) is np.ndarray
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    onp.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


def check(text: str, kind: type[Expression], traced: bool = True) -> None:
    given = arrays()
    expected = kind(text)(*given.values())
    block = kind(text)
    block.hybridize()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(block(*given.values()), expected)
        same(block(*given.values()), expected)
    assert (block._cached_op is not None) is traced


@pytest.mark.parametrize("kind", [Expression, Written])
@pytest.mark.parametrize("name", list(EXPRESSIONS))
@pytest.mark.sample(one_in=4)
def test_expressions(name: str, kind: type[Expression]) -> None:
    check(EXPRESSIONS[name], kind)


FURTHER = {
    "matmul": "x @ w",
    "mixed": "x + n.reshape(2, 1)",
    "integers": "(n + 1.5, n * 2.0, 1 - n, -n, n / 2, n > 0.5)",
    "bits": "(n & 1, n | 2, n ^ 3, ~n)",
    "element": "x[0, 1]",
    "row": "x[-1]",
    "column": "x[:, -1]",
    "reverse": "x[::-1]",
    "steps": "x[:, ::2]",
    "from_the_end": "x[:, -2:]",
    "new_axis": "x[:, None]",
    "new_axes": "x[None, :, None, 1:]",
    "ellipsis": "(x[...], x[..., 0], x[..., None])",
    "list": "x[[1, 0, 1]]",
    "list_of_columns": "x[:, [2, 0]]",
    "negative_places": "x[[-1, 0]]",
    "array": "x[n]",
    "real_array": "x[v[:2] * 0]",
    "pairs": "x[n, n + 1]",
    "places_and_integer": "x[n, 1]",
    "grid": "x[n.reshape(2, 1), n]",
    "last_axes": "x.reshape(1, 2, 3)[:, n, n]",
    "slice_beside": "x.reshape(1, 2, 3)[:, n, 1:]",
    "iteration": "[row.sum() for row in x]",
    "length": "x * len(x)",
    "shape": "x.reshape(x.shape[1], -1) + x.ndim + x.size",
    "no_axes": "(x.sum(), x.mean() * 2, x.max() - x.min())",
    "truth": "(x > 1).sum(), (x > 1).astype('float32'), np.where(x > 1, x, 0.0)",
    "detached": "x.detach() * x",
    "copied": "x.copy(), x.astype('float64'), x.astype('int32')",
    "created": "x + np.ones((2, 3)) + np.arange(3) + np.eye(2, 3) + np.full((2, 1), 2.0)",
    "created_alike": "np.zeros_like(x) + np.ones_like(y)",
    "created_there": "np.zeros((2, 3), ctx=x.ctx) + x",
    "constants": "x * np.pi + np.exp(1.0)",
    "joined": "np.concatenate([x, np.zeros((2, 1))], axis=1)",
    "split": "np.split(x, 3, axis=1)",
    "array_split": "np.array_split(x, 2, axis=1)",
    "hsplit": "np.hsplit(x, 3), np.vsplit(x, 2)",
    "meshgrid": "np.meshgrid(v, n)",
    "methods": "x.T.dot(x), x.std(), x.cumsum(axis=0), x.repeat(2), x.squeeze(), x.flatten(), x.clip(1, 2)",
    "rotated": "np.rot90(x), np.roll(x, 1), np.flip(x), np.tril(x), np.trace(x)",
    "topk": "npx.topk(x, k=2, ret_typ='both')",
    "einsum": "np.einsum('ij,kj->ik', x, y)",
    "nested": "{'sum': [x + y], 'both': (x, y)}['both']",
    "classic_function": "mx.nd.softmax(x), mx.nd.FullyConnected(x, y, num_hidden=2, no_bias=True)",
    "other_kind": "x.as_nd_ndarray().as_np_ndarray() + 1",
    "linalg": "np.linalg.norm(x), np.linalg.norm(x, axis=1, keepdims=True)",
    "comparisons": "x == y, x != y, x >= 2, 2 > x",
    "average": "np.average(x, axis=0, weights=y)",
}


@pytest.mark.parametrize("name", list(FURTHER))
def test_code(name: str) -> None:
    text = FURTHER[name]
    given = {**arrays(), "np": np, "npx": npx, "mx": mx}

    class Code(nn.HybridBlock):
        def forward(self, x: Any, y: Any, v: Any, w: Any, n: Any) -> Any:
            return eval(text, {**given, "x": x, "y": y, "v": v, "w": w, "n": n})

    inputs = list(arrays().values())
    expected = Code()(*inputs)
    block = Code()
    block.hybridize()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(block(*inputs), expected)
    assert block._cached_op is not None


class Block(nn.HybridBlock):
    """A block whose `forward` is a given function."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self._function = function

    def forward(self, *args: Any) -> Any:
        return self._function(*args)


def hybridized(function: Any) -> Block:
    block = Block(function)
    block.hybridize()
    return block


def test_names_may_be_reassigned() -> None:
    def function(x: Any) -> Any:
        y = x + 0
        y += 1
        y *= x
        y -= 0.5
        y /= 2
        y **= 2
        y %= 3
        return y

    x = np.array([1.0, 2.0])
    same(hybridized(function)(x), function(x))


@pytest.mark.parametrize(
    ("reason", "function"),
    [
        ("item", lambda x: x * x.sum().item()),
        ("item", lambda x: x * float(x.sum())),
        ("bool", lambda x: x if x.sum() > 0 else -x),
        ("asnumpy", lambda x: x * x.asnumpy().max()),
        ("a mask", lambda x: x[x > 1]),
        ("nd.array", lambda x: x + np.array([1.0, 2.0])),
        ("out=", lambda x: np.exp(x, out=x.copy())),
        ("a bool as key", lambda x: x[True]),
        ("a slice between them", lambda x: x.reshape(1, 2, 1)[[0], :, [0]]),
        ("new axes beside index arrays", lambda x: x[None, [0, 1]]),
        (
            "received 3 items of a key for 1 axes",
            lambda x: x[[0], [0], [0]] if x.ndim > 1 or not hasattr(x, "_t") else x,
        ),
    ],
)
def test_what_needs_values_runs_as_written(reason: str, function: Any) -> None:
    block, x = hybridized(function), np.array([1.0, 2.0])
    with pytest.warns(UserWarning, match=rf"cannot be compiled and runs as it is written.*{reason}"):
        found = block(x)
    same(found, function(x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(block(x), function(x))


def test_one_graph_serves_all_shapes_as_long_as_code_does_not_ask() -> None:
    block = hybridized(lambda x: (x[:, 0] + x[0, -1]) * x[:, 1:].sum(axis=1) + npx.softmax(x).mean())
    for rows in (2, 5, 1):
        x = np.arange(rows * 4).reshape(rows, 4)
        same(block(x), block._function(x))
    assert len(block._compiled) == 1


def test_code_that_asks_for_shapes_is_traced_for_each() -> None:
    block = hybridized(lambda x: x.reshape(x.shape[1], -1) / len(x))
    for rows in (2, 5):
        x = np.arange(rows * 4).reshape(rows, 4)
        same(block(x), block._function(x))


def test_kinds_of_arrays_have_their_own_graphs() -> None:
    block = hybridized(lambda x: x.mean())
    assert block(np.ones((2, 3))).shape == ()
    legacy = block(mx.nd.ones((2, 3)))
    assert type(legacy) is mx.nd.NDArray
    assert legacy.shape == (1,)
    assert block(np.ones((2, 3))).shape == ()


def test_random_numbers_are_drawn_in_every_call() -> None:
    block = hybridized(lambda x: x + np.random.uniform(size=(4,)) + np.random.normal(0, 1, size=(4,)))
    x = np.zeros(4)
    first, second = block(x).asnumpy(), block(x).asnumpy()
    assert block._cached_op is not None
    assert (first != second).all()


def test_what_is_made_inside_follows_the_context() -> None:
    block = hybridized(lambda x: x + np.ones((2,)) + np.zeros((2,), ctx=x.ctx))
    for context in (mx.cpu(0), mx.cpu(1)):
        found = block(np.ones((2,), ctx=context))
        assert found.ctx == context
        assert found.asnumpy().tolist() == [2, 2]


def test_gradients_agree() -> None:
    def function(x: Any) -> Any:
        y = npx.relu(np.dot(x, x.T)) + x[:, [0]] * x[1, 2]
        return (y / y.sum(axis=0)).max(axis=1) + x[[1, 0], 0] * y.mean(axis=1)

    gradients = []
    for block in (Block(function), hybridized(function)):
        x = np.arange(6).reshape(2, 3) + 1
        x.attach_grad()
        with autograd.record():
            loss = block(x).sum()
        loss.backward()
        assert type(x.grad) is np.ndarray
        gradients.append(x.grad.asnumpy())
    onp.testing.assert_allclose(*gradients, rtol=1e-5)


def test_arrays_from_outside_are_constants_that_learn() -> None:
    weight = np.array([1.0, 2.0])
    weight.attach_grad()
    block = hybridized(lambda x: x * weight)
    with autograd.record():
        loss = block(np.array([3.0, 4.0])).sum()
    loss.backward()
    assert weight.grad.asnumpy().tolist() == [3, 4]
    weight[:] = 0
    assert block(np.array([3.0, 4.0])).asnumpy().tolist() == [0, 0]


def test_classic_blocks_take_numpy_arrays() -> None:
    class Classic(nn.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.broadcast_add(F.relu(x), F.ones((1,))), F.sum(x, axis=1), x.slice_axis(axis=1, begin=0, end=1)

    x = np.array([[1.0, -2.0], [3.0, 4.0]])
    block = Classic()
    expected = block(x)
    block.hybridize()
    same(block(x), expected)


def test_several_and_nested_inputs() -> None:
    block = hybridized(lambda pair, scale: [pair[0] * scale, {"last": pair[1][-1]}])
    first, rest = block([np.ones((2,)), np.arange(3)], 2.0)
    assert first.asnumpy().tolist() == [2, 2]
    assert float(rest["last"]) == 2
    assert block._cached_op is not None


def test_deferred_shapes_are_found_by_np_code() -> None:
    class Net(nn.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.dense, self.norm, self.out = nn.Dense(4, flatten=False), nn.LayerNorm(), nn.Dense(2)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.out(F.np.concatenate([self.norm(self.dense(x)), x], axis=-1).mean(axis=1))

    for active in (False, True):
        net = Net()
        net.initialize()
        net.hybridize(active)
        assert net(np.ones((2, 3, 5))).shape == (2, 2)
        assert net.out.weight.shape == (2, 9)


def test_operators_watch_np_blocks() -> None:
    seen = []
    block = hybridized(lambda x: npx.relu(x) + 1)
    block.register_op_hook(lambda name, op, array: seen.append((op, array.shape)))
    block(np.ones((2,)))
    assert [op for op, _ in seen] == ["_npx_relu", "_npi_add_scalar"]


def test_symbol_calls_make_graphs_of_np_operators() -> None:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3, activation="relu"), nn.Dense(2))
    out = net(mx.sym.var("data").as_np_ndarray())
    assert isinstance(out, mx.sym.np._Symbol)
    assert out.list_arguments()[0] == "data"
    assert gluon.SymbolBlock(out, mx.sym.var("data")) is not None


@pytest.mark.parametrize("active", [False, True])
def test_loops_and_branches(active: bool) -> None:
    class Running(nn.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            sums, last = F.contrib.foreach(lambda row, total: (row + total, row + total), x, F.np.zeros((3,)))
            chosen = F.contrib.cond(x.sum() > 0, lambda: x * 2, lambda: x * 3)
            counted, _ = F.contrib.while_loop(
                lambda i, total: i < 2, lambda i, total: (total, [i + 1, total + i]), [x[0, :1], x[0, :1]], 3
            )
            return sums, last, chosen, counted

    x = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    block = Running()
    block.hybridize(active)
    sums, last, chosen, counted = block(x)
    assert all(type(array) is np.ndarray for array in (sums, last, chosen, counted))
    assert last.asnumpy().tolist() == [3, 5, 7]
    assert chosen.asnumpy().tolist() == [[0, 2, 4], [6, 8, 10]]


def test_parameters_read_in_forward_stay_parameters(tmp_path: Any) -> None:
    class Scale(nn.HybridBlock):
        def __init__(self) -> None:
            super().__init__(prefix="scale_")
            self.weight = self.params.get("weight", shape=(2,), init="ones")

        def forward(self, x: Any) -> Any:
            return x * self.weight.data(x.ctx)

    contexts = [mx.cpu(0), mx.cpu(1)]
    net = Scale()
    net.initialize(ctx=contexts)
    net.hybridize()
    for place, context in enumerate(contexts):
        x = np.array([1.0, 2.0], ctx=context) * (place + 1)
        with autograd.record():
            loss = net(x).sum()
        loss.backward()
    assert [array.asnumpy().tolist() for array in net.weight.list_grad()] == [[1, 2], [2, 4]]
    net.export(str(tmp_path / "net"))
    assert mx.sym.load(str(tmp_path / "net-symbol.json")).list_arguments() == ["data", "scale_weight"]
    net.collect_params().reset_ctx(mx.cpu(0))
    net.weight.set_data(np.array([5.0, 6.0]))
    assert net(np.ones((2,))).asnumpy().tolist() == [5, 6]


@pytest.mark.parametrize("array", [np.array, mx.nd.array], ids=["np", "nd"])
def test_index_arrays_beside_parameters_that_wait_for_shapes(array: Any) -> None:
    class Net(nn.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(3)

        def forward(self, x: Any) -> Any:
            y = self.dense(x)
            return y[[1, 0]]

    with mx.util.np_array(array is np.array):
        net = Net()
        net.initialize()
        net.hybridize()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert net(array([[1.0, 2.0], [3.0, 4.0]])).shape == (2, 3)
    assert net._cached_op is not None
