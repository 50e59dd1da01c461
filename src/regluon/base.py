"""Names every other module stands on: the error type, the "not given" marker, type groups."""

import ctypes
import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, SupportsIndex, TypeAlias

import numpy as np

# What stands for a shape in calls: one length, or several.
ShapeLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex]

string_types = (str,)
integer_types = (int, np.integer)
numeric_types = (float, int, np.generic)
mx_real_t = np.float32  # the dtype of numbers that nothing is said of


_LONGEST_TEXT = 3_000  # characters of an error text


class MXNetError(RuntimeError):
    """Anything the library refuses to do, with the reason and the way out in its text.

    Names and values that a text repeats may come from a file and be of any length: what is too long for a reader loses
    its middle.
    """

    __module__ = "mxnet.base"

    def __init__(self, *args: Any) -> None:
        super().__init__(*(shortened(arg) if type(arg) is str else arg for arg in args))


def shortened(text: str, longest: int = _LONGEST_TEXT) -> str:
    """A text of at most so many characters: begin and end, if it has more."""
    if len(text) <= longest:
        return text
    left_out = f" ... ({len(text)} characters in all) ... "
    tail = max(0, longest - len(left_out)) // 3
    return f"{text[: longest - len(left_out) - tail]}{left_out}{text[len(text) - tail :]}"


class _Unavailable(MXNetError):
    """A method that one kind of array has and another, the `owner`, lacks."""

    owner = ""
    advice: dict[str, str] = {}  # what to do instead, by the names of methods

    def __init__(self, function: Any, alias: str | None = None, *args: Any) -> None:
        super().__init__(function, alias, *args)
        self.function = getattr(function, "__name__", str(function))
        self.alias = alias
        self.args_types = [type(arg).__name__ for arg in args]

    def __str__(self) -> str:
        spelled = f" (written as `{self.alias}`)" if self.alias else ""
        given = f" with arguments of type {', '.join(self.args_types)}" if self.args_types else ""
        return f"{self.function}{spelled}{given} is not available for {self.owner}.{self.advice.get(self.function, '')}"


class NotImplementedForSymbol(_Unavailable):
    """Raised when an imperative-only method is called on a Symbol."""

    __module__ = "mxnet.base"

    owner = "Symbol"
    advice: dict[str, str] = {
        "__bool__": " A graph has no values yet, so Python cannot branch on them: use F.where(condition, x, y), "
        "F.contrib.cond or F.contrib.while_loop, or call the network on NDArrays, without hybridize().",
        "asnumpy": " A graph has no values yet: compute with operators of F, or call the network on NDArrays.",
        "asscalar": " A graph has no values yet: compute with operators of F, or call the network on NDArrays.",
    }


class NotSupportedForSparseNDArray(_Unavailable):
    """Raised when a dense-only method is called on a sparse array."""

    __module__ = "mxnet.base"

    owner = "sparse NDArray"


class _NullType:
    """The default of an operator parameter that was not given; false in every test."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "_Null"

    def __bool__(self) -> bool:
        return False


_Null: Any = _NullType()


def any_parameters(method: Callable[..., Any]) -> Callable[..., Any]:
    """Tells checkers that subclasses write the method with other parameters; where they are the same, types follow."""
    return method


def py_str(x: bytes | str) -> str:
    """Text from bytes received from elsewhere."""
    return x if isinstance(x, str) else x.decode("utf-8")


def _as_list(obj: Any) -> Any:
    """A list or tuple as it is; anything else as a list of one."""
    return obj if isinstance(obj, (list, tuple)) else [obj]


def c_str(string: str) -> ctypes.c_char_p:
    """A C string, for programs that call libraries of their own through ctypes."""
    return ctypes.c_char_p(string.encode("utf-8"))


def data_dir_default() -> str:
    """The folder for fetched files unless MXNET_HOME names one: `.mxnet` in the user's own folder."""
    if platform.system() == "Windows":
        return os.path.join(os.environ.get("APPDATA", os.path.expanduser("~")), "mxnet")
    return os.path.join(os.path.expanduser("~"), ".mxnet")


def data_dir() -> str:
    """The folder for fetched files: data sets, parameters of networks."""
    return os.environ.get("MXNET_HOME") or data_dir_default()


def kept_folder(name: str) -> Path | None:
    """A folder for what one process leaves to the next; None for a user who has no folder of their own."""
    home = Path(data_dir())
    return home / name if home.is_absolute() or os.environ.get("MXNET_HOME") else None


def build_param_doc(
    arg_names: Sequence[str], arg_types: Sequence[str], arg_descs: Sequence[str], remove_dup: bool = True
) -> str:
    """The section of a docstring about parameters, in NumPy's style.

    Args:
        arg_names: their names.
        arg_types: their types.
        arg_descs: what they are for; may be empty.
        remove_dup: whether to mention a name once, though it is given several times.
    """
    seen: set[str] = set()
    parts = []
    for name, kind, text in zip(arg_names, arg_types, arg_descs, strict=True):
        if (name in seen and remove_dup) or name == "num_args":
            continue
        seen.add(name)
        parts.append(f"{name} : {kind}" + (f"\n    {text}" if text else ""))
    return "Parameters\n----------\n" + "\n".join(parts) + "\n"


def _generate_op_module_signature(root_namespace: str, module_name: str, op_code_gen_func: Any) -> NoReturn:
    """MXNet writes files with the signatures of operators when it is built; here they are part of the package."""
    raise MXNetError(
        f"[_generate_op_module_signature] the signatures of {root_namespace}.{module_name} are in the .pyi files "
        "beside its modules; there is nothing to generate. inspect.signature() tells that of a function."
    )


def check_call(ret: int) -> None:
    """Raises for a non-zero return code; kept for programs that wrap their own C calls."""
    if ret != 0:
        raise MXNetError(f"[check_call] a C call returned {ret}; expected 0.")


class _NoLibrary:
    """Stands where MXNet kept the handle of its C library."""

    def __getattr__(self, name: str) -> NoReturn:
        raise MXNetError(
            f"[_LIB.{name}] there is no MXNet C library in this package: arrays live on PyTorch. "
            "Use the Python interface, or `NDArray.as_torch()` to reach the storage."
        )


_LIB = _NoLibrary()
