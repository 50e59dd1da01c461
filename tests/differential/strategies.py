"""Networks and programs, drawn."""

import re

from hypothesis import strategies as st

from .layers import ANYWHERE, BY_RANK, Draw, Layer, Shape, StepMaker
from .program import Network, Program

_LARGEST = 2000  # numbers in a value of one sample
_SHAPES: tuple[Shape, ...] = (
    *((1,), (4,), (7,), (3, 5), (4, 6), (2, 6, 6), (3, 5, 7), (8, 8, 8), (16, 4, 4), (1, 9, 9), (2, 3, 4, 3)),
)
_DTYPES = ("float32", "float32", "float32", "float64", "float16")
_SPECIAL = ("np.nan", "np.inf", "-np.inf", "0.0", "-0.0")

# What is done with two values of one shape.
_BINARY = (
    "{} + {}",
    "{} * {}",
    "{} - {}",
    "F.elemwise_add({}, {})",
    "F.broadcast_add({}, {})",
    "F.maximum({}, {})",
    "F.broadcast_mul({}, {})",
    "F.add_n({}, {})",
    "F.relu({} + {})",
)


class _Builder:
    """A network that grows."""

    def __init__(self, draw: Draw, shapes: list[Shape]) -> None:
        self.draw, self.num_inputs = draw, len(shapes)
        self.values = [(f"x{i}", shape) for i, shape in enumerate(shapes)]
        self.layers: list[tuple[str, str]] = []
        self.body: list[str] = []

    def grow(self, step: StepMaker | None = None) -> None:
        """Adds a line; what it does to the last value may be given."""
        num_layers = len(self.layers)
        is_binary = step is None and self.draw(st.integers(0, 3)) == 3
        line, shape = self._joined() if is_binary else self._next(step)
        size = 1
        for length in shape:
            size *= length
        if size > _LARGEST or size == 0:
            del self.layers[num_layers:]  # whatever made it
            return
        name = f"h{len(self.body)}"
        self.body.append(f"{name} = {line}")
        self.values.append((name, shape))

    def _next(self, make: StepMaker | None) -> tuple[str, Shape]:
        # The last value most of the time, so that networks become deep.
        is_last = make is not None or self.draw(st.integers(0, 4))
        name, shape = self.values[-1] if is_last else self.draw(st.sampled_from(self.values))
        if make is None:
            make = self.draw(st.sampled_from(ANYWHERE + 2 * BY_RANK[len(shape)]))
        step = make(self.draw, shape)
        if isinstance(step, Layer):
            return f"self.{self._added(step.text)}({name})", step.shape
        return step.text.format(name), step.shape

    def _added(self, text: str) -> str:
        """The layer, or now and then one that is there already: parameters are shared."""
        known = [name for name, constructor in self.layers if constructor == text]
        if known and self.draw(st.booleans()) and "Dense" not in text and "Conv" not in text and "rnn" not in text:
            return known[0]
        self.layers.append((f"layer{len(self.layers)}", text))
        return self.layers[-1][0]

    def _joined(self) -> tuple[str, Shape]:
        name, shape = self.values[-1]
        partners = [other for other, its_shape in self.values if its_shape == shape]
        other = self.draw(st.sampled_from(partners))
        if self.draw(st.integers(0, 3)) == 3:
            return f"F.concat({name}, {other}, dim=1)", (2 * shape[0], *shape[1:])
        return self.draw(st.sampled_from(_BINARY)).format(name, other), shape

    def network(self) -> Network:
        """What was built. Values that nothing reads are results, so that all inputs and parameters matter."""
        names = [name for name, _ in self.values]
        read = {word for line in self.body for word in re.findall(r"\w+", line.partition("=")[2])}
        results = [name for name in reversed(names) if name not in read]
        if self.draw(st.integers(0, 4)) == 4:
            results += [self.draw(st.sampled_from(names))]
        return Network(tuple(self.layers), tuple(self.body), ", ".join(results), self.num_inputs)


@st.composite
def networks(draw: Draw, num_inputs: int, first: StepMaker | None = None) -> "tuple[Network, Shape]":
    """A network of some inputs of one shape; those of `takes_ids` begin with an embedding.

    Args:
        draw: draws from a strategy.
        num_inputs: how many inputs.
        first: what to do first; anything by default.
    """
    known = [shape for shape in _SHAPES if first is None or first in ANYWHERE + BY_RANK[len(shape)]]
    shape = draw(st.sampled_from(known))
    builder = _Builder(draw, [shape] * num_inputs)
    if first is None and num_inputs == 1 and len(shape) == 1 and draw(st.booleans()):
        units = draw(st.sampled_from((1, 4)))
        builder.layers.append(("layer0", f"nn.Embedding(5, {units})"))
        builder.body.append("h0 = self.layer0(x0)")
        builder.values = [("h0", (*shape, units))]
    if num_inputs == 2:
        builder.body.append(f"h0 = {draw(st.sampled_from(_BINARY)).format('x0', 'x1')}")
        builder.values.append(("h0", shape))
    if first is not None:
        builder.grow(first)
    for _ in range(draw(st.integers(1, 6))):
        builder.grow()
    if not builder.body:
        builder.body.append("h0 = x0 + 1")
        builder.values.append(("h0", shape))
    return builder.network(), shape


def values(draw: Draw, network: Network, seed: int, shape: Shape, batch: int, dtype: str) -> str:
    """An expression for the numbers of an input."""
    text = f"{seed}, {(batch, *shape)}, {dtype!r}"
    if network.takes_ids:
        return f"ids({text})"
    if draw(st.integers(0, 4)) == 4:
        special = draw(st.lists(st.sampled_from(_SPECIAL), min_size=1, max_size=2))
        text += f", [{', '.join(special)}]"
    return f"numbers({text})"


@st.composite
def programs(draw: Draw, first: StepMaker | None = None) -> Program:
    """A network that predicts, learns for some steps, and predicts again."""
    num_inputs = draw(st.sampled_from((1, 1, 2)))
    network, shape = draw(networks(num_inputs, first))
    dtype, batch = draw(st.sampled_from(_DTYPES)), draw(st.sampled_from((2, 1, 3, 4, 0)))
    inputs = [f"array({values(draw, network, i + 1, shape, batch, dtype)})" for i in range(num_inputs)]
    grad_reqs = [draw(st.sampled_from(("write", "null", "add"))) for _ in inputs]
    steps = ["predict(net, inputs, log)"] * draw(st.integers(1, 3))
    steps += ["learn(net, inputs, log)"] * draw(st.sampled_from((0, 1, 6)))
    steps += ["predict(net, inputs, log)"]
    return Program(network, dtype, tuple(inputs), tuple(grad_reqs), tuple(steps))
