"""Short programs with modules, models, callbacks and monitors: each leaves what it found in `result`.

The same text runs with the real MXNet, which records, and with this library, which is compared.
"""

SETUP = """
def values(*shape, seed=0, scale=0.5):
    return (np.random.RandomState(seed).randn(*shape) * scale).astype("float32")

def classes(count, kinds=3, seed=7):
    return np.random.RandomState(seed).randint(0, kinds, count).astype("float32")

def mlp(hidden=6, kinds=3):
    x = sym.Variable("data")
    x = sym.Activation(sym.FullyConnected(x, num_hidden=hidden, name="fc1"), act_type="tanh", name="act1")
    return sym.SoftmaxOutput(sym.FullyConnected(x, num_hidden=kinds, name="fc2"), name="softmax")

def convnet():
    x = sym.Convolution(sym.Variable("data"), num_filter=4, kernel=(3, 3), pad=(1, 1), no_bias=True, name="conv")
    x = sym.BatchNorm(x, fix_gamma=False, momentum=0.8, name="bn")
    x = sym.Pooling(sym.Activation(x, act_type="relu"), kernel=(2, 2), stride=(2, 2), pool_type="max")
    return sym.SoftmaxOutput(sym.FullyConnected(x, num_hidden=3, name="fc"), name="softmax")

def params(net, **shapes):
    args, _, auxs = net.infer_shape(**shapes)
    named = [(n, s) for n, s in zip(net.list_arguments(), args) if n not in shapes and not n.endswith("label")]
    arg_params = {n: nd.array(values(*s, seed=i)) for i, (n, s) in enumerate(named)}
    aux_params = {n: nd.array(np.abs(values(*s, seed=50 + i)) + 0.5)
                  for i, (n, s) in enumerate(zip(net.list_auxiliary_states(), auxs))}
    return arg_params, aux_params

def iterator(count=20, batch=8, shape=(5,), **kwargs):
    return mx.io.NDArrayIter(values(count, *shape, seed=3, scale=1.0), classes(count), batch, **kwargs)

def batch(size=8, shape=(5,), seed=3):
    return mx.io.DataBatch([nd.array(values(size, *shape, seed=seed))], [nd.array(classes(size, seed=seed))], pad=0)

def trained(module):
    arg_params, aux_params = module.get_params()
    return {**arg_params, **aux_params}

def bound(net, shape=(8, 5), **kwargs):
    how = {key: kwargs.pop(key) for key in ("inputs_need_grad", "grad_req", "for_training") if key in kwargs}
    module = mx.mod.Module(net, **kwargs)
    module.bind([("data", shape)], [("softmax_label", shape[:1])], **how)
    module.init_params(arg_params=params(net, data=shape)[0], aux_params=params(net, data=shape)[1])
    return module
"""

MODULES = {
    "mlp": """
net = mlp()
module = mx.mod.Module(net)
given = params(net, data=(8, 5))
module.fit(iterator(), iterator(12), eval_metric=["acc", "ce"], arg_params=given[0], aux_params=given[1],
           optimizer_params={"learning_rate": 0.1, "momentum": 0.9, "wd": 0.01}, num_epoch=2,
           batch_end_callback=mx.callback.log_train_metric(2), eval_end_callback=lambda p: seen.append(p.nbatch),
           epoch_end_callback=mx.callback.do_checkpoint(folder + "/mlp"))
result = {"params": trained(module), "predicted": module.predict(iterator(12)),
          "score": module.score(iterator(), "acc"), "outputs": module.output_shapes, "seen": seen,
          "data": repr(module.data_shapes)}
module.save_checkpoint(folder + "/mlp", 2, save_optimizer_states=True)
""",
    "adam": """
module = bound(mlp())
module.init_optimizer(optimizer="adam", optimizer_params={"learning_rate": 0.05})
for step in range(3):
    module.forward_backward(batch(seed=step))
    module.update()
result = {"params": trained(module), "outputs": module.get_outputs()}
""",
    "convnet": """
net = convnet()
module = mx.mod.Module(net)
module.bind([("data", (4, 2, 6, 6))], [("softmax_label", (4,))])
module.init_params(arg_params=params(net, data=(4, 2, 6, 6))[0], aux_params=params(net, data=(4, 2, 6, 6))[1])
module.init_optimizer(optimizer_params={"learning_rate": 0.2, "momentum": 0.5})
metric = mx.metric.create("acc")
for step in range(3):
    module.forward_backward(batch(4, (2, 6, 6), step))
    module.update()
    module.update_metric(metric, batch(4, (2, 6, 6), step).label)
module.forward(batch(4, (2, 6, 6), 9), is_train=False)
result = {"params": trained(module), "outputs": module.get_outputs(), "metric": metric.get()}
""",
    **{
        f"two_contexts_{kind}": f"""
net = convnet()
module = mx.mod.Module(net, context=[mx.cpu(0), mx.cpu(1)], work_load_list=[1, 3])
given = params(net, data=(8, 2, 4, 4))
module.fit(iterator(16, 8, (2, 4, 4)), iterator(8, 8, (2, 4, 4)), kvstore={kvstore!r}, arg_params=given[0],
           aux_params=given[1], optimizer_params={{"learning_rate": 0.1, "momentum": 0.9}}, num_epoch=2)
result = {{"params": trained(module), "predicted": module.predict(iterator(8, 8, (2, 4, 4))),
          "apart": [[each.shape for each in part] for part in module.get_outputs(merge_multi_context=False)],
          "slices": [(s.start, s.stop) for s in module._exec_group.slices]}}
module.save_checkpoint(folder + "/two_{kind}", 1, save_optimizer_states=True)
"""
        for kind, kvstore in (("local", "local"), ("device", "device"), ("none", None))
    },
    "fixed": """
module = bound(mlp(), fixed_param_names=["fc1_weight", "fc1_bias"])
module.init_optimizer(optimizer_params={"learning_rate": 0.5})
module.forward_backward(batch())
module.update()
result = {"params": trained(module), "grads": [g[0] is None for g in module._exec_group.grad_arrays]}
""",
    "adding": """
module = bound(mlp(), grad_req="add")
for step in range(2):
    module.forward_backward(batch(seed=step))
result = {"grads": [g[0] for g in module._exec_group.grad_arrays]}
""",
    "input_gradients": """
module = bound(mlp(), inputs_need_grad=True, context=[mx.cpu(0), mx.cpu(1)])
module.forward_backward(batch())
result = {"grads": module.get_input_grads(), "apart": module.get_input_grads(merge_multi_context=False)}
""",
    "head_gradients": """
net = sym.FullyConnected(sym.Variable("data"), num_hidden=2, name="fc")
module = mx.mod.Module(net, label_names=None)
module.bind([("data", (3, 4))], inputs_need_grad=True)
module.init_params(arg_params=params(net, data=(3, 4))[0], aux_params={})
module.forward(mx.io.DataBatch([nd.array(values(3, 4))]))
module.backward([nd.array(values(3, 2, seed=5))])
result = {"outputs": module.get_outputs(), "grads": module.get_input_grads(), "labels": module.label_shapes,
          "names": [module.data_names, module.label_names, module.output_names]}
""",
    "states": """
net = sym.FullyConnected(sym.Variable("data") + sym.Variable("h"), num_hidden=2, name="fc")
module = mx.mod.Module(net, label_names=None, state_names=["h"])
module.bind([("data", (3, 2))])
module.init_params(arg_params={"fc_weight": nd.array(values(2, 2)), "fc_bias": nd.zeros((2,))}, aux_params={})
module.set_states(value=1)
module.forward(mx.io.DataBatch([nd.array(values(3, 2))]))
first = module.get_outputs()[0].asnumpy()
module.set_states(states=[[nd.array(values(3, 2, seed=9))]])
module.forward(mx.io.DataBatch([nd.array(values(3, 2))]))
result = {"first": first, "second": module.get_outputs(), "states": module.get_states(merge_multi_context=False)}
""",
    "shapes": """
module = bound(mlp())
found = []
for size in (8, 4, 12, 8):
    module.forward(batch(size), is_train=False)
    found.append(module.get_outputs()[0].asnumpy())
module.reshape([("data", (6, 5))], [("softmax_label", (6,))])
result = {"found": found, "outputs": module.output_shapes, "labels": [d.shape for d in module.label_shapes]}
""",
    "predictions": """
module = bound(mlp(), for_training=False)
rows = iterator(11, 4)
apart = module.predict(rows, merge_batches=False)
steps = [(number, [o.shape for o in outputs], each.pad) for outputs, number, each in module.iter_predict(rows)]
result = {"joined": module.predict(rows), "listed": module.predict(rows, always_output_list=True),
          "apart": apart, "some": module.predict(rows, num_batch=1), "steps": steps,
          "score": module.score(rows, "acc", num_batch=2)}
""",
    "batch_for_each_context": """
module = bound(mlp(), context=[mx.cpu(0), mx.cpu(1)])
module.init_optimizer(kvstore="device")
both = [batch(4, seed=1), batch(4, seed=2)]
module.forward_backward(both)
module.update()
metric = mx.metric.create("acc")
module.update_metric(metric, [each.label for each in both], pre_sliced=True)
result = {"params": trained(module), "outputs": module.get_outputs(), "metric": metric.get()}
""",
    "multipliers": """
weight = sym.Variable("w", lr_mult=0.5, wd_mult=2.0)
x = sym.FullyConnected(sym.Variable("data"), weight=weight, num_hidden=3, name="fc")
net = sym.SoftmaxOutput(x, name="softmax")
module = bound(net)
module.init_optimizer(optimizer_params={"learning_rate": 1.0, "wd": 0.1})
module.forward_backward(batch())
module.update()
result = {"params": trained(module), "names": module._optimizer.idx2name, "rescale": module._optimizer.rescale_grad}
""",
    "setting": """
module = bound(mlp())
some = {"fc1_bias": nd.ones((6,))}
module.set_params(some, {}, allow_missing=True)
first = {name: array.asnumpy() for name, array in trained(module).items()}
module.set_params({"fc1_bias": nd.zeros((6,)), "other": nd.zeros((1,))}, {}, allow_missing=True, allow_extra=True)
module.init_params(mx.init.One(), arg_params=some, aux_params={}, allow_missing=True, force_init=True)
result = {"first": first, "params": trained(module)}
""",
    "files": """
module = bound(mlp())
module.init_optimizer(optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
module.forward_backward(batch())
module.update()
module.save_checkpoint(folder + "/files", 3, save_optimizer_states=True)
again = mx.mod.Module.load(folder + "/files", 3, load_optimizer_states=True)
again.bind([("data", (8, 5))], [("softmax_label", (8,))])
again.init_optimizer(optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
for each in (module, again):
    each.forward_backward(batch(seed=4))
    each.update()
other = bound(mlp())
other.load_params(folder + "/files-0003.params")
result = {"params": trained(module), "again": trained(again), "other": trained(other)}
""",
    "sequential": """
x = sym.Activation(sym.FullyConnected(sym.Variable("data"), num_hidden=4, name="low"), act_type="tanh", name="act")
y = sym.SoftmaxOutput(sym.FullyConnected(sym.Variable("data"), num_hidden=3, name="high"), name="softmax")
chain = mx.mod.SequentialModule()
chain.add(mx.mod.Module(x, label_names=None)).add(mx.mod.Module(y), take_labels=True, auto_wiring=True)
given = {"low_weight": nd.array(values(4, 5)), "low_bias": nd.zeros((4,)), "high_weight": nd.array(values(3, 4)),
         "high_bias": nd.zeros((3,))}
chain.fit(iterator(), iterator(8), arg_params=given, aux_params={}, num_epoch=2,
          optimizer_params={"learning_rate": 0.5})
result = {"params": trained(chain), "predicted": chain.predict(iterator(8)), "outputs": chain.output_shapes,
          "names": [chain.data_names, chain.output_names]}
""",
    "python_loss": """
x = sym.FullyConnected(sym.Variable("data"), num_hidden=3, name="fc")
def slope(scores, labels):
    right = np.eye(3)[labels.asnumpy().astype(int)]
    return scores.asnumpy() - right
chain = mx.mod.SequentialModule()
chain.add(mx.mod.Module(x, label_names=None))
chain.add(mx.mod.PythonLossModule(grad_func=slope), take_labels=True, auto_wiring=True)
given = {"fc_weight": nd.array(values(3, 5)), "fc_bias": nd.zeros((3,))}
chain.fit(iterator(16), arg_params=given, aux_params={}, num_epoch=2, optimizer_params={"learning_rate": 0.5})
result = {"params": trained(chain), "outputs": chain.get_outputs()}
""",
    "buckets": """
def sym_gen(length):
    stack = mx.rnn.SequentialRNNCell()
    stack.add(mx.rnn.LSTMCell(4, prefix="lstm_"))
    words = sym.Embedding(sym.Variable("data"), input_dim=7, output_dim=3, name="embed")
    outputs, _ = stack.unroll(length, words, merge_outputs=True)
    scores = sym.FullyConnected(sym.Reshape(outputs, shape=(-1, 4)), num_hidden=7, name="pred")
    labels = sym.Reshape(sym.Variable("softmax_label"), shape=(-1,))
    return sym.SoftmaxOutput(scores, labels, name="softmax"), ("data",), ("softmax_label",)
def sentences(length, seed):
    words = np.random.RandomState(seed).randint(0, 7, (4, length + 1)).astype("float32")
    described = lambda name: [mx.io.DataDesc(name, (4, length), layout="NT")]
    return mx.io.DataBatch([nd.array(words[:, :-1])], [nd.array(words[:, 1:])], pad=0, bucket_key=length,
                           provide_data=described("data"), provide_label=described("softmax_label"))
module = mx.mod.BucketingModule(sym_gen, default_bucket_key=5)
module.bind([mx.io.DataDesc("data", (4, 5), layout="NT")], [mx.io.DataDesc("softmax_label", (4, 5), layout="NT")])
net = sym_gen(5)[0]
given, _ = params(net, data=(4, 5), softmax_label=(4, 5))
module.init_params(arg_params=given, aux_params={})
module.init_optimizer(optimizer_params={"learning_rate": 1.0, "momentum": 0.5})
metric = mx.metric.Perplexity(None)
for step, length in enumerate((5, 3, 2, 5, 3)):
    module.forward_backward(sentences(length, step))
    module.update()
    module.update_metric(metric, sentences(length, step).label)
result = {"params": trained(module), "metric": metric.get(), "keys": sorted(module._buckets),
          "current": module._curr_bucket_key, "outputs": module.output_shapes, "shape": module.get_outputs()}
module.save_checkpoint(folder + "/buckets", 1)
again = mx.mod.BucketingModule.load(folder + "/buckets", 1, sym_gen, 5)
again.bind([mx.io.DataDesc("data", (4, 5), layout="NT")], [mx.io.DataDesc("softmax_label", (4, 5), layout="NT")],
           for_training=False)
again.forward(sentences(3, 9), is_train=False)
result["again"] = again.get_outputs()
""",
    "logs": """
module = mx.mod.Module(mlp())
module.fit(iterator(16, 4), num_epoch=1, arg_params=params(mlp(), data=(4, 5))[0], aux_params={},
           batch_end_callback=[mx.callback.Speedometer(4, 2), mx.callback.ProgressBar(4, 10)])
module.bind([("data", (4, 5))], [("softmax_label", (4,))])
module.init_optimizer()
result = {}
""",
    "variables": """
names = []
module = mx.mod.Module(mlp())
def note(param):
    names.append([param.epoch, param.nbatch, param.locals["epoch"], param.locals["nbatch"],
                  param.locals["self"] is module, param.locals["data_batch"].data[0].shape,
                  param.locals["eval_metric"] is param.eval_metric])
module.fit(iterator(16), num_epoch=1, batch_end_callback=note, eval_data=iterator(8),
           arg_params=params(mlp(), data=(8, 5))[0], aux_params={},
           eval_batch_end_callback=lambda param: names.append([param.nbatch, param.locals["eval_batch"].pad]))
result = {"names": names}
""",
}

MODELS = {
    "feed_forward": """
net = mlp()
arg_params, aux_params = params(net, data=(8, 5))
model = mx.model.FeedForward(net, num_epoch=2, arg_params=arg_params, aux_params=aux_params, learning_rate=0.2,
                             momentum=0.9)
model.fit(iterator(16), eval_data=iterator(8), batch_end_callback=lambda p: seen.append((p.epoch, p.nbatch)))
result = {"params": model.arg_params, "predicted": model.predict(iterator(12)), "seen": seen,
          "score": model.score(iterator(16)), "all": model.predict(iterator(12), return_data=True)}
model.save(folder + "/feed")
again = mx.model.FeedForward.load(folder + "/feed", 2)
result["again"] = again.predict(values(5, 5, seed=1))
result["begin"] = again.begin_epoch
""",
    "feed_forward_two_contexts": """
net = mlp()
arg_params, aux_params = params(net, data=(8, 5))
model = mx.model.FeedForward.create(net, iterator(16), ctx=[mx.cpu(0), mx.cpu(1)], num_epoch=1, epoch_size=3,
                                    arg_params=arg_params, aux_params=aux_params, learning_rate=0.2)
result = {"params": model.arg_params}
""",
    "checkpoint": """
net = convnet()
arg_params, aux_params = params(net, data=(4, 2, 6, 6))
mx.model.save_checkpoint(folder + "/conv", 7, net, arg_params, aux_params)
again, args, auxs = mx.model.load_checkpoint(folder + "/conv", 7)
result = {"same": again.tojson() == net.tojson(), "args": args, "auxs": auxs,
          "params": mx.model.load_params(folder + "/conv", 7)[1]}
""",
    "stores": """
from mxnet.model import _create_kvstore
found = [_create_kvstore(kind, count, {"w": nd.zeros((2, 2))}) for kind, count in
         ((None, 2), ("local", 1), ("local", 2), ("device", 2), (mx.kv.create("local"), 1))]
from mxnet.executor_manager import _split_input_slice
result = {"found": [(None if kv is None else kv.type, on) for kv, on in found],
          "slices": [[(s.start, s.stop) for s in _split_input_slice(*how)] for how in
                     ((10, [1, 1]), (7, [1, 1, 1]), (9, [1, 2]), (16, [3, 1, 1]), (5, [0.5, 0.5]))]}
""",
}

CALLBACKS = {
    "speed": """
now = [100.0]
class clock:
    @staticmethod
    def time():
        now[0] += 0.125
        return now[0]
mx.callback.time = clock
metric = mx.metric.create(["acc", "ce"])
meter = mx.callback.Speedometer(32, 2)
quiet = mx.callback.Speedometer(32, 3, auto_reset=False)
bar = mx.callback.ProgressBar(7, 20)
note = mx.callback.log_train_metric(2, auto_reset=True)
for epoch in range(2):
    metric.reset()
    for number in range(7):
        metric.update([nd.array([0, 1])], [nd.array([[0.75, 0.25], [0.5, 0.5 + number]])])
        param = mx.model.BatchEndParam(epoch, number, metric, None)
        for each in (meter, quiet, bar, note):
            each(param)
    meter(mx.model.BatchEndParam(epoch, 6, None, None))
    mx.callback.LogValidationMetricsCallback()(mx.model.BatchEndParam(epoch, 6, metric, None))
result = {"shown": str(mx.model.BatchEndParam(1, 2, None, None))}
""",
    "saving": """
import os
module = bound(mlp())
module.init_optimizer(optimizer_params={"momentum": 0.9})
for epoch in range(4):
    mx.callback.module_checkpoint(module, folder + "/a", 2, save_optimizer_states=True)(epoch)
    mx.callback.do_checkpoint(folder + "/b", 3)(epoch, module.symbol, *module.get_params())
result = {"files": sorted(os.listdir(folder))}
""",
}

MONITORS = {
    "default": """
module = bound(mlp())
monitor = mx.monitor.Monitor(2, pattern="(?!.*backward).*")
module.install_monitor(monitor)
module.init_optimizer(optimizer_params={"learning_rate": 0.5})
for step in range(3):
    monitor.tic()
    module.forward_backward(batch(seed=step))
    module.update()
    monitor.toc_print()
result = {}
""",
    "sorted": """
module = bound(convnet(), (4, 2, 6, 6))
monitor = mx.mon.Monitor(1, lambda x: [nd.max(x), nd.sum(x, axis=0, keepdims=True).reshape((-1,))[0:2]],
                         ".*(weight|moving_mean|fc_output)", sort=True)
module.install_monitor(monitor)
monitor.tic()
module.forward(batch(4, (2, 6, 6)), is_train=False)
result = {"found": [(step, name) for step, name, text in monitor.toc()], "empty": monitor.toc()}
""",
}

GROUPS = {"modules": MODULES, "models": MODELS, "callbacks": CALLBACKS, "monitors": MONITORS}

REFUSED = {
    "too early: init_params": "mx.mod.Module(mlp()).init_params()",
    "too early: forward": "mx.mod.Module(mlp()).forward(batch())",
    "too early: get_params": "mx.mod.Module(mlp()).get_params()",
    "too early: init_optimizer": "mx.mod.Module(mlp()).init_optimizer()",
    "too early: update": "bound(mlp()).update()",
    "too early: output_shapes": "mx.mod.Module(mlp()).output_shapes",
    "too early: predict": "mx.mod.Module(mlp()).predict(iterator())",
    "too early: save states": "bound(mlp()).save_optimizer_states('x')",
    "data name": "mx.mod.Module(mlp(), data_names=['dat'])",
    "fixed name": "mx.mod.Module(mlp(), fixed_param_names=['fc3_weight'])",
    "data shapes": "mx.mod.Module(mlp()).bind([('other', (8, 5))], [('softmax_label', (8,))])",
    "batch sizes": "mx.mod.Module(mlp()).bind([('data', (8, 5))], [('softmax_label', (4,))])",
    "more contexts than examples": "mx.mod.Module(mlp(), context=[mx.cpu(i) for i in range(3)])"
    ".bind([('data', (2, 5))], [('softmax_label', (2,))])",
    "work loads": "mx.mod.Module(mlp(), context=[mx.cpu(0), mx.cpu(1)], work_load_list=[1])",
    "grad_req": "mx.mod.Module(mlp()).bind([('data', (8, 5))], [('softmax_label', (8,))], grad_req=3)",
    "input gradients without training": "mx.mod.Module(mlp()).bind([('data', (8, 5))], None, False, True)",
    "no input gradients": "m = bound(mlp())\nm.forward_backward(batch())\nm.get_input_grads()",
    "backward without training": "m = bound(mlp(), for_training=False)\nm.forward(batch())\nm.backward()",
    "missing parameter": "bound(mlp()).set_params({'fc1_weight': nd.zeros((6, 5))}, {})",
    "extra parameter": "bound(mlp()).set_params({'other': nd.zeros((1,))}, {}, allow_missing=True)",
    "epochs": "mx.mod.Module(mlp()).fit(iterator())",
    "labels of another size": "bound(mlp()).predict(nd.zeros((3, 5)))",
    "predict": "bound(mlp()).predict([1, 2])",
    "states": "bound(mlp()).set_states()",
    "optimizer": "bound(mlp()).init_optimizer(optimizer=3)",
    "kvstore": "bound(mlp()).init_optimizer(kvstore=3)",
    "bucket key": "mx.mod.BucketingModule(lambda key: (mlp(), ['data'], ['softmax_label']))",
    "empty chain": "mx.mod.SequentialModule().bind([('data', (8, 5))])",
    "unknown meta": "mx.mod.SequentialModule().add(mx.mod.Module(mlp()), takes_labels=True)",
    "abstract": "mx.mod.BaseModule().forward(batch())",
    "python loss": "m = mx.mod.PythonLossModule()\nm.bind([('data', (2, 3))], [('softmax_label', (2,))])\n"
    "m.forward(mx.io.DataBatch([nd.zeros((2, 3))], [nd.zeros((2,))]))\nm.backward()",
    "python module": "mx.mod.PythonModule(['data'], None, ['out']).bind([('other', (2, 3))])",
    "buckets that disagree": "def gen(key):\n    return mlp(hidden=key), ['data'], ['softmax_label']\n"
    "m = mx.mod.BucketingModule(gen, 5)\nm.bind([('data', (8, 5))], [('softmax_label', (8,))])\nm.init_params()\n"
    "m.switch_bucket(6, [('data', (8, 5))], [('softmax_label', (8,))])",
    "feed forward labels": "mx.model.FeedForward(mlp(), num_epoch=1).fit(values(8, 5))",
    "feed forward sizes": "mx.model.FeedForward(mlp(), num_epoch=1).fit(values(8, 5), classes(7))",
    "feed forward data": "mx.model.FeedForward(mlp(), num_epoch=1).fit([1])",
    "same names": "x = sym.Variable('data')\n"
    "mx.model.FeedForward(sym.SoftmaxOutput(sym.FullyConnected(sym.FullyConnected(x, num_hidden=2, name='a'), "
    "num_hidden=2, name='a')))",
    "monitor": "m = bound(mlp())\nmon = mx.mon.Monitor(1, lambda x: 3)\nm.install_monitor(mon)\nmon.tic()\n"
    "m.forward(batch())\nmon.toc()",
}
