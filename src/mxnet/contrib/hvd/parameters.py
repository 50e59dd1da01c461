"""The same first values on every process."""

from collections.abc import Iterable, Mapping
from typing import Any

from regluon.distributed import ProcessGroup

from ...base import MXNetError
from ...context import Context
from ...gluon import Parameter, ParameterDict
from ...kvstore._collectives import copy_from
from ...ndarray import NDArray
from .calls import checked_root
from .state import group_of

_WHO = "hvd.broadcast_parameters"


class ParametersTypeError(MXNetError, ValueError, TypeError):
    """What was given holds no parameters."""


def broadcast_parameters(params: Any, root_rank: int = 0, prefix: str | None = None) -> None:
    """Copies parameters of one process to all others.

    Those of a network that wait for their shapes are copied as soon as they get their first values.

    Args:
        params: `net.collect_params()`, or a dict of arrays such as those of `module.get_params()`.
        root_rank: the process that has the values.
        prefix: ignored: calls are matched by their order, not by names.
    """
    if not isinstance(params, (Mapping, ParameterDict)):
        raise ParametersTypeError(f"[{_WHO}] received {type(params).__name__}; expected a dict or a ParameterDict.")
    group, root = group_of(_WHO), checked_root(_WHO, root_rank)
    if group is None:
        return
    arrays: list[NDArray] = []
    for _, value in sorted(params.items()):
        if not isinstance(value, Parameter):
            arrays.append(value)
        elif value._data is None and value._deferred_init:
            _copy_when_made(value, group, root)
        else:
            arrays.extend(value.list_data())
    copy_from(group, arrays, root, _WHO)


def _copy_when_made(parameter: Parameter, group: ProcessGroup, root: int) -> None:
    """Has a parameter begin with the values of one process, however it gets its own: computed or loaded."""
    methods = vars(parameter)  # an entry here stands before the method of the class

    def begin(data: NDArray, contexts: Iterable[Context], is_own: bool = False) -> None:
        del methods["_init_impl"]
        copied = data if is_own else data.copy()
        copy_from(group, [copied], root, _WHO)
        parameter._init_impl(copied, contexts, True)

    methods["_init_impl"] = begin
