"""What every generated program begins with: this file's text is part of it, so that a failing one runs by itself."""

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn  # noqa: F401 (networks are made of them)

SEED = 0


def numbers(seed, shape, dtype="float32", special=()):
    """Random numbers, with special ones put among them."""
    values = np.random.RandomState(1000 * SEED + seed).uniform(-1.5, 1.5, shape).astype(dtype)
    for place, value in enumerate(special):
        if values.size:
            values.flat[(7 * place + 3 * seed) % values.size] = value
    return values


def ids(seed, shape, dtype="float32"):
    """Row numbers of an embedding of five rows."""
    return np.random.RandomState(1000 * SEED + seed).randint(0, 5, shape).astype(dtype)


def array(values):
    """An array of the same dtype."""
    return nd.array(values, dtype=values.dtype)


def strided(values):
    """The same numbers with gaps between them in memory."""
    padded = np.full((*values.shape[:-1], 2 * values.shape[-1]), np.nan, values.dtype)
    padded[..., ::2] = values
    return nd.from_torch(nd.array(padded, dtype=values.dtype).as_torch()[..., ::2])


def transposed(values):
    """The same numbers in Fortran's order."""
    return nd.from_torch(nd.array(values.T, dtype=values.dtype).as_torch().permute(*reversed(range(values.ndim))))


class Scale(gluon.HybridBlock):
    """Multiplies by a parameter."""

    def __init__(self, shape):
        super().__init__()
        with self.name_scope():
            self.scale = self.params.get("scale", shape=shape)

    def hybrid_forward(self, F, x, scale):
        """The product."""
        return F.broadcast_mul(x, scale)


class Unrolled(gluon.HybridBlock):
    """A recurrent cell over all steps, one by one."""

    def __init__(self, cell, length):
        super().__init__()
        self.cell, self.length = cell, length

    def hybrid_forward(self, F, x):
        """The results of all steps."""
        return self.cell.unroll(self.length, x, layout="NTC", merge_outputs=True)[0]


def parameters(net):
    """The parameters by name, sorted."""
    return dict(sorted(net.collect_params().items()))


def fill(net):
    """Gives all parameters numbers that do not depend on how the network was made."""
    for seed, (name, parameter) in enumerate(parameters(net).items()):
        values = numbers(50 + seed, parameter.shape) * 0.4
        values = np.abs(values) + 0.5 if name.endswith(("running_var", "gamma")) else values
        parameter.set_data(nd.array(values, dtype=parameter.dtype))


def heads(outputs):
    """The outputs as a flat list."""
    if isinstance(outputs, (list, tuple)):
        return [head for output in outputs for head in heads(output)]
    return [outputs]


def predict(net, inputs, log):
    """Calls the network in predict mode."""
    outputs = net.predict(inputs) if hasattr(net, "executor") else heads(net(*inputs))
    log.extend((f"predicted {i}", output.asnumpy()) for i, output in enumerate(outputs))


def head_grads(outputs):
    """A gradient for each head."""
    return [array(numbers(90 + i, output.shape, output.dtype)) for i, output in enumerate(outputs)]


def learn(net, inputs, log, train_mode=True, between=None):
    """One forward and backward pass; `between` is called in between."""
    if hasattr(net, "executor"):  # a Bound or a Modular of binding.py
        found = net.learn(inputs)
    else:
        with autograd.record(train_mode=train_mode):
            outputs = heads(net(*inputs))
        log.extend((f"output {i}", output.asnumpy()) for i, output in enumerate(outputs))
        if between is not None:
            between()
        autograd.backward(outputs, head_grads(outputs))
        found = gradients(net, inputs)
    log.extend((name, value.asnumpy()) for name, value in found)


def gradients(net, inputs):
    """The gradients of parameters and inputs, and the states."""
    found = []
    for name, parameter in parameters(net).items():
        if parameter.grad_req != "null":
            found.append((f"gradient of {name}", parameter.grad()))
        elif "running" in name:
            found.append((name, parameter.data()))
    found += [(f"gradient of input {i}", x.grad) for i, x in enumerate(inputs) if x.grad is not None]
    return found


def attached(inputs, grad_reqs):
    """The inputs, with gradients."""
    for x, grad_req in zip(inputs, grad_reqs):
        if grad_req != "null":
            x.attach_grad(grad_req=grad_req)
    return inputs


def forget(net, inputs):
    """A forward pass under recording whose backward never comes."""
    with autograd.record():
        net(*inputs)


def in_thread(function, *args, **kwargs):
    """Calls a function in another thread; what it raises is raised here."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(function, *args, **kwargs).result()


def chosen(net, number):
    """One of the parameters."""
    found = list(parameters(net).values())
    return found[number % len(found)].data() if found else nd.ones((1,))


def step(net, optimizer):
    """Moves the parameters against their gradients, new or old."""
    options = {"learning_rate": 0.01, "multi_precision": True}
    gluon.Trainer(net.collect_params(), optimizer, options).step(2, ignore_stale_grad=True)


def request(net, grad_req):
    """Has the gradients of parameters written or added."""
    for parameter in parameters(net).values():
        if parameter.grad_req != "null":
            parameter.grad_req = grad_req


def write_torch(x):
    """Writes to an array by way of the tensor that shares its memory."""
    x.as_torch().mul_(0.5)


def write_numpy(x):
    """The same by way of NumPy, whose writes torch does not count."""
    x.as_torch().numpy()[...] *= 0.5


def write_dlpack(x):
    """The same by way of DLPack."""
    nd.from_dlpack(x.to_dlpack_for_write())[:] *= 0.5


def count_calls(block):
    """Registers a hook that does nothing to what it sees."""
    block.register_forward_hook(lambda block, inputs, outputs: None)


def innermost(block):
    """The first of the blocks that has no others inside."""
    while getattr(block, "_children", None):
        block = next(iter(block._children.values()))
    return block


def reloaded(net):
    """Saves the parameters and loads them again."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.params")
        net.save_parameters(path)
        net.load_parameters(path)


def imported(net):
    """The network by way of its files."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net")
        net.export(path)
        graph = mx.sym.load(f"{path}-symbol.json")
        names = sorted(name for name in graph.list_inputs() if name.startswith("data"))
        block = gluon.SymbolBlock.imports(f"{path}-symbol.json", names, f"{path}-0000.params")
    for name, parameter in parameters(block).items():
        parameter.grad_req = net.collect_params()[name].grad_req  # files do not tell
    return block
