"""Arrays and the operators on them: `mx.nd`."""

from . import (
    _internal,
    contrib,
    image,
    linalg,
    native_arithmetic,
    numpy,
    numpy_extension,
    op,
    random,
    sparse,
    utils,
)
from . import numpy as np
from . import numpy_extension as npx
from .cached_op import CachedOp as CachedOp
from .ndarray import *  # noqa: F403
from .op import *  # noqa: F403
from .sparse import cast_storage as cast_storage  # type: ignore[assignment]
from .utils import imdecode as imdecode
from .utils import load as load
from .utils import load_frombuffer as load_frombuffer
from .utils import save as save
