"""Dynamic scaling of the loss, which keeps small gradients from vanishing in low precision."""

import logging
from collections.abc import Iterable
from typing import Any

from regluon.dtypes import dtype_name

from ...autograd import pause
from ...ndarray import multi_all_finite

_GRADIENTS_PER_CALL = 200


class LossScaler:
    """The factor of the loss: halved when gradients overflow, doubled after 2000 steps without that."""

    def __init__(self) -> None:
        self._loss_scale = 2.0**16
        self._next_loss_scale = self._loss_scale
        self._max_loss_scale = 2.0**24
        self._scale_seq_len = 2000
        self._unskipped = 0

    @property
    def loss_scale(self) -> float:
        """The factor that the gradients of this step were multiplied by."""
        return self._loss_scale

    def has_overflow(self, params: Iterable[Any]) -> bool:
        """Whether a gradient is infinite or NaN; decides on the factor of the next step.

        Args:
            params: the parameters, whose gradients on the first context are looked at: by now all are the same.
        """
        gradients = [parameter._grad[0] for parameter in params if parameter._grad is not None]
        with pause():
            overflows = not _all_finite(gradients)
        self._loss_scale = self._next_loss_scale
        if overflows:
            self._next_loss_scale = self._loss_scale / 2.0
            self._unskipped = 0
            logging.info("AMP: decreasing loss scale to %f", self._next_loss_scale)
        else:
            self._unskipped += 1
        if self._unskipped == self._scale_seq_len:
            self._unskipped = 0
            self._next_loss_scale = min(self._max_loss_scale, self._loss_scale * 2.0)
            logging.info("AMP: increasing loss scale to %f", self._next_loss_scale)
        return overflows


def _all_finite(gradients: Iterable[Any]) -> bool:
    by_dtype: dict[str, list[Any]] = {}
    for gradient in gradients:
        values = gradient if gradient.stype == "default" else gradient.data
        if values.size:
            by_dtype.setdefault(dtype_name(values.dtype), []).append(values)
    for alike in by_dtype.values():
        for first in range(0, len(alike), _GRADIENTS_PER_CALL):
            some = alike[first : first + _GRADIENTS_PER_CALL]
            if not multi_all_finite(*some, num_arrays=len(some)).asscalar():
                return False
    return True
