"""Programs with modules give what they give in the real MXNet: values, log lines, refusals."""

import pytest

from tests.module.recorded import check, check_refused
from tools.oracle.module_programs import MODULES, REFUSED


@pytest.mark.parametrize("name", MODULES)
def test_program(name: str, tmp_path):
    check("modules", name, MODULES[name], tmp_path)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    check_refused("refused", name, REFUSED[name])
