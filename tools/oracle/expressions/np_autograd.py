"""Gradients of `mx.np` functions."""

from tools.oracle.expressions import NUMPY, Entry, group

_X = NUMPY + "x = np.array([1, 2, 3])\nx.attach_grad()\n"
_M = NUMPY + "x = np.arange(6).reshape(2, 3) + 1\nx.attach_grad()\nw = np.array([[1, 2, 3], [4, 5, 6]])\n"


def _gradient(x: str, *expressions: str, exact: bool = True) -> list[Entry]:
    return [
        Entry(f"{x}with autograd.record():\n    y = {expression}\ny.backward()", "x.grad", exact)
        for expression in expressions
    ]


ENTRIES: list[Entry] = [
    *_gradient(
        _X,
        *("x + 1", "2 * x", "x * x", "1 / x", "x / 2", "x ** 2", "2 - x", "-x", "x % 2", "x * np.array([1, 2, 3])"),
        *(
            "x.sum()",
            "x.mean()",
            "x.max()",
            "x.min()",
            "x.prod()",
            "(x * x).sum()",
            "x.cumsum()",
            "np.dot(x, x)",
            "x @ x",
        ),
        *(
            "x[0]",
            "x[1:]",
            "x[::-1] * np.array([1, 2, 3])",
            "x[[0, 0, 2]]",
            "x[x > 1]",
            "x[None]",
            "x[-1] * x[0]",
            "x[:]",
        ),
        *("x[np.array([0, 1], dtype='int32')] * 3", "x.reshape(3, 1) * np.array([1, 2])", "x.reshape(-1)", "x.T * 2"),
        *("np.concatenate([x, x * 2])", "np.stack([x, x * 3])", "np.hstack([x, x])", "np.vstack([x, x * 2])"),
        *(
            "np.split(x, 3)[1] * 5",
            "np.maximum(x, 2)",
            "np.minimum(x, 2)",
            "np.abs(x - 2)",
            "np.square(x)",
            "np.clip(x, 1.5, 2.5)",
        ),
        *(
            "np.where(x > 1, x * 2, x)",
            "np.where(x > 1, x, 0)",
            "np.flip(x) * np.array([1, 2, 3])",
            "np.roll(x, 1) * x",
        ),
        *(
            "np.expand_dims(x, 0)",
            "np.squeeze(x[None])",
            "np.tile(x, 2)",
            "np.repeat(x, 2)",
            "np.broadcast_to(x, (2, 3))",
        ),
        *("np.sum(x, keepdims=True)", "np.outer(x, x)", "np.inner(x, x)", "np.vdot(x, x)", "np.einsum('i,i', x, x)"),
        *("np.tensordot(x, x, 1)", "np.diag(x)", "np.pad(x, (1, 1))", "np.take(x, np.array([0, 0]))", "np.diff(x)"),
        *(
            "x.astype('float64') * 2",
            "x.copy() * 2",
            "x.detach() * x",
            "np.sign(x)",
            "np.floor(x)",
            "x > 1",
            "np.argmax(x)",
        ),
        *(
            "np.zeros_like(x)",
            "npx.relu(x - 2)",
            "npx.stop_gradient(x)",
            "x.as_nd_ndarray() * 2",
            "np.average(x)",
            "x * 0",
        ),
        *(
            "np.insert(x, 1, 5) * np.array([1, 2, 3, 4])",
            "np.delete(x, 1) * 2",
            "np.sort(-x) * np.array([1, 2, 3])",
            "x.swapaxes(0, 0)",
        ),
    ),
    *_gradient(
        _X,
        *(
            "np.exp(x)",
            "np.log(x)",
            "np.sin(x)",
            "np.cos(x)",
            "np.tanh(x)",
            "np.sqrt(x)",
            "np.power(x, 3)",
            "x ** x",
            "2 ** x",
        ),
        *(
            "np.arctan(x)",
            "np.log1p(x)",
            "np.expm1(x)",
            "np.cbrt(x)",
            "np.reciprocal(x)",
            "np.linalg.norm(x)",
            "np.sinh(x)",
        ),
        *(
            "npx.softmax(x) * np.array([1, 2, 3])",
            "npx.log_softmax(x) * np.array([1, 2, 3])",
            "npx.sigmoid(x)",
            "np.var(x)",
        ),
        *("np.hypot(x, 2)", "np.arctan2(x, 2)", "np.degrees(x)", "np.mod(x, 2) * x", "np.log2(x)", "np.log10(x)"),
        exact=False,
    ),
    *_gradient(
        _M,
        *(
            "x.T * w.T",
            "x @ w.T",
            "np.dot(x, w.T)",
            "x.sum(axis=0)",
            "x.mean(axis=1)",
            "x.max(axis=0)",
            "x[:, 1]",
            "x[0]",
        ),
        *(
            "x[1, 2]",
            "x[x > 2] * 2",
            "x[:, [0, 2]]",
            "x.reshape(3, 2) @ x",
            "np.transpose(x) * w.T",
            "np.swapaxes(x, 0, 1)",
        ),
        *(
            "x - x.mean(axis=0)",
            "x / x.sum()",
            "np.concatenate([x, w], axis=1)",
            "np.split(x, 3, axis=1)[0]",
            "x.flatten()",
        ),
        *(
            "np.moveaxis(x, 0, 1) * w.T",
            "np.rot90(x) * w.T",
            "np.trace(x)",
            "np.diagonal(x)",
            "np.tril(x)",
            "x * w[0]",
            "x.prod(axis=1)",
        ),
        *("np.matmul(x, w.T) * 2", "np.einsum('ij,kj->ik', x, w)", "np.cumsum(x, axis=1)", "np.average(x, weights=w)"),
        exact=False,
    ),
    *group(
        _X + "with autograd.record():\n    y = x * x\n    z = y.sum()\nz.backward()\n",
        *("x.grad", "type(x.grad).__name__", "z", "y", "x.grad is x.grad", "x.grad.shape"),
    ),
    *group(
        _X + "with autograd.record():\n    y = x * x\ny.backward(np.array([1, 10, 100]))\n",
        "x.grad",
    ),
    *group(
        _X
        + "x.attach_grad('add')\n"
        + "for _ in range(3):\n    with autograd.record():\n        y = x * 2\n    y.backward()\n",
        "x.grad",
    ),
    *group(
        _X + "with autograd.record():\n    y = x * x\n",
        *("autograd.grad(y, [x])", "autograd.grad(y, x)", "autograd.is_recording()"),
    ),
    *group(
        _X + "with autograd.record():\n    with autograd.pause():\n        c = x * 2\n    y = x * c\ny.backward()\n",
        "x.grad",
    ),
    *group(
        NUMPY + "x = np.array(3)\nx.attach_grad()\nwith autograd.record():\n    y = x ** 2\ny.backward()\n",
        *("x.grad", "x.grad.shape", "y"),
    ),
    *group(
        NUMPY
        + "x = np.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = x * 2\n"
        + "    while np.abs(y).sum() < 50:\n        y = y * 2\ny.backward()\n",
        "x.grad",
    ),
    *group(_X + "with autograd.record():\n    x += 1\n", "x"),
    *group(_X + "with autograd.record():\n    x[0] = 5\n", "x"),
    *group(_X + "x[:] = x - 1\n", "x", "x.grad"),
    *group(
        _X + "with autograd.record():\n    y = np.zeros((3,))\n    y[1:] = x[1:] * 2\n    z = y * 3\nz.backward()\n",
        "x.grad",
    ),
]
