"""What a real MXNet's iterators gave: see tools/oracle/record_io.py."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import mxnet.io as io

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "io"
NOTES: dict[str, Any] = json.loads((FIXTURES / "iterators.json").read_text(encoding="utf-8"))
VALUES = np.load(FIXTURES / "values.npz", allow_pickle=False)


def make(name: str, arguments: dict[str, Any]) -> Any:
    """An iterator over the fixture's files."""
    paths = {
        key: str(FIXTURES / value) if isinstance(value, str) and value and (FIXTURES / value).is_file() else value
        for key, value in arguments.items()
    }
    return getattr(io, name)(**paths)


def passes(iterator: Any, count: int = 3) -> list[list[Any]]:
    """Data, labels and padding of the batches of a few passes."""
    found: list[list[Any]] = []
    for _ in range(count):
        found.append([(batch.data[0].asnumpy(), batch.label[0].asnumpy(), batch.pad) for batch in iterator])
        iterator.reset()
    return found


def assert_recorded(iterator: Any, expected: list[Any]) -> list[list[Any]]:
    """Compares shapes and batches; where no data were noted, labels say which examples came."""
    descs = [[desc.name, list(desc.shape)] for desc in (*iterator.provide_data, *iterator.provide_label)]
    assert descs == expected[0]
    found = passes(iterator, len(expected) - 1)
    for batches, noted in zip(found, expected[1:]):
        assert len(batches) == len(noted)
        assert [pad for _, _, pad in batches[:-1]] == [0] * (len(batches) - 1 if batches else 0)
        assert [pad for _, _, pad in batches[-1:]] == [pad for _, _, pad in noted[-1:]]
        for (data, label, _), (noted_data, noted_label, _) in zip(batches, noted):
            np.testing.assert_array_equal(label, np.array(noted_label, label.dtype))
            if noted_data is not None:
                np.testing.assert_array_equal(data, np.array(noted_data, data.dtype))
    return found
