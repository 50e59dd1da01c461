"""Written-out gradients of operators that work element by element."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..registry import find


def _from_argument(name: str, derive: Callable[[Tensor, Tensor], Tensor]) -> None:
    """Declares a gradient that follows from the argument: `derive` takes the result's gradient and the argument."""
    function = find(name).function

    class FromArgument(Rule):
        """A function of each element whose derivative is computed from the element."""

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            return function(*arguments), arguments[0]

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            assert grads[0] is not None
            return (derive(grads[0], saved),)

    gradient_of(name)(FromArgument)


def _from_result(name: str, derive: Callable[[Tensor, Tensor], Tensor]) -> None:
    """Declares a gradient that follows from the result: `derive` takes the result's gradient and the result."""
    function = find(name).function

    class FromResult(Rule):
        """A function of each element whose derivative is computed from its result."""

        keeps_output = True

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            result = function(*arguments)
            return result, result

        @staticmethod
        def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
            assert grads[0] is not None
            return (derive(grads[0], saved),)

    gradient_of(name)(FromResult)


_from_argument("square", lambda grad, data: grad * data * 2)
_from_argument("abs", lambda grad, data: grad * data.sgn())
_from_argument("negative", lambda grad, data: -grad)
_from_argument("log", lambda grad, data: grad / data)
_from_result("exp", lambda grad, result: grad * result)
_from_result("sqrt", lambda grad, result: grad / (2 * result))
