"""Automatic names, name managers, names of outputs."""

from tools.oracle.symbols import Entry, each, group

_X = "x, y = sym.var('x'), sym.var('y')"

ENTRIES: list[Entry] = [
    *group(
        "counters",
        _X,
        "[sym.FullyConnected(x, num_hidden=2).name for _ in range(3)]",
        "[sym.FullyConnected(x, num_hidden=2).name, sym.Activation(x, act_type='relu').name, sym.relu(x).name]",
        "[(x + y).name, (x + 1).name, (1 + x).name, (x - y).name, (x - 1).name, (1 - x).name]",
        "[(x * y).name, (x * 2).name, (2 * x).name, (x / y).name, (x / 2).name, (2 / x).name]",
        "[(x ** y).name, (x ** 2).name, (2 ** x).name, (x % y).name, (x % 2).name, (2 % x).name]",
        "[(-x).name, abs(x).name, (x == y).name, (x != 1).name, (x > y).name, (x >= 1).name, (x < y).name, "
        "(x <= 1).name]",
        "[sym.concat(x, y, dim=0).name, sym.Concat(x, y, dim=0).name, sym.stack(x, y).name, sym.add_n(x, y).name]",
        "[sym.split(x, num_outputs=2).name, sym.SliceChannel(x, num_outputs=2).name, sym.slice_axis(x, axis=0, "
        "begin=0, end=1).name]",
        "[sym.broadcast_add(x, y).name, sym.broadcast_plus(x, y).name, sym.elemwise_add(x, y).name, sym.dot(x, "
        "y).name]",
        "[sym.zeros((2,)).name, sym.ones((2,)).name, sym.arange(3).name, sym.full((2,), 3).name, sym.eye(2).name]",
        "[sym.random.uniform(shape=(2,)).name, sym.random.normal(shape=(2,)).name, sym.random.uniform(x, y).name]",
        "[sym.linalg.gemm2(x, y).name, sym.linalg.potrf(x).name, sym.contrib.box_iou(x, y).name]",
        "[sym.mean(x).name, x.mean().name, x.sum().name, x.reshape((2, 3)).name]",
        "[sym.transpose(x).name, sym.flatten(x).name, sym.Flatten(x).name, sym.swapaxes(x).name, sym.SwapAxis(x).name]",
        "[sym.softmax(x).name, sym.log_softmax(x).name, sym.SoftmaxOutput(x).name, sym.LinearRegressionOutput(x).name]",
        "[sym.maximum(x, y).name, sym.maximum(x, 1).name, sym.minimum(1, x).name, sym.pow(x, y).name, "
        "sym.hypot(x, 2).name]",
        "[sym.BlockGrad(x).name, sym.stop_gradient(x).name, sym.MakeLoss(x).name, sym.make_loss(x).name, "
        "sym.identity(x).name]",
        "[sym.contrib.arange_like(x).name, sym.contrib.div_sqrt_dim(x).name, sym.contrib.AdaptiveAvgPooling2D(x).name]",
        "[sym.Pooling(x, kernel=(2, 2), pool_type='max').name, sym.Dropout(x).name, sym.LRN(x, nsize=3).name]",
        "[sym.where(x, x, y).name, sym.take(x, y).name, sym.one_hot(x, depth=3).name, sym.topk(x).name, "
        "sym.sort(x).name]",
        "[sym.cast(x, dtype='float16').name, sym.Cast(x, dtype='float16').name, x.astype('float16').name]",
        "[sym.norm(x).name, sym.L2Normalization(x).name, sym.clip(x, 0, 1).name, sym.expand_dims(x, axis=0).name]",
    ),
    *group(
        "given",
        _X,
        "sym.FullyConnected(x, num_hidden=2, name='fc1').name",
        "sym.FullyConnected(x, num_hidden=2, name='fc1').list_arguments()",
        "[sym.relu(x, name='a').name, sym.relu(x).name, sym.relu(x, name='relu0').name, sym.relu(x).name]",
        "sym.Group([x, y]).name",
        "sym.split(x, num_outputs=2, name='s').name",
        "sym.split(x, num_outputs=2, name='s')[1].name",
        "[sym.FullyConnected(x, num_hidden=2, name='').name, sym.FullyConnected(x, num_hidden=2, name=None).name]",
        "x.name",
        "sym.Variable('with space/and:more').name",
    ),
    *each(
        "managers",
        "result",
        "with mx.name.Prefix('net_'):\n    result = sym.FullyConnected(sym.var('x'), num_hidden=2).list_arguments()",
        "with mx.name.Prefix('net_'):\n    result = sym.FullyConnected(sym.var('x'), num_hidden=2, "
        "name='fc').list_arguments()",
        "with mx.name.Prefix('net_'):\n    result = sym.var('x').name",
        "with mx.name.Prefix('a_'):\n    with mx.name.Prefix('b_'):\n        result = sym.relu(sym.var('x')).name",
        "with mx.name.Prefix('a_'):\n    inside = sym.relu(sym.var('x')).name\nresult = [inside, "
        "sym.relu(sym.var('x')).name]",
        "sym.relu(sym.var('x'))\nwith mx.name.NameManager():\n    inside = sym.relu(sym.var('x')).name\n"
        "result = [inside, sym.relu(sym.var('x')).name]",
        "class Mine(mx.name.NameManager):\n    def get(self, name, hint):\n        return 'mine_' + hint\n"
        "with Mine():\n    result = [sym.relu(sym.var('x')).name, (sym.var('x') + 1).name, sym.zeros((1,)).name]",
        "with mx.name.Prefix('p_'):\n    result = [sym.zeros((1,)).name, sym.arange(3).name, (sym.var('x') * 2).name]",
        "with mx.name.Prefix('p_'):\n    s = sym.contrib.foreach(lambda a, b: (a + b, a), sym.var('d'), sym.var('s'))\n"
        "result = s[0].list_outputs()",
    ),
    *group(
        "outputs",
        _X,
        "x.list_outputs()",
        "(x + y).list_outputs()",
        "sym.split(x, num_outputs=3, name='s').list_outputs()",
        "sym.split(x, num_outputs=1, name='s').list_outputs()",
        "sym.BatchNorm(x, name='bn').list_outputs()",
        "sym.BatchNorm(x, name='bn', output_mean_var=True).list_outputs()",
        "sym.Dropout(x, name='d').list_outputs()",
        "sym.LayerNorm(x, name='ln').list_outputs()",
        "sym.LayerNorm(x, name='ln', output_mean_var=True).list_outputs()",
        "sym.RNN(x, state_size=2, num_layers=1, mode='lstm', name='r').list_outputs()",
        "sym.RNN(x, state_size=2, num_layers=1, mode='lstm', state_outputs=True, name='r').list_outputs()",
        "sym.RNN(x, state_size=2, num_layers=1, mode='gru', state_outputs=True, name='r').list_outputs()",
        "sym.topk(x, ret_typ='both', name='t').list_outputs()",
        "sym.topk(x, name='t').list_outputs()",
        "sym.linalg.gelqf(x, name='g').list_outputs()",
        "sym.linalg.slogdet(x, name='g').list_outputs()",
        "sym.linalg.syevd(x, name='g').list_outputs()",
        "sym.contrib.MultiBoxTarget(x, name='t').list_outputs()",
        "sym.contrib.Proposal(x, name='p', output_score=True).list_outputs()",
        "sym.moments(x, axes=(0,), name='m').list_outputs()",
        "sym.LRN(x, nsize=3, name='l').list_outputs()",
        "sym.Pooling(x, kernel=(2, 2), name='p').list_outputs()",
        "sym.SoftmaxOutput(x, name='softmax').list_outputs()",
        "sym.L2Normalization(x, name='n').list_outputs()",
        "sym.InstanceNorm(x, name='n').list_outputs()",
        "sym.GroupNorm(x, name='n').list_outputs()",
        "sym.CTCLoss(x, y, name='c').list_outputs()",
        "sym.LeakyReLU(x, act_type='rrelu', name='l').list_outputs()",
        "sym.split_v2(x, 2).list_outputs()",
        "sym.split_v2(x, (1, 3)).list_outputs()",
        "sym.amp_multicast(x, y, num_outputs=2, name='a').list_outputs()",
        "sym.sample_multinomial(x, get_prob=True, name='m').list_outputs()",
        "sym.contrib.quantize_v2(x, name='q').list_outputs()",
        "sym.contrib.bipartite_matching(x, threshold=0.1, name='q').list_outputs()",
        "sym.SpatialTransformer(x, y, target_shape=(2, 2), transform_type='affine', sampler_type='bilinear', "
        "name='t').list_outputs()",
        "sym.BilinearSampler(x, y, name='b').list_outputs()",
        "sym.GridGenerator(x, transform_type='affine', target_shape=(2, 2), name='g').list_outputs()",
        "sym.ROIPooling(x, y, pooled_size=(2, 2), spatial_scale=1, name='r').list_outputs()",
        "sym.Group([x, sym.relu(y, name='r')]).list_outputs()",
        "sym.Group([x, x]).list_outputs()",
    ),
]
