"""Output layers: their forward pass predicts, and their gradient is that of a loss, whatever arrives from above.

They end a network in the symbolic style of programming, where no separate loss follows.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor

from ...config import process
from ...errors import OpShapeError
from ..common import expect_floating, expect_shape, grad_needed, prod, same_dtype
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Shape
from ..registry import find, operator
from ..shape_rules import like_data
from ..tensor.gather import check_range
from .softmax import subtract_classes

Forward = Callable[[Tensor], Tensor]
Gradient = Callable[..., Tensor]
# From data, label and parameters to the forward function and the gradient, which is given the output and the label.
Layer = Callable[..., tuple[Forward, Gradient]]


class _OutputLayer(torch.autograd.Function):
    """An output layer as torch's engine sees it."""

    @staticmethod
    def forward(ctx: Any, forward: Forward, gradient: Gradient, data: Tensor, *labels: Tensor) -> Tensor:
        result = forward(data)
        ctx.gradient = gradient
        ctx.save_for_backward(result, *labels)
        return result

    @staticmethod
    def backward(ctx: Any, *heads: Tensor) -> tuple[Tensor | None, ...]:
        result, *labels = ctx.saved_tensors
        return None, None, ctx.gradient(result, *labels), *_no_gradients(labels, ctx.needs_input_grad[3:])


def _no_gradients(labels: Sequence[Tensor], needs: Sequence[bool]) -> list[Tensor | None]:
    return [torch.zeros_like(label) if needed else None for label, needed in zip(labels, needs, strict=True)]


def _run(layer: Layer, data: Tensor, *labels: Tensor, **params: Any) -> Tensor:
    forward, gradient = layer(data, *labels, **params)
    if not grad_needed(data, *labels):
        return forward(data)
    return _OutputLayer.apply(forward, gradient, data, *labels)


def _differentiate(name: str, layer: Layer) -> None:
    """Writes the gradient of an output layer out."""

    @gradient_of(name)
    class OutputLayer(Rule):
        keeps_output = True

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            data, *labels = arguments
            assert data is not None
            forward, gradient = layer(data, *labels, **find(name).full_params(params))
            result = forward(data)
            return result, (gradient, result, labels)

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            gradient, result, labels = saved
            return gradient(result, *labels) if needs[0] else None, *_no_gradients(labels, needs[1:])


def _identity(data: Tensor) -> Tensor:
    return data


Normalization = Literal["batch", "null", "valid"]


def _softmax_label_shape(data: Shape, *, multi_output: bool, **_: Any) -> dict[str, Shape]:
    return {"label": (data[0], prod(data[2:])) if multi_output else data[:-1] or data}


def _check_softmax_label(data: Tensor, label: Tensor, multi_output: bool) -> None:
    shape = tuple(data.shape)
    if multi_output:
        if data.dim() < 2:
            raise OpShapeError(f"expected data of 2 dimensions or more with multi_output=True, got shape {shape}")
        accepted = [shape[:1] + shape[2:], (shape[0], 1, *shape[2:]), (shape[0], prod(shape[2:])), shape]
    else:
        accepted = [shape[:-1], shape] if data.dim() > 1 else [shape]
    if tuple(label.shape) not in accepted:
        listed = " or ".join(map(str, dict.fromkeys(accepted)))
        raise OpShapeError(f"expected label of shape {listed}, got {tuple(label.shape)}")


def _count_classes(shape: Shape, *, multi_output: bool, preserve_shape: bool, **_: Any) -> int:
    """Return the number of classes that SoftmaxOutput sees in scores of a shape."""
    if multi_output:
        return shape[1]
    return shape[-1] if preserve_shape else prod(shape[1:])


def _check_classes(data: Tensor, label: Tensor, params: dict[str, Any]) -> None:
    """Refuses classes out of range, but for the one to ignore: what `mx.util.check_labels()` asks for."""
    num_classes = _count_classes(tuple(data.shape), **params)
    used = label.detach().reshape(-1)[: data.numel() // max(num_classes, 1)]
    if params["use_ignore"]:
        used = torch.where(used.to(torch.int64) == int(params["ignore_label"]), 0, used)
    check_range(used, num_classes, "the gradient would push all classes down")


def _softmax_output(data: Tensor, multi_output: bool, preserve_shape: bool) -> Tensor:
    if multi_output:
        return torch.softmax(data, 1)
    if preserve_shape or data.dim() == 1:
        return torch.softmax(data, -1)
    return torch.softmax(data.reshape(data.shape[0], -1), 1).reshape(data.shape)


def _softmax_gradient(
    result: Tensor,
    label: Tensor,
    *,
    grad_scale: float,
    ignore_label: float,
    multi_output: bool,
    use_ignore: bool,
    preserve_shape: bool,
    normalization: Normalization,
    out_grad: bool,
    smooth_alpha: float,
) -> Tensor:
    if label.shape == result.shape:  # probabilities of all classes: nothing to ignore, smooth or count
        gradient = (result - label) * grad_scale
        return gradient * result if out_grad else gradient
    if multi_output:
        probabilities = result.flatten(2) if result.dim() > 2 else result.unsqueeze(2)
    else:
        probabilities = result.reshape(prod(result.shape[:-1]) if preserve_shape else result.shape[0], -1, 1)
    classes = label.to(torch.int64)
    # Without preserve_shape an array of 3 axes has more labels than rows; MXNet reads the first of them.
    chosen = classes.reshape(-1)[: probabilities.shape[0] * probabilities.shape[2]]
    chosen = chosen.reshape(probabilities.shape[0], 1, probabilities.shape[2])
    if smooth_alpha > 0 and not multi_output:
        rest = smooth_alpha / max(probabilities.shape[1] - 1, 1)
        gradient = subtract_classes(probabilities - rest, chosen, 1 - smooth_alpha - rest)
    else:
        gradient = subtract_classes(probabilities, chosen)
    if use_ignore:
        gradient = gradient.masked_fill(chosen == int(ignore_label), 0.0)
    scale: float | Tensor = grad_scale
    if normalization == "batch":
        scale = grad_scale / max(label.numel(), 1)
    elif normalization == "valid":
        scale = grad_scale / (classes != int(ignore_label)).sum().clamp(min=1).to(result.dtype)
    elif multi_output:
        scale = grad_scale / max(probabilities.shape[2], 1)
    gradient = (gradient * scale).reshape(result.shape)
    # MXNet 1.9.1 multiplies with the output here; its documentation promises the gradient from above.
    return gradient * result if out_grad else gradient


def _softmax_layer(data: Tensor, label: Tensor, **params: Any) -> tuple[Forward, Gradient]:
    expect_floating(data)
    same_dtype(data=data, label=label)
    _check_softmax_label(data, label, params["multi_output"])
    if process.check_indices and label.shape != data.shape:  # else they are probabilities of all classes
        _check_classes(data, label, params)
    how = {name: params[name] for name in ("multi_output", "preserve_shape")}
    return partial(_softmax_output, **how), partial(_softmax_gradient, **params)


@operator("SoftmaxOutput", "Softmax", completes=_softmax_label_shape, shape=like_data, label_classes=_count_classes)
def softmax_output(
    data: Tensor,
    label: Tensor,
    *,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Normalization = "null",
    out_grad: bool = False,
    smooth_alpha: float = 0.0,
) -> Tensor:
    """Softmax, with the gradient of the cross entropy between it and the label.

    Args:
        data: scores; softmax is taken over all axes but the first, unless the next two say otherwise.
        label: the right class of each example, or its probabilities in the shape of the data.
        grad_scale: factor of the gradient.
        ignore_label: the class of examples without gradient, with `use_ignore`.
        multi_output: whether the classes lie along axis 1 and each position along the later axes is an example.
        use_ignore: whether to ignore examples of the class `ignore_label`.
        preserve_shape: whether the classes lie along the last axis.
        normalization: what the gradient is divided by: `null` nothing (with `multi_output` the number of positions),
            `batch` the number of labels, `valid` the number of labels other than `ignore_label`.
        out_grad: whether to multiply the gradient with the output.
        smooth_alpha: the probability that is taken from the right class and spread over the others.
    """
    return _run(
        _softmax_layer,
        data,
        label,
        grad_scale=grad_scale,
        ignore_label=ignore_label,
        multi_output=multi_output,
        use_ignore=use_ignore,
        preserve_shape=preserve_shape,
        normalization=normalization,
        out_grad=out_grad,
        smooth_alpha=smooth_alpha,
    )


_differentiate("SoftmaxOutput", _softmax_layer)


def _regression_label_shape(data: Shape, **_: Any) -> dict[str, Shape]:
    return {"label": data[:1] if len(data) == 2 and data[1] == 1 else data}


def _difference(result: Tensor, label: Tensor) -> Tensor:
    return result - label


def _sign_of_difference(result: Tensor, label: Tensor) -> Tensor:
    return torch.where(result > label, 1.0, -1.0).to(result.dtype)  # MXNet's is -1 at 0


def _regression_gradient(result: Tensor, label: Tensor, *, derivative: Gradient, scale: float) -> Tensor:
    return derivative(result, label.reshape(result.shape)) * scale


def _regression(
    forward: Forward, derivative: Gradient, data: Tensor, label: Tensor, *, grad_scale: float
) -> tuple[Forward, Gradient]:
    expect_floating(data)
    same_dtype(data=data, label=label)
    if data.shape[:1] != label.shape[:1] or data.numel() != label.numel():
        raise OpShapeError(
            f"expected label of shape {_regression_label_shape(tuple(data.shape))['label']}, got {tuple(label.shape)}"
        )
    return forward, partial(
        _regression_gradient, derivative=derivative, scale=grad_scale / max(prod(data.shape[1:]), 1)
    )


_linear = partial(_regression, torch.clone, _difference)
_logistic = partial(_regression, torch.sigmoid, _difference)
_absolute = partial(_regression, torch.clone, _sign_of_difference)


@operator(
    "LinearRegressionOutput",
    "_sparse_LinearRegressionOutput",
    completes=_regression_label_shape,
)
def linear_regression_output(data: Tensor, label: Tensor, *, grad_scale: float = 1.0) -> Tensor:
    """The data, with the gradient of half the squared difference to the label, averaged over an example's outputs.

    Args:
        data: predictions.
        label: what they should be.
        grad_scale: factor of the gradient.
    """
    return _run(_linear, data, label, grad_scale=grad_scale)


@operator("LogisticRegressionOutput", "_sparse_LogisticRegressionOutput", completes=_regression_label_shape)
def logistic_regression_output(data: Tensor, label: Tensor, *, grad_scale: float = 1.0) -> Tensor:
    """The sigmoid, with the gradient of its cross entropy with the label, averaged over an example's outputs.

    Args:
        data: scores.
        label: probabilities.
        grad_scale: factor of the gradient.
    """
    return _run(_logistic, data, label, grad_scale=grad_scale)


@operator("MAERegressionOutput", "_sparse_MAERegressionOutput", completes=_regression_label_shape)
def mae_regression_output(data: Tensor, label: Tensor, *, grad_scale: float = 1.0) -> Tensor:
    """The data, with the gradient of the absolute difference to the label, averaged over an example's outputs.

    Args:
        data: predictions.
        label: what they should be.
        grad_scale: factor of the gradient.
    """
    return _run(_absolute, data, label, grad_scale=grad_scale)


_differentiate("LinearRegressionOutput", _linear)
_differentiate("LogisticRegressionOutput", _logistic)
_differentiate("MAERegressionOutput", _absolute)


def _loss_gradient(result: Tensor, *, grad_scale: float, valid_thresh: float, normalization: Normalization) -> Tensor:
    filled = torch.full_like(result, grad_scale)
    if normalization == "valid":
        return filled / (result > valid_thresh).sum().clamp(min=1).to(result.dtype)
    return filled / max(result.shape[0], 1) if normalization == "batch" and result.dim() > 1 else filled


def _loss_layer(data: Tensor, **params: Any) -> tuple[Forward, Gradient]:
    expect_floating(data)
    return _identity, partial(_loss_gradient, **params)


@operator("MakeLoss", returns_view=True, names_input=True)
def make_loss(
    data: Tensor, *, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: Normalization = "null"
) -> Tensor:
    """The data as a loss: its gradient is `grad_scale` everywhere.

    Args:
        data: a loss.
        grad_scale: the gradient.
        valid_thresh: above it an element counts as valid.
        normalization: what the gradient is divided by: `null` nothing, `batch` the length of the first axis (1 for a
            vector), `valid` the number of valid elements.
    """
    how = {"grad_scale": grad_scale, "valid_thresh": valid_thresh, "normalization": normalization}
    return _run(_loss_layer, data, **how)


_differentiate("MakeLoss", _loss_layer)


def _svm_label_shape(data: Shape, **_: Any) -> dict[str, Shape]:
    return {"label": data[:-1]}


def _svm_gradient(scores: Tensor, label: Tensor, *, margin: float, factor: float, use_linear: bool) -> Tensor:
    classes = torch.arange(scores.shape[1], device=scores.device)
    # The right class should score above the margin, every other one below minus the margin.
    side = torch.where(classes == label.to(torch.int64).unsqueeze(1), -1.0, 1.0).to(scores.dtype)
    missing = margin + side * scores
    if use_linear:
        return torch.where(missing > 0, side * factor, 0)
    return 2 * factor * side * missing.clamp(min=0)


def _svm_layer(
    data: Tensor, label: Tensor, *, margin: float, regularization_coefficient: float, use_linear: bool
) -> tuple[Forward, Gradient]:
    expect_floating(data)
    same_dtype(data=data, label=label)
    if data.dim() != 2:
        raise OpShapeError(f"expected data of shape (batch, classes), got {tuple(data.shape)}")
    expect_shape("label", label, (data.shape[0],))
    return torch.clone, partial(_svm_gradient, margin=margin, factor=regularization_coefficient, use_linear=use_linear)


@operator("SVMOutput", completes=_svm_label_shape)
def svm_output(
    data: Tensor,
    label: Tensor,
    *,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool = False,
) -> Tensor:
    """The data, with the gradient of a support vector machine: each class against all others.

    Args:
        data: scores, (batch, classes).
        label: the right class of each example, (batch,).
        margin: how far from 0 a score must be to give no loss.
        regularization_coefficient: factor of the gradient.
        use_linear: whether the loss is what a score lacks, instead of its square.
    """
    how = {"margin": margin, "regularization_coefficient": regularization_coefficient, "use_linear": use_linear}
    return _run(_svm_layer, data, label, **how)


_differentiate("SVMOutput", _svm_layer)
