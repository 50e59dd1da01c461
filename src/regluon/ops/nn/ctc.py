"""The loss of connectionist temporal classification."""

from typing import Literal

import torch
from torch import Tensor

from ...errors import OpIndexError, OpParamError, OpShapeError
from ..common import expect_floating, expect_shape
from ..dtype_rules import DtypeRule
from ..registry import operator
from .checks import optional


def _expect_shapes(data: Tensor, label: Tensor) -> None:
    if data.dim() != 3:
        raise OpShapeError(f"expected data of shape (time, batch, classes), got {tuple(data.shape)}")
    if label.dim() != 2:
        raise OpShapeError(f"expected label of shape (batch, length), got {tuple(label.shape)}")
    if label.shape[0] != data.shape[1]:
        raise OpShapeError(
            f"expected as many labels as sequences, got data of shape {tuple(data.shape)}, a batch of "
            f"{data.shape[1]}, and label of shape {tuple(label.shape)}"
        )
    if label.shape[1] > data.shape[0]:
        raise OpShapeError(
            f"expected labels not longer than the {data.shape[0]} steps of the data, got {label.shape[1]}"
        )


def _whole(values: Tensor) -> Tensor:
    """The nearest whole numbers: labels and lengths are often given as floats."""
    values = values.detach()
    return (values + 0.5).floor().to(torch.int64) if values.is_floating_point() else values.to(torch.int64)


def _lengths(name: str, given: Tensor | None, used: bool, batch: int, most: int) -> Tensor | None:
    """The checked lengths as whole numbers; None if they are not given."""
    if used != (given is not None):
        raise OpParamError(f"expected {name} together with use_{name}=True, got only one of them; pass both, or none")
    if given is None:
        return None
    expect_shape(name, given, (batch,))
    lengths = _whole(given)
    if not lengths.is_meta and bool(((lengths < 0) | (lengths > most)).any()):
        raise OpIndexError(f"expected {name} between 0 and {most}, got {lengths.tolist()}")
    return lengths


def _expect_labels(labels: Tensor, lengths: Tensor, classes: int) -> None:
    """Refuses a label that is no class; behind the end of a label anything may stand."""
    inside = torch.arange(labels.shape[1], device=labels.device) < lengths.unsqueeze(1)
    wrong = inside & ((labels < 0) | (labels >= classes))
    if bool(wrong.any()):
        raise OpIndexError(f"expected labels between 0 and {classes - 1}, got {labels[wrong][0].item()}")


@operator(
    "CTCLoss",
    "_contrib_CTCLoss",
    "_contrib_ctc_loss",
    "ctc_loss",
    takes=optional("data", "label", data_lengths="use_data_lengths", label_lengths="use_label_lengths"),
    reads_values=True,
    dtypes=DtypeRule(free=("label", "data_lengths", "label_lengths")),
    total_outputs=2,
)
def ctc_loss(
    data: Tensor,
    label: Tensor,
    data_lengths: Tensor | None = None,
    label_lengths: Tensor | None = None,
    *,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: Literal["first", "last"] = "first",
) -> Tensor:
    """The negative log probability of each label sequence, over all its alignments with the data.

    A label that no alignment can produce, being too long for the data, has the loss zero and no gradient.

    Args:
        data: (time, batch, classes), scores before softmax; the blank is one of the classes.
        label: (batch, length), classes. Without label_lengths, a label ends before its first 0, or -1 if the blank
            is the last class.
        data_lengths: number of steps of each sequence.
        label_lengths: length of each label.
        use_data_lengths: whether data_lengths is given; all sequences are full otherwise.
        use_label_lengths: whether label_lengths is given.
        blank_label: which class is the blank.
    """
    if use_label_lengths and not use_data_lengths and label_lengths is None:
        # By position, the lengths that are used come without gaps.
        data_lengths, label_lengths = None, data_lengths
    expect_floating(data)
    _expect_shapes(data, label)
    time, batch, classes = data.shape
    steps = _lengths("data_lengths", data_lengths, use_data_lengths, batch, time)
    lengths = _lengths("label_lengths", label_lengths, use_label_lengths, batch, label.shape[1])
    if data.is_meta:
        return data.new_empty(batch)
    labels = _whole(label)
    if steps is None:
        steps = torch.full((batch,), time, device=data.device)
    if lengths is None:
        padding = 0 if blank_label == "first" else -1
        lengths = (labels != padding).cumprod(1).sum(1)
    _expect_labels(labels, lengths, classes)
    blank = 0 if blank_label == "first" else classes - 1
    # The kernel has no half precision, and sums of many logarithms would not bear it.
    scores = data.float() if data.dtype in (torch.float16, torch.bfloat16) else data
    # Steps after the end may hold anything, NaN too: neither the loss nor the gradient may see them.
    ended = torch.arange(time, device=data.device).unsqueeze(1) >= steps
    scores = scores.masked_fill(ended.unsqueeze(2), 0)
    loss = torch.ctc_loss(scores.log_softmax(2), labels, steps, lengths, blank, 0, True)
    return loss.to(data.dtype)
