"""A pytest plugin that lends names back which newer versions of Python, NumPy and SciPy removed: these suites are old.

What a suite uses of them says nothing about MXNet or this library. `suites.toml` names the suites that need it.
"""

import collections
import collections.abc
import inspect

import numpy as np
import scipy

for name in ("Callable", "Hashable", "Iterable", "Iterator", "Mapping", "MutableMapping", "Sequence"):
    setattr(collections, name, getattr(collections.abc, name))

if not hasattr(inspect, "getargspec"):
    ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")
    inspect.getargspec = lambda function: ArgSpec(*inspect.getfullargspec(function)[:4])  # type: ignore[attr-defined]

LENT = {"bool": bool, "int": int, "float": float, "object": object, "str": str, "float_": np.float64}
LENT |= {"NaN": np.nan, "Inf": np.inf, "product": np.prod, "cumproduct": np.cumprod}
LENT |= {"alltrue": np.all, "sometrue": np.any}
for name, value in LENT.items():
    if name not in vars(np):
        setattr(np, name, value)

if not hasattr(scipy, "rand"):
    scipy.rand = np.random.rand
