"""backward through bound symbols."""

from tools.oracle.symbols import Entry, group

_TWO = """
x, y = sym.var('x'), sym.var('y')
def run(net, req='write', heads=None, times=1, grads=None, train=True, **args):
    args = {name: nd.array(value) for name, value in args.items()}
    if grads is None:
        grads = {name: nd.ones(value.shape) * 7 for name, value in args.items()}
    e = net.bind(mx.cpu(), args, grads, req)
    for _ in range(times):
        e.forward(is_train=train)
        e.backward(heads)
    return e.grad_dict
"""

ENTRIES: list[Entry] = [
    *group(
        "requests",
        _TWO,
        "run(x * y, heads=nd.array([1, 2]), x=[1, 2], y=[3, 4])",
        "run(x * y, 'write', nd.array([1, 2]), 2, x=[1, 2], y=[3, 4])",
        "run(x * y, 'add', nd.array([1, 2]), x=[1, 2], y=[3, 4])",
        "run(x * y, 'add', nd.array([1, 2]), 2, x=[1, 2], y=[3, 4])",
        "run(x * y, {'x': 'add', 'y': 'null'}, nd.array([1, 2]), x=[1, 2], y=[3, 4])",
        "run(x * y, ['write', 'null'], nd.array([1, 2]), x=[1, 2], y=[3, 4])",
        "run(x * y, 'null', nd.array([1, 2]), x=[1, 2], y=[3, 4])",
        "run(x * y, heads=nd.array([1, 2]), grads={'x': nd.zeros(2)}, x=[1, 2], y=[3, 4])",
        "run(x * y, heads=[nd.array([1, 2])], x=[1, 2], y=[3, 4])",
        "run(x * x, heads=nd.array([1, 2]), x=[1, 2])",
        "run(sym.Group([x * y, x]), heads=[nd.array([1, 2]), nd.array([5, 5])], x=[1, 2], y=[3, 4])",
        "run(sym.split(x, num_outputs=2, axis=0), heads=[nd.array([1]), nd.array([2])], x=[1, 2])",
        "run(sym.BlockGrad(x) * y, heads=nd.array([1, 2]), x=[1, 2], y=[3, 4])",
        "run(x * y, {'x': 'write'}, nd.array([1, 2]), x=[1, 2], y=[3, 4])",
    ),
    *group(
        "losses",
        _TWO,
        "run(sym.SoftmaxOutput(x, y), ['write', 'null'], x=[[1, 2, 3], [1, 1, 1]], y=[0, 2])",
        "run(sym.SoftmaxOutput(x, y, grad_scale=2, normalization='batch'), ['write', 'null'], "
        "x=[[1, 2, 3], [1, 1, 1]], y=[0, 2])",
        "run(sym.SoftmaxOutput(x, y, use_ignore=True, ignore_label=0), ['write', 'null'], "
        "x=[[1, 2, 3], [1, 1, 1]], y=[0, 2])",
        "run(sym.LinearRegressionOutput(x, y), ['write', 'null'], x=[[1, 2], [3, 4]], y=[[0, 0], [1, 1]])",
        "run(sym.LogisticRegressionOutput(x, y), ['write', 'null'], x=[[1, 2], [3, 4]], y=[[0, 0], [1, 1]])",
        "run(sym.MAERegressionOutput(x, y), ['write', 'null'], x=[[1, 2], [3, 4]], y=[[0, 5], [1, 1]])",
        "run(sym.SVMOutput(x, y), ['write', 'null'], x=[[1, 2], [3, 4]], y=[0, 1])",
        "run(sym.MakeLoss(x * y), x=[1, 2], y=[3, 4])",
        "run(sym.MakeLoss(x * y, grad_scale=3), x=[1, 2], y=[3, 4])",
        "run(sym.make_loss(x * y), x=[1, 2], y=[3, 4])",
        "run(sym.Group([sym.MakeLoss(x), sym.BlockGrad(x * y)]), x=[1, 2], y=[3, 4])",
        "run(sym.sum(x * y), heads=nd.array([1]), x=[1, 2], y=[3, 4])",
        "run(sym.smooth_l1(x, scalar=1), heads=nd.ones(2), x=[0.5, 2])",
        "run(sym.MakeLoss(sym.mean(sym.square(x - y))), x=[1, 2], y=[3, 5])",
    ),
    *group(
        "layers",
        _TWO,
        "run(sym.FullyConnected(x, num_hidden=1, name='f'), heads=nd.array([[2]]), x=[[1, 2]], f_weight=[[3, "
        "4]], f_bias=[0])",
        "run(sym.relu(x), heads=nd.array([1, 2]), x=[-1, 3])",
        "run(sym.Activation(x, act_type='tanh'), heads=nd.array([1, 2]), x=[0, 1])",
        "run(sym.concat(x, y, dim=0), heads=nd.array([1, 2, 3, 4]), x=[1, 2], y=[3, 4])",
        "run(sym.broadcast_mul(x, y), heads=nd.ones((2, 2)), x=[[1], [2]], y=[[3, 4]])",
        "run(sym.Embedding(x, input_dim=3, output_dim=1, name='e'), ['null', 'write'], nd.array([[1], [2]]), "
        "x=[2, 2], e_weight=[[1], [2], [3]])",
        "run(sym.dot(x, y), heads=nd.array([[1]]), x=[[1, 2]], y=[[3], [4]])",
        "run(sym.reshape(x, shape=(2, 1)), heads=nd.array([[1], [2]]), x=[1, 2])",
        "run(sym.where(x > 1, x, y), heads=nd.array([1, 2]), x=[1, 2], y=[3, 4])",
        "run(x ** 2 + 3 / y, heads=nd.array([1, 2]), x=[1, 2], y=[3, 4])",
        "run(abs(x) - (-y), heads=nd.array([1, 2]), x=[-1, 2], y=[3, 4])",
        "run(sym.Dropout(x, p=0.5, mode='always') * 0, heads=nd.array([1, 2]), x=[-1, 2])",
        "run(sym.max(x), heads=nd.array([2]), x=[1, 5, 3])",
    ),
    *group(
        "simple_bind",
        "net = sym.LinearRegressionOutput(sym.FullyConnected(sym.var('data'), num_hidden=1, name='fc'), name='out')\n"
        "e = net.simple_bind(mx.cpu(), data=(2, 2), grad_req='write')\n"
        "e.arg_dict['fc_weight'][:] = nd.array([[1, 2]])\n"
        "e.forward(is_train=True, data=nd.array([[1, 1], [2, 0]]), out_label=nd.array([0, 1]))\ne.backward()",
        "e.outputs",
        "e.grad_dict",
        "e.grad_arrays",
        "e.arg_dict['out_label']",
    ),
]
