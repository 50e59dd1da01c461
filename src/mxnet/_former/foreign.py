"""Modules of others that MXNet's modules had imported, and so offered."""

import array
import atexit
import bisect
import builtins
import bz2
import collections
import contextlib
import copy
import ctypes
import errno
import functools
import gzip
import inspect
import io
import json
import logging
import math
import multiprocessing
import multiprocessing.process
import numbers
import operator
import os
import platform
import random
import re
import shutil
import signal
import struct
import sys
import tarfile
import threading
import time
import traceback
import types
import uuid
import warnings
import zipfile
from collections.abc import Callable
from importlib.util import find_spec

import numpy
import numpy.random
import numpy.testing


class ModuleOnUse(types.ModuleType):
    """A package that takes long to import, or that few programs need: imported when something of it is asked for."""

    def __init__(self, name: str, load: Callable[[], types.ModuleType]) -> None:
        super().__init__(name)
        self.__load = load

    def __getattr__(self, name: str) -> object:
        return getattr(self.__load(), name)

    def __dir__(self) -> list[str]:
        return dir(self.__load())


def _cv2() -> types.ModuleType:
    import cv2

    return cv2


def _h5py() -> types.ModuleType:
    import h5py

    return h5py


def _requests() -> types.ModuleType:
    import requests

    return requests


def _scipy_sparse() -> types.ModuleType:
    import scipy.sparse

    return scipy.sparse


def _scipy_stats() -> types.ModuleType:
    import scipy.stats

    return scipy.stats


def _if_installed(name: str, load: Callable[[], types.ModuleType]) -> ModuleOnUse | None:
    """The package, or None where it is not installed, as MXNet had it."""
    return ModuleOnUse(name, load) if find_spec(name.partition(".")[0]) else None


# None stands for an optional package that is not installed.
MODULES: dict[str, types.ModuleType | None] = {
    module.__name__: module
    for module in (
        array,
        atexit,
        bisect,
        builtins,
        bz2,
        collections,
        contextlib,
        copy,
        ctypes,
        errno,
        functools,
        gzip,
        inspect,
        io,
        json,
        logging,
        math,
        multiprocessing,
        multiprocessing.process,
        numbers,
        numpy,
        numpy.random,
        numpy.testing,
        operator,
        os,
        platform,
        random,
        re,
        shutil,
        signal,
        struct,
        sys,
        tarfile,
        threading,
        time,
        traceback,
        uuid,
        warnings,
        zipfile,
    )
}
MODULES |= {
    "pickle": sys.modules["pickle"],  # torch has it; nothing of ours unpickles
    "cv2": _if_installed("cv2", _cv2),
    "h5py": _if_installed("h5py", _h5py),
    "requests": _if_installed("requests", _requests),
    "scipy.sparse": _if_installed("scipy.sparse", _scipy_sparse),
    "scipy.stats": _if_installed("scipy.stats", _scipy_stats),
}
