"""Names that programs found in MXNet's modules though nobody had put them there for programs.

Modules offered whatever they had imported, and tests and projects came to import it from there. `table.py` says which
module had which name and where it lives now; `lending.py` applies the table at the end of `import mxnet`.
"""

from .lending import lend
from .module_paths import install as install_paths
