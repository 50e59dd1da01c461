"""Programs whose networks, parameters and inputs change between calls, drawn."""

from hypothesis import strategies as st

from .layers import Draw, Shape
from .program import Network, Program
from .strategies import networks, values

# What any program may do between two calls.
_CALLS = (
    "predict(net, inputs, log)",
    "predict(net, inputs, log)\npredict(net, inputs, log)",
    "learn(net, inputs, log)",
    "for _ in range(6):\n    learn(net, inputs, log)",
    "for _ in range(3):\n    learn(net, inputs, log, train_mode=False)",
    "in_thread(predict, net, inputs, log)",
    "in_thread(learn, net, inputs, log)",
    "forget(net, inputs)",
)
_WRITES = (
    "fill(net)",
    "chosen(net, {0})[:] = 0.25",
    "chosen(net, {0})[:] *= 0.5",
    "chosen(net, {0})[0] = 0.75",
    "write_torch(chosen(net, {0}))",
    "write_numpy(chosen(net, {0}))",
    "write_dlpack(chosen(net, {0}))",
    "w = chosen(net, {0})\nw += 0.125",
    "w = chosen(net, {0})\nnd.sgd_update(w, nd.ones_like(w), lr=0.01, out=w)",
    "step(net, 'sgd')",
    "step(net, 'adam')",
    "reloaded(net)",
)
_SETTINGS = (
    "request(net, 'add')",
    "request(net, 'write')",
    "net.collect_params().zero_grad()",
    "count_calls(net)",
    "count_calls(innermost(net))",
    "inputs[0][:] = 0.5",
    "inputs[0] *= 0.5",
)


KINDS = ("call", "write", "setting", "inputs", "batch", "cast")


class _Writer:
    """A sequence that grows; it knows the dtype and batch that inputs have at each point."""

    def __init__(self, draw: Draw, network: Network, shape: Shape) -> None:
        self.draw, self.network, self.shape, self.num_inputs = draw, network, shape, network.num_inputs
        self.dtype, self.batch, self.seed = "float32", draw(st.sampled_from((2, 3, 1))), 1
        self.grad_reqs = [draw(st.sampled_from(("write", "null", "add"))) for _ in range(self.num_inputs)]
        self.steps: list[str] = []

    def made(self) -> list[str]:
        """Expressions for new inputs: plain arrays, or those with an unusual place in memory."""
        self.seed += self.num_inputs
        texts = [self._values(self.seed + i, self.batch) for i in range(self.num_inputs)]
        makers = [self.draw(st.sampled_from(("array", "array", "strided", "transposed"))) for _ in texts]
        return [f"{maker}({text})" for maker, text in zip(makers, texts)]

    def _values(self, seed: int, batch: int) -> str:
        return values(self.draw, self.network, seed, self.shape, batch, self.dtype)

    def sharing(self) -> list[str]:
        """Inputs that share memory: one array twice, or views of one."""
        self.seed += 1
        base = f"base := array({self._values(self.seed, self.batch + 2)})"
        first = f"({base})[:{self.batch}]"
        if self.num_inputs == 1:
            return [first]
        seconds = ("base[2:]", f"base[1 : {self.batch + 1}]", f"base[:{self.batch}]")
        return [first, self.draw(st.sampled_from(seconds))]

    def step(self) -> None:
        """Adds a statement."""
        self.do(self.draw(st.sampled_from((*KINDS, "call", "write"))))

    def do(self, kind: str) -> None:
        """Adds a statement of one of the kinds."""
        if kind == "cast" and "rnn." in self.network.source():
            kind = "write"  # the first states of recurrent layers in files have the dtype they were saved with
        if kind == "call":
            self.steps.append(self.draw(st.sampled_from(_CALLS)))
        elif kind == "write":
            self.steps.append(self.draw(st.sampled_from(_WRITES)).format(self.draw(st.integers(0, 3))))
        elif kind == "setting":
            self.steps.append(self.draw(st.sampled_from(_SETTINGS)))
        elif kind == "inputs":
            self._replace(self.sharing() if self.draw(st.booleans()) else self.made())
            if self.num_inputs == 2 and self.draw(st.booleans()):
                self.steps[-1] = "inputs = [inputs[0], inputs[0]]"
            self.steps.append(self.draw(st.sampled_from(_CALLS[:5])))
        elif kind == "batch":
            self.batch = self.draw(st.sampled_from((1, 2, 5, 0)))
            self._replace(self.made())
        else:
            self.dtype = self.draw(st.sampled_from(("float64", "float16", "float32")))
            self.steps.append(f"net.cast({self.dtype!r})")
            self._replace(self.made())

    def _replace(self, texts: list[str]) -> None:
        self.steps.append(f"inputs = attached([{', '.join(texts)}], {self.grad_reqs})")


@st.composite
def sequences(draw: Draw, kind: str = "call") -> Program:
    """A network that is called, with changes in between, one of them of a given kind."""
    num_inputs = draw(st.sampled_from((1, 2)))
    network, shape = draw(networks(num_inputs))
    writer = _Writer(draw, network, shape)
    inputs = writer.made()
    writer.steps.append(draw(st.sampled_from(_CALLS)))
    writer.do(kind)
    for _ in range(draw(st.integers(0, 7))):
        writer.step()
    writer.steps.append(draw(st.sampled_from(_CALLS[:5])))
    lowest = "float16" if any("float16" in step for step in writer.steps) else "float32"
    return Program(network, "float32", tuple(inputs), tuple(writer.grad_reqs), tuple(writer.steps), lowest)
