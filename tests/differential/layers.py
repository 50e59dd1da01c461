"""What a drawn network may do to a value next, by the shape of the value.

Shapes are without the batch axis, which comes first and may have any length. Each function draws the parameters of a
step and returns its text, where `{}` stands for the value, with the shape of the result.
"""

from collections.abc import Callable
from typing import NamedTuple

from hypothesis import strategies as st

Shape = tuple[int, ...]
Draw = Callable[..., object]


class Layer(NamedTuple):
    """A layer's constructor, the shape of its result, and what its result is indexed with."""

    text: str
    shape: Shape


class Expression(NamedTuple):
    """An expression of a value, and the shape of the result."""

    text: str
    shape: Shape


Step = Layer | Expression
StepMaker = Callable[[Draw, Shape], Step]
_UNITS = (1, 2, 3, 8, 16)
_ACTIVATIONS = ("relu", "sigmoid", "tanh", "softrelu", "softsign")


def _one_of(draw: Draw, *values: object) -> object:
    return draw(st.sampled_from(values))


# -- any shape ------------------------------------------------------------------------------------------------------


def activation(draw: Draw, shape: Shape) -> Step:
    layers = [f"nn.Activation({name!r})" for name in _ACTIVATIONS]
    layers += ["nn.LeakyReLU(0.2)", "nn.ELU()", "nn.SELU()", "nn.GELU()", "nn.Swish()", "nn.PReLU()"]
    return Layer(str(draw(st.sampled_from(layers))), shape)


_UNARY = (
    "F.relu({})",
    "F.sigmoid({})",
    "{} * 0.5 + 1",
    "1 - {}",
    "F.square({})",
    "F.exp({} * 0.1)",
    "F.clip({}, -1, 1)",
    "F.abs({})",
    "-{}",
    "F.sqrt(F.abs({}) + 1)",
    "F.maximum({}, 0.1)",
    "F.minimum({}, 0.1)",
    "F.softmax({})",
    "F.log_softmax({})",
    "F.softmax({}, axis=1)",
    "F.broadcast_sub({0}, F.mean({0}, axis=1, keepdims=True))",
    "F.broadcast_div({0}, F.sum(F.abs({0}), axis=-1, keepdims=True) + 1)",
    "F.L2Normalization({})",
    "F.where({0} > 0, {0}, {0} * 0.1)",
    "F.reverse({}, axis=1)",
    "F.BlockGrad({0}) + {0}",
    "F.LeakyReLU({}, act_type='leaky', slope=0.3)",
    "F.identity({})",
    "({0} > 0) * {0}",
    "F.broadcast_maximum({0}, F.mean({0}, axis=1, keepdims=True))",
    "F.smooth_l1({}, scalar=1.0)",
    "F.tanh({0}) * F.tanh({0})",
    "F.sort({}, axis=1)",
    "F.topk({0}, k=1, axis=1, ret_typ='mask') * {0}",
    "F.slice_like({0}, {0})",
    "F.add_n({0}, {0}, {0})",
    "F.broadcast_like(F.mean({0}, axis=1, keepdims=True), {0})",
    "F.cumsum({}, axis=1)",
    "F.Dropout({}, p=0)",
    "F.erf({})",
    "F.arctan({})",
    "F.log1p(F.abs({}))",
    "{0} + F.zeros_like({0})",
    "F.reshape_like({0} * 2, {0})",
    "F.LinearRegressionOutput({0}, F.ones_like({0}))",
    "F.sum(F.stack({0}, {0} * 2, axis=1), axis=1)",
    "F.elemwise_mul(*F.split(F.concat({0}, {0}, dim=1), num_outputs=2, axis=1))",
    "F.expand_dims({}, axis=1).squeeze(axis=1)",
    "F.pick(F.stack({0}, {0} * 3, axis=-1), {0} > 0)",
    "F.hard_sigmoid({})",
    "F.gamma(F.clip({}, 1, 2))",
    "F.make_loss({} * 0.5)",
    "F.batch_take(F.reshape({0}, shape=(-1, 1)), F.zeros_like(F.reshape({0}, shape=(-1,)))).reshape_like({0})",
    "F.maximum(F.relu({0} * 2), F.relu({0} + 1))",
    "F.power(F.abs({}) + 0.5, 1.5)",
    "F.where(F.abs({0}) > 100, F.zeros_like({0}), {0})",
    "F.flip({}, axis=1)",
    "F.contrib.div_sqrt_dim({})",
    "F.softsign({})",
)


def unary(draw: Draw, shape: Shape) -> Step:
    return Expression(str(draw(st.sampled_from(_UNARY))), shape)


def dense(draw: Draw, shape: Shape) -> Step:
    units = int(str(_one_of(draw, *_UNITS)))
    flatten = len(shape) == 1 or draw(st.booleans())
    parts = [str(units)]
    if draw(st.booleans()):
        parts.append(f"activation={_one_of(draw, *_ACTIVATIONS)!r}")
    if draw(st.booleans()):
        parts.append("use_bias=False")
    if not flatten:
        parts.append("flatten=False")
    return Layer(f"nn.Dense({', '.join(parts)})", (units,) if flatten else (*shape[:-1], units))


def normalization(draw: Draw, shape: Shape) -> Step:
    layers = ["nn.BatchNorm()", "nn.BatchNorm(scale=False)", "nn.BatchNorm(center=False, momentum=0.5)"]
    layers += ["nn.BatchNorm(use_global_stats=True)", "nn.LayerNorm()", "nn.LayerNorm(center=False)"]
    layers += ["nn.LayerNorm(axis=1)"]
    if len(shape) > 1:
        layers += ["nn.BatchNorm(axis=-1)", "nn.InstanceNorm()", "nn.InstanceNorm(scale=True)", "nn.GroupNorm()"]
        if shape[0] % 2 == 0:
            layers.append("nn.GroupNorm(num_groups=2)")
    return Layer(str(draw(st.sampled_from(layers))), shape)


def rare(draw: Draw, shape: Shape) -> Step:
    """Layers that change no shape and are seldom used alone."""
    ones = (1,) * (len(shape) + 1)
    layers = ("nn.Dropout(0)", "nn.HybridLambda('tanh')", f"Scale({ones})", f"Scale({(1, *shape)})")
    return Layer(str(draw(st.sampled_from(layers))), shape)


def flattened(draw: Draw, shape: Shape) -> Step:
    size = 1
    for length in shape:
        size *= length
    texts = ("F.flatten({})", "F.reshape({}, shape=(0, -1))", "{}.reshape((0, -1))")
    if draw(st.booleans()):
        return Layer("nn.Flatten()", (size,))
    return Expression(str(draw(st.sampled_from(texts))), (size,))


def sliced(draw: Draw, shape: Shape) -> Step:
    axis = int(str(_one_of(draw, *range(len(shape)))))
    length = shape[axis]
    if length < 2:
        return Expression("F.identity({})", shape)
    cut = length // 2
    texts = (
        f"F.slice_axis({{}}, axis={axis + 1}, begin=0, end={cut})",
        f"F.slice_axis({{}}, axis={axis + 1}, begin={length - cut}, end=None)",
        f"F.take({{}}, F.arange({cut}), axis={axis + 1})",
    )
    return Expression(str(draw(st.sampled_from(texts))), (*shape[:axis], cut, *shape[axis + 1 :]))


def mean(draw: Draw, shape: Shape) -> Step:
    kinds = ("mean", "sum", "max", "min", "norm") if len(shape) > 1 else ("mean", "sum", "max")
    kind = _one_of(draw, *kinds)
    if len(shape) == 1:
        return Expression(f"F.{kind}({{}}, axis=1, keepdims=True)", (1,))
    axis = int(str(_one_of(draw, *range(len(shape)))))
    return Expression(f"F.{kind}({{}}, axis={axis + 1})", (*shape[:axis], *shape[axis + 1 :]))


# -- shapes of several axes -----------------------------------------------------------------------------------------


def swapped(draw: Draw, shape: Shape) -> Step:
    last = len(shape)
    order = (0, *range(2, last + 1), 1)
    texts = (
        (f"F.transpose({{}}, axes={order})", (*shape[1:], shape[0])),
        (f"F.swapaxes({{}}, 1, {last})", (shape[-1], *shape[1:-1], shape[0])),
    )
    return Expression(*draw(st.sampled_from(texts)))  # type: ignore[misc]


def recurrent(draw: Draw, shape: Shape) -> Step:
    kind = _one_of(draw, "RNN", "LSTM", "GRU")
    units, layers = int(str(_one_of(draw, 2, 3))), int(str(_one_of(draw, 1, 2)))
    both = bool(draw(st.booleans()))
    text = f"rnn.{kind}({units}, num_layers={layers}, layout='NTC', bidirectional={both})"
    return Layer(text, (shape[0], units * (1 + both)))


def unrolled(draw: Draw, shape: Shape) -> Step:
    kind, units = _one_of(draw, "RNNCell", "LSTMCell", "GRUCell"), int(str(_one_of(draw, 2, 3)))
    return Layer(f"Unrolled(rnn.{kind}({units}), {shape[0]})", (shape[0], units))


def attention(draw: Draw, shape: Shape) -> Step:
    rows, size = shape
    texts = (
        ("F.batch_dot({0}, {0}, transpose_b=True)", (rows, rows)),
        ("F.batch_dot(F.softmax(F.batch_dot({0}, {0}, transpose_b=True) * 0.5), {0})", (rows, size)),
        ("F.batch_dot({0}, {0}, transpose_a=True)", (size, size)),
    )
    return Expression(*draw(st.sampled_from(texts)))  # type: ignore[misc]


# -- convolution and pooling ----------------------------------------------------------------------------------------


def _window(draw: Draw, shape: Shape) -> tuple[Shape, Shape, Shape, Shape, Shape]:
    """Kernel, stride, padding and dilation that fit, and the lengths of the result."""
    sides = shape[1:]
    kernel = tuple(min(int(str(_one_of(draw, 1, 3, 2))), side) for side in sides)
    if draw(st.booleans()):
        kernel = (min(kernel),) * len(sides)
    stride = tuple(int(str(_one_of(draw, 1, 2))) for _ in sides)
    padding = tuple(int(str(_one_of(draw, 0, k // 2))) for k in kernel)
    fits = all(2 * (k - 1) + 1 <= n for k, n in zip(kernel, sides))
    dilation = (2,) * len(sides) if fits and draw(st.integers(0, 4)) == 4 else (1,) * len(sides)
    out = tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(sides, kernel, stride, padding, dilation)
    )
    return kernel, stride, padding, dilation, out


def convolution(draw: Draw, shape: Shape) -> Step:
    kernel, stride, padding, dilation, out = _window(draw, shape)
    channels = int(str(_one_of(draw, *_UNITS)))
    parts = [f"{channels}, {kernel}, strides={stride}, padding={padding}, dilation={dilation}"]
    if shape[0] % 2 == 0 and channels % 2 == 0 and draw(st.integers(0, 3)) == 3:
        parts.append("groups=2")
    if draw(st.booleans()):
        parts.append(f"activation={_one_of(draw, *_ACTIVATIONS)!r}")
    if draw(st.booleans()):
        parts.append("use_bias=False")
    return Layer(f"nn.Conv{len(kernel)}D({', '.join(parts)})", (channels, *out))


def transposed_convolution(draw: Draw, shape: Shape) -> Step:
    kernel, stride, padding, _, _ = _window(draw, shape)
    channels = int(str(_one_of(draw, 1, 2, 4)))
    out = tuple((n - 1) * s - 2 * p + k for n, k, s, p in zip(shape[1:], kernel, stride, padding))
    if min(out) < 1:
        return convolution(draw, shape)
    text = f"nn.Conv{len(kernel)}DTranspose({channels}, {kernel}, strides={stride}, padding={padding})"
    return Layer(text, (channels, *out))


def pooling(draw: Draw, shape: Shape) -> Step:
    dims = len(shape) - 1
    kernel, stride, padding, _, _ = _window(draw, shape)
    kind = _one_of(draw, "Max", "Avg", "GlobalAvg", "GlobalMax")
    if kind in ("GlobalAvg", "GlobalMax"):
        return Layer(f"nn.{kind}Pool{dims}D()", (shape[0], *(1,) * dims))
    ceil = bool(draw(st.booleans()))
    out = tuple(
        -(-(n + 2 * p - k) // s) + 1 if ceil else (n + 2 * p - k) // s + 1
        for n, k, s, p in zip(shape[1:], kernel, stride, padding)
    )
    text = f"nn.{kind}Pool{dims}D({kernel}, {stride}, {padding}, ceil_mode={ceil}"
    if kind == "Avg" and draw(st.booleans()):
        text += ", count_include_pad=False"
    return Layer(f"{text})", (shape[0], *out))


def channels_last(draw: Draw, shape: Shape) -> Step:
    """A layer that reads (height, width, channels)."""
    height, width, channels = shape
    kernel = int(str(_one_of(draw, 1, min(3, height, width))))
    filters = int(str(_one_of(draw, 1, 2, 8)))
    out = (height - kernel + 1, width - kernel + 1)
    halves = (height // 2, width // 2)
    layers = [
        (f"nn.Conv2D({filters}, {kernel}, layout='NHWC')", (*out, filters)),
        (f"nn.Conv2D({filters}, {kernel}, layout='NHWC', activation='relu')", (*out, filters)),
        ("nn.GlobalAvgPool2D(layout='NHWC')", (1, 1, channels)),
        ("nn.BatchNorm(axis=-1)", shape),
    ]
    if min(halves) > 0:
        layers += [(f"nn.{kind}Pool2D(layout='NHWC')", (*halves, channels)) for kind in ("Max", "Avg")]
    return Layer(*draw(st.sampled_from(layers)))  # type: ignore[misc]


# Those that stand several times are drawn more often.
ANYWHERE = (activation, unary, unary, dense, normalization, rare, flattened, sliced, mean)
BY_RANK: dict[int, tuple[StepMaker, ...]] = {
    1: (dense,),
    2: (convolution, pooling, recurrent, unrolled, attention, attention, swapped, transposed_convolution),
    3: (convolution, convolution, convolution, pooling, pooling, swapped, transposed_convolution, channels_last),
    4: (convolution, pooling, swapped, transposed_convolution),
}
EVERY: tuple[StepMaker, ...] = tuple(
    dict.fromkeys([*ANYWHERE, *[step for steps in BY_RANK.values() for step in steps]])
)
