"""`mxnet.test_utils` prints, raises and draws what a real MXNet's does."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from tools.oracle.custom_programs import COMPARISONS, DRAWS

FIXTURES = Path(__file__).parents[1] / "fixtures" / "custom"
COMPARED = json.loads((FIXTURES / "comparisons.json").read_text())
DRAWN = json.loads((FIXTURES / "draws.json").read_text())


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparison(name: str, capsys):
    raised = None
    np.random.seed(17)
    try:
        with mx.name.NameManager():
            eval(COMPARISONS[name], {"mx": mx, "np": np, **vars(mx.test_utils)})
    except AssertionError as error:
        raised = str(error)
    assert {"printed": capsys.readouterr().out, "raised": raised} == COMPARED[name]


@pytest.mark.parametrize("expression", DRAWS)
def test_draw(expression: str):
    np.random.seed(17)
    found = plain(eval(expression, {"mx": mx, "np": np, **vars(mx.test_utils)}))
    expected = DRAWN[expression]
    if isinstance(expected, list) and not any(isinstance(each, list) and isinstance(each[0], str) for each in expected):
        np.testing.assert_allclose(_flat(found), _flat(expected), rtol=1e-5, atol=1e-12)
    else:
        assert found == expected


def _flat(value: Any) -> list[float]:
    return [number for each in value for number in _flat(each)] if isinstance(value, list) else [value]
