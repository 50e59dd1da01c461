"""Optimizer states that are shared out: each worker keeps and updates a part (the first stage of ZeRO).

Momenta and the like are a multiple of the weights. Shared out they take 1/n of the memory on each of n workers; after
an update the workers exchange their parts of the weights.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from regluon.distributed import ProcessGroup

from ..ndarray import NDArray
from ..optimizer import Optimizer, Updater

__all__ = ["Shards", "merged_states"]


class Shards:
    """Who updates which weight.

    Args:
        group: the workers.
        weights: all weights, in the same order on all workers.
    """

    def __init__(self, group: ProcessGroup, weights: Sequence[NDArray]) -> None:
        self._group, self._weights = group, list(weights)
        self._owners = _owners([weight._t.nbytes for weight in weights], group.size)
        self._owner_of = {id(weight): owner for weight, owner in zip(weights, self._owners, strict=True)}

    def is_mine(self, weight: NDArray) -> bool:
        """Whether this worker updates a weight."""
        return self._owner_of[id(weight)] == self._group.rank

    def exchange(self) -> None:
        """Gives every worker the weights that others have updated: one message for each dtype."""
        weights = self._weights
        for kind in dict.fromkeys(weight._t.dtype for weight in weights):
            parts: list[list[Tensor]] = [[] for _ in range(self._group.size)]
            for weight, owner in zip(weights, self._owners, strict=True):
                if weight._t.dtype == kind:
                    parts[owner].append(weight._t.detach())
            lengths = [sum(tensor.numel() for tensor in part) for part in parts]
            mine = parts[self._group.rank]
            sent = torch.zeros(max(lengths), dtype=kind, device=weights[0]._t.device)
            if mine:
                torch.cat([tensor.reshape(-1) for tensor in mine], out=sent[: lengths[self._group.rank]])
            for part, received in zip(parts, self._group.all_gather(sent, "Trainer"), strict=True):
                if part is mine:
                    continue
                with torch.no_grad():
                    for tensor, values in zip(part, received.split_with_sizes(_sizes(part, len(sent))), strict=False):
                        tensor.copy_(values.view(tensor.shape))


def merged_states(shares: Sequence[bytes]) -> bytes:
    """The optimizer's states of all weights, from those that each worker has."""
    first, *others = [_loaded(share) for share in shares]
    for other in others:
        first.states.update(other.states)
        first.optimizer._index_update_count.update(other.optimizer._index_update_count)
        first.optimizer.num_update = max(first.optimizer.num_update, other.optimizer.num_update)
    return first.get_states(dump_optimizer=True)


def _loaded(share: bytes) -> Updater:
    updater = Updater(Optimizer())
    updater.set_states(share)
    return updater


def _sizes(tensors: Sequence[Tensor], total: int) -> list[int]:
    sizes = [tensor.numel() for tensor in tensors]
    return [*sizes, total - sum(sizes)]


def _owners(sizes: Sequence[int], num_workers: int) -> list[int]:
    """For each weight a worker, so that all have about the same to keep: the largest go first, to whoever has least."""
    loads = [0] * num_workers
    owners = [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda each: (-sizes[each], each)):
        owners[index] = min(range(num_workers), key=lambda worker: (loads[worker], worker))
        loads[owners[index]] += sizes[index]
    return owners
