"""Layers over one, two and three spatial axes from one class: what differs between them is data."""

import inspect
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from ._layer import Layer

LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class SpatialLayer(Layer):
    """A layer whose subclasses are made for a number of spatial axes: `class Conv2D(_Convolution, axes=2)`.

    Such a subclass has the constructor of its base with defaults for that many axes, and a docstring that goes on with
    the arguments. Subclasses without `axes` are ordinary ones.
    """

    _axes = 0
    _layouts: tuple[str, ...] = ()  # orders of the axes, the default first
    _lengths: tuple[str, ...] = ()  # arguments whose default is a number for each axis; for one axis, a number
    _documents: Mapping[str, str] = {}  # arguments and what they mean, in words for any number of axes

    def __init_subclass__(cls, axes: int = 0, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if axes:
            cls._axes, cls._layouts = axes, cls._layouts_for(axes)
            if "__init__" not in vars(cls):
                cls.__init__ = cls._constructor()  # type: ignore[method-assign]
            cls.__doc__ = f"{inspect.getdoc(cls)}\n\n{cls._arguments()}"

    @classmethod
    def _layouts_for(cls, axes: int) -> tuple[str, ...]:
        return LAYOUTS[axes]

    @classmethod
    def _constructor(cls) -> Any:
        """The constructor with defaults for this many axes: a copy, since defaults belong to a function."""
        base = cls.__init__
        assert isinstance(base, FunctionType)
        defaults = [
            cls._default(each) for each in inspect.signature(base).parameters.values() if each.default is not each.empty
        ]
        made = FunctionType(base.__code__, base.__globals__, "__init__", tuple(defaults), base.__closure__)
        made.__annotations__, made.__module__ = base.__annotations__, cls.__module__
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        return made

    @classmethod
    def _default(cls, argument: inspect.Parameter) -> Any:
        if argument.name == "layout":
            return cls._layouts[0]
        is_repeated = argument.name in cls._lengths and cls._axes > 1
        return (argument.default,) * cls._axes if is_repeated else argument.default

    @classmethod
    def _arguments(cls) -> str:
        words = {
            "lengths": "one number" if cls._axes == 1 else f"one number or a tuple of {cls._axes}",
            "layouts": " or ".join(map(repr, cls._layouts)),
        }
        texts = {"kwargs": "`prefix` and `params`, see Block.", **cls._documents}
        names = list(inspect.signature(cls.__init__).parameters)[1:]
        return "\n".join(["Args:", *(f"    {name}: {texts[name].format(**words)}" for name in names)])
