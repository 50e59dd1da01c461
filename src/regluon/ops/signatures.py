"""Describe the signatures of generated, custom and control-flow operators."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter, Signature
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..context import Context

REQUIRED = Parameter.empty


def number(name: str, kind: Any, default: Any = REQUIRED) -> Parameter:
    """A parameter of an operator; `kind` is its annotation, see params.py."""
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def signed(
    function: Callable[..., Any],
    name: str,
    doc: str,
    inputs: Iterable[str],
    numbers: Iterable[Parameter],
    *,
    optional: bool = False,
) -> Callable[..., Any]:
    """The function with a name, a docstring and a signature.

    Args:
        function: takes the inputs by position and the parameters by name.
        name: of the operator.
        doc: its documentation.
        inputs: names of the inputs; one that begins with `*` is a list of them.
        numbers: the parameters.
        optional: whether inputs may be left out.
    """
    arguments = []
    for each in inputs:
        if each.startswith("*"):
            arguments.append(Parameter(each[1:], Parameter.VAR_POSITIONAL, annotation=Tensor))
        else:
            default = None if optional else REQUIRED
            arguments.append(Parameter(each, Parameter.POSITIONAL_OR_KEYWORD, annotation=Tensor, default=default))
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__signature__ = Signature([*arguments, *numbers])  # type: ignore[attr-defined]
    return function


Shape = tuple[int, ...]


class Surroundings(NamedTuple):
    """Where a call takes place.

    Attributes:
        context: of the arrays.
        memory: what calls from the same place keep for each other: empty for a call of its own.
    """

    context: Context
    memory: dict[Any, Any]


class Inferred(NamedTuple):
    """Shapes or dtypes, as a description completes them."""

    arguments: list[Any]
    outputs: list[Any]
    states: list[Any]


class BackwardStorage(NamedTuple):
    """Storage types of the arrays of a backward pass; 'undefined' where nothing is known."""

    output_gradients: list[str]
    arguments: list[str]
    outputs: list[str]
    input_gradients: list[str]
    states: list[str]


class Description(ABC):
    """What an operator says of itself for one set of parameters.

    Attributes:
        arguments: names of its inputs.
        outputs: names of its outputs.
        states: names of the auxiliary states, which follow the inputs and which it updates in place.
        tells_storage: whether it has something to say about the storage types of its arrays.
    """

    tells_storage = False

    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    states: tuple[str, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of all arrays it takes."""
        return self.arguments + self.states

    @abstractmethod
    def infer_shapes(self, arguments: Sequence[Shape | None]) -> Inferred:
        """All shapes from those of the arguments; None stands for one that is not known."""

    @abstractmethod
    def infer_dtypes(self, arguments: Sequence[torch.dtype | None]) -> Inferred:
        """All dtypes from those of the arguments; None stands for one that is not known."""

    @abstractmethod
    def run(self, tensors: Sequence[torch.Tensor], training: bool, surroundings: Surroundings) -> tuple[Any, ...]:
        """Computes the outputs from the inputs, and updates the states where they are."""


class Wiring(NamedTuple):
    """How a node feeds its bodies.

    Attributes:
        sources: for each body, for each of its variables in order, the position of the node's input that it receives.
        num_sliced: how many of the node's first inputs reach the body in slices along their first axis.
        states: for each of the node's outputs that is a loop's state, the position of the input it begins as.
        num_data: how many of the node's outputs come before the states: results of all steps, stacked.
        main: the bodies whose outputs are the node's.
    """

    sources: tuple[Shape, ...]
    num_sliced: int
    states: Shape
    num_data: int
    main: tuple[int, ...]


def item_shape(shape: Sequence[int]) -> Shape:
    """The shape of one slice along the first axis; an element of a row has the shape (1,), as everywhere."""
    return tuple(shape[1:]) or (1,)
