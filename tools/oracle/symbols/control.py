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
    *each(
        "bodies_read",
        "net",
        *(
            f"w, y = sym.var('w', lr_mult=2, shape=(2,)), sym.relu(sym.var('v'), name='y')\n{line}"
            for line in (
                "net = sym.contrib.foreach(lambda x, s: (x * w + y, s + x), sym.var('d'), sym.relu(sym.var('q')))[0]",
                "p = sym.split(y, num_outputs=2, name='p')\n"
                "net = sym.contrib.foreach(lambda x, s: (x + p[1] + p[0], s + x), sym.var('d'), sym.var('s'))[0]",
                "o, s = sym.contrib.foreach(lambda x, s: ([x, w, y, y], s), sym.var('d'), sym.var('s'))\nnet = o[2]",
                "net = sym.contrib.while_loop(lambda i: i < w, lambda i: (i + w, i + 1), sym.var('i'), 3)[0]",
                "net = sym.contrib.while_loop(lambda i: i < y, lambda i: (i + y, i + 1), sym.var('i'), 3)[0]",
                "net = sym.contrib.cond(w < 1, lambda: y + w, lambda: y - w)",
                "net = sym.contrib.cond(w < 1, lambda: [y, w], lambda: [w, y])[1]",
                "def step(x, s):\n"
                "    z = x + y\n"
                "    return sym.contrib.cond(z < w, lambda: z, lambda: s), s + w\n"
                "net = sym.contrib.foreach(step, sym.var('d'), sym.var('s'))[0]",
            )
        ),
    ),
    *each(
        "foreach_refused",
        "net",
        "net = sym.contrib.foreach(lambda x, s: (s + 1, s + 2), sym.var('d'), sym.var('s'))",
        "net = sym.contrib.foreach(lambda x, s: (x, x + 2), sym.var('d'), sym.var('s'))",
        "net = sym.contrib.foreach(lambda x, s: (x, [s]), sym.var('d'), sym.var('s'))",
        "net = sym.contrib.foreach(lambda x, s: (x, s), nd.ones(3), sym.var('s'))",
        "net = sym.contrib.foreach(lambda x, s: (x[0] + x[1], s), [sym.var('d'), sym.var('d')], sym.var('s'))",
        "net = sym.contrib.foreach(lambda x, s: (x, 3), sym.var('d'), sym.var('s'))",
        "net = sym.contrib.while_loop(lambda i: i < 3, lambda i: (i, i + 1), sym.var('i'))",
        "net = sym.contrib.while_loop(lambda i: True, lambda i: (i, i + 1), sym.var('i'), max_iterations=3)",
        "net = sym.contrib.while_loop(lambda i: i < 3, lambda i: (i, []), [sym.var('i')], max_iterations=3)",
        "net = sym.contrib.while_loop(lambda i: i < 3, lambda i: ([], []), [], max_iterations=3)",
        "net = sym.contrib.while_loop(lambda i, j: i < 3, lambda i, j: (i, [i, i]), [sym.var('i'), sym.var('j')], 3)",
        "net = sym.contrib.cond(sym.var('p'), lambda: sym.var('a'), lambda: [sym.var('a'), sym.var('b')])",
    ),
    *group(
        "inferring",
        "o, s = sym.contrib.foreach(lambda x, s: (sym.FullyConnected(x, num_hidden=2, name='fc'), s + x), "
        "sym.var('x'), sym.var('s'))\n"
        "b = sym.contrib.foreach(lambda x, s: (sym.BatchNorm(x, name='bn'), s + 1), sym.var('x'), sym.var('s'))[0]\n"
        "w = sym.contrib.while_loop(lambda i: sym.sum(i) < 9, lambda i: (sym.dot(i, i), i + 1), sym.var('i'), 4)",
        "o.infer_shape(x=(3, 4, 5))",
        "o.infer_shape(x=(3, 4, 5), s=(4, 5))",
        "o.infer_type(x='float64', s='float64')",
        "b.infer_shape(x=(3, 4, 5), s=(1,))",
        "b.list_auxiliary_states()",
        "w[0].infer_shape(i=(2, 2))",
        "w[1].infer_shape(i=(2, 2))",
        "b.list_arguments()",
    ),
    *group(
        "running",
        "x = sym.var('x')\n"
        "z = sym.contrib.while_loop(lambda i: i < 0, lambda i: (i * 2, i + 1), x, max_iterations=2)\n"
        "t = sym.contrib.while_loop(lambda i, y: i < 2, lambda i, y: (y * y, [i + 1, y * 3]), [sym.var('i'), x], 3)[1]",
        "z[1].eval(x=nd.array([4]))",
        "z[0].eval(x=nd.array([4]))[0].shape",
        "[(f.forward(is_train=True), f.backward([nd.zeros(1), nd.ones(2)]), f.grad_dict)[2] for f in "
        "[sym.Group(t).bind(mx.cpu(), {'i': nd.zeros(1), 'x': nd.array([1, 2])}, "
        "{'i': nd.zeros(1), 'x': nd.zeros(2)})]]",
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
