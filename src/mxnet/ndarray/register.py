"""Front-end functions made from the operator registry."""

from regluon.array.register import FunctionsOnDemand as FunctionsOnDemand
from regluon.array.register import _generate_ndarray_function_code as _generate_ndarray_function_code
from regluon.array.register import _Null as _Null
from regluon.array.register import function_code as function_code
from regluon.array.register import internal_names as internal_names
from regluon.array.register import make_function as make_function
from regluon.array.register import names_after as names_after
from regluon.array.register import presented as presented
from regluon.array.register import refusing as refusing
from regluon.array.register import signature as signature
