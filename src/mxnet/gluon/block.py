"""MXNet's public path of blocks."""

from ..base import MXNetError
from ..ndarray import NDArray
from ..symbol import Symbol, load_json
from ..util import is_np_array, np_array, np_shape
from ._block_base import Block
from ._block_inputs import flatten, indented, regroup
from ._block_naming import BlockScope
from ._hybrid_block import HybridBlock
from ._parameter_dict import ParameterDict
from ._symbol_block import SymbolBlock
from .parameter import DeferredInitializationError, Parameter
from .utils import HookHandle

__all__ = [
    "Block",
    "DeferredInitializationError",
    "HookHandle",
    "HybridBlock",
    "MXNetError",
    "NDArray",
    "Parameter",
    "ParameterDict",
    "Symbol",
    "SymbolBlock",
    "is_np_array",
    "load_json",
    "np_array",
    "np_shape",
]

# What other projects import from here under MXNet's names.
_BlockScope, _flatten, _regroup, _indent = BlockScope, flatten, regroup, indented
