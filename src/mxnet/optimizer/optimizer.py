"""All optimizers at MXNet's path `mxnet.optimizer.optimizer`."""

from ..ndarray import abs as NDabs
from ._adam import Adam, Adamax, Nadam
from ._adaptive import FTML, AdaDelta, AdaGrad, Ftrl, RMSProp
from ._base import Optimizer, create, register
from ._large_batch import LAMB, LARS, LBSGD
from ._sgd import DCASGD, NAG, SGD, SGLD, Signum, Test, ccSGD
from ._updater import Updater, get_updater

__all__ = [
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "Adamax",
    "DCASGD",
    "FTML",
    "Ftrl",
    "LAMB",
    "LARS",
    "LBSGD",
    "NAG",
    "NDabs",
    "Nadam",
    "Optimizer",
    "RMSProp",
    "SGD",
    "SGLD",
    "Signum",
    "Test",
    "Updater",
    "ccSGD",
    "create",
    "get_updater",
    "register",
]
