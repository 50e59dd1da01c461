"""Collective calls: every process makes them, in the same order.

`name` and `priority` are Horovod's: it matches calls of different processes by name and may reorder them. Here the
order of the program counts, and both are ignored.
"""

from collections.abc import Sequence
from typing import Any

from ...autograd import pause
from ...base import MXNetError
from ...kvstore._collectives import add_up, all_rows, copy_from, reduce_by
from ...ndarray import NDArray, concat
from ...ndarray import array as nd_array
from .state import group_of, rank, size

Average, Sum, Adasum, Min, Max, Product = "Average", "Sum", "Adasum", "Min", "Max", "Product"


def _chosen(who: str, average: bool | None, op: str | None) -> str:
    """Which reduction is meant: Horovod takes `average` from older programs, `op` from newer ones."""
    if average is not None and op is not None:
        raise ValueError(f"[{who}] received average and op; expected one of them. op=hvd.Average is average=True.")
    if op is None:
        return Sum if average is False else Average
    if op == Adasum:
        raise MXNetError(f"[{who}] op: hvd.Adasum is not available; expected hvd.Average or hvd.Sum.")
    if op not in (Average, Sum, Min, Max, Product):
        raise ValueError(f"[{who}] op: received {op!r}; expected hvd.Average, Sum, Min, Max or Product.")
    return op


def _reduce(
    who: str,
    tensors: Sequence[NDArray],
    average: bool | None,
    op: str | None,
    factors: tuple[float, float],
    process_set: Any,
) -> None:
    group, chosen = group_of(who, process_set), _chosen(who, average, op)
    before, after = factors
    if chosen in (Average, Sum):
        add_up(group, tensors, who, before, after / size() if chosen == Average else after)
        return
    if factors != (1.0, 1.0):
        raise ValueError(f"[{who}] prescale_factor and postscale_factor go with hvd.Average and hvd.Sum alone.")
    for tensor in tensors:
        reduce_by(group, tensor, chosen.lower(), who)


def _copies(who: str, tensors: Sequence[NDArray]) -> list[NDArray]:
    for tensor in tensors:
        if not isinstance(tensor, NDArray):
            raise TypeError(f"[{who}] received {type(tensor).__name__}; expected an NDArray.")
    with pause():  # what other processes send is no part of a computation here
        return [tensor.copy() for tensor in tensors]


def allreduce(
    tensor: NDArray,
    average: bool | None = None,
    name: str | None = None,
    priority: int = 0,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    process_set: Any = None,
    op: str | None = None,
) -> NDArray:
    """The average, or the sum, of an array over all processes.

    Args:
        tensor: an array of the same shape on every process; it is left as it is.
        average: False for the sum.
        name: ignored.
        priority: ignored.
        prescale_factor: what the array is multiplied by first.
        postscale_factor: what the result is multiplied by.
        process_set: `hvd.global_process_set`.
        op: hvd.Average, Sum, Min, Max or Product, instead of `average`.
    """
    outputs = _copies("hvd.allreduce", [tensor])
    _reduce("hvd.allreduce", outputs, average, op, (prescale_factor, postscale_factor), process_set)
    return outputs[0]


def allreduce_(
    tensor: NDArray,
    average: bool | None = None,
    name: str | None = None,
    priority: int = 0,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    process_set: Any = None,
    op: str | None = None,
) -> NDArray:
    """Like `allreduce`, in place."""
    _reduce("hvd.allreduce_", [tensor], average, op, (prescale_factor, postscale_factor), process_set)
    return tensor


def grouped_allreduce(
    tensors: Sequence[NDArray],
    average: bool | None = None,
    name: str | None = None,
    priority: int = 0,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    process_set: Any = None,
    op: str | None = None,
) -> list[NDArray]:
    """`allreduce` of several arrays, in one message for each dtype."""
    outputs = _copies("hvd.grouped_allreduce", tensors)
    _reduce("hvd.grouped_allreduce", outputs, average, op, (prescale_factor, postscale_factor), process_set)
    return outputs


def grouped_allreduce_(
    tensors: Sequence[NDArray],
    average: bool | None = None,
    name: str | None = None,
    priority: int = 0,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    process_set: Any = None,
    op: str | None = None,
) -> Sequence[NDArray]:
    """Like `grouped_allreduce`, in place."""
    _reduce("hvd.grouped_allreduce_", tensors, average, op, (prescale_factor, postscale_factor), process_set)
    return tensors


def _need_rows(who: str, tensor: NDArray) -> None:
    if isinstance(tensor, NDArray) and tensor.ndim == 0:
        raise ValueError(f"[{who}] received an array without axes; expected one with rows.")


def allgather(tensor: NDArray, name: str | None = None, priority: int = 0, process_set: Any = None) -> NDArray:
    """The arrays of all processes, one after the other along the first axis, in which they may differ."""
    _need_rows("hvd.allgather", tensor)
    with pause():
        return concat(*all_rows(group_of("hvd.allgather", process_set), tensor, "hvd.allgather"), dim=0)


def grouped_allgather(
    tensors: Sequence[NDArray], name: str | None = None, priority: int = 0, process_set: Any = None
) -> list[NDArray]:
    """`allgather` of several arrays."""
    return [allgather(tensor, name, priority, process_set) for tensor in tensors]


def broadcast(
    tensor: NDArray, root_rank: int, name: str | None = None, priority: int = 0, process_set: Any = None
) -> NDArray:
    """The array of one process, which has the same shape on all."""
    (output,) = _copies("hvd.broadcast", [tensor])
    return broadcast_(output, root_rank, name, priority, process_set)


def broadcast_(
    tensor: NDArray, root_rank: int, name: str | None = None, priority: int = 0, process_set: Any = None
) -> NDArray:
    """Like `broadcast`, in place."""
    copy_from(
        group_of("hvd.broadcast_", process_set), [tensor], checked_root("hvd.broadcast_", root_rank), "hvd.broadcast_"
    )
    return tensor


def checked_root(who: str, root_rank: int) -> int:
    """A rank to copy from, if there is one of this number."""
    if not 0 <= root_rank < size():
        raise ValueError(f"[{who}] root_rank: received {root_rank}; expected a rank from 0 to {size() - 1}.")
    return root_rank


def alltoall(
    tensor: NDArray, splits: Any = None, name: str | None = None, priority: int = 0, process_set: Any = None
) -> Any:
    """Rows for each process, exchanged: this one's from all others, in the order of ranks.

    Args:
        tensor: rows for rank 0, then for rank 1, and so on.
        splits: how many there are for each rank; as many for all by default.
        name: ignored.
        priority: ignored.
        process_set: `hvd.global_process_set`.

    Returns:
        The rows for this process; with `splits`, and how many came from each.
    """
    who = "hvd.alltoall"
    _need_rows(who, tensor)
    group, count = group_of(who, process_set), tensor.shape[0]
    if splits is None and count % size():
        raise ValueError(f"[{who}] {count} rows cannot be shared evenly by {size()} processes; give splits.")
    given = [count // size()] * size() if splits is None else [int(each) for each in splits]
    if len(given) != size() or sum(given) != count:
        raise ValueError(f"[{who}] splits: received {given}; expected {size()} numbers with the sum {count}.")
    with pause():
        counts = [part.asnumpy() for part in all_rows(group, nd_array(given, dtype="int64"), who)]
        begins = [int(part[: rank()].sum()) for part in counts]
        parts = [
            part[begin : begin + int(shares[rank()])]
            for part, begin, shares in zip(all_rows(group, tensor, who), begins, counts, strict=True)
        ]
        received = concat(*[part for part in parts if part.shape[0]] or parts[:1], dim=0)
    return received if splits is None else (received, nd_array([len(part) for part in parts], dtype="int32"))


def reducescatter(
    tensor: NDArray,
    op: str = Average,
    name: str | None = None,
    priority: int = 0,
    process_set: Any = None,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
) -> NDArray:
    """This process's share of the rows of the average or sum; the first ranks take one more of what is left over."""
    who = "hvd.reducescatter"
    _need_rows(who, tensor)
    if op not in (Average, Sum):
        raise ValueError(f"[{who}] op: received {op!r}; expected hvd.Average or hvd.Sum.")
    (output,) = _copies(who, [tensor])
    _reduce(who, [output], None, op, (prescale_factor, postscale_factor), process_set)
    each, more = divmod(output.shape[0], size())
    begin = rank() * each + min(rank(), more)
    with pause():
        return output[begin : begin + each + (rank() < more)].copy()
