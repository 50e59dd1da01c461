"""Training in a few lines: an Estimator runs the loop, and handlers react to its events.

est = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer)
est.fit(train_data, val_data, epochs=10, event_handlers=[EarlyStoppingHandler(est.val_metrics[0])])
"""

from . import batch_processor, estimator, event_handler
from ._learning_rate_finder import LearningRateCurve as LearningRateCurve
from ._learning_rate_finder import LearningRateFinder as LearningRateFinder
from .batch_processor import *  # noqa: F403
from .estimator import *  # noqa: F403
from .event_handler import *  # noqa: F403
