"""Programs about data give what they give with a real MXNet."""

import builtins
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


# Texts of the errors, of which MXNet's class is recorded.
TEXTS = {
    "no_batch_size": r"\[DataLoader\] received neither batch_size nor batch_sampler",
    "both_samplers": r"\[DataLoader\] received a batch_sampler together with batch_size, shuffle",
    "shuffled_sampler": r"\[DataLoader\] received shuffle and a sampler",
    "timeout": r"\[DataLoader\] timeout: received 0; expected a positive number of seconds",
    "last_batch": r"\[BatchSampler\] last_batch: received 'x'; expected 'keep', 'discard' or 'rollover'",
    "unlike_lengths": r"\[ArrayDataset\] received arrays of lengths \[1, 2\]; expected one length",
    "no_arrays": r"\[ArrayDataset\] received nothing; expected at least one array",
    "shard_out_of_range": r"\[Dataset.shard\] received num_shards=2, index=2; .* an index from 0 to num_shards - 1",
    "sample_of_a_list": r"\[Dataset.sample\] received list; expected a gluon.data.Sampler",
    "interval_too_long": r"\[IntervalSampler\] interval: received 3; expected 1 to the length, which is 2",
    "rotate_integers": r"\[Rotate\] received an image of uint8; this transformation only supports float32",
    "random_rotate_integers": r"\[RandomRotation\] received an image of uint8; .* only supports float32",
    "angles_in_disorder": r"\[RandomRotation\] received `angle_limits` \(3, 1\); expected an ordered tuple",
    "no_probability": r"\[RandomRotation\] rotate_with_proba: received 2; expected a probability between 0 and 1",
    "no_folder": r"\[ImageFolderDataset\] received '.*nowhere'; expected a folder with one folder of images for each",
    "no_records": r"\[MXIndexedRecordIO\] received '.*nowhere\.rec'; expected a file that can be read",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, folder):
    with pytest.raises(getattr(builtins, RECORDED["refused"][name]), match=TEXTS[name]):
        run(REFUSED[name], folder)


def test_everything_is_recorded():
    assert TEXTS.keys() == REFUSED.keys()
    assert RECORDED["programs"].keys() == PROGRAMS.keys()
    assert RECORDED["refused"].keys() == REFUSED.keys()
