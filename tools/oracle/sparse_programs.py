"""Short programs on sparse arrays whose results a real MXNet decides, by topic.

Each is an expression, evaluated with `mx`, `nd`, `np` at hand and the arrays that `prepare` makes: `d` dense, `c` csr
and `r` row_sparse of the same values, `e`, `f` and `g` of other values, `w` a weight. GRADIENTS holds functions,
PROGRAMS programs of several lines that leave their answer in `result`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

UNARY = (
    *("abs", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "cos", "cosh", "degrees", "exp", "expm1"),
    *("fix", "floor", "log1p", "negative", "radians", "relu", "rint", "round", "sigmoid", "sign", "sin", "sinh"),
    *("sqrt", "square", "tan", "tanh", "trunc", "zeros_like", "ones_like", "BlockGrad", "make_loss", "identity"),
)
_COMPARISONS = ("==", "!=", ">", ">=", "<", "<=")

EXPRESSIONS: dict[str, list[str]] = {
    "unary": [f"nd.{name}({array})" for name in UNARY for array in ("c", "r")],
    "arithmetic": [
        *(f"{a} {op} {b}" for op in "+-*" for a, b in ("cc", "cd", "dc", "cf", "rr", "rd", "dr", "rg", "rc", "cr")),
        *("c / (d + 1)[0]", "r / (d + 1)", "c / r", "c * nd.array([[1], [2], [3]])", "c * nd.array([1, 2, 3])"),
        *("c / nd.array([[1, 2, 3]])", "c + nd.array([1, 2, 3])", "r * nd.array([[1, 2, 3]])", "nd.add(c, f)"),
        *(f"{array} {op}" for op in ("+ 0", "+ 1", "- 0", "- 1", "* 2", "/ 2", "** 2", "% 2") for array in "cr"),
        *("1 + c", "1 - c", "2 * r", "2 / (r + 1)", "-c", "-r", "abs(c)", "c * 0", "c / 0", "c * float('nan')"),
        *(f"{array} {op} {scalar}" for op in _COMPARISONS for scalar in (0, 1, -1) for array in "cr"),
        *("c == f", "c < d", "r > g", "nd.maximum(c, f)", "nd.maximum(c, 0.25)", "nd._internal._maximum(c, f)"),
        *("nd._internal._minimum(r, g)", "nd._internal._hypot(c, f)", "nd.elemwise_add(c, f)", "nd.elemwise_mul(r, d)"),
        *(
            "nd.elemwise_sub(r, g)",
            "nd.elemwise_div(r, g + 1)",
            "nd.add_n(r, g, r)",
            "nd.add_n(c, f)",
            "nd.add_n(r, d)",
        ),
        *("nd.sparse.add(c, f)", "nd.sparse.multiply(c, d)", "nd.sparse.subtract(r, g)", "nd.sparse.divide(c, 2)"),
        *("nd._internal._scatter_plus_scalar(r, scalar=1)", "nd._internal._scatter_elemwise_div(r, d + 1)"),
        *("nd.clip(c, -1, 0.25)", "nd.clip(r, 0, 1)", "nd.contrib.quadratic(c, a=1, b=2)"),
        *("nd.contrib.quadratic(c, a=1, b=2, c=3)", "nd.contrib.quadratic(r, a=1, b=2)"),
    ],
    "dot": [
        f"nd.dot({a}, {b}, transpose_a={ta}, transpose_b={tb}{stype})"
        for ta in (False, True)
        for tb in (False, True)
        for weight in ("w.T" if tb else "w",)
        for a, b in (("c", weight), ("c", f"{weight}.tostype('row_sparse')"), ("r", weight), *zip("dcd", "ccr"))
        for stype in ("", ", forward_stype='default'", ", forward_stype='row_sparse'", ", forward_stype='csr'")
    ]
    + [
        "nd.dot(nd.sparse.zeros('csr', (2, 3)), w)",
        "nd.dot(nd.sparse.zeros('csr', (2, 3)), nd.ones((2, 2)), transpose_a=True)",
        "nd.dot(c.astype('float64'), w.astype('float64'))",
        "nd.sparse.dot(d, w, forward_stype='csr')",
        "nd.dot(c, nd.sparse.row_sparse_array(([[1, 2]], [2]), shape=(3, 2)))",
        "nd.FullyConnected(c, nd.ones((2, 3)), nd.zeros(2), num_hidden=2)",
        "nd.Embedding(nd.array([0, 2, 2]), w.tostype('row_sparse'), input_dim=3, output_dim=4)",
        "nd.Embedding(nd.array([0, 2, 9]), w, input_dim=3, output_dim=4, sparse_grad=True)",
    ],
    "reductions": [
        *(
            f"nd.sum({array}{axis})"
            for array in "cr"
            for axis in ("", ", axis=0", ", axis=1", ", axis=1, keepdims=True")
        ),
        *(f"nd.mean({array}{axis})" for array in "cr" for axis in ("", ", axis=0", ", axis=-1")),
        *("nd.norm(c)", "nd.norm(r)", "nd.norm(c, axis=1)", "nd.norm(c, ord=1)", "nd.max(c)", "nd.argmax(c, axis=1)"),
        *("nd._internal._square_sum(r, axis=1)", "nd._internal._square_sum(r, axis=1, keepdims=True)"),
        *("nd._internal._square_sum(r, axis=0)", "c.sum(axis=0)", "r.norm()", "c.sqrt()", "r.square()", "c.mean()"),
    ],
    "parts": [
        *("c[0]", "c[1]", "c[-1]", "c[0:2]", "c[1:]", "c[:10]", "c[0:-1]", "c[:] is c", "r[:] is r"),
        *("nd.slice(c, begin=(0, 1), end=(3, 3))", "nd.slice(c, begin=(1,), end=(3,))", "nd.slice(r, (0, 1), (2, 3))"),
        *("nd.slice(c, begin=(0, 0), end=(3, 3), step=(1, 2))", "nd.slice_axis(c, axis=1, begin=1, end=3)"),
        *("nd.take(c, nd.array([0, 2]))", "nd.take(c, nd.array([2, 7, -1]))", "nd.take(r, nd.array([0, 2]))"),
        *("nd.concat(c, f, dim=0)", "nd.concat(c, f, dim=1)", "nd.concat(r, g, dim=0)", "nd.stack(c, f)"),
        *("nd.where(c, d, d + 1)", "nd.sparse.retain(r, nd.array([0, 1]))", "nd.sparse.retain(r, nd.array([2, 0]))"),
        *("c.T", "r.T", "len(c)", "c.ndim", "c.shape", "c.stype", "str(c.dtype)", "c.context", "repr(c)", "repr(r)"),
        *(
            "c.data",
            "c.indices",
            "c.indptr",
            "r.data",
            "r.indices",
            "str(c._aux_types)",
            "nd.softmax(c)",
            "nd.cast(c, 'int32')",
        ),
        *(
            "nd.contrib.getnnz(c)",
            "nd.contrib.getnnz(c, axis=1)",
            "nd.contrib.edge_id(c, nd.array([0, 2, 1]), nd.array([1, 2, 1]))",
        ),
    ],
    "conversions": [
        *(f"{a}.tostype('{b}')" for a in "cdr" for b in ("default", "csr", "row_sparse")),
        *(
            f"nd.cast_storage({a}, '{b}')"
            for a, b in (("d", "csr"), ("d", "row_sparse"), ("c", "default"), ("r", "default"))
        ),
        *(
            "c.astype('float64')",
            "r.astype('int32')",
            "c.copy()",
            "r.detach()",
            "c.copyto(mx.cpu(1))",
            "r.as_in_context(mx.cpu(1))",
        ),
        *("c.copyto(nd.zeros((3, 3)))", "d.copyto(nd.sparse.zeros('csr', (3, 3)))", "r.copyto(nd.zeros((3, 3)))"),
        *(
            "d.copyto(nd.sparse.zeros('row_sparse', (3, 3)))",
            "c.copyto(nd.sparse.zeros('csr', (3, 3), dtype='float64'))",
        ),
        *(
            "nd.array(c)",
            "nd.sparse.array(c)",
            "nd.sparse.array(r, dtype='float64')",
            "nd.ones((2, 2, 2)).tostype('row_sparse')",
        ),
        *(
            "nd.array([0, 1]).tostype('row_sparse')",
            "nd.sparse.zeros('csr', (2, 3))",
            "nd.sparse.zeros('default', (2,))",
        ),
        *(
            "nd.sparse.empty('row_sparse', (2, 3))",
            "nd.zeros((2, 2), stype='csr')",
            "nd.sparse.zeros('csr', (2, 3)).indptr",
        ),
        *(
            "nd.sparse.csr_matrix(([1, 2, 3], [1, 0, 2], [0, 1, 2, 2, 3]), shape=(4, 3))",
            "nd.sparse.csr_matrix((2, 3))",
        ),
        *("nd.sparse.csr_matrix(([1, 2, 3], [1, 0, 2], [0, 1, 2, 2, 3]))", "nd.sparse.csr_matrix([[0, 1], [2, 0]])"),
        *("nd.sparse.csr_matrix(np.array([[0, 1], [2, 0]]))", "nd.sparse.csr_matrix(c, dtype='float64')"),
        *("nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [1, 3]), shape=(5, 2))", "nd.sparse.row_sparse_array((3, 2))"),
        *("nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [1, 3]))", "nd.sparse.row_sparse_array([[0, 0], [1, 2]])"),
        *(
            "nd.elemwise_add(r, r, out=nd.zeros((3, 3)))",
            "nd.elemwise_add(d, d, out=nd.sparse.zeros('row_sparse', (3, 3)))",
        ),
        *("nd.zeros((3, 3), out=r)", "nd.dot(c, w, transpose_a=True, out=nd.sparse.zeros('row_sparse', (3, 4)))"),
    ],
    "refused": [
        *(
            "c[5]",
            "c[::2]",
            "c[1, 1]",
            "c['x']",
            "r[1]",
            "r[0:1]",
            "c.size",
            "c.reshape((9,))",
            "bool(c)",
            "c.asscalar()",
        ),
        *("c.tostype('row_sparse')", "r.tostype('csr')", "c.tostype('coo')", "nd.ones((2,)).tostype('csr')"),
        *("nd.sparse.retain(d, nd.array([0]))", "nd.sparse.retain(c, nd.array([0]))", "nd.contrib.getnnz(c, axis=0)"),
        *(
            "c.copyto(nd.sparse.zeros('row_sparse', (3, 3)))",
            "c.copyto(nd.zeros((2, 3)))",
            "c.copyto(3)",
            "c + c.astype('float64')",
        ),
        *("nd.elemwise_add(c, nd.sparse.zeros('csr', (2, 3)))", "nd.sparse.array(d)", "nd.sparse.array(np.eye(2))"),
        *("nd.sparse.array([1])", "nd.sparse.zeros('coo', (2,))", "nd.sparse.csr_matrix((2, 3), shape=(3, 3))"),
        *(
            "nd.sparse.csr_matrix((1, 2, 3, 4))",
            "nd.sparse.csr_matrix([1, 2])",
            "nd.sparse.csr_matrix(r)",
            "nd.sparse.csr_matrix('abc')",
        ),
        *(
            "nd.sparse.csr_matrix(([[1, 2]], [1, 0], [0, 1, 2]))",
            "nd.sparse.row_sparse_array((3,))",
            "nd.sparse.row_sparse_array(c)",
        ),
        *(
            "nd.sparse.row_sparse_array(([[1, 2]], [1, 2]), shape=(5, 2))",
            "nd.contrib.edge_id(d, d[0], d[0])",
            "nd.dot(c, nd.ones((2, 2)))",
        ),
        *("nd.sparse.csr_matrix(([1, 2], [1, 0], [0, 1]), shape=(4, 3)).check_format()", "nd.contrib.dgl_adjacency(d)"),
        *(
            "nd.sparse.csr_matrix(([1, 2], [1, 7], [0, 1, 2]), shape=(2, 3)).check_format()",
            "nd.contrib.dgl_adjacency(c)",
        ),
        *("nd.sparse.csr_matrix(([1, 2], [1, 0], [0, 2, 2]), shape=(2, 3)).check_format()",),
        *("nd.sparse.csr_matrix(([1, 2], [1, 0], [1, 1, 2]), shape=(2, 3)).check_format()",),
        *("nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [3, 1]), shape=(5, 2)).check_format()",),
        *("nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [1, 7]), shape=(5, 2)).check_format()",),
    ],
}


def prepare(mx: Any) -> dict[str, Any]:
    """The arrays at hand."""
    nd = mx.nd
    d = nd.array([[0, 0.5, 0], [0, 0, 0], [0.25, 0, -0.125]])
    e = nd.array([[0, 0.5, 0.75], [0, 0, 0], [0, 0, 0]])
    w = nd.array(np.arange(12).reshape(3, 4) / 4)
    return {
        "mx": mx,
        "nd": nd,
        "np": np,
        "d": d,
        "e": e,
        "w": w,
        "c": d.tostype("csr"),
        "r": d.tostype("row_sparse"),
        "f": e.tostype("csr"),
        "g": e.tostype("row_sparse"),
    }


def _gradients(
    given: dict[str, Any], forward: Any, *variables: Any, stypes: Any = None, request: str = "write"
) -> list[Any]:
    for variable, stype in zip(variables, stypes or [None] * len(variables)):
        variable.attach_grad(request, stype)
    with given["mx"].autograd.record():
        out = forward(*variables)
    out.backward()
    return [variable.grad for variable in variables]


def _embedding(given: dict[str, Any], **params: Any) -> Any:
    rows = given["nd"].array([0, 2, 2])
    return lambda weight: given["nd"].Embedding(rows, weight, input_dim=3, output_dim=4, **params) * given["w"]


# Gradients: forward pass, variables, storage types of their buffers.
GRADIENTS: dict[str, Any] = {
    "product": lambda g: _gradients(g, lambda w: g["nd"].dot(g["c"], w) * g["w"], g["w"].copy()),
    "product_rows": lambda g: _gradients(
        g, lambda w: g["nd"].dot(g["c"], w) * g["w"], g["w"].copy(), stypes=["row_sparse"]
    ),
    "transposed_product_rows": lambda g: _gradients(
        g, lambda w: g["nd"].dot(g["c"], w, transpose_a=True), g["w"].copy(), stypes=["row_sparse"]
    ),
    "transposed_product": lambda g: _gradients(
        g, lambda w: g["nd"].dot(g["c"], w, transpose_a=True, forward_stype="default") * g["w"], g["w"].copy()
    ),
    "product_of_rows": lambda g: _gradients(g, lambda w: g["nd"].dot(g["c"], w) * g["w"], g["w"].tostype("row_sparse")),
    "dense_times_csr": lambda g: _gradients(g, lambda x: g["nd"].dot(x, g["c"]), g["nd"].ones((2, 3))),
    "square_sum": lambda g: _gradients(g, lambda r: g["nd"]._internal._square_sum(r, axis=1) * g["w"][:, 1], g["r"]),
    "embedding": lambda g: _gradients(g, _embedding(g), g["w"].copy()),
    "embedding_rows": lambda g: _gradients(g, _embedding(g, sparse_grad=True), g["w"].copy(), stypes=["row_sparse"]),
    "embedding_of_rows": lambda g: _gradients(g, _embedding(g, sparse_grad=True), g["w"].tostype("row_sparse")),
    "two_embeddings": lambda g: _gradients(
        g,
        lambda w: _embedding(g, sparse_grad=True)(w).sum() + (w * 2).sum(),
        g["w"].copy(),
        stypes=["row_sparse"],
    ),
    "dense_to_rows": lambda g: _gradients(g, lambda x: x * g["e"], g["d"].copy(), stypes=["row_sparse"]),
    "dense_to_csr": lambda g: _gradients(g, lambda x: x * g["e"], g["d"].copy(), stypes=["csr"]),
    "square_csr": lambda g: _gradients(g, g["nd"].square, g["c"].copy()),
    "square_rows": lambda g: _gradients(g, g["nd"].square, g["r"].copy()),
    "scaled_rows": lambda g: _gradients(g, lambda x: x * 2, g["r"].copy()),
    "scaled_csr": lambda g: _gradients(g, lambda x: x * 2, g["c"].copy()),
    "sum_of_rows": lambda g: _gradients(g, lambda a, b: a + b, g["r"].copy(), g["g"].copy()),
    "product_of_two_rows": lambda g: _gradients(g, lambda a, b: a * b, g["r"].copy(), g["r"].copy()),
    "rows_times_dense": lambda g: _gradients(g, lambda a, b: a * b, g["r"].copy(), g["e"].copy()),
    "to_dense": lambda g: _gradients(g, lambda x: x.tostype("default") * g["e"], g["r"].copy()),
    "to_rows": lambda g: _gradients(g, lambda x: x.tostype("row_sparse") * 2, g["d"].copy()),
    "retained": lambda g: _gradients(g, lambda x: g["nd"].sparse.retain(x, g["nd"].array([0])), g["r"].copy()),
    "total": lambda g: _gradients(g, lambda x: x.sum(), g["r"].copy()),
    "total_to_dense": lambda g: _gradients(g, lambda x: x.sum(), g["c"].copy(), stypes=["default"]),
    "tanh_csr": lambda g: _gradients(g, g["nd"].tanh, g["c"].copy()),
}

OPTIMIZERS: list[tuple[str, dict[str, Any]]] = [
    ("sgd", {}),
    ("sgd", {"wd": 0.1}),
    ("sgd", {"clip_gradient": 0.1, "rescale_grad": 0.5}),
    ("sgd", {"momentum": 0.9, "wd": 0.1}),
    ("sgd", {"momentum": 0.9, "wd": 0.1, "lazy_update": False}),
    ("sgd", {"wd": 0.1, "lazy_update": False}),
    ("adam", {"wd": 0.1}),
    ("adam", {"wd": 0.1, "lazy_update": False}),
    *((name, {}) for name in ("adagrad", "groupadagrad", "lamb", "dcasgd")),
    *((name, {"wd": 0.1}) for name in ("ftrl", "rmsprop", "signum", "adadelta", "adamax", "nadam", "ftml", "nag")),
    ("nag", {"momentum": 0.9, "wd": 0.1}),
]


def trained(mx: Any, name: str, params: dict[str, Any], stype: str) -> Any:
    """A weight after three steps with gradients of some rows."""
    numbers = np.random.RandomState(0)
    weight = mx.nd.array(numbers.uniform(-1, 1, (5, 2)))
    weight = weight if stype == "default" else weight.tostype(stype)
    update = mx.optimizer.get_updater(mx.optimizer.create(name, **params))
    for rows in ([0, 3], [3], [1, 4]):
        values = numbers.uniform(-1, 1, (len(rows), 2)).astype("float32")
        update(0, mx.nd.sparse.row_sparse_array((values, rows), shape=(5, 2)), weight)
    return weight


_KV_SETUP = """
value = nd.array(np.arange(12).reshape(4, 3))
rows = value.tostype("row_sparse")
first = nd.sparse.row_sparse_array(([[1, 1, 1], [2, 2, 2]], [1, 3]), shape=(4, 3))
second = nd.sparse.row_sparse_array(([[5, 5, 5]], [0]), shape=(4, 3))
store = mx.kv.create("local")
empty = lambda: nd.sparse.zeros("row_sparse", (4, 3))
numbers = lambda *given: nd.array(given, dtype="int64")
"""
_LAYER_SETUP = """
def parameter(**params):
    made = mx.gluon.Parameter("w", shape=(4, 3), **params)
    made.initialize(init=mx.init.One())
    return made
numbers = lambda *given: nd.array(given, dtype="int64")
def train(net, optimizer, **params):
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1, "wd": 0.1, **params})
    for _ in range(2):
        with mx.autograd.record():
            loss = (net(nd.array([1, 3, 3])) * nd.array([[1, 2, 3]])).sum()
        loss.backward()
        trainer.step(1)
"""
# Programs of several lines that leave their answer in `result`.
PROGRAMS: dict[str, str] = {
    "pull_dense_from_rows": _KV_SETUP + "store.init('a', rows)\nresult = nd.ones((4, 3))\nstore.pull('a', out=result)",
    "pull_ignores_sparse": _KV_SETUP + "store.init('a', value)\nresult = empty()\nstore.pull('a', out=result)",
    "pull_sparse": _KV_SETUP
    + "store.init('a', rows)\nresult = empty()\nstore.pull('a', out=result, ignore_sparse=False)",
    "pull_rows": _KV_SETUP
    + "store.init('a', rows)\nresult = empty()\nstore.row_sparse_pull('a', out=result, row_ids=numbers(3, 0, 3))",
    "pull_rows_lists": _KV_SETUP
    + "store.init('a', rows)\nresult = [empty(), empty()]\n"
    + "store.row_sparse_pull('a', out=result, row_ids=[numbers(3, 0), numbers(1)])",
    "pull_rows_one_list": _KV_SETUP
    + "store.init('a', rows)\nresult = [empty(), empty()]\nstore.row_sparse_pull('a', out=result, row_ids=numbers(3))",
    "push_rows": _KV_SETUP
    + "store.init('a', rows)\nstore.push('a', [first, second])\nresult = empty()\n"
    + "store.pull('a', out=result, ignore_sparse=False)",
    "push_rows_to_dense": _KV_SETUP
    + "store.init('a', value)\nstore.push('a', first)\nresult = nd.zeros((4, 3))\nstore.pull('a', out=result)",
    "push_dense_to_rows": _KV_SETUP
    + "store.init('a', rows)\nstore.push('a', nd.ones((4, 3)))\nresult = empty()\n"
    + "store.pull('a', out=result, ignore_sparse=False)",
    "store_updates_rows": _KV_SETUP
    + "store.init('a', rows)\nstore.set_optimizer(mx.optimizer.SGD(learning_rate=1.0))\n"
    + "store.push('a', [first, second])\nresult = empty()\n"
    + "store.row_sparse_pull('a', out=result, row_ids=numbers(0, 1, 2, 3))",
    "store_updates_dense": _KV_SETUP
    + "store.init('a', value)\nstore.set_optimizer(mx.optimizer.SGD(learning_rate=1.0))\n"
    + "store.push('a', [first, second])\nresult = nd.zeros((4, 3))\nstore.pull('a', out=result)",
    "parameter_gradients": _LAYER_SETUP
    + "result = [parameter(grad_stype='row_sparse').grad(), parameter(stype='row_sparse').grad(),\n"
    + "          parameter(stype='row_sparse', grad_stype='row_sparse').grad(), parameter(grad_stype='csr').grad()]",
    "row_sparse_parameter": _LAYER_SETUP
    + "made = parameter(stype='row_sparse', grad_stype='row_sparse')\n"
    + "trainer = mx.gluon.Trainer([made], 'sgd', {'learning_rate': 1.0})\n"
    + "with mx.autograd.record():\n"
    + "    weight = made.row_sparse_data(numbers(1, 3))\n"
    + "    loss = nd.Embedding(nd.array([1, 3]), weight, input_dim=4, output_dim=3, sparse_grad=True).sum()\n"
    + "loss.backward()\n"
    + "result = [made.grad().copy()]\n"
    + "trainer.step(1)\n"
    + "result += [made.row_sparse_data(numbers(0, 1, 2, 3)).copy(), made.list_row_sparse_data(numbers(1))[0]]",
    "row_sparse_parameter_twice": _LAYER_SETUP
    + "made = mx.gluon.Parameter('w', shape=(4, 3), stype='row_sparse')\n"
    + "made.initialize(mx.init.One(), ctx=[mx.cpu(0), mx.cpu(1)])\n"
    + "trainer = mx.gluon.Trainer([made], 'sgd')\nresult = made.list_row_sparse_data(numbers(2))",
    "zeroed_gradient": _LAYER_SETUP
    + "made = parameter(grad_stype='row_sparse')\nmade.zero_grad()\nresult = made.grad()",
    **{
        f"trained_embedding_{number}": _LAYER_SETUP
        + f"net = mx.gluon.nn.Embedding(4, 3, sparse_grad={sparse})\nnet.initialize(mx.init.One())\n"
        + f"train(net, {name!r}, lazy_update={lazy})\nresult = [net.weight.data(), net.weight.grad()]"
        for number, (sparse, name, lazy) in enumerate(
            [
                (True, "sgd", True),
                (True, "sgd", False),
                (False, "sgd", True),
                (True, "adam", True),
                (True, "adam", False),
            ]
        )
    },
    "sparse_embedding": _LAYER_SETUP
    + "net = mx.gluon.contrib.nn.SparseEmbedding(4, 3)\nnet.initialize(mx.init.One())\ntrain(net, 'sgd')\n"
    + "result = net.weight.row_sparse_data(numbers(0, 1, 2, 3))",
    "assignment": "a, b = nd.sparse.zeros('csr', (3, 3)), nd.sparse.zeros('row_sparse', (3, 3))\n"
    "a[:] = d\nb[:] = d\nx, y = nd.sparse.zeros('csr', (3, 3)), nd.sparse.zeros('row_sparse', (3, 3))\n"
    "x[:] = c\ny[:] = 2\nz = nd.sparse.zeros('row_sparse', (3, 3))\nz[:] = np.eye(3)\nresult = [a, b, x, y, z]",
    "in_place": "a, b, x = c.copy(), r.copy(), d.copy()\na += f\nb *= 2\nx += c\nx -= r\na /= 2\nresult = [a, b, x]",
    "copies": "a = c.data\na[:] = 9\nresult = [a, c]",
    "row_updates": "a, b, m = w.copy(), w.copy(), nd.zeros((3, 4))\n"
    "slope = nd.sparse.row_sparse_array((np.ones((1, 4)), [1]), shape=(3, 4), dtype='float32')\n"
    "nd.sparse.sgd_update(a, slope, out=a, lr=1, wd=0.5)\n"
    "nd.sgd_mom_update(b, slope, m, out=b, lr=1, momentum=0.9, wd=0.5)\n"
    "x, n, v = w.copy(), nd.zeros((3, 4)), nd.zeros((3, 4))\n"
    "nd.sparse.adam_update(x, slope, n, v, out=x, lr=0.1)\n"
    "y, h = w.copy(), nd.zeros((3, 4))\nnd.sparse.adagrad_update(y, slope, h, out=y, lr=0.1)\n"
    "z = w.copy()\nnd.sgd_update(z, slope, out=z, lr=1, wd=0.5, lazy_update=False)\n"
    "result = [a, b, m, x, n, v, y, h, z]",
    "graphs": ""
    "ends = np.array([[j for j in range(5) if j != i] for i in range(5)]).reshape(-1)\n"
    "graph = nd.sparse.csr_matrix((np.arange(1, 21), ends, np.arange(0, 21, 4)), shape=(5, 5))\n"
    "vertices = nd.array([0, 2, 3], dtype='int64')\n"
    "result = [nd.contrib.dgl_adjacency(graph), *nd.contrib.dgl_subgraph(graph, vertices, return_mapping=True),\n"
    "          nd.contrib.edge_id(graph, vertices, nd.array([1, 2, 4], dtype='int64')),\n"
    "          nd.contrib.dgl_subgraph(graph, vertices, return_mapping=False)]\n"
    "found = nd.contrib.dgl_csr_neighbor_uniform_sample(graph, nd.array([0, 3], dtype='int64'), num_args=2,\n"
    "    num_hops=1, num_neighbor=10, max_num_vertices=5)\n"
    "result += found\n"
    "result.append(nd.contrib.dgl_graph_compact(found[1], found[0], graph_sizes=(5,), return_mapping=False))\n"
    "result += nd.contrib.dgl_csr_neighbor_non_uniform_sample(graph, nd.array([0.1, 0.2, 0.3, 0.2, 0.2]),\n"
    "    nd.array([0], dtype='int64'), num_args=3, num_hops=1, num_neighbor=10, max_num_vertices=5)",
}


def describe(value: Any) -> Any:
    """A result as JSON: of sparse arrays the storage type, the stored rows and the dense form."""
    if isinstance(value, (list, tuple)) and any(hasattr(item, "stype") for item in value):
        return [describe(item) for item in value]
    if not hasattr(value, "stype"):
        return {"value": value if isinstance(value, (bool, int, str)) else str(value)}
    values = value.asnumpy()
    described: dict[str, Any] = {"stype": value.stype, "shape": list(value.shape), "dtype": str(values.dtype)}
    described["values"] = [
        str(number) if number != number or abs(number) == float("inf") else number
        for number in values.reshape(-1).tolist()
    ]
    if value.stype == "row_sparse":
        described["rows"] = value.indices.asnumpy().tolist()
    return described


def evaluate(mx: Any, topic: str, program: str) -> Any:
    """What a program gives."""
    given = prepare(mx)
    if topic == "gradients":
        return describe(GRADIENTS[program](given))
    if topic == "programs":
        exec(PROGRAMS[program], given)
        return describe(given["result"])
    return describe(eval(program, given))
