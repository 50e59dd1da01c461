"""`python -m tools.fuzz.guided READER [libFuzzer's options]`: inputs guided by coverage, where atheris is installed.

    pip install atheris
    python -m tools.fuzz.guided params -max_total_time=60

The first finding ends it; libFuzzer writes the input to the working directory.
"""

import sys
import tempfile
import warnings
from pathlib import Path

import atheris

_WATCHED = [
    "regluon.formats",
    "regluon.graph",
    "mxnet.io",
    "mxnet.image",
    "mxnet.optimizer",
    "mxnet.contrib",
    "mxnet.recordio",
]

with atheris.instrument_imports(include=_WATCHED):
    from .readers import READERS
    from .running import outcome


def main() -> None:
    """Runs until there is a finding, or an option of libFuzzer ends it."""
    name, *options = sys.argv[1:]
    reader = READERS[name]
    warnings.simplefilter("ignore")

    def read(data: bytes) -> None:
        _, found = outcome(reader, name, data, 0)
        if found is not None:
            raise AssertionError(f"{found.kind} at {found.where}: {found.detail}")

    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(reader.seeds()):
            read(data)  # what is loaded at the first use does not count
            (Path(folder) / str(number)).write_bytes(data)
        atheris.Setup([sys.argv[0], *options, folder], read)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
