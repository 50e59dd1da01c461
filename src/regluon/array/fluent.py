"""Methods of arrays that call the operator of the same name: `x.sum(axis=1)` is `nd.sum(x, axis=1)`."""

from ..ops.registry import find
from .register import make_function

NAMES = (
    *("abs", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "argmax", "argmax_channel", "argmin"),
    *("argsort", "broadcast_axes", "cbrt", "ceil", "clip", "cos", "cosh", "degrees", "depth_to_space", "diag", "exp"),
    *("expm1", "fix", "flip", "floor", "log", "log10", "log1p", "log2", "log_softmax", "max", "mean", "min"),
    *("nanprod", "nansum", "norm", "one_hot", "ones_like", "pad", "pick", "prod", "radians", "rcbrt", "reciprocal"),
    *("relu", "repeat", "reshape_like", "rint", "round", "rsqrt", "shape_array", "sigmoid", "sign", "sin", "sinh"),
    *("size_array", "slice", "slice_axis", "slice_like", "softmax", "softmin", "sort", "space_to_depth", "split"),
    *("sqrt", "square", "sum", "swapaxes", "take", "tan", "tanh", "tile", "topk", "trunc", "zeros_like"),
)


class FluentMethods:
    """Filled below from the registry; the stub beside this file shows the signatures."""

    __slots__ = ()


for _name in NAMES:
    _method = make_function(find(_name), _name, None)
    _method.__qualname__ = f"NDArray.{_name}"
    setattr(FluentMethods, _name, _method)
