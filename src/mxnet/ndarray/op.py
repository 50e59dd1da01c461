"""All public operators as functions on arrays; the stub beside this file shows them to editors."""

from regluon.array.op import *  # noqa: F403
from regluon.array.op import __all__ as __all__
