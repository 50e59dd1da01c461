"""Settings: one table of environment variables, and switches per thread."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import mxnet
from regluon import config

SOURCE = Path(config.__file__).parents[1]


def test_every_variable_the_code_reads_is_in_the_table():
    mentioned = {
        name
        for path in SOURCE.rglob("*.py")
        for name in re.findall(r"[\"'](MXNET_[A-Z_]+)[\"']", path.read_text(encoding="utf-8"))
    }
    assert mentioned == set(config.VARIABLES)


@pytest.mark.parametrize("name", config.VARIABLES)
def test_variables_have_a_default_and_a_purpose(name, monkeypatch):
    monkeypatch.delenv(name, raising=False)
    assert config.read(name) == config.VARIABLES[name].default
    assert config.VARIABLES[name].purpose.endswith(".")
    monkeypatch.setenv(name, "17")
    assert config.read(name) == "17"


def test_switches_belong_to_a_thread():
    def look():
        return config.switches.np_shape, config.switches.np_array

    with mxnet.util.np_shape(True), mxnet.util.np_array(True), ThreadPoolExecutor(1) as pool:
        assert look() == (True, True)
        assert pool.submit(look).result() == (False, False)
    assert look() == (False, False)


def test_a_seed_from_the_environment():
    code = "import mxnet, regluon.rng; print(regluon.rng.generator(mxnet.cpu()).initial_seed())"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env={"MXNET_TEST_SEED": "12"}, check=False)
    assert (done.stdout, done.stderr) == ("12\n", "")
