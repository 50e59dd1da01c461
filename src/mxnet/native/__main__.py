"""`python -m mxnet.native`: compiles the kernels in C++ now, so that no program has to."""

import os
import sys

import torch

from ..base import MXNetError
from .building import build, failure, folder, library
from .sealing import fault


def main(arguments: list[str]) -> int:
    """Compiles, and says where the kernels are, or why there are none."""
    place = folder()
    if place is None:
        print(f"There are no kernels in C++ for torch {torch.__version__}, or no folder for them.", file=sys.stderr)
        return 1
    if "--background" in arguments:
        os.nice(10)
    else:
        failure(place).unlink(missing_ok=True)
    try:
        build(place)
    except (MXNetError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    wrong = fault(library(place))
    if wrong:
        print(f"The kernels in C++ cannot be used: {wrong}.", file=sys.stderr)
        return 1
    print(library(place))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
