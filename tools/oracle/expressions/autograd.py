"""Recording and gradients: what is written where, and what is refused.

Left out: head gradients of a wrong size (MXNet reads outside them), and second derivatives of operators for which
MXNet has none (products, powers, dot).
"""

from tools.oracle.expressions import Entry, group

_X = "x = nd.array([1, 2, 3])\nx.attach_grad()\n"
_MATRIX = "x = nd.arange(6).reshape((2, 3))\nx.attach_grad()\n"


def _gradient(*expressions: str, x: str = _X, exact: bool = True) -> list[Entry]:
    """The gradient of an expression of `x`, with heads of ones."""
    return [
        Entry(f"{x}with autograd.record():\n    y = {expression}\ny.backward()", "x.grad", exact)
        for expression in expressions
    ]


def _program(lines: str, *expressions: str, x: str = _X, exact: bool = True) -> list[Entry]:
    return group(x + lines, *expressions, exact=exact)


_SIGMOID = """class Sigmoid(autograd.Function):
    def forward(self, x):
        y = 1 / (1 + nd.exp(-x))
        self.save_for_backward(y)
        return y
    def backward(self, dy):
        y, = self.saved_tensors
        return dy * y * (1 - y)
"""

_PAIR = """class Pair(autograd.Function):
    def forward(self, a, b):
        self.save_for_backward(a, b)
        return a * b, a + b
    def backward(self, dp, ds):
        a, b = self.saved_tensors
        return dp * b + ds, dp * a + ds
"""

ENTRIES: list[Entry] = [
    *_gradient(
        "x * x",
        "2 * x",
        "x + 1",
        "1 - x",
        "1 / x",
        "x / 2",
        "x ** 2",
        "x ** 3",
        "-x",
        "x * x * x",
        "x + x",
        "x - x",
        "x / x",
        "x.sum()",
        "x.mean()",
        "x.max()",
        "x.min()",
        "x.prod()",
        "(x * x).sum()",
        "x[0]",
        "x[1:]",
        "x[::2]",
        "x[::-1] * nd.array([1, 2, 3])",
        "x[[0, 0, 2]]",
        "x[nd.array([1, 1])]",
        "x[-1] * x[0]",
        "x[None]",
        "x[:]",
        "x.reshape((3, 1)) * nd.array([[1, 2]])",
        "x.reshape(-1)",
        "x.expand_dims(0)",
        "nd.concat(x, x * 2, dim=0) * nd.array([1, 1, 1, 2, 2, 2])",
        "nd.stack(x, x * 3)",
        "nd.maximum(x, 2)",
        "nd.minimum(x, 2)",
        "nd.maximum(x, nd.array([2, 2, 2]))",
        "nd.maximum(x, x)",
        "x.clip(1, 2)",
        "nd.relu(x - 2)",
        "x.abs()",
        "(x - 2).abs()",
        "x > 1",
        "x * (x > 1)",
        "x.round() * x",
        "x.astype('float64') * 2",
        "x.astype('float16') * 2",
        "x.astype('int32').astype('float32') * 2",
        "x.broadcast_to((2, 3))",
        "x + nd.ones((2, 3))",
        "x * nd.array([2])",
        "nd.dot(x, x)",
        "nd.where(x > 1, x * 2, x * 5)",
        "x.detach() * x",
        "nd.BlockGrad(x) * x",
        "nd.stop_gradient(x)",
        "nd.identity(x)",
        "x.copy() * 2",
        "x.as_in_context(mx.cpu(1)) * 2",
        "x.as_in_context(mx.cpu(0)) * 2",
        "x.copyto(mx.cpu(0)) * 2",
        "nd.make_loss(x) * 5",
        "x % 2",
        "x.flip(axis=0) * nd.array([1, 2, 3])",
        "x.sort(is_ascend=False) * nd.array([1, 2, 3])",
        "x.topk(k=2, ret_typ='value') * nd.array([1, 2])",
        "x.argmax(axis=0)",
        "x.pick(nd.array([1]), axis=0)",
        "x.take(nd.array([0, 0]))",
        "x.norm()",
        "nd.add_n(x, x, x)",
        "x.tile(2)",
        "x.repeat(2)",
        "nd.sign(x) * x",
        "x.square()",
        "nd.smooth_l1(x)",
        "x.sum() * x",
        "x",
        "nd.ones(3) * x[1]",
        "nd.zeros_like(x)",
        "nd.ones_like(x) + x",
        "nd.full((3,), 2)",
        "x.T",
        "nd.slice(x, begin=(1,), end=(3,))",
    ),
    *_gradient(
        "x.sum(axis=0)",
        "x.max(axis=1)",
        "x.mean(axis=0) * nd.array([1, 2, 3])",
        "x.T * nd.array([[1, 2]])",
        "x[1]",
        "x[:, 1]",
        "x[1, 2]",
        "x[0:1, ::2]",
        "x[[0, 1], [1, 1]]",
        "x[..., 0]",
        "x.reshape((3, 2))[0]",
        "x.reshape((0, -1))",
        "x.flatten()",
        "x.slice_axis(axis=1, begin=1, end=3)",
        "x.swapaxes(0, 1)",
        "nd.dot(x, x.T)",
        "nd.dot(x, nd.ones((3, 1)))",
        "x.norm(axis=1)",
        "x.split(3, axis=1)[1]",
        "nd.split_v2(x, 2)[0]",
        "nd.pick(x, nd.array([0, 2]))",
        "nd.Embedding(nd.array([0, 0]), x, 2, 3)",
        "x.max()",
        "x * x[0]",
        "x[0] * x[1]",
        "(x * 0).max(axis=1)",
        "nd.broadcast_maximum(x, nd.array([[2], [4]]))",
        x=_MATRIX,
    ),
    *_gradient(
        "nd.exp(x)",
        "nd.log(x)",
        "nd.sin(x)",
        "nd.sqrt(x)",
        "nd.tanh(x)",
        "nd.sigmoid(x)",
        "x ** 0.5",
        "x ** x",
        "2 ** x",
        "nd.softmax(x) * nd.array([1, 2, 3])",
        "nd.log_softmax(x) * nd.array([1, 0, 0])",
        "nd.rsqrt(x)",
        "nd.exp(x * nd.log(x))",
        exact=False,
    ),
    # grad_req, buffers, heads.
    *_program(
        "with autograd.record():\n    y = x * x\ny.backward()\nwith autograd.record():\n    y = 3 * x\ny.backward()",
        "x.grad",
    ),
    *group(
        "x = nd.array([1, 2])\nx.attach_grad('add')\n"
        "for _ in range(3):\n    with autograd.record():\n        y = 2 * x\n    y.backward()",
        "x.grad",
        "y",
    ),
    *group(
        "x = nd.array([1, 2])\nx.attach_grad(grad_req='null')\nwith autograd.record():\n    y = 2 * x\ny.backward()",
        "x.grad",
    ),
    *group("x = nd.array([1, 2])\nx.attach_grad(grad_req='bogus')", "x.grad"),
    *group("x = nd.array([1, 2])", "x.grad", "x.attach_grad()"),
    *_program("", "x.grad", "x.grad.dtype", "x.grad.context", "x.grad.grad"),
    *group(
        "x = nd.array([1, 2])\nx.attach_grad('add')\nx.grad[:] = 5\n"
        "with autograd.record():\n    y = 2 * x\ny.backward()",
        "x.grad",
    ),
    *_program("x.grad[:] = 5", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\ny.backward(nd.array([1, 10, 100]))", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\ny.backward(out_grad=nd.array([1, 10, 100]))", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\ny.backward([1, 2, 3])", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\ny.backward(nd.array([1, 2, 3], dtype='int32'))", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\ny.backward(retain_graph=True)\ny.backward()", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\ny.backward()\ny.backward()", "x.grad"),
    *_program("with autograd.record():\n    y = x * 2\n    z = y * x\nz.backward()\ny.backward()", "x.grad"),
    *_program(
        "with autograd.record():\n    y = x * 2\n    z = y * x\nz.backward(retain_graph=True)\ny.backward()", "x.grad"
    ),
    *_program("with autograd.record():\n    y = x * 2\n    z = x * 3\nz.backward()\ny.backward()", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\n    y.backward()", "x.grad"),
    *_program("y = x * x\ny.backward()", "x.grad"),
    *_program("x.backward()", "x.grad"),
    *group("x = nd.array([1, 2])\nx.backward()", "x.grad"),
    *group("x = nd.array([1, 2])\nwith autograd.record():\n    y = x * 2\ny.backward()", "y"),
    *group("x = nd.array([1, 2])\nwith autograd.record():\n    x.attach_grad()\n    y = x * 2\ny.backward()", "x.grad"),
    *group(
        "x = nd.array([1, 2])\n"
        "with autograd.record():\n    y = x * 2\n    x.attach_grad()\n    z = x * 3\nz.backward()",
        "x.grad",
    ),
    *_program(
        "with autograd.record():\n    y = x * 2\n    y.attach_grad()\n    z = y * y\nz.backward()", "y.grad", "x.grad"
    ),
    *_program("g = x.grad\nwith autograd.record():\n    y = x * x\ny.backward()", "g"),
    *_program("v = x.grad[1:]\nwith autograd.record():\n    y = x * x\ny.backward()", "v"),
    *_program("g = x.grad\nx.attach_grad()\nwith autograd.record():\n    y = x * x\ny.backward()", "g", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\nx.attach_grad()\ny.backward()", "x.grad"),
    *_program("x[:] = 5\nwith autograd.record():\n    y = x * x\ny.backward()", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\nx[:] = 5\ny.backward()", "x.grad", "y"),
    *_program("with autograd.record():\n    y = x * 2\nx[:] = 5\ny.backward()", "x.grad"),
    *_program("x += 1\nwith autograd.record():\n    y = x * x\ny.backward()", "x", "x.grad"),
    *_program("x = x + 1\nwith autograd.record():\n    y = x * x\ny.backward()", "x.grad"),
    *_program("x.zero_grad()", "x.grad"),
    *_program("x.grad = None", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\ny.backward()\nx.grad *= 0", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\ny.backward()\nx -= 0.5 * x.grad", "x"),
    *_program("with autograd.record():\n    y = x * x\ny.backward()\nx[:] = x - 0.5 * x.grad", "x", "x.grad"),
    *_program(
        "for _ in range(3):\n    with autograd.record():\n        y = (x * x).sum()\n    y.backward()\n"
        "    x -= 0.25 * x.grad",
        "x",
        "x.grad",
    ),
    # What may be assigned while recording.
    *_program("with autograd.record():\n    x[:] = 1", "x"),
    *_program("with autograd.record():\n    x += 1", "x"),
    *_program("with autograd.record():\n    x[0] = 1", "x"),
    *_program("with autograd.record():\n    x[[0]] = 1", "x"),
    *_program("with autograd.record():\n    x[::2] = 1", "x"),
    *_program("with autograd.record():\n    y = x * 2\n    y += 1", "y"),
    *_program("with autograd.record():\n    y = x * 2\n    y[:] = 1", "y"),
    *_program("with autograd.record():\n    y = x * 2\n    y[0] = 1", "y"),
    *_program("with autograd.record():\n    y = x * 2\n    y *= x\ny.backward()", "x.grad"),
    *_program("with autograd.record():\n    y = x * 2\ny += 1\ny.backward()", "x.grad", "y"),
    *_program("with autograd.record():\n    y = x * 2\ny[:] = 1\ny.backward()", "x.grad", "y"),
    *_program(
        "with autograd.record():\n    y = x * x\n    with autograd.pause():\n        x += 1\ny.backward()", "x.grad"
    ),
    *_program("with autograd.record():\n    nd.relu(x, out=x)", "x"),
    *_program("b = nd.zeros(3)\nwith autograd.record():\n    nd.relu(x, out=b)\nb.backward()", "x.grad"),
    *_program("b = nd.zeros(3)\nwith autograd.record():\n    b[:] = x * 2\nb.backward()", "x.grad", "b"),
    *_program("b = nd.zeros(3)\nwith autograd.record():\n    b[:] = x\n    c = b * 3\nc.backward()", "x.grad"),
    *_program("b = nd.zeros(3)\nwith autograd.record():\n    b[:] = 1\n    c = b * x\nc.backward()", "x.grad"),
    *_program(
        "b = nd.zeros(6)\nwith autograd.record():\n    b[1:4] = x * 2\n    c = b * 3\nc.backward()", "x.grad", "c"
    ),
    *_program(
        "b = nd.zeros(6)\nwith autograd.record():\n    b[::2] = x * 2\n    c = b * 3\nc.backward()", "x.grad", "c"
    ),
    *_program(
        "b = nd.zeros((2, 3))\nwith autograd.record():\n    b[0] = x * 2\n    c = b * 3\nc.backward()", "x.grad", "c"
    ),
    *_program(
        "b = nd.zeros((2, 3))\nwith autograd.record():\n    b[0] = x\n    b[1] = x * 2\n    c = b * 3\nc.backward()",
        "x.grad",
        "c",
    ),
    *_program(
        "b = nd.zeros((3, 2))\nwith autograd.record():\n    b[:, 0] = x\n    c = b * 3\nc.backward()", "x.grad", "c"
    ),
    *_program(
        "b = nd.zeros((3, 2))\n"
        "with autograd.record():\n    b[:, 0] = x\n    b[:, 1] = x * 2\n    c = b * 3\nc.backward()",
        "x.grad",
        "c",
    ),
    *_program(
        "b = nd.zeros(3)\nwith autograd.record():\n    b[[0, 2]] = x[:2]\n    c = b * 3\nc.backward()", "x.grad", "c"
    ),
    *_program("b = nd.zeros(3)\nwith autograd.record():\n    b += x\nb.backward()", "x.grad"),
    *_program("b = nd.zeros(3)\nwith autograd.record():\n    b += x\n    b += x\nb.backward()", "x.grad"),
    *_program("t = 0\nwith autograd.record():\n    for v in x:\n        t = t + v * v\nt.backward()", "x.grad", "t"),
    *_program("t = 0\nwith autograd.record():\n    for v in x:\n        t += v\nt.backward()", "x.grad"),
    *_program("with autograd.record():\n    t = nd.zeros(1)\n    for v in x:\n        t += v\nt.backward()", "x.grad"),
    *_program("with autograd.record():\n    t = sum([v * v for v in x])\nt.backward()", "x.grad"),
    *_program("y = x[1:]\nwith autograd.record():\n    z = y * 2\nz.backward()", "x.grad"),
    *_program("with autograd.record():\n    y = x[1:]\n    y[:] = 0", "x"),
    *_program("with autograd.record():\n    y = x.reshape((3, 1))\ny[0] = 10", "x"),
    # Results used later.
    *_program("with autograd.record():\n    y = x * x\nz = y * 2\nz.backward()", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\nwith autograd.record():\n    z = y * 2\nz.backward()", "x.grad"),
    *_program(
        "with autograd.record():\n    y = x * x\ny.backward()\nwith autograd.record():\n    z = y * x\nz.backward()",
        "x.grad",
    ),
    *_program(
        "with autograd.record():\n    y = x * x\nz = y + 0\nwith autograd.record():\n    w = z * x\nw.backward()",
        "x.grad",
    ),
    *_program(
        "h = nd.zeros(3)\n"
        "for _ in range(3):\n    with autograd.record():\n        h = h + x * x\n        l = h.sum()\n"
        "    l.backward()",
        "x.grad",
        "h",
    ),
    *_program(
        "h = nd.ones(3)\nfor _ in range(3):\n    with autograd.record():\n        h = h * x\n    h.backward()",
        "x.grad",
        "h",
    ),
    *_program(
        "h = nd.ones(3)\n"
        "for _ in range(3):\n    h = h.detach()\n    with autograd.record():\n        h = h * x\n    h.backward()",
        "x.grad",
    ),
    *_program(
        "total = 0\n"
        "for _ in range(3):\n    with autograd.record():\n        l = (x * x).sum()\n    l.backward()\n    total += l",
        "total",
        "total.asscalar()",
    ),
    *_program(
        "with autograd.record():\n    y = x * x\n    with autograd.pause():\n        z = y * x\n    w = z * x\n"
        "w.backward()",
        "x.grad",
    ),
    *_program("with autograd.record():\n    y = x * x\n    z = y.detach() * x\nz.backward()", "x.grad"),
    *_program("d = x.detach()\nd[:] = 9", "x", "d.grad"),
    *_program("with autograd.record():\n    y = (x * x).asnumpy().sum()", "float(y)"),
    *_program("with autograd.record():\n    y = x * float(x[0].asscalar())\ny.backward()", "x.grad"),
    *_program(
        "y = nd.array([4, 5, 6])\ny.attach_grad()\nwith autograd.record():\n    z = x * y + x\nz.backward()",
        "x.grad",
        "y.grad",
    ),
    *_program(
        "y = nd.array([4, 5, 6])\ny.attach_grad()\nwith autograd.record():\n    z = x * 2\nz.backward()", "y.grad"
    ),
    # Modes.
    *group(
        "",
        "autograd.is_recording()",
        "autograd.is_training()",
        "autograd.set_recording(True)",
        "autograd.set_training(True)",
    ),
    *group(
        "seen = []\ndef look():\n    seen.append((autograd.is_recording(), autograd.is_training()))\n"
        "with autograd.record():\n    look()\n    with autograd.pause():\n        look()\n"
        "        with autograd.record(train_mode=False):\n            look()\n"
        ""
        "        with autograd.train_mode():\n            look()\n    with autograd.predict_mode():\n"
        "        look()\n    with autograd.pause(train_mode=True):\n        look()\n"
        "look()\n"
        "with autograd.train_mode():\n    look()\nwith autograd.predict_mode():\n    look()",
        "seen",
    ),
    *group("with autograd.record(False):\n    a = autograd.is_training()", "a"),
    *group(
        "try:\n    with autograd.record():\n        raise ValueError\nexcept ValueError:\n    pass",
        "autograd.is_recording()",
    ),
    *group("a = autograd.set_recording(True)\nb = autograd.set_recording(False)", "(a, b)"),
    *_program("autograd.set_recording(True)\ny = x * x\nautograd.set_recording(False)\ny.backward()", "x.grad"),
    *group(
        "x = nd.ones((100, 100))\nwith autograd.record():\n    y = nd.Dropout(x, p=0.5)", "bool((y == 0).sum() > 0)"
    ),
    *group(
        "x = nd.ones((10, 10))\nwith autograd.record(train_mode=False):\n    y = nd.Dropout(x, p=0.5)", "(y == 0).sum()"
    ),
    *group("x = nd.ones((10, 10))\ny = nd.Dropout(x, p=0.5)", "(y == 0).sum()"),
    *group(
        "x = nd.ones((100, 100))\nwith autograd.train_mode():\n    y = nd.Dropout(x, p=0.5)", "bool((y == 0).sum() > 0)"
    ),
    # mark_variables, backward over several heads, grad.
    *group(
        "x = nd.array([1, 2])\ng = nd.zeros(2)\nautograd.mark_variables([x], [g])\n"
        "with autograd.record():\n    y = x * x\ny.backward()",
        "g",
        "x.grad",
    ),
    *group(
        "x = nd.array([1, 2])\ng = nd.ones(2)\nautograd.mark_variables(x, g, 'add')\n"
        "with autograd.record():\n    y = x * x\ny.backward()",
        "g",
    ),
    *group(
        "x = nd.array([1, 2])\nz = nd.array([3, 4])\ng = nd.ones(2)\nh = nd.ones(2)\n"
        "autograd.mark_variables([x, z], [g, h], ['write', 'null'])\n"
        "with autograd.record():\n    y = x * z\ny.backward()",
        "g",
        "h",
    ),
    *_program("with autograd.record():\n    y = x * x\n    z = x * 3\nautograd.backward([y, z])", "x.grad"),
    *_program(
        "with autograd.record():\n    y = x * x\n    z = x * 3\nautograd.backward([y, z], [nd.array([1, 1, 2]), None])",
        "x.grad",
    ),
    *_program(
        "with autograd.record():\n    y = x * x\n    z = x * 3\nautograd.backward((y, z), (None, nd.array([1, 1, 2])))",
        "x.grad",
    ),
    *_program("with autograd.record():\n    y = x * x\nautograd.backward(y)", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\nautograd.backward(y, nd.array([1, 2, 3]))", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\nautograd.backward([y], [])", "x.grad"),
    *_program(
        "with autograd.record():\n    y = x * x\n    z = x * 3\n"
        "autograd.backward([y, z], retain_graph=True)\ny.backward()",
        "x.grad",
    ),
    *_program("with autograd.record():\n    y = x * x\nautograd.backward([y, y])", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\n    g = autograd.grad(y, x)", "g", "x.grad", "type(g).__name__"),
    *_program("with autograd.record():\n    y = x * x\ng = autograd.grad(y, [x])", "g", "len(g)", "x.grad"),
    *_program(
        "with autograd.record():\n    y = x * x\ng = autograd.grad(y, x, head_grads=nd.array([1, 10, 100]))", "g"
    ),
    *_program(
        "z = nd.array([4, 5, 6])\nz.attach_grad()\nwith autograd.record():\n    y = x * z\n"
        "g = autograd.grad(y, [x, z])",
        "g",
    ),
    *_program(
        "z = nd.array([4, 5, 6])\nz.attach_grad()\nwith autograd.record():\n    y = x * 2\n"
        "g = autograd.grad(y, [x, z])",
        "g",
    ),
    *_program("z = nd.array([4, 5, 6])\nwith autograd.record():\n    y = x * z\ng = autograd.grad(y, [z])", "g"),
    *_program("with autograd.record():\n    h = x * 2\n    y = h * h\n    g = autograd.grad(y, h)", "g"),
    *_program(
        "with autograd.record():\n    y = x * x\n    g = autograd.grad(y, x)\n    h = g * x\nh.backward()", "x.grad"
    ),
    *_program("with autograd.record():\n    y = x * x\ng = autograd.grad(y, [])", "g"),
    *_program(
        "with autograd.record():\n    y = x * x\ng = autograd.grad(y, x, retain_graph=True)\ny.backward()",
        "g",
        "x.grad",
    ),
    *_program("with autograd.record():\n    y = x * x\ng = autograd.grad(y, x)\ny.backward()", "x.grad"),
    *_program("with autograd.record():\n    y = x * x\n    z = x * 3\ng = autograd.grad([y, z], x)", "g"),
    *[
        entry
        for function, exact in (
            ("x.square()", True),
            ("nd.sin(x)", False),
            ("nd.cos(x)", False),
            ("nd.exp(x)", False),
            ("nd.log(x)", False),
            ("nd.sigmoid(x)", False),
            ("nd.tanh(x)", False),
            ("nd.sqrt(x)", False),
            ("nd.relu(x)", True),
            ("x.abs()", True),
        )
        for entry in _program(
            f"with autograd.record():\n    y = {function}\n"
            "    g = autograd.grad(y, x, create_graph=True, retain_graph=True)[0]\n"
            "g.backward()",
            "x.grad",
            "g",
            exact=exact,
        )
    ],
    *_program(
        "with autograd.record():\n    y = nd.sin(x)\n"
        "    g = autograd.grad(y, x, create_graph=True, retain_graph=True)[0]\n    p = (g * g).sum() + y.sum()\n"
        "p.backward()",
        "x.grad",
        exact=False,
    ),
    # User functions.
    *_program(
        _SIGMOID + "f = Sigmoid()\nwith autograd.record():\n    y = f(x)\ny.backward()", "x.grad", "y", exact=False
    ),
    *_program(_SIGMOID + "y = Sigmoid()(x)", "y", exact=False),
    *_program(
        _SIGMOID + "f = Sigmoid()\nwith autograd.record():\n    y = f(x) + f(x)\ny.backward()", "x.grad", exact=False
    ),
    *_program(_SIGMOID + "with autograd.record():\n    y = Sigmoid()(x * 2) * 3\ny.backward()", "x.grad", exact=False),
    *_program(
        _PAIR + "z = nd.array([4, 5, 6])\nz.attach_grad()\n"
        "with autograd.record():\n    p, s = Pair()(x, z)\n    t = p + 2 * s\nt.backward()",
        "x.grad",
        "z.grad",
        "t",
    ),
    *_program(
        _PAIR
        + "z = nd.array([4, 5, 6])\nz.attach_grad()\nwith autograd.record():\n    p, s = Pair()(x, z)\np.backward()",
        "x.grad",
        "z.grad",
    ),
    *_program("class Bare(autograd.Function):\n    pass\nwith autograd.record():\n    y = Bare()(x)", "y"),
    *_program(
        "class Inside(autograd.Function):\n    def forward(self, a):\n"
        "        self.seen = autograd.is_recording()\n        return a * 2\n"
        ""
        "    def backward(self, d):\n        return d * 7\nf = Inside()\n"
        "with autograd.record():\n    y = f(x)\ny.backward()",
        "f.seen",
        "x.grad",
    ),
    # dtypes and shapes of gradients.
    *[
        entry
        for dtype in ("float16", "float64", "int32", "int64", "uint8")
        for entry in group(
            f"x = nd.array([1, 2], dtype='{dtype}')\nx.attach_grad()\n"
            "with autograd.record():\n    y = x * 2\ny.backward()",
            "x.grad",
        )
    ],
    *group(
        "x = nd.array([1, 2], ctx=mx.cpu(1))\nx.attach_grad()\nwith autograd.record():\n    y = x * 2\ny.backward()",
        "x.grad",
        "x.grad.context",
    ),
    *group(
        "x = nd.array([[1, 1], [0, 1]])\nx.attach_grad()\nwith autograd.record():\n    y = x.max(axis=1)\ny.backward()",
        "x.grad",
    ),
    *group(
        "x = nd.array([[1, 1], [0, 0]])\nx.attach_grad()\nwith autograd.record():\n    y = x.max()\ny.backward()",
        "x.grad",
    ),
    *group(
        "x = nd.array([2, 2, 0])\nx.attach_grad()\nwith autograd.record():\n    y = nd.maximum(x, 2)\ny.backward()",
        "x.grad",
    ),
    *group(
        "x = nd.array([2, 2, 0])\nz = nd.array([2, 1, 1])\nx.attach_grad()\nz.attach_grad()\n"
        "with autograd.record():\n    y = nd.maximum(x, z)\ny.backward()",
        "x.grad",
        "z.grad",
    ),
    *group(
        "x = nd.array([2, 2, 0])\nz = nd.array([2, 1, 1])\nx.attach_grad()\nz.attach_grad()\n"
        "with autograd.record():\n    y = nd.minimum(x, z)\ny.backward()",
        "x.grad",
        "z.grad",
    ),
    *group(
        "x = nd.array([-1, 0, 1])\nx.attach_grad()\nwith autograd.record():\n    y = nd.relu(x)\ny.backward()", "x.grad"
    ),
    *group(
        "x = nd.array([-1, 0, 1])\nx.attach_grad()\nwith autograd.record():\n    y = nd.abs(x)\ny.backward()", "x.grad"
    ),
    *group(
        "x = nd.array([-1, 0, 1])\nx.attach_grad()\nwith autograd.record():\n    y = x ** 2\ny.backward()", "x.grad"
    ),
    *group(
        "x = nd.array([0, 1, 4])\nx.attach_grad()\nwith autograd.record():\n    y = x.sqrt()\ny.backward()", "x.grad"
    ),
    *group("x = nd.array([0, 0])\nx.attach_grad()\nwith autograd.record():\n    y = x.norm()\ny.backward()", "x.grad"),
    *group(
        "x = nd.array([-1, 0, 1, 2])\nx.attach_grad()\nwith autograd.record():\n    y = x.clip(0, 1)\ny.backward()",
        "x.grad",
    ),
    *group(
        "x = nd.array([0, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = x.prod()\ny.backward()", "x.grad"
    ),
    *group(
        "w = nd.array([[1], [2]])\nb = nd.zeros(1)\nw.attach_grad()\nb.attach_grad()\n"
        "d = nd.array([[1, 2], [3, 4], [5, 6]])\n"
        "with autograd.record():\n    l = ((nd.dot(d, w) + b - nd.array([[1], [2], [3]])) ** 2 / 2).mean()\n"
        "l.backward()",
        "l",
        "w.grad",
        "b.grad",
    ),
    *group(
        "x = nd.array([1.0, 2.0])\nx.attach_grad()\ny = x.copy()",
        "y.grad",
        "x[0:1].grad",
        "(x * 2).grad",
        "x.reshape((2, 1)).grad",
    ),
    *group(
        "def f(a):\n    b = a * 2\n    while b.norm().asscalar() < 1000:\n        b = b * 2\n"
        "    return b if b.sum().asscalar() > 0 else 100 * b\n"
        ""
        "x = nd.array([1.5])\nx.attach_grad()\nwith autograd.record():\n    y = f(x)\ny.backward()",
        "x.grad",
        "x.grad == y / x",
    ),
    *group(
        "x = nd.array([1, 2])\nx.attach_grad()\nwith autograd.record():\n    y = x * 2\nz = autograd.get_symbol(y)",
        "type(z).__name__",
    ),
]
