"""Loops and branches on arrays."""

from tools.oracle.expressions import Entry, after, group

_STEP = """
d, s, w = nd.array([[1, 2], [3, 4]]), nd.array([1, 1]), nd.array([10, 1])
for a in (d, s, w):
    a.attach_grad()
def step(item, state):
    out = item * w + state
    return out, out * 2
with mx.autograd.record():
    outs, state = nd.contrib.foreach(step, d, s)
    total = (outs * outs).sum() + state.sum()
total.backward()
"""
_WHILE = """
i, t = nd.array([1]), nd.array([2])
i.attach_grad(); t.attach_grad()
with mx.autograd.record():
    outs, (j, u) = nd.contrib.while_loop(lambda i, t: i <= 3, lambda i, t: (i * t, (i + 1, t * t)), (i, t), 3)
    total = outs.sum() + u
total.backward()
"""

ENTRIES: list[Entry] = [
    *group(_STEP, "outs", "state", "d.grad", "s.grad", "w.grad"),
    *group(
        "x, y = nd.array([[1, 2], [3, 4]]), nd.array([5, 6])",
        "nd.contrib.foreach(lambda x, s: (x, s), y, nd.zeros(2))",
        "nd.contrib.foreach(lambda x, s: ([x, x + s[0]], [s[0] + x]), x, [nd.zeros(2)])",
        "nd.contrib.foreach(lambda x, s: (x[0] + x[1], []), [x, y], [])",
        "nd.contrib.foreach(lambda x, s: ([[x[0]], x[1]], [s[0], [s[1][0] + 1]]), [x, y], [y, [y]])",
        "nd.contrib.foreach(lambda x, s: ([], s + x), x, y)",
        "nd.contrib.foreach(lambda x, s: nd.contrib.foreach(lambda a, b: (a + b, a * b), x, s), x, nd.ones(1))",
        "nd.contrib.foreach(lambda x, s: (x, s), 3, y)",
        "nd.contrib.foreach(lambda x, s: (x, s), x, 3)",
        "nd.contrib.foreach(lambda x, s: (3, s), x, y)",
    ),
    *group(_WHILE, "outs", "[j, u]", "i.grad", "t.grad"),
    *group(
        "a = nd.array([1])",
        "nd.contrib.while_loop(lambda i: i < 3, lambda i: (i * 2, i + 1), a, 2)",
        "nd.contrib.while_loop(lambda i: i < 3, lambda i: (i * 2, i + 1), [a], 2)",
        "nd.contrib.while_loop(lambda i: i < 0, lambda i: (i * 2, i + 1), a, 2)",
        "nd.contrib.while_loop(lambda i: i < 3, lambda i: ([i, [i]], [i + 1]), [a], 2)",
        "nd.contrib.while_loop(lambda i: i < 3, lambda i: (None, i + 1), a, 5)",
        "nd.contrib.while_loop(lambda i: i < 3, lambda i: (i * 2, i + 1), a, 5)[0].shape",
        "nd.contrib.while_loop(lambda i: i < 3, lambda i: (i * 2, i + 1), a)",
        "nd.contrib.while_loop(lambda i: i < 3, lambda i: (i, []), [a], 2)",
        "nd.contrib.while_loop(lambda: False, lambda: ([], []), [], 2)",
    ),
    *after(
        "a, b = nd.array([3]), nd.array([4])",
        "out",
        "out = nd.contrib.cond(a * b < 5, lambda: a + b, lambda: a - b)",
        "out = nd.contrib.cond(a * b > 5, lambda: [a, b], lambda: [b])",
        "out = nd.contrib.cond(0, lambda: a, lambda: b)",
        "out = nd.contrib.cond(nd.ones(2), lambda: a, lambda: b)",
    ),
]
