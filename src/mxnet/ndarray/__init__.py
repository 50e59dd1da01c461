"""Arrays and the operators on them: `mx.nd`."""

from regluon.array import CachedOp as CachedOp
from regluon.array import imdecode as imdecode
from regluon.array.ndarray import *  # noqa: F403
from regluon.array.op import *  # noqa: F403
from regluon.array.sparse import cast_storage as cast_storage  # type: ignore[assignment]
from regluon.array.utils import load as load
from regluon.array.utils import load_frombuffer as load_frombuffer
from regluon.array.utils import save as save

from . import _internal, contrib, image, linalg, ndarray, numpy, numpy_extension, op, random, register, sparse, utils
from . import numpy as np
from . import numpy_extension as npx
