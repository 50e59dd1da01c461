"""Short programs that train modules with sparse data and parameters, as `sparse_graph_programs.py` has them."""

from __future__ import annotations

_SETUP = """
numbers = np.random.RandomState(0)
kept = (numbers.rand(24, 6) * (numbers.rand(24, 6) < 0.4)).astype('float32')
labels = (kept[:, 0] + kept[:, 3] > kept[:, 5]).astype('float32')

class Batches(mx.io.DataIter):
    provide_data = [mx.io.DataDesc('data', (8, 6))]
    provide_label = [mx.io.DataDesc('softmax_label', (8,))]
    def __init__(self):
        super().__init__(8)
        rows = nd.array(kept).tostype('csr')
        self.batches = [mx.io.DataBatch([rows[i:i + 8]], [nd.array(labels[i:i + 8])], 0, None) for i in range(0, 24, 8)]
        self.place = 0
    def reset(self):
        self.place = 0
    def next(self):
        if self.place == len(self.batches):
            raise StopIteration
        self.place += 1
        return self.batches[self.place - 1]

def linear(stype):
    weight = sym.var('weight', stype=stype, shape=(6, 2), init=mx.init.Constant(0.1))
    bias = sym.var('bias', shape=(2,), init=mx.init.Zero())
    scores = sym.broadcast_add(sym.sparse.dot(sym.var('data', stype='csr'), weight), bias)
    return sym.SoftmaxOutput(scores, sym.var('softmax_label'), name='out')

def factorization():
    data = sym.var('data', stype='csr')
    factors = sym.var('v', shape=(6, 3), stype='row_sparse', init=mx.init.Constant(0.05))
    weight = sym.var('w', shape=(6, 1), stype='row_sparse', init=mx.init.Constant(0.02))
    first = sym.broadcast_add(sym.dot(data, weight), sym.var('bias', shape=(1,), init=mx.init.Zero()))
    squares = sym.dot(sym.square(data), sym._internal._square_sum(factors, axis=1, keepdims=True))
    joined = sym.Concat(first, 0.5 * sym.square(sym.dot(data, factors)), dim=1)
    score = sym.elemwise_add(sym.sum(joined, axis=1, keepdims=True), -0.5 * squares)
    return sym.LogisticRegressionOutput(score, sym.var('softmax_label'))

def rows_of(*names):
    return lambda batch: {name: batch.data[0].indices for name in names}

def fit(network, store='local', optimizer='sgd', rows=(), context=mx.cpu(), **params):
    module, batches = mx.mod.Module(network, context=context), Batches()
    chosen = {'learning_rate': 0.1, 'rescale_grad': 0.125, **params}
    module.bind(batches.provide_data, batches.provide_label)
    module.init_params(mx.init.Constant(0.1))
    module.init_optimizer(mx.kv.create(store) if store else None, optimizer, chosen)
    chooses = rows_of(*rows) if rows else None
    for _ in range(2):
        batches.reset()
        for batch in batches:
            module.prepare(batch, chooses)
            module.forward(batch, is_train=True)
            module.backward()
            module.update()
    params = [array for _, array in sorted(module.get_params()[0].items())]
    return module, params, [module.predict(batches, sparse_row_id_fn=chooses)]
"""

MODULE_PROGRAMS: dict[str, str] = {
    **{
        f"module_linear_{number}": _SETUP + f"module, params, found = fit({arguments})\nresult = params + found + ["
        "str(sorted((name, arrays[0].stype) for name, arrays in\n"
        "    zip(module._exec_group.param_names, module._exec_group.grad_arrays)))]"
        for number, arguments in enumerate(
            [
                "linear('default'), None",
                "linear('default')",
                "linear('row_sparse'), rows=['weight']",
                "linear('row_sparse'), None",
                "linear('row_sparse'), rows=['weight'], optimizer='adam'",
                "linear('row_sparse'), rows=['weight'], optimizer='adagrad', wd=0.0",
                "linear('row_sparse'), rows=['weight'], context=[mx.cpu(0), mx.cpu(1)]",
                "linear('default'), context=[mx.cpu(0), mx.cpu(1)]",
                "factorization(), rows=['v', 'w']",
                "factorization(), rows=['v', 'w'], optimizer='adam'",
            ]
        )
    },
    "module_fit": _SETUP
    + """
module = mx.mod.Module(linear('row_sparse'))
module.fit(Batches(), eval_metric='acc', initializer=mx.init.Constant(0.1), kvstore=mx.kv.create('local'),
    optimizer_params={'learning_rate': 0.5}, num_epoch=3, sparse_row_id_fn=rows_of('weight'))
result = [*module.get_params()[0].values(), str(module.score(Batches(), 'acc', sparse_row_id_fn=rows_of('weight')))]
""",
    "module_checkpoint": _SETUP
    + """
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    prefix = os.path.join(folder, 'net')
    module, _, found = fit(linear('row_sparse'), None)
    module.save_checkpoint(prefix, 1)
    again = mx.mod.Module.load(prefix, 1)
    again.bind(Batches().provide_data, Batches().provide_label, for_training=False)
    result = [again.predict(Batches()), *found, *(each for _, each in sorted(again.get_params()[0].items()))]
""",
    "module_reshape": _SETUP
    + """
module, params, _ = fit(linear('row_sparse'), None)
module.forward(mx.io.DataBatch([nd.array(kept[:3]).tostype('csr')], [nd.array(labels[:3])]), is_train=True)
module.backward()
module.update()
result = [*module.get_outputs(), *(each for _, each in sorted(module.get_params()[0].items()))]
""",
    "module_libsvm": _SETUP
    + """
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'train.libsvm')
    with open(path, 'w') as file:
        for label, row in zip(labels, kept):
            cells = ' '.join(f'{place}:{value:.4f}' for place, value in enumerate(row) if value)
            file.write(f'{label} {cells}\\n')
    batches = mx.io.LibSVMIter(data_libsvm=path, data_shape=(6,), batch_size=8)
    module = mx.mod.Module(linear('row_sparse'))
    module.bind(batches.provide_data, batches.provide_label)
    module.init_params(mx.init.Constant(0.1))
    module.init_optimizer(mx.kv.create('local'), 'sgd', {'learning_rate': 0.5, 'rescale_grad': 0.125})
    metric = mx.metric.create(['acc', 'nll_loss'])
    for batch in batches:
        module.prepare(batch, rows_of('weight'))
        module.forward_backward(batch)
        module.update()
        module.update_metric(metric, batch.label)
    result = [each for _, each in sorted(module.get_params()[0].items())]
    result += module.get_outputs() + [str([(name, round(value, 4)) for name, value in metric.get_name_value()])]
""",
    "module_wide_and_deep": _SETUP
    + """
dense = sym.var('dense')
wide = sym.dot(sym.var('data', stype='csr'), sym.var('wide_weight', shape=(6, 2), stype='row_sparse'))
deep = sym.Embedding(sym.slice_axis(dense, axis=1, begin=0, end=1), sym.var('table_weight', stype='row_sparse'),
    input_dim=4, output_dim=3, sparse_grad=True)
deep = sym.Concat(sym.Flatten(deep), sym.slice_axis(dense, axis=1, begin=1, end=3), dim=1)
deep = sym.FullyConnected(sym.Activation(sym.FullyConnected(deep, num_hidden=4, name='one'), 'relu'),
    num_hidden=2, name='two')
network = sym.SoftmaxOutput(wide + deep, sym.var('softmax_label'), name='model')
module = mx.mod.Module(network, ['data', 'dense'], ['softmax_label'])
module.bind([('data', (8, 6)), ('dense', (8, 3))], [('softmax_label', (8,))])
module.init_params(mx.init.Constant(0.1))
module.init_optimizer(mx.kv.create('local'), 'adam', {'learning_rate': 0.1})
more = nd.array(np.concatenate([np.arange(24)[:, None] % 4, numbers.rand(24, 2)], 1))
for place, batch in zip(range(0, 24, 8), Batches()):
    batch = mx.io.DataBatch([*batch.data, more[place:place + 8]], batch.label)
    module.prepare(batch, lambda batch: {'wide_weight': batch.data[0].indices,
        'table_weight': batch.data[1].slice_axis(axis=1, begin=0, end=1).reshape(-1).astype('int64')})
    module.forward_backward(batch)
    module.update()
result = [*(each for _, each in sorted(module.get_params()[0].items())), *module.get_outputs()]
""",
    "module_factors": """
data, scores = {'user': np.arange(24) % 10, 'item': np.arange(24) * 7 % 9}, np.linspace(0, 1, 24)
tall = lambda name, rows: sym.Embedding(sym.var(name), sym.var(name + '_weight', stype='row_sparse',
    init=mx.init.Constant(rows / 50)), input_dim=rows, output_dim=4, sparse_grad=True)
score = sym.Flatten(sym.sum(tall('user', 10) * tall('item', 9), axis=1))
module = mx.mod.Module(sym.LinearRegressionOutput(score, sym.var('score')), ['user', 'item'], ['score'])
batches = mx.io.NDArrayIter(data, {'score': scores}, 8)
module.bind(batches.provide_data, batches.provide_label)
module.init_params(mx.init.One())
module.init_optimizer(mx.kv.create('local'), 'sgd', {'learning_rate': 0.3})
places = [each.name for each in batches.provide_data]
rows = lambda batch: {f'{name}_weight': each.astype('int64') for name, each in zip(places, batch.data)}
for batch in batches:
    module.prepare(batch, rows)
    module.forward(batch, True)
    module.backward()
    module.update()
result = [each for _, each in sorted(module.get_params()[0].items())]
""",
}
