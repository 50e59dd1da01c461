"""Examples in the documentation of operators, by the operator's name; tests run them all.

They stand here, not beside the functions, since those of most families are made by loops. `nd` is `mx.nd`.
"""

EXAMPLES = {
    "Concat": """
>>> a, b = nd.zeros((2, 1)), nd.ones((2, 2))
>>> nd.concat(a, b, dim=1).asnumpy()
array([[0., 1., 1.],
       [0., 1., 1.]], dtype=float32)
""",
    "sum": """
>>> x = nd.array([[1, 2], [3, 4]])
>>> nd.sum(x, axis=1).asnumpy()
array([3., 7.], dtype=float32)
>>> nd.sum(x, axis=0, keepdims=True).shape
(1, 2)
""",
    "mean": """
>>> x = nd.array([[1, 2], [3, 4]])
>>> nd.mean(x, axis=0).asnumpy()
array([2., 3.], dtype=float32)
""",
    "max": """
>>> x = nd.array([[1, 7], [3, 4]])
>>> nd.max(x, axis=1).asnumpy()
array([7., 4.], dtype=float32)
""",
    "min": """
>>> x = nd.array([[1, 7], [3, 4]])
>>> nd.min(x, axis=1).asnumpy()
array([1., 3.], dtype=float32)
""",
    "norm": """
>>> float(nd.norm(nd.array([3, 4])).asscalar())
5.0
>>> nd.norm(nd.array([[3, 4], [6, 8]]), ord=2, axis=1).asnumpy()
array([ 5., 10.], dtype=float32)
""",
    "argmax": """
>>> nd.argmax(nd.array([[1, 7, 3], [9, 4, 5]]), axis=1).asnumpy()
array([1., 0.], dtype=float32)
""",
    "argmax_channel": """
>>> nd.argmax_channel(nd.array([[1, 7, 3], [9, 4, 5]])).asnumpy()
array([1., 0.], dtype=float32)
""",
    "softmax": """
>>> nd.softmax(nd.array([[1, 1], [0, 1]])).asnumpy().round(4)
array([[0.5   , 0.5   ],
       [0.2689, 0.7311]], dtype=float32)
""",
    "log_softmax": """
>>> nd.log_softmax(nd.array([[0, 0]])).asnumpy().round(4)
array([[-0.6931, -0.6931]], dtype=float32)
""",
    "SoftmaxActivation": """
>>> nd.SoftmaxActivation(nd.array([[1, 1], [0, 1]])).asnumpy().round(4)
array([[0.5   , 0.5   ],
       [0.2689, 0.7311]], dtype=float32)
""",
    "BatchNorm": """
>>> x = mx.sym.var("data")
>>> norm = mx.sym.BatchNorm(x, name="bn")
>>> norm.list_arguments(), norm.list_auxiliary_states()
(['data', 'bn_gamma', 'bn_beta'], ['bn_moving_mean', 'bn_moving_var'])
""",
    "Activation": """
>>> nd.Activation(nd.array([-1, 0, 2]), act_type="relu").asnumpy()
array([0., 0., 2.], dtype=float32)
""",
    "zeros_like": """
>>> nd.zeros_like(nd.array([[1, 2]])).asnumpy()
array([[0., 0.]], dtype=float32)
""",
    "ones_like": """
>>> nd.ones_like(nd.array([[1, 2]])).asnumpy()
array([[1., 1.]], dtype=float32)
""",
    "expand_dims": """
>>> nd.expand_dims(nd.ones((2, 3)), axis=1).shape
(2, 1, 3)
""",
    "Convolution": """
>>> x, weight, bias = nd.ones((1, 3, 8, 8)), nd.ones((4, 3, 3, 3)), nd.zeros((4,))
>>> y = nd.Convolution(x, weight, bias, kernel=(3, 3), num_filter=4, pad=(1, 1))
>>> y.shape, float(y[0, 0, 4, 4].asscalar())
((1, 4, 8, 8), 27.0)
""",
    "Deconvolution": """
>>> x, weight = nd.ones((1, 3, 4, 4)), nd.ones((3, 2, 2, 2))
>>> nd.Deconvolution(x, weight, kernel=(2, 2), stride=(2, 2), num_filter=2).shape
(1, 2, 8, 8)
""",
    "Pooling": """
>>> x = nd.arange(16).reshape((1, 1, 4, 4))
>>> nd.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max").asnumpy()
array([[[[ 5.,  7.],
         [13., 15.]]]], dtype=float32)
""",
    "FullyConnected": """
>>> x, weight, bias = nd.ones((2, 3)), nd.ones((4, 3)), nd.zeros((4,))
>>> nd.FullyConnected(x, weight, bias, num_hidden=4).asnumpy()
array([[3., 3., 3., 3.],
       [3., 3., 3., 3.]], dtype=float32)
""",
    "SoftmaxOutput": """
>>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=10, name="fc")
>>> mx.sym.SoftmaxOutput(net, name="softmax").list_arguments()
['data', 'fc_weight', 'fc_bias', 'softmax_label']
""",
    "log": """
>>> nd.log(nd.array([1, 10])).asnumpy().round(4)
array([0.    , 2.3026], dtype=float32)
""",
    "exp": """
>>> nd.exp(nd.array([0, 1])).asnumpy().round(4)
array([1.    , 2.7183], dtype=float32)
""",
    "sqrt": """
>>> nd.sqrt(nd.array([4, 9])).asnumpy()
array([2., 3.], dtype=float32)
""",
    "abs": """
>>> nd.abs(nd.array([-2, 3])).asnumpy()
array([2., 3.], dtype=float32)
""",
    "relu": """
>>> nd.relu(nd.array([-2, 3])).asnumpy()
array([0., 3.], dtype=float32)
""",
    "sigmoid": """
>>> nd.sigmoid(nd.array([0, 100])).asnumpy()
array([0.5, 1. ], dtype=float32)
""",
    "square": """
>>> nd.square(nd.array([-2, 3])).asnumpy()
array([4., 9.], dtype=float32)
""",
    "dot": """
>>> a, b = nd.array([[1, 2], [3, 4]]), nd.array([[1, 0], [0, 2]])
>>> nd.dot(a, b).asnumpy()
array([[1., 4.],
       [3., 8.]], dtype=float32)
>>> nd.dot(a, b, transpose_a=True).asnumpy()
array([[1., 6.],
       [2., 8.]], dtype=float32)
""",
    "batch_dot": """
>>> nd.batch_dot(nd.ones((5, 2, 3)), nd.ones((5, 3, 4))).shape
(5, 2, 4)
""",
    "MakeLoss": """
>>> x = nd.array([1, 2])
>>> x.attach_grad()
>>> with autograd.record():
...     loss = nd.MakeLoss(nd.square(x))
>>> loss.backward()
>>> x.grad.asnumpy()
array([2., 4.], dtype=float32)
""",
    "BlockGrad": """
>>> x = nd.array([1, 2])
>>> x.attach_grad()
>>> with autograd.record():
...     y = x * nd.BlockGrad(x)
>>> y.backward()
>>> x.grad.asnumpy()
array([1., 2.], dtype=float32)
""",
    "stack": """
>>> nd.stack(nd.array([1, 2]), nd.array([3, 4]), axis=1).asnumpy()
array([[1., 3.],
       [2., 4.]], dtype=float32)
""",
    "transpose": """
>>> nd.transpose(nd.ones((2, 3, 4)), axes=(2, 0, 1)).shape
(4, 2, 3)
""",
    "Reshape": """
>>> x = nd.ones((2, 3, 4))
>>> nd.reshape(x, shape=(0, -1)).shape
(2, 12)
>>> nd.reshape(x, shape=(-3, 0)).shape
(6, 4)
""",
    "clip": """
>>> nd.clip(nd.array([-2, 0.5, 9]), a_min=0, a_max=1).asnumpy()
array([0. , 0.5, 1. ], dtype=float32)
""",
    "one_hot": """
>>> nd.one_hot(nd.array([1, 0]), depth=3).asnumpy()
array([[0., 1., 0.],
       [1., 0., 0.]], dtype=float32)
""",
    "topk": """
>>> x = nd.array([[1, 7, 3], [9, 4, 5]])
>>> nd.topk(x, k=2).asnumpy()
array([[1., 2.],
       [0., 2.]], dtype=float32)
>>> nd.topk(x, k=2, ret_typ="value").asnumpy()
array([[7., 3.],
       [9., 5.]], dtype=float32)
""",
    "where": """
>>> nd.where(nd.array([1, 0]), nd.array([10, 20]), nd.array([-1, -2])).asnumpy()
array([10., -2.], dtype=float32)
""",
    "SliceChannel": """
>>> parts = nd.split(nd.arange(6).reshape((2, 3)), num_outputs=3, axis=1, squeeze_axis=True)
>>> [part.asnumpy().tolist() for part in parts]
[[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
""",
    "repeat": """
>>> nd.repeat(nd.array([1, 2]), repeats=2).asnumpy()
array([1., 1., 2., 2.], dtype=float32)
""",
    "reverse": """
>>> nd.flip(nd.array([[1, 2, 3]]), axis=1).asnumpy()
array([[3., 2., 1.]], dtype=float32)
""",
    "smooth_l1": """
>>> nd.smooth_l1(nd.array([-3, 0.5, 2]), scalar=1).asnumpy()
array([2.5  , 0.125, 1.5  ], dtype=float32)
""",
    "Dropout": """
>>> x = nd.ones((2, 2))
>>> nd.Dropout(x, p=0.5).asnumpy()  # nothing is dropped outside of training
array([[1., 1.],
       [1., 1.]], dtype=float32)
>>> with autograd.train_mode():
...     y = nd.Dropout(x, p=0.5)  # elements are 0 or 2
>>> sorted(set(y.asnumpy().ravel().tolist()) - {0.0, 2.0})
[]
""",
    "slice_axis": """
>>> nd.slice_axis(nd.arange(6), axis=0, begin=1, end=-2).asnumpy()
array([1., 2., 3.], dtype=float32)
""",
    "Flatten": """
>>> nd.flatten(nd.ones((2, 3, 4, 5))).shape
(2, 60)
""",
    "L2Normalization": """
>>> nd.L2Normalization(nd.array([[3, 4], [0, 2]])).asnumpy()
array([[0.6, 0.8],
       [0. , 1. ]], dtype=float32)
""",
    "add_n": """
>>> nd.add_n(nd.array([1, 2]), nd.array([10, 20]), nd.array([100, 200])).asnumpy()
array([111., 222.], dtype=float32)
""",
    "broadcast_mul": """
>>> nd.broadcast_mul(nd.ones((2, 3)), nd.array([[1, 2, 3]])).asnumpy()
array([[1., 2., 3.],
       [1., 2., 3.]], dtype=float32)
""",
    "broadcast_add": """
>>> nd.broadcast_add(nd.ones((2, 3)), nd.array([[1, 2, 3]])).asnumpy()
array([[2., 3., 4.],
       [2., 3., 4.]], dtype=float32)
""",
    "broadcast_sub": """
>>> nd.broadcast_sub(nd.ones((2, 3)), nd.array([[1, 2, 3]])).asnumpy()
array([[ 0., -1., -2.],
       [ 0., -1., -2.]], dtype=float32)
""",
    "broadcast_div": """
>>> nd.broadcast_div(nd.ones((2, 2)), nd.array([[1, 2]])).asnumpy()
array([[1. , 0.5],
       [1. , 0.5]], dtype=float32)
""",
    "UpSampling": """
>>> nd.UpSampling(nd.array([[[[1, 2]]]]), scale=2, sample_type="nearest").asnumpy()
array([[[[1., 1., 2., 2.],
         [1., 1., 2., 2.]]]], dtype=float32)
""",
    "Cast": """
>>> nd.cast(nd.array([1.7, -2.2]), dtype="int32").asnumpy()
array([ 1, -2], dtype=int32)
""",
    "_random_normal": """
>>> nd.random_normal(loc=0, scale=1, shape=(2, 3)).shape
(2, 3)
""",
    "_random_uniform": """
>>> x = nd.random_uniform(low=0, high=1, shape=(2, 3))
>>> x.shape, bool((x.asnumpy() < 1).all())
((2, 3), True)
""",
    "take": """
>>> nd.take(nd.array([[1, 2], [3, 4], [5, 6]]), nd.array([2, 0])).asnumpy()
array([[5., 6.],
       [1., 2.]], dtype=float32)
""",
    "pick": """
>>> nd.pick(nd.array([[1, 2], [3, 4]]), nd.array([1, 0])).asnumpy()
array([2., 3.], dtype=float32)
""",
    "argsort": """
>>> nd.argsort(nd.array([3, 1, 2])).asnumpy()
array([1., 2., 0.], dtype=float32)
""",
    "tile": """
>>> nd.tile(nd.array([1, 2]), reps=(2, 2)).asnumpy()
array([[1., 2., 1., 2.],
       [1., 2., 1., 2.]], dtype=float32)
""",
    "squeeze": """
>>> nd.squeeze(nd.ones((1, 3, 1))).shape
(3,)
""",
    "Embedding": """
>>> weight = nd.array([[0, 0], [1, 2], [3, 4]])
>>> nd.Embedding(nd.array([2, 1]), weight, input_dim=3, output_dim=2).asnumpy()
array([[3., 4.],
       [1., 2.]], dtype=float32)
""",
    "LeakyReLU": """
>>> nd.LeakyReLU(nd.array([-1, 2]), slope=0.1).asnumpy()
array([-0.1,  2. ], dtype=float32)
""",
    "broadcast_to": """
>>> nd.broadcast_to(nd.array([[1, 2]]), shape=(2, 2)).asnumpy()
array([[1., 2.],
       [1., 2.]], dtype=float32)
""",
    "_linalg_gemm2": """
>>> nd.linalg_gemm2(nd.ones((2, 3)), nd.ones((3, 2)), alpha=0.5).asnumpy()
array([[1.5, 1.5],
       [1.5, 1.5]], dtype=float32)
""",
    "Custom": """
>>> class Double(mx.operator.CustomOp):
...     def forward(self, is_train, req, in_data, out_data, aux):
...         self.assign(out_data[0], req[0], in_data[0] * 2)
>>> @mx.operator.register("example_double")
... class DoubleProp(mx.operator.CustomOpProp):
...     def create_operator(self, ctx, shapes, dtypes):
...         return Double()
>>> nd.Custom(nd.array([1, 2]), op_type="example_double").asnumpy()
array([2., 4.], dtype=float32)
""",
    "tanh": """
>>> nd.tanh(nd.array([0, 100])).asnumpy()
array([0., 1.], dtype=float32)
""",
    "SequenceMask": """
>>> x = nd.ones((3, 2))
>>> nd.SequenceMask(x, nd.array([1, 3]), use_sequence_length=True).asnumpy()
array([[1., 1.],
       [0., 1.],
       [0., 1.]], dtype=float32)
""",
}


def with_example(name: str, doc: str) -> str:
    """The documentation of an operator, with its example if there is one."""
    example = EXAMPLES.get(name)
    if example is None:
        return doc
    lines = "\n".join(f"    {line}" for line in example.strip().splitlines())
    return f"{doc.rstrip()}\n\nExample:\n{lines}"
