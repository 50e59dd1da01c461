"""foreach, while_loop and cond as nodes with subgraphs."""

from tools.oracle.symbols import Entry, each, group

_FOREACH = """
data, state = sym.var('data'), sym.var('state')
w = sym.var('w')
def step(item, s):
    out = item * w + s
    return out, out * 2
outs, states = sym.contrib.foreach(step, data, state)
net = sym.Group([outs, states])
d, s, v = nd.array([[1, 2], [3, 4]]), nd.array([1, 1]), nd.array([10, 1])
"""
_WHILE = """
i, total = sym.var('i'), sym.var('total')
def step(i, t):
    return i * 10, (i + 1, t + i)
outs, states = sym.contrib.while_loop(lambda i, t: i <= 3, step, (i, total), max_iterations=5)
net = sym.Group([*(outs if isinstance(outs, list) else [outs]), *states])
"""
_COND = """
a, b = sym.var('a'), sym.var('b')
net = sym.contrib.cond(a * b < 5, lambda: (a + 5) * (b + 5), lambda: (a - 5) * (b - 5))
"""

ENTRIES: list[Entry] = [
    *group(
        "foreach",
        _FOREACH,
        "net.tojson()",
        "net.list_arguments()",
        "net.list_outputs()",
        "net.eval(data=d, state=s, w=v)",
        "net.infer_shape(data=(3, 2), state=(2,), w=(2,))",
        "type(outs).__name__",
        "type(states).__name__",
        "net.attr_dict()",
        "sym.load_json(net.tojson()).tojson() == net.tojson()",
        "sym.load_json(net.tojson()).eval(data=d, state=s, w=v)",
    ),
    *each(
        "foreach_forms",
        "net",
        "o, s = sym.contrib.foreach(lambda x, s: ([x, x + s[0]], [s[0] + x]), sym.var('x'), [sym.var('s')])\n"
        "net = sym.Group([*o, *s])",
        "o, s = sym.contrib.foreach(lambda x, s: (x[0] + x[1], [s[0], s[1] + x[0]]), [sym.var('x'), sym.var('y')], "
        "[sym.var('s'), sym.var('t')])\nnet = sym.Group([o, *s])",
        "o, s = sym.contrib.foreach(lambda x, s: (x, []), sym.var('x'), [])\nnet = o",
        "o, s = sym.contrib.foreach(lambda x, s: (sym.FullyConnected(x, num_hidden=2, name='fc'), s), "
        "sym.var('x'), sym.var('s'))\n"
        "net = o",
        "o, s = sym.contrib.foreach(lambda x, s: (x + s, x), sym.var('x'), sym.var('s'), name='mine')\nnet = o",
        "o, s = sym.contrib.foreach(lambda x, s: (sym.BatchNorm(x, name='bn'), s), sym.var('x'), sym.var('s'))\n"
        "net = o",
    ),
    *group(
        "while_loop",
        _WHILE,
        "net.tojson()",
        "net.list_arguments()",
        "net.list_outputs()",
        "net.eval(i=nd.array([1]), total=nd.array([0]))[1:]",
        "net.eval(i=nd.array([1]), total=nd.array([0]))[0][:3]",
    ),
    *group(
        "cond",
        _COND,
        "net.tojson()",
        "net.list_arguments()",
        "net.list_outputs()",
        "net.eval(a=nd.array([1]), b=nd.array([2]))",
        "net.eval(a=nd.array([3]), b=nd.array([4]))",
        "net.infer_shape(a=(1,), b=(1,))",
    ),
    *group(
        "gradients",
        _FOREACH,
        "[(e.forward(is_train=True), e.backward([nd.ones((2, 2)), nd.zeros(2)]), e.grad_dict)[2] for e in "
        "[net.bind(mx.cpu(), {'data': d, 'state': s, 'w': v}, "
        "{'data': nd.zeros((2, 2)), 'state': nd.zeros(2), 'w': nd.zeros(2)})]]",
    ),
    *group(
        "nested",
        "def outer(x, s):\n    return sym.contrib.foreach(lambda a, b: (a + b, a * b), x, s)\n"
        "o, s = sym.contrib.foreach(outer, sym.var('x'), sym.var('s'))\nnet = sym.Group([o, s])",
        "net.tojson()",
        "net.eval(x=nd.array([[1, 2], [3, 4]]), s=nd.array([1]))",
    ),
]
