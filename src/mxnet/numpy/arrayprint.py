"""How arrays are printed."""

from typing import Any

import numpy as onp

__all__ = ["set_printoptions"]


def set_printoptions(precision: int | None = None, threshold: int | None = None, **kwarg: Any) -> None:
    """Sets how many digits are printed, and from how many elements on arrays are shortened."""
    if kwarg:
        raise NotImplementedError(
            f"[np.set_printoptions] received {', '.join(kwarg)}; expected precision and threshold."
        )
    onp.set_printoptions(precision=precision, threshold=threshold)
