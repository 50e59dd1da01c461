"""Operators written in Python, and programs that use them, whose answers a real MXNet decides.

`define` registers the operators with whichever library it is given. Programs leave their answer in `result`: numbers,
texts, and lists and dicts of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def define(mx: Any) -> None:
    """Registers all operators."""
    for make in (_sigmoid, _two, _averaged, _loss, _scaled, _counting, _nested, _typed):
        make(mx)


def _sigmoid(mx: Any) -> None:
    class Sigmoid(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            x = in_data[0].asnumpy()
            self.assign(out_data[0], req[0], mx.nd.array(1.0 / (1.0 + np.exp(-x))))

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            y = out_data[0].asnumpy()
            self.assign(in_grad[0], req[0], mx.nd.array(out_grad[0].asnumpy() * y * (1.0 - y)))

    @mx.operator.register("recorded_sigmoid")
    class SigmoidProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Sigmoid()


def _two(mx: Any) -> None:
    class Two(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] + in_data[1])
            self.assign(out_data[1], req[1], in_data[0] * in_data[1])

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] + out_grad[1] * in_data[1])
            self.assign(in_grad[1], req[1], out_grad[0] + out_grad[1] * in_data[0])

    @mx.operator.register("recorded_two")
    class TwoProp(mx.operator.CustomOpProp):
        def list_arguments(self):
            return ["left", "right"]

        def list_outputs(self):
            return ["sum", "product"]

        def infer_shape(self, in_shape):
            known = in_shape[0] or in_shape[1]
            return [known, known], [known, known], []

        def create_operator(self, ctx, shapes, dtypes):
            return Two()


def _averaged(mx: Any) -> None:
    class Averaged(mx.operator.CustomOp):
        def __init__(self, momentum):
            super().__init__()
            self.momentum = momentum

        def forward(self, is_train, req, in_data, out_data, aux):
            if is_train:
                aux[0][:] = aux[0] * self.momentum + in_data[0].mean(axis=0) * (1 - self.momentum)
            self.assign(out_data[0], req[0], mx.nd.broadcast_sub(in_data[0], aux[0].reshape((1, -1))))

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            aux[1][:] += 1
            self.assign(in_grad[0], req[0], out_grad[0])

    @mx.operator.register("recorded_averaged")
    class AveragedProp(mx.operator.CustomOpProp):
        def __init__(self, momentum="0.5"):
            super().__init__(need_top_grad=True)
            self.momentum = float(momentum)

        def list_auxiliary_states(self):
            return ["average", "steps"]

        def infer_shape(self, in_shape):
            return [in_shape[0]], [in_shape[0]], [[in_shape[0][1]], [1]]

        def create_operator(self, ctx, shapes, dtypes):
            return Averaged(self.momentum)


def _loss(mx: Any) -> None:
    class Loss(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], mx.nd.softmax(in_data[0]))

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            one_hot = mx.nd.one_hot(in_data[1], in_data[0].shape[1])
            self.assign(in_grad[0], req[0], out_data[0] - one_hot)
            self.assign(in_grad[1], req[1], 0)

    @mx.operator.register("recorded_loss")
    class LossProp(mx.operator.CustomOpProp):
        def __init__(self):
            super().__init__(need_top_grad=False)

        def list_arguments(self):
            return ["data", "label"]

        def infer_shape(self, in_shape):
            return [in_shape[0], [in_shape[0][0]]], [in_shape[0]], []

        def create_operator(self, ctx, shapes, dtypes):
            return Loss()


def _scaled(mx: Any) -> None:
    class Scaled(mx.operator.CustomOp):
        def __init__(self, factor):
            super().__init__()
            self.factor = factor

        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] * self.factor)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] * self.factor)

    @mx.operator.register("recorded_scaled")
    class ScaledProp(mx.operator.CustomOpProp):
        seen: dict[str, str] = {}

        def __init__(self, factor, **others):
            super().__init__()
            self.factor = float(factor)
            type(self).seen = {"factor": factor, **others}

        def create_operator(self, ctx, shapes, dtypes):
            type(self).made = [str(ctx), shapes, dtypes]
            return Scaled(self.factor)

    mx.operator.ScaledProp = ScaledProp


def _counting(mx: Any) -> None:
    class Counting(mx.operator.CustomOp):
        def __init__(self):
            super().__init__()
            self.count = 0

        def forward(self, is_train, req, in_data, out_data, aux):
            self.count += 1
            self.assign(out_data[0], req[0], in_data[0] + self.count)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] * self.count)

    @mx.operator.register("recorded_counting")
    class CountingProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Counting()


def _nested(mx: Any) -> None:
    class Nested(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] ** 3)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            x = in_data[0].copy()
            x.attach_grad()
            with mx.autograd.record():
                y = x**3
            y.backward(out_grad[0])
            self.assign(in_grad[0], req[0], x.grad)

    @mx.operator.register("recorded_nested")
    class NestedProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Nested()


def _typed(mx: Any) -> None:
    class Typed(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0].astype("float64") * in_data[1].astype("float64"))

    @mx.operator.register("recorded_typed")
    class TypedProp(mx.operator.CustomOpProp):
        def list_arguments(self):
            return ["data", "number"]

        def infer_type(self, in_type):
            return [in_type[0], np.int32], [np.float64], []

        def create_operator(self, ctx, shapes, dtypes):
            return Typed()


PROGRAMS = {
    "eager": """
x = nd.array([[1, -2], [0.5, 3]])
result = nd.Custom(x, op_type='recorded_sigmoid').asnumpy().tolist()
""",
    "eager gradient": """
x = nd.array([[1, -2], [0.5, 3]])
x.attach_grad()
with autograd.record():
    y = nd.Custom(x, op_type='recorded_sigmoid') * 2
y.backward(nd.array([[1, 2], [3, 4]]))
result = x.grad.asnumpy().tolist()
""",
    "gradient added": """
x = nd.array([1, -2])
x.attach_grad(grad_req='add')
for _ in range(3):
    with autograd.record():
        y = nd.Custom(x, op_type='recorded_sigmoid')
    y.backward()
result = x.grad.asnumpy().tolist()
""",
    "used twice": """
x = nd.array([1, -2])
x.attach_grad()
with autograd.record():
    y = nd.Custom(x, op_type='recorded_sigmoid') + nd.Custom(x * 2, op_type='recorded_sigmoid')
y.backward()
result = x.grad.asnumpy().tolist()
""",
    "two outputs": """
a, b = nd.array([1, 2]), nd.array([3, 4])
a.attach_grad(); b.attach_grad()
with autograd.record():
    s, p = nd.Custom(a, b, op_type='recorded_two')
    total = s.sum() + 2 * p.sum()
total.backward()
result = [v.asnumpy().tolist() for v in (s, p, a.grad, b.grad)]
""",
    "one output used": """
a, b = nd.array([1, 2]), nd.array([3, 4])
a.attach_grad(); b.attach_grad()
with autograd.record():
    s, p = nd.Custom(a, b, op_type='recorded_two')
p.backward()
result = [v.asnumpy().tolist() for v in (a.grad, b.grad)]
""",
    "only one gradient": """
a, b = nd.array([1, 2]), nd.array([3, 4])
b.attach_grad()
with autograd.record():
    s, p = nd.Custom(a, b, op_type='recorded_two')
    y = s + p
y.backward()
result = b.grad.asnumpy().tolist()
""",
    "states": """
x, average, steps = nd.array([[1, 2], [3, 4]]), nd.zeros(2), nd.zeros(1)
x.attach_grad()
outputs = []
for _ in range(2):
    with autograd.record():
        y = nd.Custom(x, average, steps, op_type='recorded_averaged', momentum=0.75)
    y.backward()
    outputs.append(y.asnumpy().tolist())
outputs.append(nd.Custom(x, average, steps, op_type='recorded_averaged').asnumpy().tolist())
result = [outputs, average.asnumpy().tolist(), steps.asnumpy().tolist(), x.grad.asnumpy().tolist()]
""",
    "loss": """
x, label = nd.array([[1, 2, 3], [3, 2, 1]]), nd.array([0, 1])
x.attach_grad()
with autograd.record():
    y = nd.Custom(x, label, op_type='recorded_loss')
y.backward(nd.ones((2, 3)) * 100)
result = [y.asnumpy().tolist(), x.grad.asnumpy().tolist()]
""",
    "parameters": """
y = nd.Custom(nd.array([1, 2]), op_type='recorded_scaled', factor=2.5, shape=(1, 2), on=True, nothing=None, name='n')
result = [y.asnumpy().tolist(), sorted(mx.operator.ScaledProp.seen.items()), mx.operator.ScaledProp.made]
""",
    "counting eagerly": """
x = nd.array([1, 2])
result = [nd.Custom(x, op_type='recorded_counting').asnumpy().tolist() for _ in range(3)]
""",
    "nested recording": """
x = nd.array([1, 2])
x.attach_grad()
with autograd.record():
    y = nd.Custom(x, op_type='recorded_nested') * 2
y.backward()
result = x.grad.asnumpy().tolist()
""",
    "dtypes": """
y = nd.Custom(nd.array([1, 2], dtype='float16'), nd.array([3, 4], dtype='int32'), op_type='recorded_typed')
result = [y.asnumpy().tolist(), str(y.dtype)]
""",
    "symbol": """
y = mx.sym.Custom(left=mx.sym.var('x'), op_type='recorded_two', name='pair')
result = [y.list_arguments(), y.list_outputs(), y.list_auxiliary_states(), len(y), y[1].name,
          mx.sym.Custom(mx.sym.var('x'), op_type='recorded_averaged', name='a').list_auxiliary_states()]
""",
    "automatic names": """
y = mx.sym.Custom(mx.sym.var('x'), op_type='recorded_two')
result = [y.list_arguments(), y.list_outputs()]
""",
    "graph text": """
y = mx.sym.Custom(mx.sym.var('x'), op_type='recorded_averaged', momentum=0.25, name='a')
result = y.tojson()
""",
    "attributes": """
y = mx.sym.Custom(mx.sym.var('x'), op_type='recorded_scaled', factor=2, shape=(1, 2), name='s')
result = y.attr_dict()
""",
    "loaded": """
y = mx.sym.load_json(mx.sym.Custom(mx.sym.var('x'), op_type='recorded_scaled', factor=3, name='s').tojson())
result = [y.eval(x=nd.array([1, 2]))[0].asnumpy().tolist(), y.list_arguments(), y.list_outputs()]
""",
    "shapes": """
y = mx.sym.Custom(mx.sym.var('x'), op_type='recorded_two', name='pair')
z = mx.sym.Custom(mx.sym.var('x'), op_type='recorded_loss', name='loss')
a = mx.sym.Custom(mx.sym.var('x'), op_type='recorded_averaged', name='a')
result = [y.infer_shape(x=(2, 3)), y.infer_shape(pair_right=(4,)), z.infer_shape(x=(5, 3)), a.infer_shape(x=(5, 3)),
          y.infer_shape_partial(x=(2, 0))]
""",
    "types": """
y = mx.sym.Custom(mx.sym.var('x'), op_type='recorded_typed', name='t')
z = mx.sym.Custom(mx.sym.var('x'), op_type='recorded_averaged', name='a')
result = [[[str(t) for t in part] for part in s.infer_type(x=d)] for s in (y, z) for d in ('float16', 'float64')]
""",
    "bound": """
y = mx.sym.Custom(mx.sym.var('x'), op_type='recorded_averaged', name='a')
ex = y.simple_bind(mx.cpu(), x=(2, 2), grad_req='add')
ex.arg_dict['x'][:] = [[1, 2], [3, 4]]
result = []
for _ in range(2):
    ex.forward(is_train=True)
    ex.backward(nd.array([[1, 2], [3, 4]]))
    result.append([ex.outputs[0].asnumpy().tolist(), ex.grad_dict['x'].asnumpy().tolist(),
                   {k: v.asnumpy().tolist() for k, v in ex.aux_dict.items()}])
result.append(ex.forward(is_train=False)[0].asnumpy().tolist())
""",
    "bound, requests": """
y = mx.sym.Custom(mx.sym.var('l'), mx.sym.var('r'), op_type='recorded_two')
g = {'l': nd.ones(2) * 10, 'r': nd.ones(2) * 10}
ex = y.bind(mx.cpu(), {'l': nd.array([1, 2]), 'r': nd.array([3, 4])}, g, {'l': 'add', 'r': 'write'})
ex.forward(is_train=True)
ex.backward([nd.array([1, 1]), nd.array([2, 2])])
result = [g['l'].asnumpy().tolist(), g['r'].asnumpy().tolist()]
""",
    "counting in an executor": """
ex = mx.sym.Custom(mx.sym.var('x'), op_type='recorded_counting').simple_bind(mx.cpu(), x=(1,))
result = [ex.forward(is_train=t)[0].asnumpy().tolist() for t in (True, False, True)]
ex.backward(nd.ones(1))
result.append(ex.grad_dict['x'].asnumpy().tolist())
""",
    "inside a graph": """
x = mx.sym.var('x')
h = mx.sym.FullyConnected(x, num_hidden=3, name='fc')
y = mx.sym.Custom(mx.sym.Custom(h, op_type='recorded_sigmoid', name='s'), op_type='recorded_loss', name='softmax')
ex = y.simple_bind(mx.cpu(), x=(2, 4))
for i, (name, a) in enumerate(sorted(ex.arg_dict.items())):
    a[:] = nd.arange(a.size).reshape(a.shape) / 10 - i / 10 if name != 'softmax_label' else nd.array([2, 0])
ex.forward(is_train=True)
ex.backward()
result = [y.list_arguments(), ex.outputs[0].asnumpy().tolist(), ex.grad_dict['fc_weight'].asnumpy().tolist()]
""",
    "module": """
x = mx.sym.var('data')
h = mx.sym.FullyConnected(x, num_hidden=2, name='fc')
y = mx.sym.Custom(data=h, op_type='recorded_loss', name='softmax')
mod = mx.mod.Module(y, label_names=['softmax_label'])
mod.bind([('data', (4, 3))], [('softmax_label', (4,))])
mod.init_params(mx.init.Constant(0.1))
mod.init_optimizer(optimizer='sgd', optimizer_params={'learning_rate': 0.5})
data = nd.arange(12).reshape((4, 3)) / 12
for _ in range(3):
    mod.forward_backward(mx.io.DataBatch([data], [nd.array([0, 1, 1, 0])]))
    mod.update()
result = {k: v.asnumpy().tolist() for k, v in mod.get_params()[0].items()}
""",
    "hybridized": """
class Net(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        s, p = F.Custom(x, x * 2, op_type='recorded_two')
        return F.Custom(s + p, op_type='recorded_scaled', factor=3)
result = []
for active in (False, True):
    net = Net()
    net.hybridize(active)
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    result.append([y.asnumpy().tolist(), x.grad.asnumpy().tolist(), net(x).asnumpy().tolist()])
""",
    "hybridized with states": """
class Net(mx.gluon.HybridBlock):
    def __init__(self, **kw):
        super().__init__(**kw)
        self.average = self.params.get('average', shape=(2,), init='zeros', grad_req='null')
        self.steps = self.params.get('steps', shape=(1,), init='zeros', grad_req='null')
    def hybrid_forward(self, F, x, average, steps):
        return F.Custom(x, average, steps, op_type='recorded_averaged')
result = []
for active in (False, True):
    net = Net(prefix='net_')
    net.initialize()
    net.hybridize(active)
    x = nd.array([[1, 2], [3, 4]])
    x.attach_grad()
    for _ in range(2):
        with autograd.record():
            y = net(x)
        y.backward()
    result.append([y.asnumpy().tolist(), {k: v.data().asnumpy().tolist() for k, v in net.collect_params().items()}])
""",
    "old numpy operator": """
class Triple(mx.operator.NumpyOp):
    def forward(self, in_data, out_data):
        out_data[0][:] = in_data[0] * 3
    def backward(self, out_grad, in_data, out_data, in_grad):
        in_grad[0][:] = out_grad[0] * 3
y = Triple()(mx.sym.var('d'), name='t')
ex = y.simple_bind(mx.cpu(), d=(2,))
ex.arg_dict['d'][:] = nd.array([1, 2])
out = ex.forward(is_train=True)[0].asnumpy().tolist()
ex.backward(nd.array([5, 6]))
result = [out, ex.grad_dict['d'].asnumpy().tolist(), y.list_arguments(), y.list_outputs()]
""",
    "arguments of operators": """
result = [list(mx.operator.get_operator_arguments(n)) for n in
          ('Activation', 'Custom', 'FullyConnected', 'sgd_update', 'LayerNorm', 'relu')]
""",
}

# Comparisons: what test_utils prints and raises.
COMPARISONS = {
    "one": "assert_almost_equal(np.arange(3.), np.arange(3.) + [0, .5, 0])",
    "many": "assert_almost_equal(np.arange(30, dtype='f').reshape(5, 6), np.arange(30, dtype='f').reshape(5, 6) * 1.1)",
    "numbers": "assert_almost_equal(1.0, 2.0)",
    "no axes": "assert_almost_equal(np.array(1.0), np.array(2.0))",
    "arrays": "assert_almost_equal(mx.nd.ones((2, 2)), mx.nd.zeros((2, 2)), names=('x', 'y'))",
    "mixed": "assert_almost_equal(mx.nd.ones(2), np.array([1, 2], 'float64'))",
    "integers": "assert_almost_equal(np.array([1, 2], 'int32'), np.array([1, 3], 'int32'))",
    "half": "assert_almost_equal(np.linspace(0, 1, 9).astype('float16'), np.linspace(0, 2, 9).astype('float16'))",
    "nan": "assert_almost_equal(np.array([1, np.nan, np.inf]), np.array([1, 2, np.inf]))",
    "equal nan": "assert_almost_equal(np.array([1, np.nan]), np.array([1, np.nan]), equal_nan=True)",
    "counted": "assert_almost_equal(np.arange(40.) + 100.5, np.arange(40.) + 200, mismatches=(3, 0))",
    "shapes": "assert_almost_equal(np.ones((2, 3)), np.ones((3, 2)), use_broadcast=False)",
    "tolerances": "assert_almost_equal(np.array([1., 2.]), np.array([1.1, 2.0]), rtol=0.2)",
    "by dtype": "assert_almost_equal(np.ones(2), np.array([1.1, 1.]), atol={np.dtype('float64'): 0.01}, rtol=0)",
    "close": "assert_allclose(np.array([1., 2.]), np.array([1., 2.001]))",
    "rate": "assert_almost_equal_with_err(np.arange(10.), np.arange(10.) + np.eye(10)[3], etol=0.05)",
    "rate passes": "assert_almost_equal_with_err(np.arange(10.), np.arange(10.) + np.eye(10)[3], etol=0.2)",
    "ignored nan": "assert_almost_equal_ignore_nan(np.array([np.nan, 1.]), np.array([3., 2.]))",
    "tuple": "compare_ndarray_tuple((mx.nd.ones(1), (mx.nd.ones(1), None)), (mx.nd.ones(1), (mx.nd.zeros(1), None)))",
    "forward": "check_symbolic_forward(mx.sym.var('x') * 2, [np.array([1., 2.])], [np.array([2., 5.])])",
    "backward": "check_symbolic_backward(mx.sym.var('x') * 2, [np.ones(2)], [np.ones(2)], [np.array([2., 3.])])",
}

# Draws that follow from NumPy's seed.
DRAWS = [
    "random_arrays((2,), (1, 2))",
    "random_arrays((2, 2))",
    "random_arrays(())",
    "random_uniform_arrays((2,), (1,), low=1, high=3)",
    "random_sample([1, 2, 3, 4], 2)",
    "rand_shape_2d()",
    "rand_shape_3d(3, 4, 5, allow_zero_size=True)",
    "rand_shape_nd(4, 6)",
    "rand_coord_2d(0, 5, 10, 20)",
    "rand_ndarray((2, 2)).asnumpy()",
    "rand_ndarray((5, 2), 'row_sparse').asnumpy()",
    "rand_sparse_ndarray((5, 2), 'row_sparse', rsp_indices=np.array([1, 3]), modifier_func=lambda v: v * 2)[1][0]",
    "create_sparse_array((4, 2), 'row_sparse', data_init=3, rsp_indices=[2, 0]).asnumpy()",
    "create_sparse_array_zd((4, 2), 'row_sparse', 0.5, rsp_indices=[1]).asnumpy()",
    "new_matrix_with_real_eigvals_2d(2)",
    "new_matrix_with_real_eigvals_nd((2, 3, 3))",
    "new_orthonormal_matrix_2d(2)",
    "new_sym_matrix_with_real_eigvals_nd((2, 2, 2))",
    "np_reduce(np.arange(12.).reshape(2, 3, 2), (0, 2), True, np.sum)",
    "np_reduce(np.arange(12.).reshape(2, 3, 2), 1, False, np.max)",
    "collapse_sum_like(np.arange(12.).reshape(2, 3, 2), (3, 1))",
    "assign_each(np.arange(3.), lambda v: v + 1)",
    "assign_each2(np.arange(3.), np.arange(3.), lambda a, b: a * b)",
    "create_2d_tensor(2, 3).asnumpy()",
    "create_vector(3).asnumpy()",
    "get_identity_mat_batch(2).asnumpy()",
    "simple_forward(mx.sym.var('x') * 2, x=np.ones(2))",
    "gen_buckets_probs_with_ppf(lambda p: p * 2, 4)",
    "mean_check(lambda n: np.random.normal(0, 1, n), 0, 1, 1000)",
    "var_check(lambda n: np.random.normal(0, 1, n), 1, 1000)",
    "mean_check(lambda n: np.random.normal(1, 1, n), 0, 1, 1000)",
    "same(np.ones(2), np.ones(2))",
    "almost_equal(np.ones(2), np.ones(2) + 1e-6)",
    "get_tols(np.ones(1, 'float16'), np.ones(1), None, None)",
    "sorted((str(k), v) for k, v in default_rtols().items())",
    "sorted((str(k), v) for k, v in default_atols().items())",
    "sorted((str(k), v) for k, v in default_numeric_eps().items())",
    "same_symbol_structure(mx.sym.var('x') + 1, mx.sym.var('y') + 2)",
    "same_symbol_structure(mx.sym.var('x') + 1, mx.sym.var('y') * 2)",
]
