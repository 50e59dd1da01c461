"""setuptools' build backend, with two things more.

- It asks for torch where kernels will be compiled for a wheel. Only `build_wheel` needs it: an editable installation
  compiles nothing, and a pure wheel needs no torch.
- With SOURCE_DATE_EPOCH source archives have the same bytes in every build, as setuptools' wheels have.
"""

import os
import shutil
from pathlib import Path
from typing import Any

from archives import normalize
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

_TORCH = "torch>=2.13"


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """What a wheel is built with."""
    found = build_meta.get_requires_for_build_wheel(config_settings)
    has_compiler = os.environ.get("CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))
    return [*found, _TORCH, "numpy", "safetensors"] if has_compiler and os.environ.get("REGLUON_PURE") != "1" else found


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Builds the source archive."""
    name = build_meta.build_sdist(sdist_directory, config_settings)
    timestamp = os.environ.get("SOURCE_DATE_EPOCH")
    if timestamp is not None:
        normalize(Path(sdist_directory, name), int(timestamp))
    return name
