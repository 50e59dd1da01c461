"""The operators `_np_*` as functions on symbols, without the prefix."""

from regluon.symbol.numpy._op import __dir__ as __dir__
from regluon.symbol.numpy._op import __getattr__ as __getattr__
