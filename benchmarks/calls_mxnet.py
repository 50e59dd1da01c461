"""Small eager calls, for this library and the real MXNet 1.9.1 alike: what a call costs besides its arithmetic."""

from workload import Job, Timed

from mxnet import autograd, nd

LOOPS = 1000


def _plain(call) -> Timed:
    """Seconds of a call. `call` repeats it a number of times, and returns the last result."""
    return Timed(lambda argument: Job(lambda: [call(LOOPS)], nd.waitall, warm_up=2, share=LOOPS))


def _recorded(call) -> Timed:
    """The same while autograd records."""

    def run():
        with autograd.record():
            return [call(LOOPS)]

    return Timed(lambda argument: Job(run, nd.waitall, warm_up=2, share=LOOPS))


a, b = nd.ones((3, 4)) * 0.5, nd.ones((3, 4)) * 1.5
variable = nd.ones((3, 4)) * 0.5
x, weight, bias = nd.ones((4, 16)), nd.ones((16, 16)) * 0.1, nd.ones((16,))
variable_weight = nd.ones((16, 16)) * 0.1
for each in (variable, variable_weight):
    each.attach_grad()


def _add(left):
    def call(loops: int):
        for _ in range(loops):
            found = left + b
        return found

    return call


def _add_scalar(loops: int):
    for _ in range(loops):
        found = a + 1.5
    return found


def _mul_chain(left):
    """Eight products, one after the other."""

    def call(loops: int):
        for _ in range(loops):
            found = left * b * b * b * b * b * b * b * b
        return found

    return call


def _small_fc(weight):
    def call(loops: int):
        for _ in range(loops):
            found = nd.FullyConnected(x, weight, bias, num_hidden=16)
        return found

    return call


def _sum(loops: int):
    for _ in range(loops):
        found = nd.sum(a, axis=1)
    return found


def _backward(loops: int):
    """Two recorded operators and their backward."""
    for _ in range(loops):
        with autograd.record():
            found = variable * b + a
        found.backward()
    return variable.grad


WORKLOADS = {
    "add": _plain(_add(a)),
    "recorded_add": _recorded(_add(variable)),
    "add_scalar": _plain(_add_scalar),
    "mul_chain": _plain(_mul_chain(a)),
    "recorded_mul_chain": _recorded(_mul_chain(variable)),
    "small_fc": _plain(_small_fc(weight)),
    "recorded_small_fc": _recorded(_small_fc(variable_weight)),
    "operator_call": _plain(_sum),
    "backward_step": _plain(_backward),
}
