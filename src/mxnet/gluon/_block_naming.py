"""How blocks and their parameters get their names: saved files depend on it."""

import threading
from typing import Any

from regluon.scopes import popping

from ..name import Prefix, managers
from ..name import current as current_names
from ._parameter_dict import ParameterDict

__all__ = ["BlockScope"]


class _Local(threading.local):
    """The scopes that a thread is inside of, innermost last; each has a name manager of its own."""

    def __init__(self) -> None:
        self.entered: list[BlockScope] = []


_local = _Local()


class BlockScope:
    """The inside of a block's `name_scope()`: blocks made there get its prefix and are counted by their kind.

    It holds what it needs of the block, not the block: without a cycle, blocks are freed as soon as nobody uses them.

    Args:
        block: the block; one with the prefix '' leaves names to the scope around it.
    """

    def __init__(self, block: Any) -> None:
        self._prefix: str = block.prefix
        params: ParameterDict | None = getattr(block, "params", None)
        self._params = ParameterDict(block.prefix) if params is None else params  # an empty one may share others'
        self._is_transparent: bool = block._empty_prefix
        self._counter: dict[str, int] = {}

    @staticmethod
    def create(prefix: str | None, params: ParameterDict | None, hint: str) -> tuple[str, ParameterDict]:
        """Prefix and parameters for a new block.

        Args:
            prefix: what the user asked for, or None for an automatic one.
            params: parameters to share, or None.
            hint: the kind of the block, in small letters.
        """
        shared = None if params is None else ParameterDict(params.prefix, params)
        if not _local.entered:
            if prefix is None:
                prefix = f"{current_names().get(None, hint)}_"
            return prefix, ParameterDict(prefix) if shared is None else shared
        scope = _local.entered[-1]
        if prefix is None:
            number = scope._counter.get(hint, 0)
            scope._counter[hint] = number + 1
            prefix = f"{hint}{number}_"
        outer = scope._params
        own = ParameterDict(outer.prefix + prefix, outer._shared) if shared is None else shared
        return scope._prefix + prefix, own

    def __enter__(self) -> "BlockScope":
        entered, names = _local.entered, managers()
        if not self._is_transparent:
            prefix = Prefix(self._prefix)
            names += [prefix]
            entered += [self]
        return self

    __exit__ = property(lambda self: popping(*(() if self._is_transparent else (_local.entered, managers()))))
