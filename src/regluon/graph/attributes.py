"""Attributes of nodes beside the parameters of operators: how they are stored, and under which names they are shown."""

from collections.abc import Mapping

from ..base import MXNetError
from ..dtypes import FLAG_OF_NAME
from ..errors import OpTypeError

# Attributes that steer training and placement: given without underscores or with, stored with them.
HIDDEN_KEYS = ("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage")
_DTYPE_OF_TEXT = {"-1": None} | {str(flag): name for name, flag in FLAG_OF_NAME.items()}


def is_marked(key: str) -> bool:
    """Whether a name stands between double underscores: an attribute, never a parameter of an operator."""
    return key.startswith("__") and key.endswith("__")


def stored(attrs: Mapping[str, str]) -> dict[str, str]:
    """Attributes under the names that saved graphs have: `lr_mult` is kept as `__lr_mult__`."""
    kept = {}
    for key, value in attrs.items():
        if key in HIDDEN_KEYS:
            kept[f"__{key}__"] = value
            continue
        hidden = None if is_marked(key) else next((name for name in HIDDEN_KEYS if key.endswith(f"_{name}")), None)
        if hidden is not None:
            raise MXNetError(
                f"[Symbol] received the attribute {key!r}; expected {hidden!r} at the variable it is meant for: "
                f"sym.var(name, attr={{'{hidden}': '...'}})."
            )
        kept[key] = value
    return kept


def shown(attrs: Mapping[str, str]) -> dict[str, str]:
    """Stored attributes as users see them: those that steer training under both of their names."""
    return {**attrs, **{key: attrs[f"__{key}__"] for key in HIDDEN_KEYS if f"__{key}__" in attrs}}


def read_dtype(attrs: Mapping[str, str]) -> str | None:
    """Return the dtype's name for the number in a variable's attribute `__dtype__`, or None without that attribute.

    Raises OpTypeError for any other text: graphs are read from files.
    """
    text = attrs.get("__dtype__", "-1")
    if text not in _DTYPE_OF_TEXT:
        raise OpTypeError(f"[infer_type] attribute __dtype__: received {text!r}; expected the number of a dtype.")
    return _DTYPE_OF_TEXT[text]
