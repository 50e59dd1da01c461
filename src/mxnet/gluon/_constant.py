"""Parameters that do not change."""

import warnings
from typing import Any

from regluon.array.kinds import in_force

from ..initializer import Initializer
from ..ndarray import NDArray, array
from ._parameter_base import Parameter
from ._parameter_support import made_now

__all__ = ["Constant"]


class _Values(Initializer):
    """Writes given values."""

    def __init__(self, value: NDArray) -> None:
        super().__init__()
        self._value = value

    def _init_weight(self, _: str, arr: NDArray) -> None:
        self._value.copyto(arr)


class Constant(Parameter):
    """A parameter that training leaves alone.

    Args:
        name: its full name.
        value: its values, as an array or nested lists.
    """

    __module__ = "mxnet.gluon.parameter"

    def __init__(self, name: str, value: Any) -> None:
        if not isinstance(value, NDArray):
            with made_now():
                value = in_force(array(value))
        self.value = value
        super().__init__(name, grad_req="null", shape=value.shape, dtype=value.dtype, init=_Values(value))

    @property
    def grad_req(self) -> str:
        """Always 'null'."""
        return "null"

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req != "null":
            warnings.warn(
                f'Constant parameter "{self.name}" does not support grad_req other than "null", and new value "{req}" '
                "is ignored.",
                stacklevel=2,
            )
        self._grad_req = "null"
