"""Small Gluon programs whose results a real MXNet decides.

Each is run with `mx`, `nd`, `nn`, `gluon`, `autograd`, `np` at hand and name counters that begin anew, and leaves its
answer in `result`: text, numbers, lists and dicts. A program in REFUSED must raise instead.
"""

_MODEL = """
class Model(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential()
            with self.features.name_scope():
                self.features.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dense(3))
            self.output = nn.Dense(2, prefix="out_")
            self.scale = self.params.get("scale", shape=(1,), init="ones")
            self.offset = self.params.get_constant("offset", nd.array([[1, 2]]))
    def hybrid_forward(self, F, x, scale, offset):
        return F.broadcast_add(F.broadcast_mul(self.output(self.features(x)), scale), offset)
"""
_FILL = """
def fill(net):
    for number, parameter in enumerate(net.collect_params().values()):
        shape = parameter.data().shape
        parameter.set_data(nd.arange(int(np.prod(shape))).reshape(shape) / 8 + number)
"""

NAMES = {
    "counters": "result = [nn.Dense(2).name, nn.Dense(3).name, nn.Conv2D(2, 3).prefix, nn.Dense(1).prefix]",
    "kinds": """
result = [layer.name for layer in (nn.Sequential(), nn.HybridSequential(), nn.Dropout(0.5), nn.BatchNorm(),
          nn.Flatten(), nn.Activation("relu"),
          nn.MaxPool2D(), nn.GlobalAvgPool2D(), nn.Conv2DTranspose(2, 3), nn.Embedding(3, 2),
          nn.LayerNorm(), nn.PReLU(), nn.LeakyReLU(0.1), gluon.loss.L2Loss(), gluon.loss.SoftmaxCrossEntropyLoss(),
          gluon.rnn.LSTMCell(3), gluon.rnn.GRU(3))]
""",
    "scope": """
net = nn.HybridSequential()
with net.name_scope():
    net.add(nn.Dense(2), nn.Dense(3), nn.Dropout(0.2), nn.BatchNorm())
result = [net.prefix, [layer.prefix for layer in net], list(net.collect_params().keys())]
""",
    "no_scope": """
net = nn.HybridSequential()
net.add(nn.Dense(2), nn.Dense(3))
result = [net.prefix, list(net.collect_params().keys()), net.params.prefix, net.collect_params().prefix]
""",
    "activation_inside": """
layer = nn.Dense(2, activation="relu")
result = [layer.act.name, nn.Dense(3, activation="tanh", prefix="mine_").act.name]
""",
    "nested_scopes": """
outer = nn.HybridSequential(prefix="outer_")
with outer.name_scope():
    for width in (2, 3):
        inner = nn.HybridSequential()
        with inner.name_scope():
            inner.add(nn.Dense(width), nn.Dense(width))
        outer.add(inner)
    outer.add(nn.Dense(1, prefix="last_"))
result = list(outer.collect_params().keys())
""",
    "scope_entered_again": """
net = nn.Sequential()
with net.name_scope():
    net.add(nn.Dense(2))
loose = nn.Dense(2)
with net.name_scope():
    net.add(nn.Dense(2))
result = [list(net.collect_params().keys()), loose.name]
""",
    "scope_in_a_function": """
def head(prefix=None):
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(nn.Dense(2))
    return net
body = nn.HybridSequential()
with body.name_scope():
    body.add(head("head_"), head(), head(), nn.Dense(1))
result = list(body.collect_params().keys())
""",
    "prefixes": """
result = [[layer.name, layer.prefix, list(layer.params.keys())] for layer in
          (nn.Dense(2, prefix="a_"), nn.Dense(2, prefix="a"), nn.Dense(2, prefix=""), nn.Dense(2, prefix="a__"))]
""",
    "empty_prefix_is_transparent": """
net = nn.HybridSequential(prefix="")
with net.name_scope():
    net.add(nn.Dense(2), nn.Dense(2))
outer = nn.HybridSequential()
with outer.name_scope():
    inner = nn.HybridSequential(prefix="")
    with inner.name_scope():
        inner.add(nn.Dense(2))
    outer.add(inner, nn.Dense(2))
result = [list(net.collect_params().keys()), list(outer.collect_params().keys()), inner.prefix, inner.name]
""",
    "name_prefix": """
with mx.name.Prefix("mine_"):
    layers = [nn.Dense(2), nn.Dense(2)]
with mx.name.NameManager():
    layers.append(nn.Dense(2))
layers.append(nn.Dense(2))
result = [layer.name for layer in layers]
""",
    "made_outside_added_inside": """
loose = nn.Dense(2)
net = nn.HybridSequential(prefix="net_")
with net.name_scope():
    net.add(loose, nn.Dense(2))
result = [list(net.collect_params().keys()), list(net._collect_params_with_prefix())]
""",
    "subclass_names": """
class MyDense(nn.Dense):
    pass
class Résumé(nn.Block):
    pass
result = [MyDense(2).name, MyDense(2).name, Résumé().name, nn.Block().name, gluon.HybridBlock().name]
""",
    "own_alias": """
class Net(nn.Block):
    def _alias(self):
        return "alias"
result = [Net().prefix, Net().prefix]
""",
    "model": _MODEL
    + "result = [list(Model().collect_params().keys()), list(Model(prefix='m_').collect_params().keys())]",
    "model_own_params": _MODEL
    + "net = Model(); result = [net.params.prefix, list(net.params.keys()), net.features.name]",
    "shared_layer": """
first = nn.Dense(2, in_units=2)
second = nn.Dense(2, in_units=2, params=first.params)
third = nn.Dense(2, in_units=2, params=first.collect_params())
result = [second.name, second.params.prefix, list(second.params.keys()), third.weight is first.weight, third.name]
""",
    "shared_in_scope": """
net = nn.HybridSequential(prefix="net_")
with net.name_scope():
    first = nn.Dense(2, in_units=2)
    net.add(first, nn.Dense(2, in_units=2, params=first.params), nn.Dense(2))
result = [list(net.collect_params().keys()), [layer.name for layer in net], net[1].weight.name]
""",
    "shared_network": _MODEL
    + """
one = Model(prefix="one_")
two = Model(prefix="two_", params=one.collect_params())
result = [list(two.collect_params().keys()), two.output.weight is one.output.weight, two.features.prefix]
""",
    "shared_network_same_scope": """
def build(params=None):
    net = nn.HybridSequential(prefix="net_", params=params)
    with net.name_scope():
        net.add(nn.Dense(2), nn.Dense(3))
    return net
one = build()
two = build(one.collect_params())
result = [two[0].weight is one[0].weight, two[1].bias is one[1].bias, list(two.collect_params().keys())]
""",
    "sliced": """
net = nn.HybridSequential(prefix="net_")
with net.name_scope():
    net.add(*[nn.Dense(width) for width in (1, 2, 3, 4)])
part = net[1:3]
with part.name_scope():
    part.add(nn.Dense(5))
result = [type(part).__name__, part.prefix, len(part), list(part.collect_params().keys()), net[-1].name,
          net[::2][1].name,
          list(net[1:3]._collect_params_with_prefix()), nn.HybridSequential().name]
""",
    "exception_leaves_scope": """
net = nn.Sequential(prefix="net_")
try:
    with net.name_scope():
        raise KeyError("x")
except KeyError:
    pass
result = nn.Dense(2).name
""",
}

STRUCTURE = {
    "attributes": _MODEL + "result = sorted(Model()._collect_params_with_prefix())",
    "attribute_order": _MODEL + "net = Model(); result = [list(net._children), list(net._reg_params)]",
    "registered": """
net = nn.Block()
net.register_child(nn.Dense(1))
net.register_child(nn.Dense(2), "named")
net.register_child(nn.Dense(3))
net.layer = nn.Dense(4)
net.layer = nn.Dense(5)
result = [list(net._children), list(net._collect_params_with_prefix()), net._children["layer"].weight.shape]
""",
    "shared_attributes": """
net = nn.HybridSequential(prefix="net_")
with net.name_scope():
    first = nn.Dense(2, in_units=2)
    net.add(first, nn.Dense(2, in_units=2, params=first.params), first)
result = list(net._collect_params_with_prefix())
""",
    "apply_order": """
net = nn.HybridSequential(prefix="n_")
with net.name_scope():
    inner = nn.HybridSequential()
    with inner.name_scope():
        inner.add(nn.Dense(1), nn.Dense(1))
    net.add(inner, nn.Dense(2))
order = []
same = net.apply(lambda block: order.append(block.name))
result = [order, same is net]
""",
    **{
        f"select {pattern!r}": _MODEL + f"result = list(Model(prefix='m_').collect_params({pattern!r}).keys())"
        for pattern in (
            ".*weight",
            ".*bias|.*gamma",
            "m_out",
            "out",
            "",
            ".*dense0_(weight|bias)$",
            "m_scale",
            ".*running.*",
            "nothing",
        )
    },
    "flatten": """
from mxnet.gluon.block import _flatten, _regroup
a, b, c = nd.ones(1), nd.ones(2), nd.ones(3)
flat, form = _flatten([a, [b, None, [c]], (a,)], "input")
again = _regroup(flat, form)
result = [form, [x is None or x.shape[0] for x in flat], again[1][2][0].shape[0], again[1][1], _flatten(a, "input")[1]]
""",
}

PRINTED = {
    "dense": "result = [repr(x) for x in (nn.Dense(2), nn.Dense(2, in_units=3), nn.Dense(1, activation='relu'))]",
    "sequential": """
net = nn.Sequential()
net.add(nn.Dense(4, activation="relu"), nn.Dropout(0.5), nn.Flatten())
inner = nn.HybridSequential()
inner.add(nn.Dense(2), nn.HybridSequential())
net.add(inner)
result = repr(net)
""",
    "model": _MODEL + "result = repr(Model())",
    "empty": """
things = (nn.Block(), nn.Sequential(), gluon.ParameterDict(), gluon.ParameterDict("p_"))
result = [repr(thing) for thing in things]
""",
    "parameters": _MODEL + "net = Model(); result = [repr(net.collect_params()), repr(net.params)]",
    "parameters_after_data": _MODEL
    + """
net = Model()
net.initialize()
net(nd.ones((2, 5)))
result = [repr(net.collect_params('.*dense')), repr(net.features[0])]
""",
    "parameter_dtypes": """
result = [repr(gluon.Parameter("p", shape=(2, 3))), repr(gluon.Parameter("p", shape=(2,), dtype="float16")),
          repr(gluon.Parameter("p")), repr(gluon.Constant("c", [[1, 2]])), repr(nn.Dense(1, dtype="float64").weight)]
""",
    "parameter_after_cast": """
layer = nn.Dense(1, in_units=2)
layer.initialize()
layer.cast("float16")
result = [repr(layer.weight), layer.weight.data().dtype.__name__, layer.weight.grad().dtype.__name__]
""",
}

VALUES = {
    "fresh_gradient_is_zero": """
layer = nn.Dense(2, in_units=3)
layer.initialize(mx.init.One())
arrays = (layer.weight.data(), layer.weight.grad(), layer.bias.data(), layer.bias.grad())
result = [array.asnumpy().tolist() for array in arrays]
""",
    "shared_gradient_adds_up": """
net = nn.Sequential()
first = nn.Dense(2, in_units=2, use_bias=False)
net.add(first, nn.Dense(2, in_units=2, use_bias=False, params=first.params))
net.initialize(mx.init.Constant(0.5))
with autograd.record():
    y = net(nd.array([[1, 2]]))
y.backward()
result = first.weight.grad().asnumpy().tolist()
""",
    "grad_req_add": """
layer = nn.Dense(1, in_units=2)
layer.initialize(mx.init.One())
layer.collect_params().setattr("grad_req", "add")
for _ in range(3):
    with autograd.record():
        y = layer(nd.array([[1, 2]]))
    y.backward()
before = layer.weight.grad().asnumpy().tolist()
layer.collect_params().zero_grad()
result = [before, layer.weight.grad().asnumpy().tolist()]
""",
    "grad_req_switch_clears": """
layer = nn.Dense(1, in_units=2)
layer.initialize(mx.init.One())
with autograd.record():
    y = layer(nd.array([[1, 2]]))
y.backward()
layer.weight.grad_req = "add"
result = [layer.weight.grad().asnumpy().tolist(), layer.bias.grad().asnumpy().tolist()]
""",
    "cast_keeps_gradient": """
layer = nn.Dense(1, in_units=2)
layer.initialize(mx.init.One())
with autograd.record():
    y = layer(nd.array([[1, 2]]))
y.backward()
layer.cast("float64")
result = [layer.weight.grad().asnumpy().tolist(), str(layer.weight.grad().dtype.__name__)]
""",
    "deferred_initializer_counts": """
class Numbered(mx.init.Initializer):
    seen = []
    def _init_weight(self, name, arr):
        Numbered.seen.append([str(name), list(arr.shape)])
        arr[:] = len(Numbered.seen)
net = nn.HybridSequential(prefix="net_")
with net.name_scope():
    net.add(nn.Dense(2), nn.Dense(3, use_bias=False))
net.initialize(Numbered())
before = list(Numbered.seen)
net(nd.ones((1, 4)))
result = [before, Numbered.seen, net[1].weight.data().asnumpy().tolist()]
""",
    "set_data_while_deferred": """
layer = nn.Dense(2, use_bias=False)
layer.initialize()
layer.weight.set_data(nd.array([[1, 2, 3], [4, 5, 6]]))
result = [layer(nd.ones((1, 3))).asnumpy().tolist(), list(layer.weight.shape)]
""",
    "context_inside": """
class Make(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.elemwise_add(x, F.ones((2,)))
y = Make()(nd.ones((2,), ctx=mx.cpu(1)))
result = [str(y.context), y.asnumpy().tolist()]
""",
    "reduce_is_mean": """
parameter = gluon.Parameter("p", shape=(2,))
parameter.initialize(mx.init.One(), ctx=[mx.cpu(0), mx.cpu(1)])
parameter.data(mx.cpu(1))[:] = 3
result = [parameter._reduce().asnumpy().tolist(), [str(c) for c in parameter.list_ctx()]]
""",
    "constant": """
constant = gluon.Constant("c", [[1, 2], [3, 4]])
constant.initialize()
result = [constant.data().asnumpy().tolist(), constant.grad_req, constant.data().dtype.__name__]
""",
}

_TRAIN = """
def train(optimizer, arguments, steps=3, ctx=None, prepare=None, **options):
    ctx = ctx or [mx.cpu(0)]
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3, in_units=2, activation="tanh"), nn.Dense(1, in_units=3))
    net.initialize(mx.init.One(), ctx=ctx)
    for number, parameter in enumerate(net.collect_params().values()):
        shape = parameter.shape
        parameter.set_data(nd.array(np.cos(np.arange(np.prod(shape)) + number).reshape(shape) / 2))
    if prepare:
        prepare(net)
    trainer = gluon.Trainer(net.collect_params(), optimizer, arguments, **options)
    x = np.sin(np.arange(8)).reshape((4, 2))
    for step in range(steps):
        parts = gluon.utils.split_and_load(nd.array(x + step), ctx)
        with autograd.record():
            losses = [(net(part) ** 2).sum() for part in parts]
        for loss in losses:
            loss.backward()
        trainer.step(4)
    return net, trainer

def weights(net):
    return {name: p.data(p.list_ctx()[-1]).asnumpy().tolist() for name, p in net.collect_params().items()}
"""

TRAINING = {
    "sgd": _TRAIN + "result = weights(train('sgd', {'learning_rate': 0.1, 'wd': 0.01})[0])",
    "momentum": _TRAIN
    + "result = weights(train('sgd', {'learning_rate': 0.1, 'momentum': 0.9, 'clip_gradient': 0.05})[0])",
    "adam": _TRAIN + "result = weights(train('adam', {'learning_rate': 0.05})[0])",
    "two_contexts": _TRAIN + "result = weights(train('adam', {'learning_rate': 0.05}, ctx=[mx.cpu(0), mx.cpu(1)])[0])",
    "two_contexts_not_on_store": _TRAIN
    + "result = weights(train('sgd', {'momentum': 0.9}, ctx=[mx.cpu(0), mx.cpu(1)], update_on_kvstore=False)[0])",
    "two_contexts_on_local_store": _TRAIN
    + "result = weights(train('sgd', {'momentum': 0.9}, ctx=[mx.cpu(0), mx.cpu(1)], kvstore='local', "
    "update_on_kvstore=True)[0])",
    "multipliers": _TRAIN
    + """
def prepare(net):
    net[0].weight.lr_mult = 2.0
    net[0].bias.lr_mult = 0.0
    net.collect_params().setattr("wd_mult", 0.5)
    net[1].weight.wd_mult = 3.0
result = weights(train("sgd", {"learning_rate": 0.1, "wd": 0.1}, prepare=prepare)[0])
""",
    "frozen": _TRAIN
    + """
def prepare(net):
    net[0].collect_params().setattr("grad_req", "null")
result = weights(train("sgd", {"learning_rate": 0.1}, prepare=prepare)[0])
""",
    "scheduler": _TRAIN
    + """
schedule = mx.lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=0.2)
net, trainer = train("sgd", {"lr_scheduler": schedule})
result = [weights(net), trainer.learning_rate]
""",
    "learning_rate_set": _TRAIN
    + """
net, trainer = train("sgd", {"learning_rate": 0.1}, steps=1)
trainer.set_learning_rate(0.3)
result = [trainer.learning_rate, trainer.optimizer.learning_rate]
""",
    "reduced_then_clipped": _TRAIN
    + """
net, trainer = train("sgd", {"learning_rate": 0.1}, steps=0, ctx=[mx.cpu(0), mx.cpu(1)], update_on_kvstore=False)
for step in range(2):
    with autograd.record():
        losses = [(net(nd.ones((2, 2), ctx=c)) ** 2).sum() for c in (mx.cpu(0), mx.cpu(1))]
    for loss in losses:
        loss.backward()
    trainer.allreduce_grads()
    for parameter in net.collect_params().values():
        for gradient in parameter.list_grad():
            gradient *= 0.5
    trainer.update(4)
result = weights(net)
""",
}

STORES = {
    "pushpull": """
store = mx.kv.create("local")
store.init(3, nd.ones((2,)))
out = nd.zeros((2,))
store.pushpull(3, nd.ones((2,)) * 8, out=out)
stored = nd.zeros((2,))
store.pull(3, out=stored)
result = [out.asnumpy().tolist(), stored.asnumpy().tolist()]
""",
    "push_adds_devices": """
store = mx.kv.create("device")
store.init("w", nd.ones((2,)))
store.push("w", [nd.ones((2,)), nd.ones((2,), mx.cpu(1)) * 2])
outs = [nd.zeros((2,)), nd.zeros((2,), mx.cpu(1))]
store.pull("w", out=outs)
result = [out.asnumpy().tolist() for out in outs]
""",
    "many_keys": """
store = mx.kv.create()
store.init([4, 5], [nd.ones((2,)), nd.ones((3,))])
store.push([4, 5], [[nd.ones((2,)), nd.ones((2,))], [nd.ones((3,)), nd.ones((3,)) * 4]])
outs = [nd.zeros((2,)), nd.zeros((3,))]
store.pull([4, 5], out=outs)
result = [out.asnumpy().tolist() for out in outs]
""",
    "optimizer": """
store = mx.kv.create("local")
store.init(3, nd.ones((2,)))
store.set_optimizer(mx.optimizer.create("sgd", learning_rate=0.5, momentum=0.9))
out = nd.zeros((2,))
for _ in range(3):
    store.pushpull(3, nd.ones((2,)), out=out)
result = out.asnumpy().tolist()
""",
    "updater": """
store = mx.kv.create("local")
store.init(3, nd.ones((2,)))
def update(key, pushed, stored):
    stored += pushed * key
store._set_updater(update)
store.push(3, [nd.ones((2,)), nd.ones((2,))])
out = nd.zeros((2,))
store.pull(3, out=out)
result = out.asnumpy().tolist()
""",
    "broadcast": """
store = mx.kv.create("local")
outs = [nd.zeros((2,)), nd.zeros((2,), mx.cpu(1))]
store.broadcast("7", nd.ones((2,)) * 2, out=outs)
result = [out.asnumpy().tolist() for out in outs]
""",
    "facts": """
store = mx.kv.create("local")
result = [store.type, store.rank, store.num_workers, store.is_capable("optimizer"), mx.kv.create("DEVICE").type,
          mx.kv.create("local_allreduce_device").type]
""",
}

# These raise; ours must raise an error that the same `except` catches.
REFUSED = {
    "read_before_initialize": "nn.Dense(2, in_units=3).weight.data()",
    "read_before_data": "layer = nn.Dense(2); layer.initialize(); layer.weight.data()",
    "gradient_before_data": "layer = nn.Dense(2); layer.initialize(); layer.weight.grad()",
    "list_data_before_data": "layer = nn.Dense(2); layer.initialize(); layer.weight.list_data()",
    "list_ctx_before_initialize": "nn.Dense(2).weight.list_ctx()",
    "gradient_of_null": "p = gluon.Parameter('p', shape=(2,), grad_req='null'); p.initialize(); p.grad()",
    "other_context": "p = gluon.Parameter('p', shape=(2,)); p.initialize(); p.data(mx.cpu(3))",
    "unknown_grad_req": "gluon.Parameter('p', shape=(2,), grad_req='plus')",
    "unknown_shape": "gluon.Parameter('p', shape=(0, 2)).initialize()",
    "no_shape": "gluon.Parameter('p').initialize()",
    "shape_contradicts": "p = gluon.Parameter('p', shape=(3, 0)); p.shape = (2, 4)",
    "shape_less_known": "p = gluon.Parameter('p', shape=(3, 4)); p.shape = (0, 4)",
    "set_data_shape": "p = gluon.Parameter('p', shape=(2,)); p.initialize(); p.set_data(nd.ones((3,)))",
    "set_data_before_initialize": "gluon.Parameter('p', shape=(2,)).set_data(nd.ones((2,)))",
    "reset_before_initialize": "gluon.Parameter('p', shape=(2,)).reset_ctx(mx.cpu())",
    "row_sparse_of_dense": "p = gluon.Parameter('p', shape=(2,)); p.initialize(); p.row_sparse_data(nd.ones((1,)))",
    "attribute_type": "net = nn.Block(); net.layer = nn.Dense(2); net.layer = [nn.Dense(2)]",
    "parameter_to_none": "net = nn.Block(); net.w = gluon.Parameter('w', shape=(2,)); net.w = None",
    "parameter_replaced": "net = nn.Block(); net.w = gluon.Parameter('w'); net.w = gluon.Parameter('w')",
    "hybrid_child": "nn.HybridSequential().add(nn.Sequential())",
    "no_array": "nn.Dense(2)(3)",
    "no_forward": "nn.Block()(nd.ones((2,)))",
    "no_hybrid_forward": "gluon.HybridBlock()(nd.ones((2,)))",
    "index": "nn.Sequential()[0]",
    "same_name": "a = gluon.ParameterDict(); a.get('w'); b = gluon.ParameterDict(); b.get('w'); a.update(b)",
    "same_prefix_twice": """
net = nn.Sequential()
net.add(nn.Dense(1, prefix="a_"), nn.Dense(1, prefix="a_"))
net.collect_params()
""",
    "get_other_shape": "a = gluon.ParameterDict(); a.get('w', shape=(2,)); a.get('w', shape=(3,))",
    "get_other_dtype": "a = gluon.ParameterDict(); a.get('w', dtype='float32'); a.get('w', dtype='float16')",
    "constant_missing": "gluon.ParameterDict().get_constant('c')",
    "constant_other_value": """
params = gluon.ParameterDict()
params.get_constant("c", nd.ones((2,)))
params.get_constant("c", nd.zeros((2,)))
""",
    "constant_is_parameter": "a = gluon.ParameterDict(); a.get('c', shape=(2,)); a.get_constant('c', nd.ones((2,)))",
    "key": "gluon.ParameterDict()['w']",
    "strip_prefix": "a = gluon.ParameterDict('a_'); a.get('w', shape=(1,)).initialize(); a.save('unwritten', 'b_')",
    "trainer_of_number": "gluon.Trainer(3, 'sgd')",
    "trainer_of_arrays": "gluon.Trainer([nd.ones((2,))], 'sgd')",
    "trainer_with_two_arguments": """
layer = nn.Dense(1, in_units=1); layer.initialize()
gluon.Trainer(layer.collect_params(), mx.optimizer.SGD(), {'learning_rate': 0.1})
""",
    "trainer_contexts": """
a = gluon.Parameter('a', shape=(1,)); a.initialize(ctx=mx.cpu(0))
b = gluon.Parameter('b', shape=(1,)); b.initialize(ctx=mx.cpu(1))
gluon.Trainer([a, b], 'sgd').step(1)
""",
    "trainer_kvstore": """
layer = nn.Dense(1, in_units=1); layer.initialize()
gluon.Trainer(layer.collect_params(), 'sgd', kvstore=5).step(1)
""",
    "stale": """
layer = nn.Dense(1, in_units=1); layer.initialize()
gluon.Trainer(layer.collect_params(), 'sgd').step(1)
""",
    "rate_with_scheduler": """
layer = nn.Dense(1, in_units=1); layer.initialize()
schedule = mx.lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=0.2)
gluon.Trainer(layer.collect_params(), 'sgd', {'lr_scheduler': schedule}).set_learning_rate(0.1)
""",
    "reduce_on_store": """
layer = nn.Dense(1, in_units=1); layer.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
gluon.Trainer(layer.collect_params(), 'sgd', update_on_kvstore=True).allreduce_grads()
""",
    "update_on_store": """
layer = nn.Dense(1, in_units=1); layer.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
gluon.Trainer(layer.collect_params(), 'sgd', update_on_kvstore=True).update(1)
""",
    "store_init_twice": "s = mx.kv.create(); s.init(1, nd.ones((1,))); s.init(1, nd.ones((1,)))",
    "store_push_unknown": "mx.kv.create().push('x', nd.ones((1,)))",
    "store_push_shape": """
store, out = mx.kv.create(), nd.zeros((2,))
store.init(1, nd.ones((2,)))
store.push(1, nd.ones((3,)))
store.pull(1, out=out)
out.asnumpy()
""",
    "store_mixed_keys": "s = mx.kv.create(); s.init(1, nd.ones((2,))); s.init('a', nd.ones((2,)))",
    "store_capability": "mx.kv.create().is_capable('flying')",
    "store_name": "mx.kv.create(3)",
    "optimize_without_backend": "nn.Dense(2).optimize_for(nd.ones((1, 1)))",
}

GROUPS = {
    "names": NAMES,
    "structure": STRUCTURE,
    "printed": PRINTED,
    "values": VALUES,
    "training": TRAINING,
    "stores": STORES,
}

# Networks whose files go both ways: a program that leaves an initialized network in `net`.
NETWORKS = {
    "model": _MODEL + _FILL + "net = Model(prefix='model_'); net.initialize(); net(nd.ones((2, 5))); fill(net)",
    "row": _FILL
    + """
net = nn.HybridSequential(prefix="row_")
with net.name_scope():
    net.add(nn.Dense(2, in_units=3), nn.Dense(2, in_units=2, dtype="float32"))
net.initialize()
fill(net)
""",
    "shared": _FILL
    + """
net = nn.HybridSequential(prefix="shared_")
with net.name_scope():
    first = nn.Dense(2, in_units=2)
    net.add(first, nn.Dense(2, in_units=2, params=first.params), nn.Dense(1, in_units=2))
net.initialize()
fill(net)
""",
    "half": _FILL
    + """
net = nn.HybridSequential(prefix="half_")
with net.name_scope():
    net.add(nn.Dense(2, in_units=3))
net.initialize()
fill(net)
net.cast("float16")
""",
}

# Ways to save a network, by a word for the file's name.
WAYS = {
    "attributes": "net.save_parameters(path)",
    "deduplicated": "net.save_parameters(path, deduplicate=True)",
    "stripped": "net.save_params(path)",
    "names": "net.collect_params().save(path)",
}
