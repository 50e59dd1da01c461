"""What pyproject.toml cannot say: wheels contain typed stubs, which are made from the operators."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent / "tools"))

from packaging_stubs import StubsInWheel


class Build(StubsInWheel, build_py):
    """Copies the Python files, then writes their stubs."""


setup(cmdclass={"build_py": Build})
