"""Which outputs of a graph are sparse, and which gradients: MXNet's own rules, read off its behaviour.

Forward, the rules that carry operators out decide, tried on arrays with nothing stored. Gradients have a table.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ...graph.inference import Inference
from ...graph.node import Entry, Node, in_order
from ...ops.custom import CustomDescription
from ...ops.registry import explained
from ...ops.signatures import BackwardStorage
from .rules import RULES
from .storage import STORES, Csr, Rows

DEFAULT, ROWS, CSR = "default", "row_sparse", "csr"
_STYPE_OF_FLAG = {"0": DEFAULT, "1": ROWS, "2": CSR}

# The gradient of the result, passed on as it is or times a number.
_LINEAR = {
    *("_copy", "_mul_scalar", "_div_scalar", "_plus_scalar", "_minus_scalar", "negative", "cast_storage"),
    *("_contrib_gradientmultiplier", "_contrib_round_ste", "_contrib_sign_ste"),
    *("elemwise_add", "elemwise_sub", "add_n", "exp"),
}
# The gradient of the result times a function of the input, which is zero where the input is.
_PRODUCT = {"abs", "relu", "sign", "square", "cos"}
# Zeros, as the input has them.
_ZEROS = {"BlockGrad", "ceil", "fix", "floor", "rint", "round", "trunc", "zeros_like"}


def declared_stype(node: Node) -> str:
    """The storage type that a variable was made with."""
    return _STYPE_OF_FLAG.get(node.attrs.get("__storage_type__", "0"), DEFAULT)


def has_sparse_gradients(heads: Sequence[Entry]) -> bool:
    """Whether a graph of dense arrays has sparse gradients."""
    return any(_looks_up(node) for node in in_order(heads))


def _looks_up(node: Node) -> bool:
    """Whether the gradient of a node's weight holds only the rows that were looked up."""
    if node.op_name == "Embedding":
        return bool(node.params.get("sparse_grad"))
    return node.op_name == "_contrib_SparseEmbedding"


class StorageTypes:
    """The storage types of all outputs and gradients of a graph.

    Args:
        heads: the graph.
        inference: its shapes and dtypes.
        variables: storage types of variables by the identities of their nodes; dense ones may be left out.
    """

    def __init__(self, heads: Sequence[Entry], inference: Inference, variables: Mapping[int, str]) -> None:
        self._heads, self._inference = heads, inference
        self._stypes: dict[tuple[int, int], str] = {}
        self._gradients: dict[tuple[int, int], list[str]] = {}
        self._backward_storage: dict[str, BackwardStorage] = {}
        self._has_gradients = False
        for node in inference.order:
            inferred = [variables.get(id(node), DEFAULT)] if node.is_variable else self._forward(node)
            self._stypes.update({(id(node), index): stype for index, stype in enumerate(inferred)})

    def of(self, entry: Entry) -> str:
        """The storage type of an output."""
        return self._stypes.get((id(entry.node), entry.index), DEFAULT)

    def gradient_of(self, entry: Entry) -> str:
        """The storage type of the gradient of an output."""
        self._infer_gradients()
        return self._sum_of(entry)

    @property
    def backward_storage(self) -> dict[str, BackwardStorage]:
        """What operators in Python told of their backward passes, by the names of their nodes."""
        self._infer_gradients()
        return self._backward_storage

    # -- forward ------------------------------------------------------------------------------------------------------

    def _forward(self, node: Node) -> list[str]:
        operator = node.operator
        assert operator is not None
        name, stypes = operator.name, [self.of(source) for source in node.inputs]
        if name == "cast_storage":
            return [str(node.params["stype"])]
        if name == "dot" and node.params.get("forward_stype"):
            return [str(node.params["forward_stype"])]
        if operator.describes is not None:
            description = operator.description(node.params)
            assert isinstance(description, CustomDescription)
            is_dense = set(stypes) <= {DEFAULT} and not description.tells_storage
            return [] if is_dense else description.infer_storage(stypes[: len(description.arguments)]).outputs
        if set(stypes) <= {DEFAULT} or name not in RULES:
            return []
        return self._tried(node)

    def _tried(self, node: Node) -> list[str]:
        operator = node.operator
        assert operator is not None
        operands = node.arguments([self._empty(source) for source in node.inputs])
        try:
            found = RULES[operator.name](operator, operands, dict(node.params))
        except Exception as error:
            raise explained(operator, operands, error) from error
        return [_stype_of(each) for each in (found if isinstance(found, list) else [found])]

    def _empty(self, entry: Entry) -> Any:
        shape, dtype = self._inference.shape(entry) or (), self._inference.dtype(entry) or torch.float32
        stype = self.of(entry)
        if stype == DEFAULT:
            return torch.zeros((), dtype=dtype).expand(shape)
        return STORES[stype].zeros(shape, dtype, torch.device("cpu"))

    # -- gradients ----------------------------------------------------------------------------------------------------

    def _infer_gradients(self) -> None:
        if self._has_gradients:
            return
        self._has_gradients = True
        for head in self._heads:
            self._add(head, self.of(head))
        for node in reversed(self._inference.order):
            if not node.is_variable:
                self._pass_back(node)

    def _sum_of(self, entry: Entry) -> str:
        """The storage type of a gradient that may come from several nodes."""
        found = self._gradients.get((id(entry.node), entry.index), [])
        if len(found) == 1:
            return found[0]
        return ROWS if found and set(found) == {ROWS} else DEFAULT

    def _add(self, entry: Entry, stype: str) -> None:
        self._gradients.setdefault((id(entry.node), entry.index), []).append(stype)

    def _pass_back(self, node: Node) -> None:
        outputs = [Entry(node, index) for index in range(node.num_outputs)]
        if not any((id(node), entry.index) in self._gradients for entry in outputs):
            return
        for source, stype in zip(node.inputs, self._backward(node, outputs), strict=False):
            self._add(source, stype)

    def _backward(self, node: Node, outputs: Sequence[Entry]) -> list[str]:
        """The storage types of the gradients of a node's inputs."""
        name, stypes = node.op_name, [self.of(source) for source in node.inputs]
        incoming = self._sum_of(outputs[0])
        if name in _LINEAR:
            return [incoming] * len(stypes)
        if name in _PRODUCT:
            return [incoming if incoming == stypes[0] else DEFAULT]
        if name in _ZEROS or name == "_square_sum":
            return stypes
        if name == "where":
            return [stypes[0], DEFAULT, DEFAULT]
        if _looks_up(node) and incoming == DEFAULT:
            return [DEFAULT, ROWS]
        if name == "dot" and incoming == DEFAULT and stypes[0] == CSR and _is_straight(node):
            return [DEFAULT, ROWS]
        if name == "elemwise_mul" and incoming == DEFAULT and stypes == [CSR, DEFAULT]:
            return [DEFAULT, CSR]
        if node.operator is not None and node.operator.describes is not None:
            return self._custom_backward(node, outputs)
        return [DEFAULT] * len(stypes)

    def _custom_backward(self, node: Node, outputs: Sequence[Entry]) -> list[str]:
        assert node.operator is not None
        description = node.operator.description(node.params)
        stypes = [self.of(source) for source in node.inputs]
        if not description.tells_storage and set(stypes) <= {DEFAULT}:
            return [DEFAULT] * len(stypes)
        assert isinstance(description, CustomDescription)
        count = len(description.arguments)
        known = BackwardStorage(
            *([self._sum_of(entry) for entry in outputs], stypes[:count], [self.of(entry) for entry in outputs]),
            *(["undefined"] * count, stypes[count:]),
        )
        inferred = self._backward_storage[node.name] = description.infer_storage_backward(known)
        return inferred.input_gradients


def _is_straight(node: Node) -> bool:
    return not node.params.get("transpose_a") and not node.params.get("transpose_b")


def _stype_of(outcome: Any) -> str:
    return ROWS if isinstance(outcome, Rows) else CSR if isinstance(outcome, Csr) else DEFAULT
