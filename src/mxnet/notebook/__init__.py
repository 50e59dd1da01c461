"""Callbacks for notebooks: `from mxnet.notebook.callback import PandasLogger`."""

from . import callback

__all__ = ["callback"]
