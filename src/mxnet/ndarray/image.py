"""Functions on arrays that hold images: `mx.nd.image`."""

from regluon.array.image import *  # noqa: F403
from regluon.array.image import __all__ as __all__
