"""Short programs on graphs with sparse arrays whose results a real MXNet decides.

Each leaves its answer in `result`. At hand are the arrays of `sparse_programs.prepare` and what SETUP defines: `x` and
`y` are csr, `a` and `b` row_sparse, `u` and `v` dense variables.
"""

from __future__ import annotations

from typing import Any

from tools.oracle.sparse_module_programs import MODULE_PROGRAMS

SETUP = """
sym = mx.sym
x, y = sym.var('x', stype='csr'), sym.var('y', stype='csr')
a, b = sym.var('a', stype='row_sparse'), sym.var('b', stype='row_sparse')
u, v = sym.var('u'), sym.var('v')

def stypes(executor):
    grads = executor.grad_dict
    held = [f'{name} {array.stype}' for name, array in sorted(executor.arg_dict.items())]
    held += [f'grad of {name} {array.stype}' for name, array in sorted(grads.items()) if array is not None]
    return held + [output.stype for output in executor.outputs]

def filled(symbol, grad_req='write', **values):
    executor = symbol.simple_bind(mx.cpu(), grad_req=grad_req, **{name: each.shape for name, each in values.items()})
    for name, each in values.items():
        executor.arg_dict[name][:] = each
    return executor

def trained(symbol, out_grads, wanted='', **values):
    executor = filled(symbol, {name: 'write' for name in wanted} or 'write', **values)
    executor.forward(is_train=True)
    executor.backward(out_grads)
    grads = executor.grad_dict
    return [*executor.outputs, *(grads[name] for name in sorted(grads) if grads[name] is not None)]
"""

_UNARY = (
    *("abs", "arcsin", "arctan", "cbrt", "ceil", "cos", "degrees", "exp", "expm1", "floor", "identity", "log1p"),
    *("make_loss", "negative", "radians", "relu", "rint", "round", "sigmoid", "sign", "sin", "sqrt", "square", "tanh"),
    *("trunc", "BlockGrad", "zeros_like"),
)
_BINARY = ("elemwise_add", "elemwise_sub", "elemwise_mul", "elemwise_div", "broadcast_add", "broadcast_mul", "add_n")

# A symbol, and the shapes of its arguments: what is sparse in it, and which gradients.
STYPES: dict[str, str] = {
    **{
        f"{name}({variable})": f"sym.{name}({variable}), {{'{variable}': (4, 2)}}"
        for name in _UNARY
        for variable in "xa"
    },
    **{
        f"dot(x, {name}(a))": f"sym.dot(x, sym.{name}(a)), {{'x': (3, 4), 'a': (4, 2)}}"
        for name in (*_UNARY, "identity")
    },
    **{
        f"{name}({first}, {second})": f"sym.{name}({first}, {second}), {{'{first}': (4, 2), '{second}': (4, 2)}}"
        for name in _BINARY
        for first, second in ("ab", "au", "ua", "xy", "xu", "uv")
    },
    **{
        f"dot({first}, {second}, {flags})": (
            f"sym.dot({first}, {second}, {flags}), {{'{first}': (4, 4), '{second}': (4, 4)}}"
        )
        for first, second in ("xu", "xa", "ux", "uv", "au")
        for flags in ("transpose_a=False", "transpose_a=True", "transpose_b=True")
    },
    "scalars": "sym.dot(x, (a * 2 + 0) / 2 - 0), {'x': (3, 4), 'a': (4, 2)}",
    "embedding": "sym.Embedding(u, v, input_dim=5, output_dim=2), {'u': (3,)}",
    "embedding_sparse": "sym.Embedding(u, v, input_dim=5, output_dim=2, sparse_grad=True), {'u': (3,)}",
    "embedding_rows": "sym.Embedding(u, a, input_dim=5, output_dim=2, sparse_grad=True), {'u': (3,)}",
    "embedding_of_rows": "sym.sparse.Embedding(u, a, input_dim=5, output_dim=2), {'u': (3,)}",
    "sparse_embedding": "sym.contrib.SparseEmbedding(u, v, input_dim=5, output_dim=2), {'u': (3,)}",
    "sparse_embedding_rows": "sym.contrib.SparseEmbedding(u, a, input_dim=5, output_dim=2), {'u': (3,)}",
    "embedding_twice": (
        "sum(sym.Embedding(each, v, input_dim=5, output_dim=2, sparse_grad=True) for each in (u, u)), {'u': (3,)}"
    ),
    "embedding_and_dense": (
        "sym.Group([sym.Embedding(u, v, input_dim=5, output_dim=2, sparse_grad=True), v * 2]), {'u': (3,)}"
    ),
    "dot_and_dense": "sym.Group([sym.dot(x, u), u * 2]), {'x': (3, 4), 'u': (4, 2)}",
    "square_sum": "sym._internal._square_sum(a, axis=1), {'a': (4, 2)}",
    "square_sum_keepdims": "sym._internal._square_sum(a, axis=1, keepdims=True), {'a': (4, 2)}",
    "cast_storage_csr": "sym.cast_storage(u, stype='csr'), {'u': (4, 2)}",
    "cast_storage_rows": "sym.sparse.cast_storage(u, stype='row_sparse'), {'u': (4, 2)}",
    "cast_storage_dense": "sym.cast_storage(a, stype='default'), {'a': (4, 2)}",
    "sum": "sym.sparse.sum(x, axis=0), {'x': (4, 2)}",
    "fully_connected": "sym.FullyConnected(x, num_hidden=3, name='fc'), {'x': (4, 2)}",
    "variable": "x, {'x': (4, 2)}",
    "regression": "sym.LogisticRegressionOutput(sym.dot(x, u), v), {'x': (3, 4), 'u': (4, 1)}",
    "products_and_dense": "x * u + v, {'x': (4, 2), 'u': (4, 2), 'v': (4, 2)}",
    "dot_as_csr": "sym.dot(x, u, forward_stype='csr'), {'x': (3, 4), 'u': (4, 2)}",
    "dot_as_rows": "sym.dot(x, u, transpose_a=True, forward_stype='row_sparse'), {'x': (3, 4), 'u': (3, 2)}",
    "dot_as_dense": "sym.dot(x, u, transpose_a=True, forward_stype='default'), {'x': (3, 4), 'u': (3, 2)}",
    "unused_output": "sym.SliceChannel(a, num_outputs=2)[0], {'a': (4, 2)}",
    "where": "sym.where(x, u, v), {'x': (4, 2), 'u': (4, 2), 'v': (4, 2)}",
}

_CUSTOM = """
class Squares(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        seen.append([each.stype for each in (*in_data, *out_data)])
        self.assign(out_data[0], req[0], nd.sparse.square(in_data[0]))
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        seen.append([each.stype for each in (*out_grad, *in_data, *out_data, *in_grad)])
        slope = 2 * in_data[0].tostype('default') * out_grad[0].tostype('default')
        self.assign(in_grad[0], req[0], slope.tostype(in_grad[0].stype))

class SquaresProp(mx.operator.CustomOpProp):
    def infer_storage_type(self, in_stype):
        return in_stype, in_stype, []
    def infer_storage_type_backward(self, ograd_stype, in_stype, out_stype, igrad_stype, aux_stype):
        told.append([list(each) for each in (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype)])
        return ograd_stype, in_stype, out_stype, in_stype, aux_stype
    def create_operator(self, ctx, shapes, dtypes):
        return Squares()

seen, told = [], []
mx.operator.register('sparse_squares')(SquaresProp)

class ToMatrix(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        out_data[0][:] = (in_data[0] * 2).tostype('csr')

class ToMatrixProp(mx.operator.CustomOpProp):
    def infer_storage_type(self, in_stype):
        return in_stype, ['csr'], []
    def create_operator(self, ctx, shapes, dtypes):
        return ToMatrix()

mx.operator.register('sparse_to_matrix')(ToMatrixProp)

class Doubles(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * 2)
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        rows = nd.sparse.row_sparse_array((nd.ones((1, 3)), [1]), shape=(3, 3))
        self.assign(in_grad[0], req[0], rows if in_grad[0].stype == 'row_sparse' else nd.ones((3, 3)))

class DoublesProp(mx.operator.CustomOpProp):
    def infer_storage_type_backward(self, ograd_stype, in_stype, out_stype, igrad_stype, aux_stype):
        return ograd_stype, in_stype, out_stype, ['row_sparse'], aux_stype
    def create_operator(self, ctx, shapes, dtypes):
        return Doubles()

mx.operator.register('sparse_slope')(DoublesProp)

class Plain(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Doubles()

mx.operator.register('sparse_unaware')(Plain)

def differentiated(value, **params):
    value.attach_grad(**({'stype': params.pop('stype')} if 'stype' in params else {}))
    with mx.autograd.record():
        out = nd.Custom(value, **params)
    out.backward()
    nd.waitall()
    return [out, value.grad, str(seen), str(told)]
"""

PROGRAMS: dict[str, str] = {
    "product": "result = trained(sym.sparse.dot(x, u), [w], 'u', x=c, u=w)",
    "product_of_rows": "result = trained(sym.dot(x, a), [w], 'a', x=c, a=w.tostype('row_sparse'))",
    "product_transposed": "result = trained(sym.dot(x, u, transpose_a=True), [w], 'u', x=c, u=w)",
    "product_of_computed": "result = trained(sym.dot(x, sym.square(a)), [w], 'a', x=c, a=w.tostype('row_sparse'))",
    "sums": "result = trained(a + b, [d.tostype('row_sparse')], a=r, b=g)",
    "products": "result = trained(x * u, [d.tostype('csr')], x=c, u=d + 1)",
    "dense_results": "result = trained(sym.exp(x), [d], x=c)",
    "sum_over_axis": "result = trained(sym.sparse.sum(x, axis=1), [w[:, 1]], x=c)",
    "fully_connected": "result = trained(sym.FullyConnected(x, u, num_hidden=4, no_bias=True), [w], x=c, u=w.T)",
    "embedding": """
result = trained(sym.Embedding(u, v, input_dim=5, output_dim=2, sparse_grad=True), [w[:, :2]], 'v',
    u=nd.array([1, 3, 1]), v=nd.array(np.arange(10).reshape(5, 2)))
""",
    "embedding_of_rows": """
result = trained(sym.Embedding(u, a, input_dim=5, output_dim=2, sparse_grad=True), [w[:, :2]], 'a',
    u=nd.array([1, 3, 1]), a=nd.array(np.arange(10).reshape(5, 2)).tostype('row_sparse'))
""",
    "square_sum": "result = trained(sym._internal._square_sum(a, axis=1), [nd.array([1, 2, 3])], a=r)",
    "cast_storage": "result = trained(sym.cast_storage(u, stype='row_sparse') * 2, [d.tostype('row_sparse')], u=d)",
    "several": "result = trained(sym.Group([sym.dot(x, u), sym.sqrt(x), x]), [w, c, c], 'u', x=c, u=w)",
    "added": """
executor = filled(sym.dot(x, u), {'u': 'add'}, x=c, u=w)
for _ in range(2):
    executor.forward(is_train=True)
    executor.backward([w])
result = [executor.grad_dict['u']]
""",
    "again": """
executor = filled(sym.dot(x, u), x=c, u=w)
first = executor.forward()[0]
executor.arg_dict['x'][:] = f
executor.forward()
result = [first, executor.outputs[0]]
""",
    "fed": """
executor = filled(sym.square(x), x=c)
result = [executor.forward(x=f)[0].copy(), executor.arg_dict['x']]
""",
    "eval": "result = [*sym.dot(x, u).eval(mx.cpu(), x=c, u=w), *(u + v).eval(mx.cpu(), u=r, v=g)]",
    "bind": """
executor = sym.dot(u, v).bind(mx.cpu(), [c, w], [None, nd.sparse.zeros('row_sparse', (3, 4))])
executor.forward(is_train=True)
executor.backward(w)
result = [executor.outputs[0], executor.grad_arrays[1]]
""",
    "bind_dense_gradients": """
executor = sym.dot(u, v).bind(mx.cpu(), [c, w], {'v': nd.zeros((3, 4))})
executor.forward(is_train=True)
executor.backward(w)
result = [executor.outputs[0], executor.grad_dict['v']]
""",
    "copied": """
executor = filled(sym.dot(x, a), x=c, a=nd.sparse.zeros('row_sparse', (3, 4)))
executor.copy_params_from({'a': w.tostype('row_sparse')})
result = [executor.arg_dict['a'], executor.forward()[0]]
""",
    "stype_dict": """
executor = sym.dot(u, v).simple_bind(mx.cpu(), u=(3, 4), v=(4, 2),
    stype_dict={'u': 'csr', 'v': 'row_sparse'})
result = stypes(executor)
""",
    "outputs_before": """
executor = sym.Group([sym.sqrt(x), sym.dot(x, u, transpose_a=True)]).simple_bind(mx.cpu(), x=(3, 2),
    u=(3, 4), grad_req='null')
result = [*executor.outputs, *executor.forward()]
""",
    "json": """
result = [sym.load_json(sym.dot(x, a).tojson()).attr_dict()['x']['__storage_type__'],
    *sym.load_json(sym.square(x).tojson()).simple_bind(mx.cpu(), grad_req='null', x=(2, 2)).outputs]
""",
    "hybrid": """
class Net(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, data, weight):
        return F.sparse.dot(data, weight), F.square(data)
net = Net()
net.hybridize()
weight = w.copy()
weight.attach_grad(stype='row_sparse')
with mx.autograd.record():
    first, second = net(c, weight)
first.backward()
result = [first, second, weight.grad, *net(f, weight)]
""",
    "custom": _CUSTOM + "result = differentiated(c, op_type='sparse_squares')",
    "custom_rows": _CUSTOM + "result = differentiated(r, op_type='sparse_squares')",
    "custom_dense": _CUSTOM + "result = differentiated(d, op_type='sparse_squares')",
    "custom_result": _CUSTOM + "result = nd.Custom(d, op_type='sparse_to_matrix')",
    "custom_gradient": _CUSTOM + "result = differentiated(d, op_type='sparse_slope', stype='row_sparse')[:2]",
    "custom_unaware": _CUSTOM
    + """
result = nd.Custom(c, op_type='sparse_unaware')
result.wait_to_read()
""",
    "custom_graph": _CUSTOM
    + """
executor = filled(sym.Custom(x, op_type='sparse_squares'), x=c)
result = stypes(executor)
executor.forward(is_train=True)
executor.backward([c])
nd.waitall()
result += [executor.outputs[0], executor.grad_dict['x'], str(seen)]
""",
    "custom_inside": _CUSTOM
    + """
executor = filled(sym.dot(x, sym.Custom(a, op_type='sparse_squares')), {'a': 'write'}, x=c,
    a=w.tostype('row_sparse'))
result = stypes(executor)
executor.forward(is_train=True)
executor.backward([w])
nd.waitall()
result += [executor.outputs[0], executor.grad_dict['a'], str(seen)]
""",
    "custom_result_graph": _CUSTOM
    + """
executor = sym.Custom(u, op_type='sparse_to_matrix').simple_bind(mx.cpu(),
    u=(3, 3), grad_req='null')
executor.arg_dict['u'][:] = d
result = [*executor.outputs, *executor.forward()]
""",
    "refused_stype": "result = sym.var('q', stype='coo')",
    "refused_shape": "sym.dot(x, u).bind(mx.cpu(), [c, nd.ones((2, 2))])",
    "refused_name": """
executor = filled(sym.square(x), x=c)
executor.forward(z=c)
""",
    "refused_assignment": """
executor = filled(sym.square(x), x=c)
executor.arg_dict['x'][:] = r
""",
    **MODULE_PROGRAMS,
}


def evaluate_graph(given: dict[str, Any], topic: str, program: str) -> Any:
    """What a program leaves behind, with the arrays of `given` at hand."""
    exec(SETUP, given)
    if topic == "stypes":
        exec(f"made, shapes = {STYPES[program]}\nresult = stypes(made.simple_bind(mx.cpu(), **shapes))", given)
    else:
        exec(PROGRAMS[program], given)
    return given["result"]
