"""How blocks and their parameters get their names: saved files depend on it."""

import threading
from typing import Any

from ..name import Prefix
from ..name import current as current_names
from .parameter_dict import ParameterDict

__all__ = ["BlockScope"]


class _Local(threading.local):
    """The scope in force in a thread."""

    current: "BlockScope | None" = None


_local = _Local()


class BlockScope:
    """The inside of a block's `name_scope()`: blocks made there get its prefix and are counted by their kind."""

    def __init__(self, block: Any) -> None:
        self._block = block
        self._counter: dict[str, int] = {}
        self._outer: BlockScope | None = None
        self._names: Prefix | None = None

    @staticmethod
    def create(prefix: str | None, params: ParameterDict | None, hint: str) -> tuple[str, ParameterDict]:
        """Prefix and parameters for a new block.

        Args:
            prefix: what the user asked for, or None for an automatic one.
            params: parameters to share, or None.
            hint: the kind of the block, in small letters.
        """
        scope = _local.current
        if scope is None:
            if prefix is None:
                prefix = f"{current_names().get(None, hint)}_"
            shared = ParameterDict(prefix) if params is None else ParameterDict(params.prefix, params)
            return prefix, shared
        if prefix is None:
            number = scope._counter.get(hint, 0)
            scope._counter[hint] = number + 1
            prefix = f"{hint}{number}_"
        if params is None:
            outer = scope._block.params
            params = ParameterDict(outer.prefix + prefix, outer._shared)
        else:
            params = ParameterDict(params.prefix, params)
        return scope._block.prefix + prefix, params

    def __enter__(self) -> "BlockScope":
        if not self._block._empty_prefix:
            self._outer, _local.current = _local.current, self
            self._names = Prefix(self._block.prefix)
            self._names.__enter__()
        return self

    def __exit__(self, *exc_info: object) -> None:
        if not self._block._empty_prefix:
            assert self._names is not None
            self._names.__exit__()
            self._names = None
            _local.current = self._outer
