"""Makes the index of a record file: `python -m mxnet.tools.rec2idx`."""

import sys

from regluon.cli.rec2idx import main as main

if __name__ == "__main__":
    sys.exit(main())
