"""`python -m mxnet.launch`: start a training with several processes."""

import sys

from regluon.distributed.launch.main import main

if __name__ == "__main__":
    sys.exit(main())
