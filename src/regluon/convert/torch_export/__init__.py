"""Programs of torch.export, in memory or in `.pt2` files, as MXNet's graphs and parameters."""

from ...config import process as _process
from . import translations
from .conversion_errors import UnsupportedProgram as UnsupportedProgram
from .conversion_errors import WrongConversion as WrongConversion
from .convert import from_exported_program as from_exported_program
from .node import supported_operators as supported_operators
from .program import load as load
from .verification import Difference as Difference
from .verification import example_inputs as example_inputs
from .verification import verify as verify

_process.from_program = from_exported_program  # networks that are exported find it there: see symbol/torch_export.py
