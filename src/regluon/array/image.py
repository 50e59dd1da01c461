"""Functions on arrays that hold images: `mx.nd.image`."""

from ..ops import registry
from .ndarray import NDArray
from .register import make_function

_PREFIX = "_image_"

__all__ = [name.removeprefix(_PREFIX) for name, _ in registry.names() if name.startswith(_PREFIX)]

globals().update({name: make_function(registry.find(_PREFIX + name), name, NDArray) for name in __all__})
