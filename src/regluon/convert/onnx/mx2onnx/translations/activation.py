"""Activation functions and the softmax family."""

from math import sqrt

from ..call import Call
from ..table import Untranslatable, translates

_ACTIVATIONS = {
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
    "softrelu": "Softplus",
    "softsign": "Softsign",
}


@translates("Activation")
def activation(call: Call) -> str:
    """One ONNX operator for each kind."""
    return call.op(_ACTIVATIONS[call.params["act_type"]], call.x)


@translates("LeakyReLU")
def leaky_relu(call: Call) -> str:
    """The kinds of LeakyReLU; of rrelu the mean slope, as in inference."""
    params, kind = call.params, call.params["act_type"]
    if kind == "prelu":
        return _prelu(call)
    if kind == "gelu":
        bent = call.op("Add", call.op("Erf", call.op("Div", call.x, call.number(sqrt(2)))), call.number(1))
        return call.op("Mul", call.op("Mul", call.x, call.number(0.5)), bent)
    if kind == "selu":
        return call.op("Selu", call.x)
    if kind == "elu":
        return call.op("Elu", call.x, alpha=float(params["slope"]))
    slope = (params["lower_bound"] + params["upper_bound"]) / 2 if kind == "rrelu" else params["slope"]
    return call.op("LeakyRelu", call.x, alpha=float(slope))


def _prelu(call: Call) -> str:
    """PRelu; the slopes are those of axis 1, or one for all."""
    slopes = call.sizes(1)
    if len(slopes) != 1:
        raise Untranslatable(f"has slopes of shape {slopes}; expected one for each channel")
    shape = slopes if call.rank() < 2 else (*slopes, *[1] * (call.rank() - 2))
    return call.op("PRelu", call.x, call.reshape(call.inputs[1], shape))


@translates("hard_sigmoid")
def hard_sigmoid(call: Call) -> str:
    """HardSigmoid with the same two numbers."""
    return call.op("HardSigmoid", call.x, alpha=float(call.params["alpha"]), beta=float(call.params["beta"]))


@translates("softmax", "log_softmax", "softmin")
def softmax(call: Call) -> str:
    """Softmax or LogSoftmax, of the data divided by the temperature."""
    params, data = call.params, call.x
    if params["use_length"]:
        raise Untranslatable("use_length=True has no counterpart")
    if call.node.op_name == "softmin":
        data = call.op("Neg", data)
    if params["temperature"] not in (None, 1.0):
        data = call.op("Div", data, call.number(params["temperature"]))
    name = "LogSoftmax" if call.node.op_name == "log_softmax" else "Softmax"
    result = call.op(name, data, axis=call.axis(params["axis"]))
    return call.cast(result, call.output_dtype()) if call.output_dtype() != call.dtype() else result


def _rows(call: Call) -> str:
    """Softmax over all that belongs to a sample."""
    if call.rank() == 2:
        return call.op("Softmax", call.x, axis=1)
    flat = call.op("Softmax", call.op("Flatten", call.x, axis=1), axis=1)
    return call.op("Reshape", flat, call.shape_of(call.x))


@translates("SoftmaxActivation")
def softmax_activation(call: Call) -> str:
    """Over the channels, or along the last axis."""
    return call.op("Softmax", call.x, axis=1 if call.params["mode"] == "channel" else call.rank() - 1)


@translates("SoftmaxOutput")
def softmax_output(call: Call) -> str:
    """What it gives in inference: the probabilities; the label plays no part."""
    if call.params["multi_output"]:
        return call.op("Softmax", call.x, axis=1)
    return call.op("Softmax", call.x, axis=call.rank() - 1) if call.params["preserve_shape"] else _rows(call)


@translates("LogisticRegressionOutput")
def logistic_output(call: Call) -> str:
    """What it gives in inference; the label plays no part."""
    return call.op("Sigmoid", call.x)


@translates("LinearRegressionOutput", "MAERegressionOutput", "SVMOutput")
def plain_output(call: Call) -> str:
    """What it gives in inference: the data; the label plays no part."""
    return call.x


@translates("Dropout", "BlockGrad", "MakeLoss", "make_loss", "_copy", "IdentityAttachKLSparseReg")
def unchanged(call: Call) -> list[str]:
    """The data themselves, in inference."""
    return list(call.inputs[: call.node.num_outputs])
