"""What matters besides names: version checks, devices, the C library, downloads, settings, other libraries."""

from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple

from ...config import VARIABLES
from ...version import __version__
from .resolver import Place, Sign, shown

PAGES = "https://github.com/regluon/regluon/tree/main/docs/migrate"


class Habit(NamedTuple):
    """Something that a program does.

    Attributes:
        kind: a word for it.
        text: what to know about it.
        is_missing: whether it cannot work here, which counts in the exit status.
        places: where, each with what stands there.
    """

    kind: str
    text: str
    is_missing: bool
    places: list[tuple[Place, str]]


# By names, and by names that begin so if there is a dot at the end. Whether the names work is told with them.
_BY_NAME = {
    "mxnet.__version__": "version",
    "mxnet.libinfo.__version__": "version",
    "mxnet.gpu": "gpu",
    "mxnet.context.gpu": "gpu",
    "mxnet.base._LIB": "c-library",
    "mxnet.base._LIB.": "c-library",
    "mxnet.libinfo.find_lib_path": "c-library",
    "mxnet.libinfo.find_include_path": "c-library",
    "mxnet.library.": "c-library",
    "mxnet.rtc.": "rtc",
}
_TEXTS = {
    "version": f'mx.__version__ is "{__version__}", a text; mx.libinfo.regluon_version is the version of this project.',
    "gpu": "mx.gpu(i) is the CUDA device i of PyTorch; MXNET_USE_MPS=1 makes mx.gpu(0) an Apple GPU.",
    "c-library": "There is no libmxnet here. Use the Python interface, or NDArray.as_torch() for the storage.",
    "rtc": "CUDA source is not compiled here. Triton and torch.utils.cpp_extension do that, on NDArray.as_torch().",
    "handle": "If this is an array's or a symbol's: they have no C handle. NDArray.as_torch() gives the tensor.",
    "ctypes": "There is no libmxnet that could be loaded. Use the Python interface, or NDArray.as_torch().",
    "pretrained": "Parameters are looked for in MXNET_HOME/models (~/.mxnet), then fetched from MXNET_GLUON_REPO.",
    "environment": "Nothing listens to these variables here; setting them does no harm.",
    "computed": "These names are put together while the program runs, so they are not in this report.",
}
_CANNOT_WORK = {"ctypes"}
_LIBRARIES = {
    "d2l": "book.md",
    "d2lzh": "book.md",
    "gluoncv": "gluoncv.md",
    "gluonnlp": "gluonnlp.md",
    "gluonts": "gluonts.md",
    "horovod": "horovod.md",
    "insightface": "insightface.md",
}


def find_habits(names: Iterable[tuple[str, Place]], signs: Iterable[Sign]) -> list[Habit]:
    """The habits that names and signs tell of, each once.

    Args:
        names: full names with their places.
        signs: other signs.
    """
    found: dict[str, Habit] = {}
    for name, place in names:
        kind = _BY_NAME.get(name) or next((_BY_NAME[key] for key in _BY_NAME if key[-1] == "." and key in name), "")
        if kind:
            _add(found, kind, _TEXTS[kind], place, shown(name))
    for sign in signs:
        if sign.kind == "library":
            _add_library(found, sign)
        elif sign.kind != "environment" or sign.detail not in VARIABLES:
            _add(found, sign.kind, _TEXTS[sign.kind], sign.place, sign.detail)
    return list(found.values())


def _add(found: dict[str, Habit], kind: str, text: str, place: Place, detail: str) -> None:
    habit = found.setdefault(kind, Habit(kind, text, kind in _CANNOT_WORK, []))
    habit.places.append((place, detail))


def _add_library(found: dict[str, Habit], sign: Sign) -> None:
    """Libraries that need a hand; not for their own files."""
    page = _LIBRARIES.get(sign.detail)
    if page and sign.detail not in PurePath(sign.place.path).parts:
        _add(found, sign.detail, f"How to install {sign.detail} beside this: {PAGES}/{page}", sign.place, sign.detail)
