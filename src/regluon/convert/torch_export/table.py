"""The table of translations: which function writes an ATen operator with MXNet's."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from .node import AtenNode

Translation: TypeAlias = "Callable[[AtenNode], Any]"

# By the names that programs print, such as `aten.relu.default`.
TRANSLATIONS: dict[str, Translation] = {}


def translates(*operators: str) -> Callable[[Translation], Translation]:
    """Enters the decorated function for ATen operators.

    Args:
        *operators: names as `add.Tensor`; `relu` alone means `relu.default`.
    """

    def enter(translation: Translation) -> Translation:
        for name in operators:
            TRANSLATIONS[f"aten.{name}" if "." in name else f"aten.{name}.default"] = translation
        return translation

    return enter


def supported_operators() -> list[str]:
    """The ATen operators that have a translation, such as `aten.conv2d.default`."""
    return sorted(TRANSLATIONS)
