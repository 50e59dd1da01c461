"""Whether parameters are those of an earlier call."""

import numpy as np
import torch

from mxnet.compiler.seen import Seen


def test_the_same_until_written_to() -> None:
    tensors = [torch.zeros(2), torch.zeros(3), torch.zeros(4)]
    seen = Seen([0, 2])
    assert not seen.are_same(tensors)
    seen.note(tensors)
    tensors[1].add_(1)  # is not looked at
    assert seen.are_same(tensors)
    tensors[2].add_(1)
    assert not seen.are_same(tensors)
    seen.note(tensors)
    assert seen.are_same(tensors)
    assert not seen.are_same([tensors[0].clone(), *tensors[1:]])
    seen.forget()
    assert not seen.are_same(tensors)


def test_memory_of_others_can_change_unseen() -> None:
    seen = Seen([0])
    seen.note([torch.zeros(2)])
    assert not seen.can_change_unseen
    seen.note([torch.from_numpy(np.zeros(2))])
    assert seen.can_change_unseen
