"""What an Estimator does with one batch."""

from typing import Any

from .... import autograd
from ...utils import split_and_load

__all__ = ["BatchProcessor"]


class BatchProcessor:
    """Trains and evaluates on single batches; subclass it for batches or losses of another form.

    Example:
        >>> class Autoencoding(BatchProcessor):
        ...     def _get_data_and_label(self, batch, ctx, batch_axis=0):
        ...         data = gluon.utils.split_and_load(batch, ctx, batch_axis)
        ...         return data, data
        >>> Estimator(net, gluon.loss.L2Loss(), batch_processor=Autoencoding())
    """

    def _get_data_and_label(self, batch: Any, ctx: Any, batch_axis: int = 0) -> tuple[list[Any], list[Any]]:
        """The parts of a batch for each context."""
        data = split_and_load(batch[0], ctx_list=ctx, batch_axis=batch_axis)
        label = split_and_load(batch[1], ctx_list=ctx, batch_axis=batch_axis)
        return data, label

    def evaluate_batch(
        self, estimator: Any, val_batch: Any, batch_axis: int = 0
    ) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
        """Predicts a batch.

        Args:
            estimator: whose networks and losses are meant.
            val_batch: data and label.
            batch_axis: the axis of the samples.

        Returns:
            Data, labels, predictions and losses: lists with one part for each context.
        """
        data, label = self._get_data_and_label(val_batch, estimator.context, batch_axis)
        pred = [estimator.val_net(x) for x in data]
        loss = [estimator.val_loss(y_hat, y) for y_hat, y in zip(pred, label, strict=True)]
        return data, label, pred, loss

    def fit_batch(
        self, estimator: Any, train_batch: Any, batch_axis: int = 0
    ) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
        """Computes the gradients of a batch; the GradientUpdateHandler applies them.

        Args:
            estimator: whose network and loss are meant.
            train_batch: data and label.
            batch_axis: the axis of the samples.

        Returns:
            Data, labels, predictions and losses: lists with one part for each context.
        """
        data, label = self._get_data_and_label(train_batch, estimator.context, batch_axis)
        with autograd.record():
            pred = [estimator.net(x) for x in data]
            loss = [estimator.loss(y_hat, y) for y_hat, y in zip(pred, label, strict=True)]
            scaled = estimator._scaled(loss)
        for each in scaled:
            each.backward()
        return data, label, pred, loss
