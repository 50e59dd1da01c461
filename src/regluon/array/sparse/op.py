"""Operators that stand in `nd.sparse` under their own names; the stub beside this file shows them to editors."""

from ...ops.registry import find
from ..dense import NDArray
from ..register import make_function

_NAMES = (
    *("ElementWiseSum", "Embedding", "FullyConnected", "LinearRegressionOutput", "LogisticRegressionOutput"),
    *("MAERegressionOutput", "abs", "adagrad_update", "adam_update", "add_n", "arccos", "arccosh", "arcsin", "arcsinh"),
    *("arctan", "arctanh", "broadcast_add", "broadcast_div", "broadcast_minus", "broadcast_mul", "broadcast_plus"),
    *("broadcast_sub", "cbrt", "ceil", "clip", "concat", "cos", "cosh", "degrees", "elemwise_add", "elemwise_div"),
    *("elemwise_mul", "elemwise_sub", "exp", "expm1", "fix", "floor", "ftrl_update", "gamma", "gammaln", "log"),
    *("log10", "log1p", "log2", "make_loss", "mean", "negative", "norm", "radians", "relu", "rint", "round", "rsqrt"),
    *("sgd_mom_update", "sgd_update", "sigmoid", "sign", "sin", "sinh", "slice", "sqrt", "square", "stop_gradient"),
    *("sum", "tan", "tanh", "trunc", "where", "zeros_like"),
)
__all__ = list(_NAMES)

globals().update({name: make_function(find(f"_sparse_{name}"), name, NDArray) for name in __all__})
