"""Saving arrays to files and loading them: `nd.save`, `nd.load`, `nd.load_frombuffer`."""

from regluon.array.utils import *  # noqa: F403
from regluon.array.utils import Arrays as Arrays
from regluon.array.utils import NDArray as NDArray
from regluon.array.utils import __all__ as __all__
from regluon.array.utils import from_stored as from_stored
