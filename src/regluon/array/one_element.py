"""What `asnumpy()` gives for an array of one element: a NumPy array that still converts to a number.

`float(loss.mean().asnumpy())` and `'%f' % loss.mean().asnumpy()` stand in every Gluon book. NumPy took them back for
arrays with axes: a warning since 1.25, an error since 2.4.
"""

from typing import Any

import numpy as np


class OneElement(np.ndarray):
    """An array with axes and one element, which converts to a number; a plain array in everything else.

    Arithmetic with numbers gives arrays that convert too (`'%f' % (total.asnumpy() / n)`); with other arrays, and
    wherever a result has more elements or no axes, it gives what plain arrays give. Pickles and files are plain.
    """

    # Below plain arrays: what is joined or computed with one is plain.
    __array_priority__ = -1.0

    def __float__(self) -> float:
        return float(self.item()) if self.size == 1 else super().__float__()

    def __int__(self) -> int:
        return int(self.item()) if self.size == 1 else super().__int__()

    def __complex__(self) -> complex:
        return complex(self.item()) if self.size == 1 else super().__complex__()

    def __round__(self, ndigits: int | None = None) -> Any:
        if self.size != 1:
            raise TypeError(f"[round] received an array of shape {self.shape}; expected one element.")
        return round(self.item(), ndigits)

    def __format__(self, format_spec: str) -> str:
        return format(self.item() if format_spec and self.size == 1 else self.view(np.ndarray), format_spec)

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.view(np.ndarray).__reduce_ex__(protocol)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        # The results of universal functions: a number where a plain array would give one.
        return converting(array.view(np.ndarray)) if array.ndim else array[()]


def converting(array: np.ndarray) -> np.ndarray:
    """The array, as one that converts to a number if it has axes and one element."""
    return array.view(OneElement) if array.size == 1 and array.ndim else array
