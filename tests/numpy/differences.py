"""Where expressions on `mx.np` differ from MXNet 1.9.1 on purpose: what they give here and what MXNet gives."""

import numpy as np

from tests.expected import Difference, Gives, Raises, floats, log_softmax

SETUP = "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\n"
TWELVE = np.arange(12, dtype="float32").reshape(3, 4)
ROWS = np.arange(6, dtype="float32").reshape(2, 3)
X = floats([[1, -2, 3], [4, 0, -6]])


def variance_of_uint8(values: list[int]) -> np.ndarray:
    """Return the variance with sums, differences and squares in uint8, which wrap around at 256."""
    given = np.array(values, dtype="uint8")
    mean = given.sum(dtype="uint8") // len(values)
    squares = np.square(given.astype("int64") - int(mean)).astype("uint8")
    return np.asarray(squares.sum(dtype="uint8") // len(values), dtype="uint8")


DIFFERENCES: dict[str, list[Difference]] = {
    "MXNet has no gradient of these functions; here it is the derivative": [
        Difference(
            "np_autograd",
            SETUP
            + "x = np.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = np.insert(x, 1, 5) * np.array([1, 2, 3, 4])\ny.backward()",
            "x.grad",
            Gives(floats([1, 3, 4])),
            Raises("MXNetError"),
        ),
        Difference(
            "np_autograd",
            SETUP
            + "x = np.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = np.delete(x, 1) * 2\ny.backward()",
            "x.grad",
            Gives(floats([2, 0, 2])),
            Raises("MXNetError"),
        ),
    ],
    "MXNet refuses to write to an array inside record(); here the write is part of the graph": [
        Difference(
            "np_autograd",
            SETUP
            + "x = np.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = np.zeros((3,))\n    y[1:] = x[1:] * 2\n    z = y * 3\nz.backward()\n",
            "x.grad",
            Gives(floats([0, 2 * 3, 2 * 3])),
            Raises("MXNetError"),
        ),
    ],
    "MXNet lacks these functions, arguments and cases of NumPy; here the result is that of NumPy": [
        Difference(
            "np_elementwise",
            SETUP + "x = np.array([[-1.5, -0.5, 0], [0.5, 1, 2.5]])\n",
            "np.rad2deg(x)",
            Gives(floats(np.rad2deg([[-1.5, -0.5, 0], [0.5, 1, 2.5]]))),
            Raises("AttributeError"),
        ),
        Difference(
            "np_elementwise",
            SETUP + "x = np.array([[-1.5, -0.5, 0], [0.5, 1, 2.5]])\n",
            "np.deg2rad(x)",
            Gives(floats(np.deg2rad([[-1.5, -0.5, 0], [0.5, 1, 2.5]]))),
            Raises("AttributeError"),
        ),
        Difference(
            "np_indexing",
            SETUP
            + "a = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "a[:, m[0]]",
            Gives(TWELVE[:, TWELVE[0] > 5]),
            Raises("MXNetError"),
        ),
        Difference(
            "np_joining",
            SETUP
            + "m = np.arange(6).reshape(2, 3)\nv = np.array([3, 1, 2])\nw = np.array([5, 4, 6])\ni = np.array([0, 2], dtype='int64')\nc = np.arange(24).reshape(2, 3, 4)\n",
            "np.insert(v, i, 9)",
            Gives(np.insert(floats([3, 1, 2]), [0, 2], 9)),
            Raises("MXNetError"),
        ),
        Difference(
            "np_joining",
            SETUP
            + "m = np.arange(6).reshape(2, 3)\nv = np.array([3, 1, 2])\nw = np.array([5, 4, 6])\ni = np.array([0, 2], dtype='int64')\nc = np.arange(24).reshape(2, 3, 4)\n",
            "np.insert(m, 1, 9, axis=1)",
            Gives(np.insert(ROWS, 1, 9, axis=1)),
            Raises("MXNetError"),
        ),
        Difference(
            "np_methods",
            SETUP + "a = np.array([[3, 1, 2], [6, 5, 4]])\nz = np.array(7)\ni = np.array([1, 2], dtype='int32')\n",
            "a.reshape([3, 2])",
            Gives(floats([[3, 1, 2], [6, 5, 4]]).reshape([3, 2])),
            Raises("MXNetError"),
        ),
        Difference(
            "np_random",
            SETUP + "v = np.array([1, 2, 3])\nr = np.random\n",
            "r.choice(1, 3)",
            Gives(np.zeros(3, "int64")),
            Raises("MXNetError"),
        ),
        Difference(
            "np_random",
            SETUP + "v = np.array([1, 2, 3])\nr = np.random\n",
            "r.randint(3, 4, (2,))",
            Gives(np.full(2, 3, "int64")),
            Raises("MXNetError"),
        ),
        Difference(
            "np_random",
            SETUP + "v = np.array([1, 2, 3])\nr = np.random\n",
            "r.uniform(out=np.zeros((2,))).shape",
            Gives((2,)),
            Raises("MXNetError"),
        ),
        Difference(
            "np_reduction",
            SETUP + "a = np.array([[1, 5, 3], [4, 2, 6]])\nv = np.array([3, 1, 2])\n",
            "np.cumsum(a, axis=-1)",
            Gives(np.cumsum(floats([[1, 5, 3], [4, 2, 6]]), axis=-1)),
            Raises("MXNetError"),
        ),
        Difference(
            "np_shape",
            SETUP + "a = np.arange(24).reshape(2, 3, 4)\nm = np.arange(6).reshape(2, 3)\nv = np.array([1, 2, 3])\n",
            "np.flip(v, -1)",
            Gives(np.flip(floats([1, 2, 3]), -1)),
            Raises("MXNetError"),
        ),
    ],
    "MXNet refuses one index for pick from a vector; here it takes the element": [
        Difference(
            "npx",
            SETUP
            + "x = np.array([[1, -2, 3], [4, 0, -6]])\nw = np.array([[1, 0, 1], [0, 1, 0]])\nb = np.array([1, 2])\nimage = np.arange(32).reshape(1, 2, 4, 4)\n",
            "npx.pick(x[0], np.array(1))",
            Gives(floats([-2])),
            Raises("MXNetError"),
        ),
    ],
    "MXNet refuses arrays of mx.np and mx.nd in one expression; here they may meet": [
        Difference(
            "np_indexing",
            SETUP
            + "a = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n\na[0] = nd.array([1, 2, 3, 4])",
            "a",
            Gives(np.concatenate([floats([[1, 2, 3, 4]]), TWELVE[1:]])),
            Raises("TypeError"),
        ),
        Difference(
            "npx",
            SETUP
            + "x = np.array([[1, -2, 3], [4, 0, -6]])\nw = np.array([[1, 0, 1], [0, 1, 0]])\nb = np.array([1, 2])\nimage = np.arange(32).reshape(1, 2, 4, 4)\n",
            "npx.relu(x.as_nd_ndarray())",
            Gives(np.maximum(X, 0), kind="NDArray"),
            Raises("TypeError"),
        ),
    ],
    "the gradient of where() goes to the chosen elements; in MXNet it goes to the others if one side is a number": [
        Difference(
            "np_autograd",
            SETUP
            + "x = np.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = np.where(x > 1, x, 0)\ny.backward()",
            "x.grad",
            Gives(floats(np.array([1, 2, 3]) > 1)),
            Gives(floats(np.array([1, 2, 3]) <= 1)),
        ),
    ],
    "the gradient of rot90() turns back; in MXNet it turns on in the same direction": [
        Difference(
            "np_autograd",
            SETUP
            + "x = np.arange(6).reshape(2, 3) + 1\nx.attach_grad()\nw = np.array([[1, 2, 3], [4, 5, 6]])\nwith autograd.record():\n    y = np.rot90(x) * w.T\ny.backward()",
            "x.grad",
            Gives(np.rot90(floats([[1, 2, 3], [4, 5, 6]]).T, -1)),
            Gives(np.rot90(floats([[1, 2, 3], [4, 5, 6]]).T)),
        ),
    ],
    "pad() reads constant_values; MXNet pads with zeros": [
        Difference(
            "np_shape",
            SETUP + "a = np.arange(24).reshape(2, 3, 4)\nm = np.arange(6).reshape(2, 3)\nv = np.array([1, 2, 3])\n",
            "np.pad(m, ((1, 1), (1, 1)), constant_values=9)",
            Gives(np.pad(ROWS, 1, constant_values=9)),
            Gives(np.pad(ROWS, 1)),
        ),
    ],
    "x.grad is one object; MXNet makes a new one for each access": [
        Difference(
            "np_autograd",
            SETUP
            + "x = np.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = x * x\n    z = y.sum()\nz.backward()\n",
            "x.grad is x.grad",
            Gives(True),
            Gives(False),
        ),
    ],
    "indices mean what they mean to NumPy": [
        Difference(
            "np_indexing",
            SETUP
            + "a = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "a[2:1]",
            Gives(TWELVE[2:1]),
            Raises("MXNetError"),
        ),
        Difference(
            "np_indexing",
            SETUP
            + "a = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "a[i, None]",
            Gives(TWELVE[[0, 2], None]),
            Gives(TWELVE[[0, 2]][None]),
        ),
        Difference(
            "np_indexing",
            SETUP
            + "a = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "a[:, [True, False, True, False]]",
            Gives(TWELVE[:, [True, False, True, False]]),
            Gives(TWELVE[:, [1, 0, 1, 0]]),
        ),
        Difference(
            "np_indexing",
            SETUP
            + "a = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "z[None]",
            Gives(floats(7)[None]),
            Raises("IndexError"),
        ),
        Difference(
            "np_indexing",
            SETUP
            + "a = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "z[...]",
            Gives(floats(7)),
            Raises("IndexError"),
        ),
        Difference(
            "np_indexing",
            SETUP
            + "a = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n\nz[...] = 3",
            "z",
            Gives(floats(3)),
            Raises("IndexError"),
        ),
        Difference(
            "np_indexing",
            SETUP
            + "a = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "list(z)",
            Raises("TypeError", "[NDArray] an array without axes has no len()"),
            Gives([]),
        ),
    ],
    "an index out of range is refused; MXNet drops it in an assignment": [
        Difference(
            "np_indexing",
            SETUP
            + "a = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n\na[[0, 5]] = 9",
            "a",
            Raises("IndexError", "[NDArray] an index array reaches from 0 to 5; axis 0 has length 3"),
            Gives(np.concatenate([floats([[9] * 4]), TWELVE[1:]])),
        ),
    ],
    "arguments without meaning, or that are not available, are refused; MXNet ignores them": [
        Difference(
            "np_creation",
            SETUP,
            "np.arange(None)",
            Raises("ValueError", "[np.arange] received neither start nor stop; expected where to stop"),
            Gives(floats([])),
        ),
        Difference(
            "np_random",
            SETUP + "v = np.array([1, 2, 3])\nr = np.random\n",
            "(lambda x: (x.shape, x.dtype))(r.choice(5, 9, False))",
            Raises("OpParamError", "cannot choose 9 of 5 positions without repetition"),
            Gives(((9,), np.int64)),
        ),
        Difference(
            "np_random",
            SETUP + "v = np.array([1, 2, 3])\nr = np.random\n",
            "(lambda x: (x.shape, x.dtype))(r.randint(5, 2))",
            Raises("OpParamError", "low=5, high=2; expected low < high"),
            Gives(((), np.int64)),
        ),
        Difference(
            "np_random",
            SETUP + "v = np.array([1, 2, 3])\nr = np.random\n",
            "(lambda x: (x.shape, x.dtype))(r.normal(0, -1))",
            Raises("OpParamError", "expected scale of at least 0, got -1"),
            Gives(((), np.float32)),
        ),
        Difference(
            "np_random",
            SETUP + "v = np.array([1, 2, 3])\nr = np.random\n",
            "r.multivariate_normal(np.zeros((2,)), np.eye(2), check_valid='raise').shape",
            Raises("NotImplementedError", "[np.random.multivariate_normal] check_valid and tol are not available"),
            Gives((2,)),
        ),
        Difference(
            "np_shape",
            SETUP + "a = np.arange(24).reshape(2, 3, 4)\nm = np.arange(6).reshape(2, 3)\nv = np.array([1, 2, 3])\n",
            "np.reshape(m, (3, 2), order='F')",
            Raises("NotImplementedError", "[np.reshape] order: received 'F'; only 'C', row by row, is available"),
            Gives(ROWS.reshape(3, 2)),
        ),
    ],
    "arrays of mx.np keep NumPy's shapes after npx.reset_np(); in MXNet a shape without axes is lost": [
        Difference(
            "np_methods",
            SETUP
            + "a = np.array([[3, 1, 2], [6, 5, 4]])\nz = np.array(7)\ni = np.array([1, 2], dtype='int32')\nnpx.reset_np()\n",
            "a[0, 0]",
            Gives(floats(3)),
            Gives(floats([3])),
        ),
        Difference("npx", SETUP + "npx.reset_np()\n", "np.zeros(()).shape", Gives(()), Raises("MXNetError")),
    ],
    "NumPy converts an array of mx.np to one of the same dtype; with MXNet it makes an array of objects": [
        Difference(
            "np_methods",
            SETUP + "a = np.array([[3, 1, 2], [6, 5, 4]])\nz = np.array(7)\ni = np.array([1, 2], dtype='int32')\n",
            "onp.asarray(a)",
            Gives(floats([[3, 1, 2], [6, 5, 4]]), kind="numpy"),
            Gives(floats([[3, 1, 2], [6, 5, 4]]).astype(object), kind="numpy"),
        ),
        Difference(
            "np_protocol",
            SETUP + "a = np.array([[1, 2], [3, 4]])\nv = np.array([3, 1, 2])\nf = np.array([0.5, 1.5])\n",
            "onp.array(a)",
            Gives(floats([[1, 2], [3, 4]]), kind="numpy"),
            Gives(floats([[1, 2], [3, 4]]).astype(object), kind="numpy"),
        ),
        Difference(
            "np_protocol",
            SETUP + "a = np.array([[1, 2], [3, 4]])\nv = np.array([3, 1, 2])\nf = np.array([0.5, 1.5])\n",
            "onp.asarray(a)",
            Gives(floats([[1, 2], [3, 4]]), kind="numpy"),
            Gives(floats([[1, 2], [3, 4]]).astype(object), kind="numpy"),
        ),
    ],
    "the result has the type that the installed NumPy gives; MXNet was recorded with an older one": [
        Difference(
            "np_fallback",
            SETUP
            + "a = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\n",
            "np.count_nonzero(a)",
            Gives(np.count_nonzero(floats([[1, 4], [3, 2]]))),
            Gives(4),
            varies=True,
        ),
        Difference(
            "np_fallback",
            SETUP
            + "a = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\n",
            "np.nanpercentile(n, 50)",
            Gives(np.nanpercentile(floats([np.nan, 1, 3]), 50)),
            Gives(np.float64(2)),
            varies=True,
        ),
        Difference(
            "np_fallback",
            SETUP
            + "a = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\n",
            "np.nanquantile(n, 0.5)",
            Gives(np.nanquantile(floats([np.nan, 1, 3]), 0.5)),
            Gives(np.float64(2)),
            varies=True,
        ),
        Difference(
            "np_fallback",
            SETUP
            + "a = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\n",
            "np.count_nonzero([1, 0])",
            Gives(np.count_nonzero([1, 0])),
            Gives(1),
            varies=True,
        ),
        Difference(
            "np_protocol",
            SETUP + "a = np.array([[1, 2], [3, 4]])\nv = np.array([3, 1, 2])\nf = np.array([0.5, 1.5])\n",
            "onp.count_nonzero(a)",
            Gives(np.count_nonzero(floats([[1, 2], [3, 4]]))),
            Gives(4),
            varies=True,
        ),
        Difference(
            "np_reduction",
            SETUP + "a = np.array([[1, 5, 3], [4, 2, 6]])\nv = np.array([3, 1, 2])\n",
            "np.count_nonzero(a)",
            Gives(np.count_nonzero(floats([[1, 5, 3], [4, 2, 6]]))),
            Gives(6),
            varies=True,
        ),
    ],
    "functions that run in the official NumPy are refused where a gradient would be lost; MXNet fails for want of an attribute": [
        Difference(
            "np_fallback",
            SETUP
            + "a = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\nv.attach_grad()\nautograd.set_recording(True)\ny = v * 2\n",
            "np.ptp(y)",
            Raises("ValueError", "[np.ptp] runs in the official NumPy, so its gradient would be lost while recording"),
            Raises("AttributeError"),
        ),
        Difference(
            "np_fallback",
            SETUP
            + "a = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\nv.attach_grad()\nautograd.set_recording(True)\ny = v * 2\n",
            "np.polyadd(y, y)",
            Raises(
                "ValueError", "[np.polyadd] runs in the official NumPy, so its gradient would be lost while recording"
            ),
            Raises("AttributeError"),
        ),
    ],
    "functions that run in the official NumPy take constants while recording; MXNet fails for want of an attribute": [
        Difference(
            "np_fallback",
            SETUP
            + "a = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\nv.attach_grad()\nautograd.set_recording(True)\ny = v * 2\n",
            "np.linalg.qr(a)",
            Gives(tuple(np.linalg.qr(floats([[1, 4], [3, 2]])))),
            Raises("AttributeError"),
        ),
    ],
    "the variance of uint8 is computed exactly, then cast; in MXNet its sums overflow": [
        Difference(
            "np_reduction",
            SETUP
            + "t = np.array([1, 0, 1]) > 0\nu = np.array([100, 200, 1], dtype='uint8')\ni = np.array([1, 2, 4], dtype='int32')\nl = np.array([1, 2, 4], dtype='int64')\nh = np.array([1, 2, 4], dtype='float16')\nd = np.array([1, 2, 4], dtype='float64')\nz = np.array(5)\ne = np.zeros((0, 2))\n",
            "np.std(u)",
            Gives(np.array(np.std([100, 200, 1])).astype("int64").astype("uint8")),
            Gives(np.array(np.sqrt(variance_of_uint8([100, 200, 1]))).astype("uint8")),
        ),
        Difference(
            "np_reduction",
            SETUP
            + "t = np.array([1, 0, 1]) > 0\nu = np.array([100, 200, 1], dtype='uint8')\ni = np.array([1, 2, 4], dtype='int32')\nl = np.array([1, 2, 4], dtype='int64')\nh = np.array([1, 2, 4], dtype='float16')\nd = np.array([1, 2, 4], dtype='float64')\nz = np.array(5)\ne = np.zeros((0, 2))\n",
            "np.var(u)",
            Gives(np.array(np.var([100, 200, 1])).astype("int64").astype("uint8")),
            Gives(variance_of_uint8([100, 200, 1])),
        ),
    ],
    "the remainder 0 has the sign of the divisor in MXNet; here it has none": [
        Difference(
            "np_arithmetic",
            SETUP
            + "t = np.array([1, 0, 1]) > 0\nu = np.array([1, 2, 3], dtype='uint8')\ns = np.array([-1, 2, 3], dtype='int8')\ni = np.array([1, -2, 3], dtype='int32')\nl = np.array([4, 5, 6], dtype='int64')\nh = np.array([1, 2.5, 3], dtype='float16')\nf = np.array([1, -2.5, 3])\nd = np.array([1, 2.5, 3], dtype='float64')\n",
            "f % f",
            Gives(floats([0.0, 0.0, 0.0])),
            Gives(floats([0.0, -0.0, 0.0])),
        ),
    ],
    "windows have NumPy's precision; MXNet computes them in single precision": [
        Difference(
            "np_creation",
            SETUP,
            "np.blackman(5)",
            Gives(floats(np.blackman(5))),
            Gives(floats(np.blackman(5)), tolerance=2e-5),
        ),
    ],
    "MXNet's log_softmax and softrelu are 2e-5 off where they are small; here they have single precision": [
        Difference(
            "npx",
            SETUP
            + "x = np.array([[1, -2, 3], [4, 0, -6]])\nw = np.array([[1, 0, 1], [0, 1, 0]])\nb = np.array([1, 2])\nimage = np.arange(32).reshape(1, 2, 4, 4)\n",
            "npx.log_softmax(x)",
            Gives(log_softmax(X)),
            Gives(log_softmax(X), tolerance=1e-4),
        ),
        Difference(
            "npx",
            SETUP
            + "x = np.array([[1, -2, 3], [4, 0, -6]])\nw = np.array([[1, 0, 1], [0, 1, 0]])\nb = np.array([1, 2])\nimage = np.arange(32).reshape(1, 2, 4, 4)\n",
            "npx.activation(x, 'softrelu')",
            Gives(floats(np.log1p(np.exp(X.astype("float64"))))),
            Gives(floats(np.log1p(np.exp(X.astype("float64")))), tolerance=1e-4),
        ),
    ],
}
