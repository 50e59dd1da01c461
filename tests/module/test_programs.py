"""Programs with modules give what they give in the real MXNet: values, files, log lines, refusals."""

import re

import pytest

from mxnet import MXNetError
from tests.module.recorded import assert_same, expected
from tools.oracle.module_programs import GROUPS, REFUSED
from tools.oracle.record_modules import run

EXPECTED = {group: expected(group) for group in GROUPS}
ERRORS = {name: getattr(__import__("builtins"), kind) for name, kind in expected("refused").items()}


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, programs in GROUPS.items() for name in programs])
def test_program(group: str, name: str, tmp_path):
    found = run(GROUPS[group][name], str(tmp_path))
    wanted = EXPECTED[group][name]
    assert_same(found["result"], wanted["result"])
    assert_same([_parts(line) for line in found["log"]], [_parts(line) for line in wanted["log"]])


def _parts(line: str) -> list[object]:
    """A line as texts and numbers, which may differ in their last digits."""
    parts = re.split(r"(\d+\.\d+(?:e-?\d+)?)", line)
    return [float(part) if place % 2 else part for place, part in enumerate(parts)]


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    with pytest.raises((ERRORS[name], MXNetError)) as caught:
        run(REFUSED[name], "")
    assert str(caught.value).startswith("["), "an error text begins with who refuses"
