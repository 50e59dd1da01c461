"""Mixed precision for `gluon.contrib.estimator.Estimator(amp=...)`."""

from ...gluon.contrib.estimator._precision import MixedPrecision, set_mixed_precision
from ._training import init, init_trainer, scale_loss

set_mixed_precision(MixedPrecision(init, init_trainer, scale_loss))
