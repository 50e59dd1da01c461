"""Programs of torch.export, in memory or in `.pt2` files, as MXNet's graphs and parameters."""

from ...config import process as _process
from . import translations
from .convert import from_exported_program as from_exported_program
from .problems import UnsupportedProgram as UnsupportedProgram
from .problems import WrongConversion as WrongConversion
from .program import load as load
from .table import supported_operators as supported_operators
from .verifying import Difference as Difference
from .verifying import example_inputs as example_inputs
from .verifying import verify as verify

_process.from_program = from_exported_program  # networks that are exported find it there: see symbol/torch_modules.py
