"""eval, bind, simple_bind, forward, reshape, monitors."""

from tools.oracle.symbols import Entry, group

_MLP = """
data = sym.var('data')
net = sym.FullyConnected(data, num_hidden=2, name='fc')
args = {'data': nd.array([[1, 2, 3]]), 'fc_weight': nd.array([[1, 0, -1], [2, 2, 2]]), 'fc_bias': nd.array([10, 20])}
"""
_NORM = """
x = sym.var('x')
net = sym.BatchNorm(x, fix_gamma=False, eps=0.5, momentum=0.5, name='bn')
args = {'x': nd.array([[1, 10], [3, 30]]), 'bn_gamma': nd.array([1, 2]), 'bn_beta': nd.array([0, 5])}
aux = {'bn_moving_mean': nd.array([1, 1]), 'bn_moving_var': nd.array([2, 2])}
"""
_SIMPLE = """
net = sym.FullyConnected(sym.relu(sym.var('data')), num_hidden=2, name='fc')
e = net.simple_bind(mx.cpu(), data=(3, 4))
"""

ENTRIES: list[Entry] = [
    *group(
        "eval",
        "x, y = sym.var('x'), sym.var('y')\na, b = nd.array([1, 2]), nd.array([3, 5])",
        "(x + y).eval(x=a, y=b)",
        "(x + y).eval(mx.cpu(), x=a, y=b)",
        "(x + y).eval(ctx=mx.cpu(), x=a, y=b)",
        "type((x + y).eval(x=a, y=b)).__name__",
        "sym.Group([x * 2, x + y]).eval(x=a, y=b)",
        "x.eval(x=a)",
        "(x + y).eval(x=a.astype('float16'), y=b.astype('float16'))",
        "(x * y).eval(x=nd.array([1, 2], dtype='int32'), y=nd.array([3, 4], dtype='int32'))",
        "sym.split(x, num_outputs=2, axis=0)[1].eval(x=a)",
        "sym.Dropout(x, p=0.5).eval(x=a)",
        "(x + x).eval(x=a)",
        "x.get_internals().eval(x=a)",
    ),
    *group(
        "bind",
        _MLP,
        "net.bind(mx.cpu(), args).forward()",
        "net.bind(mx.cpu(), list(args.values())).forward()",
        "[output.shape for output in net.bind(mx.cpu(), args).outputs]",
        "net.bind(mx.cpu(), args).arg_dict",
        "[a.shape for a in net.bind(mx.cpu(), args).arg_arrays]",
        "net.bind(mx.cpu(), args).aux_dict",
        "net.bind(mx.cpu(), args).grad_arrays",
        "net.bind(mx.cpu(), args, args_grad={'data': nd.zeros((1, 3))}).grad_arrays",
        "net.bind(mx.cpu(), args).forward(data=nd.array([[0, 0, 1]]))",
        "net.bind(mx.cpu(), args).forward(is_train=True)",
        "[(e.forward(), args['fc_bias'].__setitem__(slice(None), 0), e.forward()[0].asnumpy())[2] for "
        "e in [net.bind(mx.cpu(), args)]]",
        "[(e.forward(), e.output_dict) for e in [net.bind(mx.cpu(), args)]]",
        "net.bind(mx.cpu(), {**args, 'fc_weight': args['fc_weight']}).forward()[0].shape",
        "type(net.bind(mx.cpu(), args)).__name__",
        "net.bind(mx.cpu(), args, grad_req='null').forward()",
        "net.bind(mx.cpu(), args, group2ctx={'g': mx.cpu(1)}).forward()",
    ),
    *group(
        "states",
        _NORM,
        "net.bind(mx.cpu(), args, aux_states=aux).forward(is_train=False)",
        "net.bind(mx.cpu(), args, aux_states=list(aux.values())).forward(is_train=False)",
        "net.bind(mx.cpu(), args, aux_states=aux).forward(is_train=True)",
        "net.bind(mx.cpu(), args, aux_states=aux).aux_dict",
        "net.bind(mx.cpu(), args, aux_states=aux).aux_arrays",
        "[(e.forward(is_train=True), e.backward(nd.ones((2, 2))), e.aux_dict)[2] for e in "
        "[net.bind(mx.cpu(), args, args_grad={'x': nd.zeros((2, 2))}, aux_states=aux)]]",
        "net.eval(**args, **aux)",
    ),
    *group(
        "simple_bind",
        _SIMPLE,
        "e.arg_dict",
        "e.grad_dict",
        "[a.shape for a in e.arg_arrays]",
        "[o.shape for o in e.outputs]",
        "e.forward()",
        "e.aux_dict",
        "e.arg_dict['data'].context",
        "net.simple_bind(mx.cpu(), data=(3, 4), grad_req='null').grad_dict",
        "net.simple_bind(mx.cpu(), grad_req={'fc_weight': 'write', 'data': 'null', 'fc_bias': 'add'}, data=(3, "
        "4)).grad_dict",
        "net.simple_bind(mx.cpu(), grad_req=['null', 'write', 'null'], data=(3, 4)).grad_dict",
        "net.simple_bind(mx.cpu(), type_dict={'data': 'float16'}, data=(3, 4)).arg_dict['fc_weight'].dtype",
        "net.simple_bind(mx.cpu(), type_dict={'data': np.float64}, data=(3, 4)).outputs[0].dtype",
        "[(e.copy_params_from({'fc_weight': nd.ones((2, 4)), 'fc_bias': nd.array([1, 2])}), "
        "e.forward(data=nd.ones((3, 4))))[1]]",
        "e.copy_params_from({'fc_weight': nd.ones((2, 4)), 'extra': nd.ones(1)}, allow_extra_params=True)",
        "[(e.arg_dict['data'].__setitem__(slice(None), 1), e.arg_dict['fc_weight'].__setitem__(slice(None), 2), "
        "e.forward())[2]]",
        "e.reshape(data=(2, 4)).outputs[0].shape",
        "e.reshape(allow_up_sizing=True, data=(5, 4)).outputs[0].shape",
        "[(e.arg_dict['fc_weight'].__setitem__(slice(None), 2), e.reshape(data=(1, 4)).arg_dict['fc_weight'])[1]]",
        "sorted(e.arg_dict)",
        "sorted(e.output_dict)",
    ),
    *group(
        "monitors",
        "seen = []\nx = sym.var('x')\nnet = sym.relu(sym.FullyConnected(x, num_hidden=2, name='fc'), name='r')\n"
        "e = net.simple_bind(mx.cpu(), x=(1, 3))\n"
        "note = lambda name, array: seen.append(name.decode() if isinstance(name, bytes) else str(name))",
        "[e.set_monitor_callback(note), e.forward(), seen][2]",
        "[e.set_monitor_callback(note, monitor_all=True), e.forward(), seen][2]",
    ),
    *group(
        "kinds",
        "x = sym.var('x')\na = nd.array([[1, 2], [3, 4]])",
        "sym.Embedding(x, input_dim=3, output_dim=2, name='e').eval(x=nd.array([0, 2]), e_weight=nd.array([[1, "
        "2], [3, 4], [5, 6]]))",
        "sym.Convolution(x, kernel=(1,), num_filter=1, name='c').eval(x=nd.array([[[1, 2], [3, 4]]]), "
        "c_weight=nd.array([[[1], [10]]]), c_bias=nd.array([100]))",
        "sym.LeakyReLU(x, act_type='prelu', name='l').eval(x=-a, l_gamma=nd.array([0.5, 0.25]))",
        "sym.LayerNorm(x, name='l').eval(x=a, l_gamma=nd.ones(2), l_beta=nd.zeros(2))",
        "sym.SoftmaxOutput(x, name='s').eval(x=a, s_label=nd.array([0, 1]))",
        "sym.topk(x, k=1, ret_typ='both').eval(x=a)",
        "sym.concat(x, x * 2, dim=1).eval(x=a)",
        "sym.where(x > 2, x, -x).eval(x=a)",
        "sym.take(x, sym.var('i')).eval(x=a, i=nd.array([1, 0, 1]))",
        "sym.batch_dot(x.reshape((1, 2, 2)), x.reshape((1, 2, 2))).eval(x=a)",
        "sym.Pooling(x.reshape((1, 1, 2, 2)), kernel=(2, 2), pool_type='avg').eval(x=a)",
        "sym.sum(x, axis=0).eval(x=a)",
        "sym.RNN(x, state_size=1, num_layers=1, mode='rnn_relu', name='r').eval(x=nd.ones((2, 1, 1)), "
        "r_parameters=nd.ones(4), "
        "r_state=nd.zeros((1, 1, 1)))",
        "sym.contrib.box_iou(x, x).eval(x=nd.array([[0, 0, 2, 2], [1, 1, 3, 3]]))",
        "sym.UpSampling(x, scale=2, sample_type='nearest').eval(x=a.reshape((1, 1, 2, 2)))",
    ),
]
