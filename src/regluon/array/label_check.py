"""Labels of classification losses that are no class."""

import warnings
from typing import Any, NamedTuple

import torch

from ..tracebacks import depth_of_user

__all__ = ["WrongLabel", "find_wrong_label", "warn_about_label"]


class WrongLabel(NamedTuple):
    """A label that is no class: its position in the array of labels, and its value."""

    position: tuple[int, ...]
    value: float


def find_wrong_label(
    label: Any, num_classes: int, weight: Any = None, ignored: float | None = None
) -> WrongLabel | None:
    """Return the first label that is NaN or not below the number of classes, or None.

    Negative labels count as padding: MXNet ignores -1, and other libraries use numbers such as -100.

    Args:
        label: dense array with one class number for each sample.
        num_classes: number of classes.
        weight: None, or an array that broadcasts to the label; labels of weight 0 count as padding.
        ignored: None, or a label that counts as padding.
    """
    values = label._plain()
    if values.is_meta or not values.numel() or values.max().item() < num_classes:  # a NaN is the maximum
        return None
    wrong = ~(values < num_classes)
    if weight is not None:
        wrong = wrong & (torch.broadcast_to(weight._plain(), values.shape) != 0)
    if ignored is not None:
        wrong = wrong & (values != ignored)
    places = wrong.nonzero()
    if not len(places):
        return None
    position = tuple(places[0].tolist())
    return WrongLabel(position, float(values[position]))


def warn_about_label(who: str, wrong: WrongLabel, num_classes: int) -> None:
    """Warn the user about a label that is no class.

    Args:
        who: class and name of the loss.
        wrong: the label.
        num_classes: number of classes.
    """
    row, *rest = wrong.position
    where = f"row {row}, position {tuple(rest)}," if any(rest) else f"row {row}"
    value = int(wrong.value) if wrong.value.is_integer() else wrong.value
    warnings.warn(
        f"[{who}] label {value} in {where} is outside 0..{num_classes - 1}: the result is wrong for this sample, as in "
        "MXNet. mx.util.check_labels() refuses such labels. This loss warns once.",
        stacklevel=depth_of_user(),
    )
