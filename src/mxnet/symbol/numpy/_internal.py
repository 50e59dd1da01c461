"""The operators `_npi_*` as functions on symbols, without the prefix."""

from regluon.symbol.numpy._internal import __dir__ as __dir__
from regluon.symbol.numpy._internal import __getattr__ as __getattr__
