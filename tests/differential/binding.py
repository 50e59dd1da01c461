"""Networks as symbols that are bound to arrays: part of the programs that need it, as prelude.py is."""

import mxnet as mx
from tests.differential.prelude import head_grads, heads, parameters


class Bound:
    """A network as an executor that `simple_bind` makes."""

    def __init__(self, net, inputs, grad_reqs):
        self.names = [f"data{i}" for i in range(len(inputs))]
        self.symbol = mx.sym.Group(heads(net(*map(mx.sym.var, self.names))))
        self.values = {name: parameter.data() for name, parameter in parameters(net).items()}
        self.grad_reqs = {name: parameter.grad_req for name, parameter in parameters(net).items()}
        self.grad_reqs.update(zip(self.names, grad_reqs))
        self.open(inputs)

    def open(self, inputs):
        """Makes the executor."""
        known = {name: x.shape for name, x in zip(self.names, inputs)}
        arguments = self.symbol.list_arguments()
        kinds = {name: x.dtype for name, x in [*zip(self.names, inputs), *self.values.items()]}
        reqs = {name: self.grad_reqs[name] for name in arguments}
        kinds = {name: kind for name, kind in kinds.items() if name in arguments}
        self.executor = self.symbol.simple_bind(mx.cpu(), grad_req=reqs, type_dict=kinds, **known)
        self.executor.copy_params_from(self.values, self.values, allow_extra_params=True)

    def fed(self, inputs):
        """The inputs by name."""
        return dict(zip(self.names, inputs))

    def predict(self, inputs):
        """The outputs of a forward pass in predict mode."""
        return self.executor.forward(is_train=False, **self.fed(inputs))

    def learn(self, inputs):
        """Outputs, gradients and states of a forward and a backward pass."""
        outputs = self.executor.forward(is_train=True, **self.fed(inputs))
        found = [(f"output {i}", output.copy()) for i, output in enumerate(outputs)]
        self.executor.backward(head_grads(outputs))
        return found + self.results(self.executor.grad_dict, self.executor.aux_dict)

    def results(self, grads, states):
        """The gradients and states in the order of `gradients`."""
        found = []
        for name in sorted(self.values):
            if name in states:
                found.append((name, states[name]))
            elif self.grad_reqs[name] != "null":
                found.append((f"gradient of {name}", grads[name]))
        for i, name in enumerate(self.names):
            if self.grad_reqs[name] != "null":
                found.append((f"gradient of input {i}", grads[name]))
        return found


class Modular(Bound):
    """A network as a Module."""

    def open(self, inputs):
        """Makes the module."""
        self.executor = None
        self.module = mx.mod.Module(self.symbol, data_names=self.names, label_names=None, context=mx.cpu())
        shapes = [mx.io.DataDesc(name, x.shape, x.dtype) for name, x in zip(self.names, inputs)]
        reqs = {name: self.grad_reqs[name] for name in self.symbol.list_arguments()}
        self.module.bind(shapes, for_training=True, inputs_need_grad=True, grad_req=reqs)
        states = {name: self.values[name] for name in self.symbol.list_auxiliary_states()}
        weights = {name: self.values[name] for name in reqs if name in self.values}
        self.module.init_params(arg_params=weights, aux_params=states)

    def predict(self, inputs):
        """The outputs of a forward pass in predict mode."""
        self.module.forward(mx.io.DataBatch(inputs), is_train=False)
        return self.module.get_outputs()

    def learn(self, inputs):
        """Outputs, gradients and states of a forward and a backward pass."""
        self.module.forward(mx.io.DataBatch(inputs), is_train=True)
        outputs = self.module.get_outputs()
        found = [(f"output {i}", output.copy()) for i, output in enumerate(outputs)]
        self.module.backward(head_grads(outputs))
        executor = self.module._exec_group.execs[0]
        return found + self.results(executor.grad_dict, executor.aux_dict)
