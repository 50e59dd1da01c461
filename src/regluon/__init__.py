"""Regluon's engine: MXNet's arrays, operators, graphs and files on PyTorch's kernels.

`mxnet` is the public interface and imports this package, never the reverse. Features that MXNet does not have are
public here: `regluon.convert`, `regluon.config`, `regluon.native` and the command `regluon`.
"""

from .version import regluon_version as __version__
