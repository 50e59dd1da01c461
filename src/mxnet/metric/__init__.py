"""Metrics: `mx.metric`.

`update(labels, preds)` takes a batch, `get()` says how good the predictions were. Sums stay on the device in between:
only `get()` and its kin wait for it.
"""

import mxnet.ndarray as ndarray

from ._base import EvalMetric, alias, check_label_shapes, register
from ._binary import F1, MCC
from ._classification import Accuracy, CrossEntropy, NegativeLogLikelihood, Perplexity, TopKAccuracy
from ._composite import CompositeEvalMetric, create
from ._correlation import PCC, PearsonCorrelation
from ._regression import MAE, MSE, RMSE, Caffe, CustomMetric, Loss, Torch, np

__all__ = [
    "Accuracy",
    "Caffe",
    "CompositeEvalMetric",
    "CrossEntropy",
    "CustomMetric",
    "EvalMetric",
    "F1",
    "Loss",
    "MAE",
    "MCC",
    "MSE",
    "NegativeLogLikelihood",
    "PCC",
    "PearsonCorrelation",
    "Perplexity",
    "RMSE",
    "TopKAccuracy",
    "Torch",
    "alias",
    "check_label_shapes",
    "create",
    "ndarray",
    "np",
    "register",
]
