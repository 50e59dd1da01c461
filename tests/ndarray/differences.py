"""Where expressions differ from MXNet 1.9.1 on purpose, by reason: what they give here and what MXNet gives."""

import numpy as np
import torch

import mxnet as mx
from tests.expected import Difference, Gives, Raises, floats, log_softmax

EMPTY = floats([])
SIX = np.arange(6, dtype="float32")
TWELVE = np.arange(12, dtype="float32").reshape(3, 4)

DIFFERENCES: dict[str, list[Difference]] = {
    "MXNet has no product of float16 on a CPU; here it is computed": [
        Difference(
            "arithmetic",
            "a = nd.array([[1, -2, 3], [4, 5, -6]])\nb = nd.array([[2, 2, 0.5], [-1, 4, 3]])\nrow = nd.array([1, 2, 3])\ncolumn = nd.array([[10], [20]])",
            "nd.dot(nd.array([[1, 2]], dtype='float16'), nd.array([[1], [2]], dtype='float16'))",
            Gives(np.array([[1, 2]], "float16") @ np.array([[1], [2]], "float16")),
            Raises("MXNetError"),
        ),
    ],
    "MXNet does not compute with empty arrays; here the result is empty, as in NumPy": [
        Difference(
            "arithmetic", "e = nd.array([])\nz = nd.array([3])", "e + 1", Gives(EMPTY + 1), Raises("MXNetError")
        ),
        Difference(
            "arithmetic", "e = nd.array([])\nz = nd.array([3])", "e + e", Gives(EMPTY + EMPTY), Raises("MXNetError")
        ),
    ],
    "MXNet has no gradient of sort without an axis; here each element gets the gradient of its place in the order": [
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = x.sort(is_ascend=False) * nd.array([1, 2, 3])\ny.backward()",
            "x.grad",
            Gives(floats([3, 2, 1])),
            Raises("MXNetError"),
        ),
    ],
    "the same numbers, with a last digit that depends on the version of torch: a sum in another order": [
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = x.norm()\ny.backward()",
            "x.grad",
            Gives(floats(np.array([1, 2, 3]) / np.sqrt(14)), tolerance=2e-7),
            Gives(floats(np.array([1, 2, 3]) / np.sqrt(14)), tolerance=2e-7),
            varies=True,
        ),
    ],
    "MXNet's log_softmax is 2e-6 off; here it has single precision": [
        Difference(
            "methods",
            "x = nd.array([[3, 1, 2], [6, 5, 4]])",
            "x.log_softmax()",
            Gives(log_softmax([[3, 1, 2], [6, 5, 4]])),
            Gives(log_softmax([[3, 1, 2], [6, 5, 4]]), tolerance=1e-5),
        ),
    ],
    "numbers are printed as the installed NumPy prints them": [
        Difference(
            "methods",
            "x = nd.array([[3, 1, 2], [6, 5, 4]])",
            "nd.full((300,), 200, dtype='float16').sum()",
            Gives(np.array([300 * 200], "float16")),
            Gives(np.array([300 * 200], "float16")),
            varies=True,
        ),
    ],
    "wrong arguments raise a ValueError or TypeError that names them, where MXNet raises KeyError, AssertionError or another": [
        Difference(
            "autograd",
            "x = nd.array([1, 2])\nx.attach_grad(grad_req='bogus')",
            "x.grad",
            Raises("ValueError", "[attach_grad] grad_req: received 'bogus'; expected 'write', 'add' or 'null'"),
            Raises("KeyError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = x * x\nautograd.backward([y], [])",
            "x.grad",
            Raises("ValueError", "[backward] received 0 head gradients for 1 heads; expected one for each"),
            Raises("AssertionError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = x * x\ng = autograd.grad(y, [])",
            "g",
            Raises("ValueError", "[autograd.grad] received no variables; expected at least one"),
            Raises("AssertionError"),
        ),
        Difference(
            "creation",
            "a = nd.array([[1, 2], [3, 4]])\nb = nd.array([[5, 6]])\nn = np.array([[1, 2]], dtype='float32')",
            "nd.from_numpy([1, 2])",
            Raises("TypeError", "[nd.from_numpy] received list; expected a NumPy array"),
            Raises("AttributeError"),
        ),
        Difference(
            "creation",
            "",
            "nd.NDArray([1, 2])",
            Raises("AttributeError", "'list' object has no attribute"),
            Raises("AssertionError"),
        ),
        Difference(
            "indexing_get",
            "",
            "int(nd.array([1, 2]))",
            Raises("ValueError", "received an array of shape (2,); expected one element"),
            Raises("TypeError"),
        ),
        Difference(
            "indexing_get",
            "",
            "float(nd.array([1, 2]))",
            Raises("ValueError", "received an array of shape (2,); expected one element"),
            Raises("TypeError"),
        ),
        Difference(
            "indexing_get",
            "",
            "nd.array([2.5]).__index__()",
            Raises("TypeError", "only an array of one integer can be used as an index"),
            Raises("AttributeError"),
        ),
        Difference(
            "methods",
            "x = nd.arange(24).reshape((2, 3, 4))",
            "x.item()",
            Raises("ValueError", "received an array of shape (2, 3, 4); expected one element"),
            Raises("AttributeError"),
        ),
    ],
    "MXNet refuses to write to an array inside record(); here the write is part of the graph": [
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nb = nd.zeros(6)\nwith autograd.record():\n    b[1:4] = x * 2\n    c = b * 3\nc.backward()",
            "x.grad",
            Gives(floats([2 * 3] * 3)),
            Raises("MXNetError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nb = nd.zeros(6)\nwith autograd.record():\n    b[1:4] = x * 2\n    c = b * 3\nc.backward()",
            "c",
            Gives(floats([0, 6, 12, 18, 0, 0])),
            Raises("MXNetError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nb = nd.zeros(6)\nwith autograd.record():\n    b[::2] = x * 2\n    c = b * 3\nc.backward()",
            "x.grad",
            Gives(floats([2 * 3] * 3)),
            Raises("MXNetError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nb = nd.zeros(6)\nwith autograd.record():\n    b[::2] = x * 2\n    c = b * 3\nc.backward()",
            "c",
            Gives(floats([6, 0, 12, 0, 18, 0])),
            Raises("MXNetError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nb = nd.zeros((2, 3))\nwith autograd.record():\n    b[0] = x * 2\n    c = b * 3\nc.backward()",
            "x.grad",
            Gives(floats([2 * 3] * 3)),
            Raises("MXNetError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nb = nd.zeros((2, 3))\nwith autograd.record():\n    b[0] = x * 2\n    c = b * 3\nc.backward()",
            "c",
            Gives(floats([[6, 12, 18], [0, 0, 0]])),
            Raises("MXNetError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nb = nd.zeros((3, 2))\nwith autograd.record():\n    b[:, 0] = x\n    c = b * 3\nc.backward()",
            "x.grad",
            Gives(floats([3] * 3)),
            Raises("MXNetError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nb = nd.zeros((3, 2))\nwith autograd.record():\n    b[:, 0] = x\n    c = b * 3\nc.backward()",
            "c",
            Gives(floats([[3, 0], [6, 0], [9, 0]])),
            Raises("MXNetError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nb = nd.zeros(3)\nwith autograd.record():\n    b[[0, 2]] = x[:2]\n    c = b * 3\nc.backward()",
            "x.grad",
            Gives(floats([3, 3, 0])),
            Raises("MXNetError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nb = nd.zeros(3)\nwith autograd.record():\n    b[[0, 2]] = x[:2]\n    c = b * 3\nc.backward()",
            "c",
            Gives(floats([3, 0, 6])),
            Raises("MXNetError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nb = nd.zeros(3)\nwith autograd.record():\n    b += x\nb.backward()",
            "x.grad",
            Gives(floats([1] * 3)),
            Raises("MXNetError"),
        ),
    ],
    "a head given twice counts twice, because the gradient is that of the sum": [
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = x * x\nautograd.backward([y, y])",
            "x.grad",
            Gives(floats([2 * 2 * 1, 2 * 2 * 2, 2 * 2 * 3])),
            Gives(floats([2 * 1, 2 * 2, 2 * 3])),
        ),
    ],
    "MXNet refuses variables that the head does not reach, and intermediate results; here they have gradients": [
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nz = nd.array([4, 5, 6])\nz.attach_grad()\nwith autograd.record():\n    y = x * 2\ng = autograd.grad(y, [x, z])",
            "g",
            Gives([floats([2] * 3), floats([0] * 3)]),
            Raises("MXNetError"),
        ),
        Difference(
            "autograd",
            "x = nd.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    h = x * 2\n    y = h * h\n    g = autograd.grad(y, h)",
            "g",
            Gives([floats([2 * 2 * 1, 2 * 2 * 2, 2 * 2 * 3])]),
            Raises("MXNetError"),
        ),
    ],
    "get_symbol is refused, because the recorded graph is that of torch": [
        Difference(
            "autograd",
            "x = nd.array([1, 2])\nx.attach_grad()\nwith autograd.record():\n    y = x * 2\nz = autograd.get_symbol(y)",
            "type(z).__name__",
            Raises("MXNetError", "[autograd.get_symbol] received a recorded array, for which there is no Symbol"),
            Gives("Symbol"),
        ),
    ],
    "MXNet refuses lists of arrays, lists of places, contexts as text and saving tuples; here they work": [
        Difference(
            "creation",
            "",
            "nd.array([nd.array([1, 2]), nd.array([3, 4])])",
            Gives(floats([[1, 2], [3, 4]])),
            Raises("TypeError"),
        ),
        Difference(
            "creation", "", "nd.array([nd.array([1]), nd.array([3])])", Gives(floats([[1], [3]])), Raises("TypeError")
        ),
        Difference("creation", "", "nd.array([1, 2], ctx='cpu')", Gives(floats([1, 2])), Raises("AttributeError")),
        Difference(
            "creation",
            "a = nd.array([[1, 2], [3, 4]])\nb = nd.array([[5, 6]])\nn = np.array([[1, 2]], dtype='float32')",
            "nd.concat([a, b], dim=0)",
            Gives(np.concatenate([floats([[1, 2], [3, 4]]), floats([[5, 6]])])),
            Raises("AssertionError"),
        ),
        Difference(
            "creation",
            "a = nd.array([[1, 2], [3, 4]])\nb = nd.array([[5, 6]])\nn = np.array([[1, 2]], dtype='float32')",
            "nd.stack([a, a])",
            Gives(np.stack([floats([[1, 2], [3, 4]])] * 2)),
            Raises("AssertionError"),
        ),
        Difference(
            "creation",
            "a = nd.array([[1, 2], [3, 4]])\nb = nd.array([[5, 6]])\nn = np.array([[1, 2]], dtype='float32')",
            "nd.split_v2(nd.arange(6), [2])",
            Gives(np.split(SIX, [2])),
            Raises("ValueError"),
        ),
        Difference(
            "methods",
            "nd.save('f.params', (nd.array([1]),))",
            "nd.load('f.params')",
            Gives([floats([1])]),
            Raises("ValueError"),
        ),
        Difference(
            "methods",
            "x = nd.array([[1.5, 2], [3, 4]])\ny = nd.zeros((2, 2))\nz = nd.zeros((2, 2), dtype='int32')\nw = nd.zeros((3,))",
            "x.as_in_context('cpu')",
            Gives(floats([[1.5, 2], [3, 4]])),
            Raises("TypeError"),
        ),
    ],
    "MXNet refuses some integers of NumPy as an index; here every integer type, and an array without axes, is one": [
        Difference("indexing_get", "x = nd.arange(6)", "x[np.uint8(3)]", Gives(SIX[[3]]), Raises("ValueError")),
        Difference("indexing_get", "x = nd.arange(6)", "x[np.array(2)]", Gives(SIX[[2]]), Raises("MXNetError")),
    ],
    "MXNet refuses some empty selections; here they are empty, as in NumPy": [
        Difference("indexing_get", "x = nd.arange(6)", "x[4:2]", Gives(SIX[4:2]), Raises("MXNetError")),
        Difference("indexing_get", "x = nd.arange(6)", "x[[]]", Gives(SIX[[]]), Raises("MXNetError")),
        Difference(
            "indexing_get",
            "x = nd.arange(12).reshape((3, 4))",
            "x[:, 1:1]",
            Gives(TWELVE[:, 1:1]),
            Raises("MXNetError"),
        ),
        Difference(
            "indexing_get",
            "x = nd.arange(12).reshape((3, 4))",
            "x[np.array([], dtype='int64')]",
            Gives(TWELVE[np.array([], dtype="int64")]),
            Raises("MXNetError"),
        ),
        Difference(
            "indexing_get",
            "x = nd.arange(24).reshape((2, 3, 4))",
            "x[:, 3:].shape",
            Gives(np.zeros((2, 3, 4))[:, 3:].shape),
            Raises("MXNetError"),
        ),
        Difference(
            "indexing_get",
            "x = nd.arange(24).reshape((2, 3, 4))",
            "x[1, 1:1, 2].shape",
            Gives(np.zeros((2, 3, 4))[1, 1:1, 2].shape),
            Raises("MXNetError"),
        ),
        Difference("indexing_set", "x = nd.arange(6)\nx[[]] = 9", "x", Gives(SIX), Raises("MXNetError")),
        Difference("indexing_set", "x = nd.arange(6)\nx[4:2] = 9", "x", Gives(SIX), Raises("AssertionError")),
    ],
    "a new axis after one index array comes after it, as in NumPy; MXNet puts it first": [
        Difference(
            "indexing_get",
            "x = nd.arange(12).reshape((3, 4))",
            "x[[0, 1], None]",
            Gives(TWELVE[[0, 1], None]),
            Gives(TWELVE[[0, 1]][None]),
        ),
    ],
    "MXNet has no conversion of an array to a Python number; here one of a single element converts": [
        Difference("indexing_get", "", "int(nd.array([3.7]))", Gives(int(3.7)), Raises("TypeError")),
        Difference("indexing_get", "", "int(nd.array([-3.7]))", Gives(int(-3.7)), Raises("TypeError")),
        Difference("indexing_get", "", "int(nd.array([5], dtype='int32'))", Gives(5), Raises("TypeError")),
        Difference("indexing_get", "", "float(nd.array([3.5]))", Gives(3.5), Raises("TypeError")),
        Difference("indexing_get", "", "float(nd.array([[3.5]]))", Gives(3.5), Raises("TypeError")),
        Difference("indexing_get", "", "float(nd.array([5], dtype='int32'))", Gives(5.0), Raises("TypeError")),
        Difference("indexing_get", "", "complex(nd.array([1]))", Gives(complex(1)), Raises("TypeError")),
        Difference(
            "indexing_get", "", "list(range(nd.array([3], dtype='int32')))", Gives([0, 1, 2]), Raises("TypeError")
        ),
        Difference("indexing_get", "", "[10, 20, 30][nd.array([1], dtype='int32')]", Gives(20), Raises("TypeError")),
        Difference("indexing_get", "", "nd.array([2], dtype='int64').__index__()", Gives(2), Raises("AttributeError")),
        Difference("indexing_get", "", "'%d' % nd.array([3.7])", Gives("3"), Raises("TypeError")),
        Difference("indexing_get", "", "'%.2f' % nd.array([3.756])", Gives("3.76"), Raises("TypeError")),
    ],
    "asscalar() gives a number for every shape with one element; MXNet gives an array unless the shape is (1,)": [
        Difference(
            "methods",
            "x = nd.array([[1.5, 2], [3, 4]])\ny = nd.zeros((2, 2))\nz = nd.zeros((2, 2), dtype='int32')\nw = nd.zeros((3,))",
            "nd.array([[3]]).asscalar()",
            Gives(np.float32(3)),
            Gives(floats([[3]]), kind="numpy"),
        ),
    ],
    "x[True] means x[1] in assignments, as it does in reading; MXNet assigns to the whole array": [
        Difference(
            "indexing_set",
            "x = nd.arange(6)\nx[True] = 9",
            "x",
            Gives(floats([0, 9, 2, 3, 4, 5])),
            Gives(floats([9] * 6)),
        ),
    ],
    "None is refused as a value; MXNet turns it into NaN": [
        Difference(
            "indexing_set",
            "x = nd.arange(6)\nx[:] = None",
            "x",
            Raises("TypeError", "[NDArray] cannot assign a value of type builtins.NoneType; expected a number"),
            Gives(floats([np.nan] * 6)),
        ),
    ],
    "int64 values are exact; in MXNet they go through float64": [
        Difference(
            "indexing_set",
            "x = nd.zeros((2,), dtype='int64')\nx[:] = 2**53 + 1",
            "x",
            Gives(np.array([2**53 + 1] * 2)),
            Gives(np.array([int(float(2**53 + 1))] * 2)),
        ),
        Difference(
            "indexing_set",
            "x = nd.zeros((2,), dtype='int64')\nx[[0]] = 2**53 + 1",
            "x",
            Gives(np.array([2**53 + 1, 0])),
            Gives(np.array([int(float(2**53 + 1)), 0])),
        ),
    ],
    "MXNet 1.9.1 does not have these names and arguments, which other versions have": [
        Difference(
            "methods",
            "x = nd.arange(24).reshape((2, 3, 4))",
            "x.wait_to_write()",
            Gives(None),
            Raises("AttributeError"),
        ),
        Difference(
            "methods",
            "x = nd.arange(24).reshape((2, 3, 4))",
            "x.transpose(1, 0, 2).shape",
            Gives(np.zeros((2, 3, 4)).transpose(1, 0, 2).shape),
            Raises("TypeError"),
        ),
        Difference(
            "methods",
            "x = nd.array([[1.5, 2], [3, 4]])\ny = nd.zeros((2, 2))\nz = nd.zeros((2, 2), dtype='int32')\nw = nd.zeros((3,))",
            "x.as_in_ctx(mx.cpu(1)).context",
            Gives(mx.cpu(1)),
            Raises("AttributeError"),
        ),
        Difference("util", "", "mx.num_gpus()", Gives(torch.cuda.device_count()), Raises("AttributeError")),
    ],
    "a length of 0 in broadcast_to keeps the length of the axis, as MXNet documents; its method raises": [
        Difference(
            "methods",
            "x = nd.arange(24).reshape((2, 3, 4))",
            "nd.arange(3).reshape((1, 3)).broadcast_to((4, 0)).shape",
            Gives((4, 3)),
            Raises("ValueError"),
        ),
    ],
    "copying an array to itself returns the array; MXNet returns False": [
        Difference(
            "methods",
            "x = nd.array([[1.5, 2], [3, 4]])\ny = nd.zeros((2, 2))\nz = nd.zeros((2, 2), dtype='int32')\nw = nd.zeros((3,))",
            "x.copyto(x)",
            Gives(floats([[1.5, 2], [3, 4]])),
            Gives(False),
        ),
    ],
}
