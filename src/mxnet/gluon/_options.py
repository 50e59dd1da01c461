"""The keywords that layers and losses pass on to Block, for type checkers."""

from typing import TypedDict

from ._parameter_dict import ParameterDict

__all__ = ["BlockOptions"]


class BlockOptions(TypedDict, total=False):
    """What every block takes."""

    prefix: str | None
    params: ParameterDict | None
