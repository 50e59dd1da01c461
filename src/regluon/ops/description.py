"""Operators whose declaration is made while a program runs: what such an operator says of itself."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from ..context import Context

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
