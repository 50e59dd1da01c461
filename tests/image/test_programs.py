"""Programs with `mx.image` give what a real MXNet gave: pixels, places, labels, texts, the order of random choices."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import mxnet as mx
import regluon.rng
from tools.oracle.image_programs import PROGRAMS, seed

FIXTURES = Path(__file__).parents[1] / "fixtures" / "image"
OTHERS = json.loads((FIXTURES / "results.json").read_text())


@pytest.fixture(autouse=True)
def _as_recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # The real MXNet's OpenCV is built without Intel's primitives, which round cubic interpolation in their own way.
    used = cv2.ipp.useIPP()
    cv2.ipp.setUseIPP(False)
    monkeypatch.setattr(regluon.rng, "_seeded", False)
    yield
    cv2.ipp.setUseIPP(used)


@pytest.mark.parametrize("name", PROGRAMS)
def test_like_mxnet(name: str):
    seed()
    results = PROGRAMS[name](mx, FIXTURES)
    assert len(results) == len(OTHERS[name])
    with np.load(FIXTURES / "results.npz") as recorded:
        for position, (result, other) in enumerate(zip(results, OTHERS[name], strict=True)):
            what = f"result {position} of {name}"
            if other is None:
                _compare(result, recorded[f"{name}:{position}"], what, 2 if name == "jpeg" else 0)
            else:
                assert _as_json(result) == other, what


def _compare(result: Any, expected: np.ndarray, what: str, levels: int) -> None:
    values = result.asnumpy() if isinstance(result, mx.nd.NDArray) else result
    assert values.shape == expected.shape, what
    assert values.dtype == expected.dtype, what
    if values.dtype == np.uint8:
        difference = np.abs(values.astype(int) - expected.astype(int))
        assert difference.max() <= levels, f"{what}: {(difference > levels).sum()} of {values.size}"
    else:
        np.testing.assert_allclose(values, expected, rtol=1e-5, atol=2e-4, err_msg=what)


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))
