"""Operators that are functions of mx.np as they stand. Made by tools/stubs.py from the operator registry; do not edit."""

from .._internal import _np_all as all
from .._internal import _np_amax as amax
from .._internal import _np_amin as amin
from .._internal import _np_any as any
from .._internal import _np_atleast_1d as atleast_1d
from .._internal import _np_atleast_2d as atleast_2d
from .._internal import _np_atleast_3d as atleast_3d
from .._internal import _np_copy as copy
from .._internal import _np_cumsum as cumsum
from .._internal import _np_diag as diag
from .._internal import _np_diagflat as diagflat
from .._internal import _np_diagonal as diagonal
from .._internal import _np_dot as dot
from .._internal import _np_max as max
from .._internal import _np_min as min
from .._internal import _np_moveaxis as moveaxis
from .._internal import _np_prod as prod
from .._internal import _np_product as product
from .._internal import _np_repeat as repeat
from .._internal import _np_reshape as reshape
from .._internal import _np_roll as roll
from .._internal import _np_sometrue as sometrue
from .._internal import _np_squeeze as squeeze
from .._internal import _np_sum as sum
from .._internal import _np_trace as trace
from .._internal import _np_transpose as transpose

__all__ = ['all', 'amax', 'amin', 'any', 'atleast_1d', 'atleast_2d', 'atleast_3d', 'copy', 'cumsum', 'diag', 'diagflat', 'diagonal', 'dot', 'max', 'min', 'moveaxis', 'prod', 'product', 'repeat', 'reshape', 'roll', 'sometrue', 'squeeze', 'sum', 'trace', 'transpose']
