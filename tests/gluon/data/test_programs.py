"""Programs about data give what they give with a real MXNet."""

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import data
from mxnet.gluon.data import vision
from tools.oracle.data_programs import PROGRAMS, REFUSED, make_files

RECORDED = json.loads((Path(__file__).parents[2] / "fixtures" / "data" / "programs.json").read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("data")
    make_files(made, mx)
    return str(made)


def run(program, folder):
    space = {"mx": mx, "nd": nd, "np": np, "gluon": gluon, "data": data, "vision": vision, "os": os}
    space.update(T=vision.transforms, folder=folder)
    with mx.name.NameManager(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(program, space)
    return space.get("out")


def check(found, recorded, where):
    if isinstance(recorded, dict):
        kind = next(iter(recorded))
        if kind in ("list", "tuple"):
            assert type(found).__name__ == kind, where
            assert len(found) == len(recorded[kind]), where
            for number, (each, other) in enumerate(zip(found, recorded[kind], strict=True)):
                check(each, other, f"{where}[{number}]")
        elif kind == "scalar":
            assert isinstance(found, np.generic), where
            assert (found.dtype.name, str(found)) == (recorded[kind], recorded["value"]), where
        else:
            assert isinstance(found, np.ndarray if kind == "numpy" else nd.NDArray), where
            plain = found if kind == "numpy" else found.asnumpy()
            assert (plain.dtype.name, list(plain.shape)) == (recorded[kind], recorded["shape"]), where
            expected = np.array([float(value) for value in recorded["values"]]).astype(plain.dtype).reshape(plain.shape)
            tolerance = 1e-5 if plain.dtype.kind == "f" else 0
            np.testing.assert_allclose(plain.astype("float64"), expected, tolerance, tolerance, err_msg=where)
    else:
        assert (found.__name__ if isinstance(found, type) else found) == recorded, where


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, folder):
    check(run(PROGRAMS[name], folder), RECORDED["programs"][name], name)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, folder):
    with pytest.raises((AssertionError, OSError, RuntimeError, TypeError, ValueError)) as caught:
        run(REFUSED[name], folder)
    kinds = {kind.__name__ for kind in type(caught.value).__mro__}
    assert RECORDED["refused"][name] in kinds, repr(caught.value)


def test_everything_is_recorded():
    assert RECORDED["programs"].keys() == PROGRAMS.keys()
    assert RECORDED["refused"].keys() == REFUSED.keys()
