"""Printed and saved forms."""

from tools.oracle.symbols import Entry, each, group

_NET = """
data = sym.var('data', shape=(2, 3), lr_mult=2)
with mx.AttrScope(ctx_group='g'):
    fc = sym.FullyConnected(data, num_hidden=4, name='fc')
bn = sym.BatchNorm(fc, name='bn')
parts = sym.split(bn, num_outputs=2, axis=1, name='parts')
net = sym.Group([parts[1], sym.relu(parts[0], name='r'), fc])
"""

ENTRIES: list[Entry] = [
    *group(
        "net",
        _NET,
        "net.tojson()",
        "net.debug_str()",
        "repr(net)",
        "str(net)",
        "repr(fc)",
        "repr(data)",
        "repr(parts)",
        "repr(parts[1])",
        "repr(net.get_internals())",
        "bn.debug_str()",
        "data.debug_str()",
        "parts[1].tojson()",
        "net.get_internals().tojson()",
        "net.get_children().tojson()",
        "bn.get_internals()['bn_moving_mean'].tojson()",
        "data.tojson()",
        "sym.load_json(net.tojson()).tojson() == net.tojson()",
        "sym.load_json(net.tojson()).attr_dict()",
    ),
    *each(
        "files",
        "result",
        "s = sym.relu(sym.var('x'))\ns.save('s.json')\nresult = open('s.json').read()",
        "s = sym.relu(sym.var('x'))\ns.save('s.json')\nresult = sym.load('s.json').list_outputs()",
        "s = sym.BatchNorm(sym.var('x'))\ns.save('s.json')\nresult = sym.load('s.json').list_auxiliary_states()",
    ),
    *each(
        "json",
        "s.tojson()",
        "s = sym.concat(*[sym.var('x%d' % i) for i in range(10)], dim=0)",
        "s = sym.concat(*[sym.var('x%d' % i) for i in range(11)], dim=0)",
        "s = sym.Group([sym.var('x%d' % i) for i in range(11)])",
        "s = sym.var('quote\" back\\\\ tab\\t line\\n return\\r slash/ é ☃')",
        "s = sym.var('x', attr={'__note__': 'a \"b\" \\n c'})",
        "s = sym.relu(sym.var('x'))\nfor _ in range(10):\n    s = sym.relu(s)",
        "x = sym.var('x')\na = x + 1\ns = sym.Group([a * 2, a, x])",
        "x = sym.var('x')\nb = sym.BatchNorm(x, name='b')\n"
        "s = sym.BatchNorm(b, moving_mean=b.get_internals()['b_moving_mean'], name='c')",
        "x = sym.var('x')\nb = sym.BatchNorm(x, name='b')\ns = sym.relu(b.get_internals()['b_moving_mean'])",
        "x = sym.var('x')\nb = sym.BatchNorm(x, name='b')\ns = b.get_internals()['b_moving_mean'] + x",
        "s = sym.Dropout(sym.var('x'), p=0.3)",
        "s = sym.RNN(sym.var('x'), state_size=2, num_layers=1, mode='lstm', state_outputs=True)",
        "s = sym.LayerNorm(sym.var('x'))",
        "s = sym.topk(sym.var('x'), k=2)",
        "s = sym.topk(sym.var('x'), k=2, ret_typ='both')[1]",
        "s = sym.LeakyReLU(sym.var('x'), act_type='prelu')",
        "s = sym.LeakyReLU(sym.var('x'), act_type='rrelu')",
        "s = sym.Pooling(sym.var('x'), kernel=(2, 2), pool_type='max')",
        "s = sym.Convolution(sym.var('x'), kernel=(2, 2), num_filter=3)",
        "s = sym.SoftmaxOutput(sym.var('x'))",
        "s = sym.LRN(sym.var('x'), nsize=3)",
        "s = sym.L2Normalization(sym.var('x'))",
        "s = sym.InstanceNorm(sym.var('x'))",
        "s = sym.GroupNorm(sym.var('x'))",
        "s = sym.CTCLoss(sym.var('x'), sym.var('y'))",
        "s = sym.linalg.syrk(sym.var('x'))",
        "s = sym.linalg.gelqf(sym.var('x'))",
        "s = sym.random.uniform(0, 1, shape=(2, 3))",
        "s = sym.random.normal(sym.var('m'), sym.var('v'))",
        "s = sym.zeros((2, 3)) + sym.ones((2, 3), dtype='float16')",
        "s = sym.split_v2(sym.var('x'), (1, 2))",
        "s = sym.Concat(sym.var('x'), sym.var('y'))",
        "s = sym.SpatialTransformer(sym.var('x'), target_shape=(2, 2), transform_type='affine', "
        "sampler_type='bilinear')",
        "s = sym.BilinearSampler(sym.var('x'))",
        "s = sym.ROIPooling(sym.var('x'), pooled_size=(2, 2), spatial_scale=1)",
        "s = sym.GridGenerator(sym.var('x'), transform_type='affine', target_shape=(2, 2))",
        "s = sym.contrib.MultiBoxTarget(sym.var('x'))",
        "s = sym.contrib.Proposal(sym.var('x'))",
        "s = sym.batch_dot(sym.var('x'), sym.var('y'), transpose_b=True)",
        "s = sym.moments(sym.var('x'), axes=(0,))",
        "s = sym.norm(sym.var('x'))",
        "s = sym.contrib.AdaptiveAvgPooling2D(sym.var('x'), output_size=2)",
        "s = sym.contrib.box_nms(sym.var('x'))",
        "s = sym.UpSampling(sym.var('x'), scale=2, sample_type='bilinear', num_filter=2)",
        "s = sym.Embedding(sym.var('x'), input_dim=3, output_dim=2, sparse_grad=True)",
    ),
    *each(
        "numpy_shapes",
        "text",
        "with mx.util.np_shape(True):\n    text = (sym.var('x') + 1).tojson()",
        "with mx.util.np_shape(True):\n    text = sym.var('x', shape=(2, -1)).tojson()",
        "with mx.util.np_shape(True):\n    text = sym.zeros((2, 0)).tojson()",
        "with mx.util.np_shape(True):\n    first = sym.var('x').tojson()\ntext = sym.load_json(first).tojson()",
    ),
]
