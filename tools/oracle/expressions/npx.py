"""Functions of `mx.npx`."""

from tools.oracle.expressions import NUMPY, Entry, group

_A = NUMPY + (
    "x = np.array([[1, -2, 3], [4, 0, -6]])\nw = np.array([[1, 0, 1], [0, 1, 0]])\nb = np.array([1, 2])\n"
    "image = np.arange(32).reshape(1, 2, 4, 4)\n"
)

ENTRIES: list[Entry] = [
    *group(
        _A,
        *("npx.relu(x)", "npx.activation(x, act_type='relu')", "npx.leaky_relu(x)", "npx.leaky_relu(x, slope=0.1)"),
        *("npx.fully_connected(x, w, b, num_hidden=2)", "npx.fully_connected(x, w, num_hidden=2, no_bias=True)"),
        *("npx.fully_connected(x, w, b, num_hidden=2, flatten=False)", "npx.batch_flatten(image).shape"),
        *("npx.one_hot(np.array([0, 2]), 3)", "npx.one_hot(np.array([0, 2], dtype='int32'), depth=3, on_value=5)"),
        *(
            "npx.pick(x, np.array([0, 2]))",
            "npx.pick(x, np.array([0, 2]), axis=1, keepdims=True)",
            "npx.cast(x, dtype='int32')",
        ),
        *("npx.topk(x)", "npx.topk(x, k=2)", "npx.topk(x, k=2, ret_typ='value')", "npx.topk(x, k=2, ret_typ='both')"),
        *("npx.topk(x, k=1, axis=0, dtype='int32')", "npx.topk(x, k=2, ret_typ='mask')", "npx.nonzero(x)"),
        *(
            "npx.batch_dot(x[None], w.T[None])",
            "npx.batch_dot(x[None], w[None], transpose_b=True)",
            "npx.shape_array(image)",
        ),
        *(
            "npx.embedding(np.array([0, 1, 1]), w, input_dim=2, output_dim=3)",
            "npx.gather_nd(x, np.array([[0, 1], [2, 0]]))",
        ),
        *(
            "npx.sequence_mask(x, np.array([1, 2, 1]), use_sequence_length=True)",
            "npx.arange_like(x)",
            "npx.arange_like(x, axis=1)",
        ),
        *(
            "npx.sequence_mask(x, np.array([1, 2]), use_sequence_length=True, axis=1, value=-1)",
            "npx.smooth_l1(x, scalar=1)",
        ),
        *(
            "npx.reshape(image, (-2, -5, -2)).shape",
            "npx.reshape(image, (-2, -2, -1)).shape",
            "npx.reshape(image, (-4,)).shape",
        ),
        *(
            "npx.reshape(image, (-3, -4)).shape",
            "npx.reshape(image, (-6, 1, -1, -4)).shape",
            "npx.reshape(image, (9,))",
        ),
        *(
            "npx.reshape(image, (-1, -5), reverse=True).shape",
            "npx.reshape_like(x, np.zeros((3, 2)))",
            "npx.slice(x, (0, 1), (2, 3))",
        ),
        *(
            "npx.pooling(image, kernel=(2, 2), stride=(2, 2), pool_type='max')",
            "npx.pooling(image, global_pool=True, kernel=(1, 1))",
        ),
        *(
            "npx.convolution(image, np.ones((1, 2, 3, 3)), kernel=(3, 3), num_filter=1, no_bias=True)",
            "npx.dropout(x, p=0.5)",
        ),
        *(
            "npx.constraint_check(x > -9, 'fine')",
            "npx.constraint_check(x > 0, 'negative')",
            "npx.multibox_prior(image).shape",
        ),
        *(
            "npx.is_np_array()",
            "npx.is_np_shape()",
            "npx.num_gpus()",
            "npx.cpu()",
            "npx.cpu(1)",
            "npx.current_context()",
        ),
        *(
            "npx.waitall()",
            "npx.set_np(shape=False)",
            "npx.bogus",
            "npx.relu(5)",
            "npx.relu(x, bogus=1)",
            "npx.one_hot(x)",
        ),
        *("npx.relu(np.array(-1))", "npx.relu(x.as_nd_ndarray())", "npx.gpu(0)", "npx.roi_pooling.__name__"),
        *(
            "npx.image.flip_left_right(np.arange(6).reshape(1, 2, 3))",
            "npx.image.to_tensor(np.ones((2, 2, 3), dtype='uint8')).shape",
        ),
    ),
    *group(
        _A,
        *(
            "npx.softmax(x)",
            "npx.softmax(x, axis=0)",
            "npx.softmax(x, temperature=2)",
            "npx.log_softmax(x)",
            "npx.sigmoid(x)",
        ),
        *(
            "npx.softmax(x, np.array([1, 2]), use_length=True)",
            "npx.activation(x, act_type='tanh')",
            "npx.erf(x)",
            "npx.gamma(np.abs(x) + 1)",
        ),
        *(
            "npx.activation(x, 'softrelu')",
            "npx.leaky_relu(x, act_type='elu')",
            "npx.leaky_relu(x, act_type='gelu')",
            "npx.erfinv(x / 10)",
        ),
        *(
            "npx.layer_norm(x, np.ones((3,)), np.zeros((3,)))",
            "npx.gammaln(np.abs(x) + 1)",
            "npx.activation(x, act_type='sigmoid')",
        ),
        "npx.batch_norm(x, np.ones((3,)), np.zeros((3,)), np.zeros((3,)), np.ones((3,)), eps=1e-5)",
        exact=False,
    ),
    *group(
        NUMPY + "npx.reset_np()\n",
        "npx.is_np_array()",
        "npx.is_np_shape()",
        "mx.util.is_np_array()",
        "np.zeros(()).shape",
    ),
    *group(
        _A,
        *("npx.one_hot(np.array(2), 3)", "npx.one_hot(np.array(2, dtype='int32'), 3)", "npx.pick(x[0], np.array(1))"),
        *("npx.embedding(np.array(1), w, input_dim=2, output_dim=3)", "npx.topk(x[0], k=2)"),
        *("npx.relu(np.zeros((0, 2)))", "npx.gather_nd(x, np.array([0, 1]))", "npx.smooth_l1(np.array(2), scalar=1)"),
        *("npx.topk(x, k=1, axis=None)", "npx.reshape(x[0, :1], ())", "npx.nonzero(np.zeros((2,)))"),
        "npx.batch_dot(np.zeros((0, 2, 3)), np.zeros((0, 3, 4))).shape",
    ),
]
