"""Metrics: `mx.metric`.

`update(labels, preds)` takes a batch, `get()` says how good the predictions were. Sums stay on the device in between:
only `get()` and its kin wait for it.
"""

import mxnet.ndarray as ndarray

from .base import EvalMetric, alias, check_label_shapes, register
from .binary import F1, MCC
from .classification import Accuracy, CrossEntropy, NegativeLogLikelihood, Perplexity, TopKAccuracy
from .composite import CompositeEvalMetric, create
from .correlation import PCC, PearsonCorrelation
from .custom import CustomMetric, np
from .loss import Caffe, Loss, Torch
from .regression import MAE, MSE, RMSE

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
