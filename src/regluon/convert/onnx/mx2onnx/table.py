"""The table of translations: which function turns a node of which operator into ONNX nodes."""

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from .call import Call, Untranslatable

__all__ = ["TRANSLATIONS", "Result", "Translation", "Untranslatable", "translates"]

Result: TypeAlias = str | Sequence[str]
Translation: TypeAlias = Callable[[Call], Result]

_Function = TypeVar("_Function", bound=Translation)

TRANSLATIONS: dict[str, Translation] = {}


def translates(*operators: str) -> Callable[[_Function], _Function]:
    """Enters the decorated function for operators, by their registered names."""

    def enter(translation: _Function) -> _Function:
        for name in operators:
            assert name not in TRANSLATIONS, f"{name} is translated twice"
            TRANSLATIONS[name] = translation
        return translation

    return enter
