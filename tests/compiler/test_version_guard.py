"""Whether parameters are those of an earlier call."""

import gc

import pytest
import torch

from regluon.compiler.exported import is_exported, mark_exported
from regluon.compiler.version_guard import VersionGuard


def test_the_same_until_written_to() -> None:
    tensors = [torch.zeros(2), torch.zeros(3), torch.zeros(4)]
    seen = VersionGuard([0, 2])
    assert not seen.holds(tensors)
    seen.record(tensors)
    tensors[1].add_(1)  # is not looked at
    assert seen.holds(tensors)
    tensors[2].add_(1)
    assert not seen.holds(tensors)
    seen.record(tensors)
    assert seen.holds(tensors)
    assert not seen.holds([tensors[0].clone(), *tensors[1:]])
    seen.forget()
    assert not seen.holds(tensors)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_writes_of_others_are_noticed(moment: str) -> None:
    tensor = torch.zeros(2)
    seen = VersionGuard([0])
    if moment == "before":
        mark_exported(tensor)
    seen.record([tensor])
    if moment == "after":
        mark_exported(tensor)
        assert not seen.holds([tensor])  # from now on there is a copy to compare with
        seen.record([tensor])
    assert seen.holds([tensor])
    tensor.data[0] = 1  # not counted by torch
    assert not seen.holds([tensor])


def test_the_mark_belongs_to_the_memory() -> None:
    tensor = torch.zeros(4)
    mark_exported(tensor[1:])
    gc.collect()
    assert is_exported(tensor)
    assert is_exported(tensor.view(2, 2))
    assert not is_exported(tensor.clone())
