"""Records of bytes in `.rec` files, by order or by key, and the header that image records begin with."""

from regluon.data.recordio import *  # noqa: F403
from regluon.data.recordio import __all__ as __all__
