"""The base of all data iterators."""

from typing import Any, TypeVar

from regluon.call_repr import call_text

from ..error import OpParamError
from ._desc import DataBatch

__all__ = ["DataIter"]

_Self = TypeVar("_Self", bound="DataIter")


class DataIter:
    """Gives batches until the pass over the data ends; `reset` begins the next one.

    A subclass writes `next`, or `iter_next`, `getdata`, `getlabel` and `getpad`, and says in `provide_data` and
    `provide_label` what its batches hold.

    Args:
        batch_size: how many examples a batch has.
    """

    __module__ = "mxnet.io.io"

    provide_data: Any
    provide_label: Any

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    def __repr__(self) -> str:
        kept = [*(getattr(self, "provide_data", None) or ()), *(getattr(self, "provide_label", None) or ())]
        shapes = [f"{each[0]}: {'x'.join(map(str, each[1]))}" for each in kept]
        return call_text(type(self).__name__, *shapes, batch_size=getattr(self, "batch_size", 0), **self._described())

    def _described(self) -> dict[str, Any]:
        """What `repr` says besides shapes and batch size."""
        return {}

    def __iter__(self: _Self) -> _Self:
        return self

    def reset(self) -> None:
        """Begins a new pass over the data."""

    def next(self) -> DataBatch:
        """The next batch.

        Raises:
            StopIteration: the pass is over.
        """
        if self.iter_next():
            return DataBatch(data=self.getdata(), label=self.getlabel(), pad=self.getpad(), index=self.getindex())
        raise StopIteration

    def __next__(self) -> DataBatch:
        return self.next()

    def iter_next(self) -> Any:
        """Moves to the next batch and says whether there is one."""

    def getdata(self) -> Any:
        """The data of the current batch."""

    def getlabel(self) -> Any:
        """The labels of the current batch."""

    def getindex(self) -> Any:
        """The numbers of the examples of the current batch, or None."""

    def getpad(self) -> Any:
        """How many examples at the end of the current batch only fill it up."""


def check_batch_size(batch_size: Any, who: str) -> int:
    """A batch size that makes batches.

    Raises:
        OpParamError: it is no whole number above 0.
    """
    if not hasattr(batch_size, "__index__") or isinstance(batch_size, bool) or int(batch_size) < 1:
        raise OpParamError(f"[{who}] batch_size: received {batch_size!r}; expected a whole number from 1 on.")
    return int(batch_size)
