"""MXNet's public path of blocks."""

from .block_base import Block
from .hybrid_block import HybridBlock
from .naming import BlockScope
from .nested import flatten, indented, regroup
from .symbol_block import SymbolBlock

__all__ = ["Block", "HybridBlock", "SymbolBlock"]

# What other projects import from here under MXNet's names.
_BlockScope, _flatten, _regroup, _indent = BlockScope, flatten, regroup, indented
