"""Where expressions on `mx.np` arrays differ from MXNet 1.9.1 on purpose, by reason: (topic, setup, expression)."""

DIFFERENCES: dict[str, list[tuple[str, str, str]]] = {
    "more works: MXNet has no gradient, no axis, or no value for it": [
        (
            "np_autograd",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = np.insert(x, 1, 5) * np.array([1, 2, 3, 4])\ny.backward()",
            "x.grad",
        ),
        (
            "np_autograd",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = np.delete(x, 1) * 2\ny.backward()",
            "x.grad",
        ),
        (
            "np_autograd",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = np.zeros((3,))\n    y[1:] = x[1:] * 2\n    z = y * 3\nz.backward()\n",
            "x.grad",
        ),
        (
            "np_elementwise",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.array([[-1.5, -0.5, 0], [0.5, 1, 2.5]])\n",
            "np.rad2deg(x)",
        ),
        (
            "np_elementwise",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.array([[-1.5, -0.5, 0], [0.5, 1, 2.5]])\n",
            "np.deg2rad(x)",
        ),
        (
            "np_indexing",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "a[:, m[0]]",
        ),
        (
            "np_joining",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nm = np.arange(6).reshape(2, 3)\nv = np.array([3, 1, 2])\nw = np.array([5, 4, 6])\ni = np.array([0, 2], dtype='int64')\nc = np.arange(24).reshape(2, 3, 4)\n",
            "np.insert(v, i, 9)",
        ),
        (
            "np_joining",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nm = np.arange(6).reshape(2, 3)\nv = np.array([3, 1, 2])\nw = np.array([5, 4, 6])\ni = np.array([0, 2], dtype='int64')\nc = np.arange(24).reshape(2, 3, 4)\n",
            "np.insert(m, 1, 9, axis=1)",
        ),
        (
            "np_methods",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[3, 1, 2], [6, 5, 4]])\nz = np.array(7)\ni = np.array([1, 2], dtype='int32')\n",
            "a.reshape([3, 2])",
        ),
        (
            "np_random",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nv = np.array([1, 2, 3])\nr = np.random\n",
            "r.choice(1, 3)",
        ),
        (
            "np_random",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nv = np.array([1, 2, 3])\nr = np.random\n",
            "r.randint(3, 4, (2,))",
        ),
        (
            "np_random",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nv = np.array([1, 2, 3])\nr = np.random\n",
            "r.uniform(out=np.zeros((2,))).shape",
        ),
        (
            "np_reduction",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 5, 3], [4, 2, 6]])\nv = np.array([3, 1, 2])\n",
            "np.cumsum(a, axis=-1)",
        ),
        (
            "np_shape",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(24).reshape(2, 3, 4)\nm = np.arange(6).reshape(2, 3)\nv = np.array([1, 2, 3])\n",
            "np.flip(v, -1)",
        ),
        (
            "npx",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.array([[1, -2, 3], [4, 0, -6]])\nw = np.array([[1, 0, 1], [0, 1, 0]])\nb = np.array([1, 2])\nimage = np.arange(32).reshape(1, 2, 4, 4)\n",
            "npx.pick(x[0], np.array(1))",
        ),
    ],
    "more works: both kinds of arrays meet": [
        (
            "np_indexing",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n\na[0] = nd.array([1, 2, 3, 4])",
            "a",
        ),
        (
            "npx",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.array([[1, -2, 3], [4, 0, -6]])\nw = np.array([[1, 0, 1], [0, 1, 0]])\nb = np.array([1, 2])\nimage = np.arange(32).reshape(1, 2, 4, 4)\n",
            "npx.relu(x.as_nd_ndarray())",
        ),
    ],
    "MXNet is wrong: the gradient goes to the elements that were not chosen, and turns the other way": [
        (
            "np_autograd",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = np.where(x > 1, x, 0)\ny.backward()",
            "x.grad",
        ),
        (
            "np_autograd",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.arange(6).reshape(2, 3) + 1\nx.attach_grad()\nw = np.array([[1, 2, 3], [4, 5, 6]])\nwith autograd.record():\n    y = np.rot90(x) * w.T\ny.backward()",
            "x.grad",
        ),
    ],
    "MXNet is wrong: it does not read constant_values": [
        (
            "np_shape",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(24).reshape(2, 3, 4)\nm = np.arange(6).reshape(2, 3)\nv = np.array([1, 2, 3])\n",
            "np.pad(m, ((1, 1), (1, 1)), constant_values=9)",
        ),
    ],
    "the same gradient array every time": [
        (
            "np_autograd",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.array([1, 2, 3])\nx.attach_grad()\nwith autograd.record():\n    y = x * x\n    z = y.sum()\nz.backward()\n",
            "x.grad is x.grad",
        ),
    ],
    "keys mean what they mean to NumPy": [
        (
            "np_indexing",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "a[2:1]",
        ),
        (
            "np_indexing",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "a[i, None]",
        ),
        (
            "np_indexing",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "a[:, [True, False, True, False]]",
        ),
        (
            "np_indexing",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "z[None]",
        ),
        (
            "np_indexing",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "z[...]",
        ),
        (
            "np_indexing",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n\nz[...] = 3",
            "z",
        ),
        (
            "np_indexing",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n",
            "list(z)",
        ),
    ],
    "an index out of range is refused": [
        (
            "np_indexing",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(12).reshape(3, 4)\nm = a > 5\nrows = a[:, 0] > 1\ni = np.array([0, 2], dtype='int32')\nv = np.arange(5)\nz = np.array(7)\n\na[[0, 5]] = 9",
            "a",
        ),
    ],
    "arguments without meaning are refused instead of ignored": [
        (
            "np_creation",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\n",
            "np.arange(None)",
        ),
        (
            "np_random",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nv = np.array([1, 2, 3])\nr = np.random\n",
            "(lambda x: (x.shape, x.dtype))(r.choice(5, 9, False))",
        ),
        (
            "np_random",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nv = np.array([1, 2, 3])\nr = np.random\n",
            "(lambda x: (x.shape, x.dtype))(r.randint(5, 2))",
        ),
        (
            "np_random",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nv = np.array([1, 2, 3])\nr = np.random\n",
            "(lambda x: (x.shape, x.dtype))(r.normal(0, -1))",
        ),
        (
            "np_random",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nv = np.array([1, 2, 3])\nr = np.random\n",
            "r.multivariate_normal(np.zeros((2,)), np.eye(2), check_valid='raise').shape",
        ),
        (
            "np_shape",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.arange(24).reshape(2, 3, 4)\nm = np.arange(6).reshape(2, 3)\nv = np.array([1, 2, 3])\n",
            "np.reshape(m, (3, 2), order='F')",
        ),
    ],
    "arrays of mx.np keep their rules outside of npx.set_np()": [
        (
            "np_methods",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[3, 1, 2], [6, 5, 4]])\nz = np.array(7)\ni = np.array([1, 2], dtype='int32')\nnpx.reset_np()\n",
            "a[0, 0]",
        ),
        (
            "npx",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nnpx.reset_np()\n",
            "np.zeros(()).shape",
        ),
    ],
    "NumPy gets numbers, not objects": [
        (
            "np_methods",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[3, 1, 2], [6, 5, 4]])\nz = np.array(7)\ni = np.array([1, 2], dtype='int32')\n",
            "onp.asarray(a)",
        ),
        (
            "np_protocol",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 2], [3, 4]])\nv = np.array([3, 1, 2])\nf = np.array([0.5, 1.5])\n",
            "onp.array(a)",
        ),
        (
            "np_protocol",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 2], [3, 4]])\nv = np.array([3, 1, 2])\nf = np.array([0.5, 1.5])\n",
            "onp.asarray(a)",
        ),
    ],
    "a newer NumPy answers with another type": [
        (
            "np_fallback",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\n",
            "np.count_nonzero(a)",
        ),
        (
            "np_fallback",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\n",
            "np.nanpercentile(n, 50)",
        ),
        (
            "np_fallback",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\n",
            "np.nanquantile(n, 0.5)",
        ),
        (
            "np_fallback",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\n",
            "np.count_nonzero([1, 0])",
        ),
        (
            "np_protocol",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 2], [3, 4]])\nv = np.array([3, 1, 2])\nf = np.array([0.5, 1.5])\n",
            "onp.count_nonzero(a)",
        ),
        (
            "np_reduction",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 5, 3], [4, 2, 6]])\nv = np.array([3, 1, 2])\n",
            "np.count_nonzero(a)",
        ),
    ],
    "functions of NumPy are refused where a gradient would be lost, with a text; MXNet fails to make its own": [
        (
            "np_fallback",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\nv.attach_grad()\nautograd.set_recording(True)\ny = v * 2\n",
            "np.ptp(y)",
        ),
        (
            "np_fallback",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\nv.attach_grad()\nautograd.set_recording(True)\ny = v * 2\n",
            "np.polyadd(y, y)",
        ),
        (
            "np_fallback",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\na = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\ni = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\nv.attach_grad()\nautograd.set_recording(True)\ny = v * 2\n",
            "np.linalg.qr(a)",
        ),
    ],
    "sums in 8 bits overflow in MXNet": [
        (
            "np_reduction",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nt = np.array([1, 0, 1]) > 0\nu = np.array([100, 200, 1], dtype='uint8')\ni = np.array([1, 2, 4], dtype='int32')\nl = np.array([1, 2, 4], dtype='int64')\nh = np.array([1, 2, 4], dtype='float16')\nd = np.array([1, 2, 4], dtype='float64')\nz = np.array(5)\ne = np.zeros((0, 2))\n",
            "np.std(u)",
        ),
        (
            "np_reduction",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nt = np.array([1, 0, 1]) > 0\nu = np.array([100, 200, 1], dtype='uint8')\ni = np.array([1, 2, 4], dtype='int32')\nl = np.array([1, 2, 4], dtype='int64')\nh = np.array([1, 2, 4], dtype='float16')\nd = np.array([1, 2, 4], dtype='float64')\nz = np.array(5)\ne = np.zeros((0, 2))\n",
            "np.var(u)",
        ),
    ],
    "the last digit differs": [
        (
            "np_arithmetic",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nt = np.array([1, 0, 1]) > 0\nu = np.array([1, 2, 3], dtype='uint8')\ns = np.array([-1, 2, 3], dtype='int8')\ni = np.array([1, -2, 3], dtype='int32')\nl = np.array([4, 5, 6], dtype='int64')\nh = np.array([1, 2.5, 3], dtype='float16')\nf = np.array([1, -2.5, 3])\nd = np.array([1, 2.5, 3], dtype='float64')\n",
            "f % f",
        ),
        (
            "np_creation",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\n",
            "np.blackman(5)",
        ),
        (
            "npx",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.array([[1, -2, 3], [4, 0, -6]])\nw = np.array([[1, 0, 1], [0, 1, 0]])\nb = np.array([1, 2])\nimage = np.arange(32).reshape(1, 2, 4, 4)\n",
            "npx.log_softmax(x)",
        ),
        (
            "npx",
            "from mxnet import np, npx\nimport numpy as onp\nnpx.set_np()\nx = np.array([[1, -2, 3], [4, 0, -6]])\nw = np.array([[1, 0, 1], [0, 1, 0]])\nb = np.array([1, 2])\nimage = np.arange(32).reshape(1, 2, 4, 4)\n",
            "npx.activation(x, 'softrelu')",
        ),
    ],
}
