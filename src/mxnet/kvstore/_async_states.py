"""The states of an optimizer whose weights are spread over workers, as if they were in one place."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

from ..optimizer import Updater

__all__ = ["SharedStates"]


class SharedStates:
    """What an Updater offers for saving and loading, for all shares together.

    Args:
        fetch: gives states and optimizer of each rank's share.
        give: hands states, and an optimizer or None, to a rank.
        owner_of: gives the rank that keeps a key.
        size: the number of ranks.
        own: gives the updater of this rank.
    """

    def __init__(
        self,
        fetch: Callable[[], Sequence[tuple[dict[Any, Any], Any]]],
        give: Callable[[Sequence[tuple[dict[Any, Any], Any]]], None],
        owner_of: Callable[[Any], int],
        size: int,
        own: Callable[[], Any],
    ) -> None:
        self._fetch, self._give, self._owner_of, self._size, self._own = fetch, give, owner_of, size, own

    @property
    def optimizer(self) -> Any:
        """The optimizer of this rank's share."""
        return self._own().optimizer

    @optimizer.setter
    def optimizer(self, optimizer: Any) -> None:
        self._own().optimizer = optimizer

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """What `Updater.get_states` gives where all weights are in one store."""
        parts = self._fetch()
        whole = Updater(parts[0][1])
        counts = whole.optimizer._all_index_update_counts
        for rank, (states, optimizer) in enumerate(parts):
            whole.states |= {key: state for key, state in states.items() if self._owner_of(key) == rank}
            # A share counts the updates of its own keys; for others it has what was loaded at the beginning.
            for device, found in optimizer._all_index_update_counts.items():
                counts.setdefault(device, {}).update(
                    {key: count for key, count in found.items() if self._owner_of(key) == rank}
                )
            whole.optimizer.num_update = max(whole.optimizer.num_update, optimizer.num_update)
        return whole.get_states(dump_optimizer)

    def set_states(self, states: bytes) -> None:
        """Gives every share its part of what `get_states` returned, here or of a store of one process."""
        before = copy.deepcopy(self.optimizer)
        whole = Updater(before)
        whole.set_states(states)
        optimizer = whole.optimizer if whole.optimizer is not before else None
        parts: list[tuple[dict[Any, Any], Any]] = [({}, optimizer) for _ in range(self._size)]
        for key, state in whole.states.items():
            parts[self._owner_of(key)][0][key] = state
        self._give(parts)
