"""Modules: networks with parameters, bound to data, trained: `mx.mod`."""

from . import base_module, bucketing_module, executor_group, module, python_module, sequential_module
from .base_module import BaseModule as BaseModule
from .bucketing_module import BucketingModule as BucketingModule
from .module import Module as Module
from .python_module import PythonLossModule as PythonLossModule
from .python_module import PythonModule as PythonModule
from .sequential_module import SequentialModule as SequentialModule
