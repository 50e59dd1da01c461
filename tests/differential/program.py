"""Programs made of text: what runs in a test is what a failure prints."""

import linecache
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


_NAME = "<program>"
_PRELUDE = _text("prelude.py")
_BINDING = _text("binding.py").partition("\n\n\n")[2]  # without its imports


@dataclass(frozen=True)
class Network:
    """A block as source.

    Attributes:
        layers: attribute and constructor of each layer.
        body: the lines of `hybrid_forward`; each names one value.
        result: what it returns.
        num_inputs: how many arrays it takes.
    """

    layers: tuple[tuple[str, str], ...]
    body: tuple[str, ...]
    result: str
    num_inputs: int

    @property
    def takes_ids(self) -> bool:
        """Whether the input is row numbers of an embedding."""
        return bool(self.layers) and self.layers[0][1].startswith("nn.Embedding")

    def source(self) -> str:
        """The class."""
        names = ", ".join(f"x{i}" for i in range(self.num_inputs))
        made = [f"            self.{name} = {constructor}" for name, constructor in self.layers] or ["            pass"]
        return "\n".join(
            [
                "class Net(gluon.HybridBlock):",
                "    def __init__(self):",
                '        super().__init__(prefix="net_")',
                "        with self.name_scope():",
                *made,
                "",
                f"    def hybrid_forward(self, F, {names}):",
                *[f"        {line}" for line in self.body],
                f"        return {self.result}",
            ]
        )


@dataclass(frozen=True)
class Program:
    """A network, its inputs, and what is done with them.

    Attributes:
        network: the block.
        dtype: of the parameters.
        inputs: an expression for each array.
        grad_reqs: for each array 'write', 'add' or 'null'.
        steps: statements that use `net`, `inputs` and `log`.
        lowest: the least precise dtype that takes part; that of the parameters if it is empty.
    """

    network: Network
    dtype: str
    inputs: tuple[str, ...]
    grad_reqs: tuple[str, ...]
    steps: tuple[str, ...]
    lowest: str = ""

    @property
    def is_symbolic(self) -> bool:
        """Whether it can be bound as a symbol, as in MXNet.

        There a length of 0 in a shape means that it is not known, and the first states of recurrent cells are float32.
        """
        is_empty = "(0, " in self.inputs[0]
        is_single = self.dtype == "float32" or "Unrolled" not in self.network.source()
        return is_single and not is_empty

    def source(self) -> str:
        """All of it up to a function `run(prepare, finish)` that returns what was computed."""
        attached = [
            f"    inputs[{i}].attach_grad(grad_req={req!r})" for i, req in enumerate(self.grad_reqs) if req != "null"
        ]
        return "\n".join(
            [
                _PRELUDE,
                "",
                _BINDING,
                "",
                self.network.source(),
                "",
                "",
                "def run(prepare, finish):",
                "    log = []",
                "    net = Net()",
                "    net.initialize()",
                *([f"    net.cast({self.dtype!r})"] if self.dtype != "float32" else []),
                *[f"    x{i} = {text}" for i, text in enumerate(self.inputs)],
                f"    inputs = [{', '.join(f'x{i}' for i in range(len(self.inputs)))}]",
                *attached,
                "    prepare(net)",
                "    net(*inputs)  # finds the shapes of parameters",
                "    fill(net)",
                f"    net = finish(net, inputs, {list(self.grad_reqs)})",
                *[f"    {line}" for step in self.steps for line in step.splitlines()],
                "    return log",
                "",
            ]
        )


def loaded(source: str) -> dict[str, Any]:
    """The names that a program defines; its lines appear in tracebacks."""
    linecache.cache[_NAME] = (len(source), None, source.splitlines(True), _NAME)
    names: dict[str, Any] = {"__name__": "program"}
    code: CodeType = compile(source, _NAME, "exec")
    exec(code, names)
    return names
