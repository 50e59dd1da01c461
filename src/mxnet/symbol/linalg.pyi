"""Linear algebra on symbols. Made by tools/stubs.py from the operator registry; do not edit."""

from ._internal import _linalg_det as det
from ._internal import _linalg_extractdiag as extractdiag
from ._internal import _linalg_extracttrian as extracttrian
from ._internal import _linalg_gelqf as gelqf
from ._internal import _linalg_gemm as gemm
from ._internal import _linalg_gemm2 as gemm2
from ._internal import _linalg_inverse as inverse
from ._internal import _linalg_makediag as makediag
from ._internal import _linalg_maketrian as maketrian
from ._internal import _linalg_potrf as potrf
from ._internal import _linalg_potri as potri
from ._internal import _linalg_slogdet as slogdet
from ._internal import _linalg_sumlogdiag as sumlogdiag
from ._internal import _linalg_syevd as syevd
from ._internal import _linalg_syrk as syrk
from ._internal import _linalg_trmm as trmm
from ._internal import _linalg_trsm as trsm

__all__ = ['det', 'extractdiag', 'extracttrian', 'gelqf', 'gemm', 'gemm2', 'inverse', 'makediag', 'maketrian', 'potrf', 'potri', 'slogdet', 'sumlogdiag', 'syevd', 'syrk', 'trmm', 'trsm']
