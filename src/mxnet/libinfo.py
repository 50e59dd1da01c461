"""The two versions of this package: of the interface it offers, and of the software itself; and no C library."""

from regluon.version import __version__ as __version__
from regluon.version import find_include_path as find_include_path
from regluon.version import find_lib_path as find_lib_path
from regluon.version import regluon_version as regluon_version
