"""Translate elementwise operators and activations."""

from collections.abc import Callable
from math import pi, sqrt

from ..call import FLOATS, Call, Untranslatable, translates

_UNARY = {
    "abs": "Abs",
    "negative": "Neg",
    "sign": "Sign",
    "ceil": "Ceil",
    "floor": "Floor",
    "exp": "Exp",
    "log": "Log",
    "sqrt": "Sqrt",
    "reciprocal": "Reciprocal",
    "erf": "Erf",
    "sin": "Sin",
    "cos": "Cos",
    "tan": "Tan",
    "arcsin": "Asin",
    "arccos": "Acos",
    "arctan": "Atan",
    "sinh": "Sinh",
    "cosh": "Cosh",
    "tanh": "Tanh",
    "arcsinh": "Asinh",
    "arccosh": "Acosh",
    "arctanh": "Atanh",
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "softsign": "Softsign",
}
_ARITHMETIC = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div"}
_OTHERS = ("maximum", "minimum", "power", "mod", "hypot")
_COMPARISONS = ("equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal")
_LOGICAL = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}
_SCALAR_NAMES = {"plus": "add", "minus": "sub", "mul": "mul", "div": "div"}


@translates(*_UNARY)
def unary(call: Call) -> str:
    """One ONNX operator for each function."""
    return call.op(_UNARY[call.node.op_name], call.x)


def _cube_root(call: Call, data: str) -> str:
    return call.op("Mul", call.op("Sign", data), call.op("Pow", call.op("Abs", data), call.number(1 / 3)))


def _truncated(call: Call, data: str) -> str:
    return call.op("Mul", call.op("Sign", data), call.op("Floor", call.op("Abs", data)))


def _rounded(call: Call, data: str) -> str:
    """Halves away from zero."""
    whole = call.op("Floor", call.op("Add", call.op("Abs", data), call.number(0.5)))
    return call.op("Mul", call.op("Sign", data), whole)


_COMPOSED: dict[str, Callable[[Call, str], str]] = {
    "square": lambda call, x: call.op("Mul", x, x),
    "rsqrt": lambda call, x: call.op("Reciprocal", call.op("Sqrt", x)),
    "cbrt": _cube_root,
    "rcbrt": lambda call, x: call.op("Reciprocal", _cube_root(call, x)),
    "log2": lambda call, x: call.op("Div", call.op("Log", x), call.number(0.6931471805599453)),
    "log10": lambda call, x: call.op("Div", call.op("Log", x), call.number(2.302585092994046)),
    "log1p": lambda call, x: call.op("Log", call.op("Add", x, call.number(1))),
    "expm1": lambda call, x: call.op("Sub", call.op("Exp", x), call.number(1)),
    "degrees": lambda call, x: call.op("Mul", x, call.number(180 / pi)),
    "radians": lambda call, x: call.op("Mul", x, call.number(pi / 180)),
    "trunc": _truncated,
    "fix": _truncated,
    "round": _rounded,
    "rint": lambda call, x: call.op("Ceil", call.op("Sub", x, call.number(0.5))),
    "logical_not": lambda call, x: call.cast(call.op("Equal", x, call.number(0)), call.output_dtype()),
    "zeros_like": lambda call, x: _filled_like(call, 0),
    "ones_like": lambda call, x: _filled_like(call, 1),
}


@translates(*_COMPOSED)
def composed(call: Call) -> str:
    """Functions that ONNX has no operator for."""
    return _COMPOSED[call.node.op_name](call, call.x)


def _filled_like(call: Call, value: int) -> str:
    return call.op("Expand", call.number(value, call.output_dtype()), call.shape_of(call.x))


def _binary(call: Call, kind: str, lhs: str, rhs: str, dtype: str) -> str:
    """Two operands of one dtype."""
    if kind in _ARITHMETIC:
        if kind == "div" and dtype not in FLOATS:
            raise Untranslatable(f"is translated for floating point numbers only, not for {dtype}")
        return call.op(_ARITHMETIC[kind], lhs, rhs)
    if kind in _COMPARISONS:
        return call.cast(_compared(call, kind, lhs, rhs), call.output_dtype())
    if kind in _LOGICAL:
        return call.cast(
            call.op(_LOGICAL[kind], *[call.cast(each, "bool") for each in (lhs, rhs)]), call.output_dtype()
        )
    if kind == "hypot":
        return call.op("Sqrt", call.op("Add", call.op("Mul", lhs, lhs), call.op("Mul", rhs, rhs)))
    if kind == "mod":
        if dtype not in FLOATS:
            return call.op("Mod", lhs, rhs)
        # The result has the divisor's sign, which Mod has for whole numbers only.
        return call.op("Sub", lhs, call.op("Mul", call.op("Floor", call.op("Div", lhs, rhs)), rhs))
    return call.op({"maximum": "Max", "minimum": "Min", "power": "Pow"}[kind], lhs, rhs)


def _compared(call: Call, kind: str, lhs: str, rhs: str) -> str:
    if kind == "not_equal":
        return call.op("Not", call.op("Equal", lhs, rhs))
    names = {
        "equal": "Equal",
        "greater": "Greater",
        "greater_equal": "GreaterOrEqual",
        "lesser": "Less",
        "lesser_equal": "LessOrEqual",
    }
    return call.op(names[kind], lhs, rhs)


def _kind(name: str) -> str:
    return name.removeprefix("elemwise_").removeprefix("broadcast_").removeprefix("_").removeprefix("grad_")


@translates(
    *[f"elemwise_{kind}" for kind in _ARITHMETIC],
    *[f"broadcast_{kind}" for kind in (*_ARITHMETIC, *_OTHERS, *_COMPARISONS, *_LOGICAL)],
    *[f"_{kind}" for kind in (*_OTHERS, *_COMPARISONS, *_LOGICAL)],
    "_grad_add",
)
def two_arrays(call: Call) -> str:
    """ONNX broadcasts as NumPy does, so both families are the same."""
    lhs, rhs = call.inputs
    return _binary(call, _kind(call.node.op_name), lhs, rhs, call.dtype())


@translates(
    *[f"_{kind}_scalar" for kind in (*_SCALAR_NAMES, "rminus", "rdiv", "rpower", "rmod")],
    *[f"_{kind}_scalar" for kind in (*_OTHERS, *_COMPARISONS, *_LOGICAL)],
)
def array_and_number(call: Call) -> str:
    """The number becomes a constant of the array's dtype; an `r` before the name puts it first."""
    kind = call.node.op_name.removeprefix("_").removesuffix("_scalar")
    dtype, scalar = call.dtype(), call.params["scalar"]
    if dtype not in FLOATS and scalar != int(scalar):
        raise Untranslatable(f"has the number {scalar} beside an array of {dtype}")
    operands = [call.x, call.number(scalar)]
    if kind in ("rminus", "rdiv", "rpower", "rmod"):
        kind = kind[1:]
        operands.reverse()
    return _binary(call, _SCALAR_NAMES.get(kind, kind), operands[0], operands[1], dtype)


@translates("add_n")
def add_n(call: Call) -> str:
    """Sum of several arrays."""
    return call.op("Sum", *call.inputs)


@translates("clip")
def clip(call: Call) -> str:
    """Clip between two numbers."""
    return call.op("Clip", call.x, call.number(call.params["a_min"]), call.number(call.params["a_max"]))


@translates("Cast", "amp_cast")
def cast(call: Call) -> str:
    """Cast."""
    return call.cast(call.x, call.output_dtype())


@translates("smooth_l1")
def smooth_l1(call: Call) -> str:
    """A parabola near zero, straight lines beyond."""
    square = call.params["scalar"] ** 2
    size = call.op("Abs", call.x)
    near = call.op("Mul", call.op("Mul", call.x, call.x), call.number(0.5 * square))
    far = call.op("Sub", size, call.number(0.5 / square))
    return call.op("Where", call.op("Less", size, call.number(1 / square)), near, far)


@translates("_contrib_div_sqrt_dim")
def div_sqrt_dim(call: Call) -> str:
    """Divided by the root of the last axis' length."""
    return call.op("Div", call.x, call.number(call.length(-1) ** 0.5))


@translates("where")
def where(call: Call) -> str:
    """Where; a vector as the condition chooses whole rows."""
    condition, yes, no = call.inputs
    chosen = call.cast(condition, "bool")
    if call.rank(0) != call.rank(1):
        chosen = call.reshape(chosen, [-1, *[1] * (call.rank(1) - 1)])
    return call.op("Where", chosen, yes, no)


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
