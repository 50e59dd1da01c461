"""setuptools' build backend, which asks for torch as well where kernels will be compiled for a wheel.

Only `build_wheel` needs it: an editable installation compiles nothing, and a pure wheel needs no torch.
"""

import os
import shutil
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

_TORCH = "torch>=2.13"


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """What a wheel is built with."""
    found = build_meta.get_requires_for_build_wheel(config_settings)
    has_compiler = os.environ.get("CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))
    return [*found, _TORCH, "numpy", "safetensors"] if has_compiler and os.environ.get("REGLUON_PURE") != "1" else found
