"""Front-end functions on symbols made from the operator registry."""

from regluon.symbol.register import _generate_symbol_function_code as _generate_symbol_function_code
from regluon.symbol.register import make_function as make_function
