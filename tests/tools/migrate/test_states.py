"""What becomes of names, and what the tables say about them is true."""

import inspect
import re

import pytest
import torch

import mxnet as mx
from regluon.cli.migrate.counterparts import counterpart, table
from regluon.cli.migrate.resolver import Found, resolve, shown, star, subject
from regluon.cli.migrate.status import _INSTEAD, DATA, entry
from tests.test_surface import SURFACE
from tests.tools.migrate.support import states_of
from tools.docs.packaged_differences import ABOUT, made
from tools.docs.reference_differences import read_rows

REFUSED = {
    "mxnet.rtc.CudaModule": "CUDA source cannot be compiled here",
    "mxnet.library.load": "Compile its kernels with torch.utils.cpp_extension",
    "mxnet.libinfo.find_lib_path": "Cannot find the MXNet library",
    "mxnet.base._LIB": "there is no MXNet C library in this package",
    "mxnet.base._LIB.MXNDArrayCreate": "there is no MXNet C library in this package",
    "mxnet.base.NDArrayHandle": "there are no handles",
    "mxnet.nd._internal._set_value": "Write x[:] = value.",
    "mxnet.autograd.get_symbol": "Call the same code on symbols instead",
    "mxnet.nd.NDArray.handle": "MXNet's C handle has no counterpart here.",
    "mxnet.gluon.metric": "Write mx.metric.",
    "mxnet.device.cpu": "Write mx.context",
}


@pytest.mark.parametrize(("path", "text"), REFUSED.items())
def test_missing(path, text):
    found = entry((path,))
    assert found.state == "missing"
    assert text in found.instead
    assert not found.instead.startswith("[")


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("mxnet.nd.relue", "mx.nd.relu"),
        ("mxnet.nd.Dense", "mx.gluon.nn.Dense"),
        ("mxnet.gluon.nn.Conv2d", "mx.gluon.nn.Conv2D"),
        ("mxnet.gluon.Trainr", "mx.gluon.Trainer"),
        ("mxnet.nd.NDArray.asnumpi", "mx.nd.NDArray.asnumpy"),
        ("F.broadcast_addd", "mx.nd.broadcast_add"),
    ],
)
def test_unknown(path, near):
    found = entry((path,))
    assert found.state == "unknown"
    assert near in found.near


def test_unknown_without_a_near_name():
    assert entry(("mxnet.nd.qqqqqqqqqq",)).near == ()


@pytest.mark.parametrize(
    ("path", "begin"),
    [
        ("mxnet.nd.BatchNorm", "BatchNorm moves"),
        ("mxnet.symbol.BatchNorm", "BatchNorm moves"),
        ("F.BatchNorm", "BatchNorm moves"),
        ("mxnet.gluon.nn.BatchNorm", "BatchNorm moves"),
        ("mxnet.random.seed", "a fresh process"),
        ("F.random.uniform", "a fresh process"),
    ],
)
def test_differs(path, begin):
    found = entry((path,))
    assert found.state == "differs"
    assert found.differences[0].theirs.startswith(begin)


@pytest.mark.parametrize(
    "path", ["mxnet.nd.concat", "mxnet.ndarray.ndarray.NDArray", "F.relu", "mxnet.Context", "mxnet.tools.im2rec"]
)
def test_works(path):
    assert entry((path,)).state == "works"


def test_of_several_the_one_that_is_there():
    assert entry(("mxnet.gluon.metric.Accuracy", "mxnet.metric.Accuracy")).path == "mxnet.metric.Accuracy"


def test_what_follows_a_value_is_not_of_mxnet(tmp_path):
    code = "import mxnet as mx\nmx.__version__.split('.')\nmx.nd.dot.__name__"
    assert set(states_of(tmp_path, code)) == {"mx", "mx.__version__", "mx.nd.dot"}


def test_every_public_name_of_mxnet_is_found():
    paths = [f"{owner}.{name}" for part in SURFACE.values() for owner, names in part.items() for name in names]
    assert [path for path in paths if entry((path,)).state == "unknown"] == []


def test_star_brings_what_python_brings():
    names: dict = {}
    exec("from mxnet.gluon.nn import *", names)
    assert set(star("mxnet.gluon.nn")) == set(names) - {"__builtins__"}
    assert star("mxnet.nothing") == []


def test_short_names():
    assert shown("mxnet.ndarray.concat") == "mx.nd.concat"
    assert shown("mxnet.ndarray_doc") == "mx.ndarray_doc"
    assert shown("F.concat") == "F.concat"


def test_names_of_one_operator():
    assert (
        len({subject(path) for path in ("mxnet.nd.concat", "mxnet.sym.Concat", "F.concat", "mxnet.nd.op.Concat")}) == 1
    )
    assert subject("mxnet.nd.concat") != subject("mxnet.nd.stack")


def test_packaged_differences_are_those_of_the_page():
    assert DATA.read_text(encoding="utf-8") == made(), "run `python -m tools.docs.packaged_differences`"


@pytest.mark.parametrize("begin", ABOUT)
def test_rows_that_names_are_given_for_exist(begin):
    assert sum(row.theirs.startswith(begin) for row in read_rows()) == 1


@pytest.mark.parametrize("path", [path for path in _INSTEAD if not path.endswith(".")])
def test_names_of_other_versions_are_not_here(path):
    assert not isinstance(resolve(path), Found)


# Counterparts: both sides exist, and the defaults they tell of are those.


def test_there_are_many_counterparts():
    assert len(table()) >= 150


@pytest.mark.parametrize("path", table())
@pytest.mark.sample(one_in=10)
def test_counterparts_exist(path):
    found = resolve(path)
    assert isinstance(found, Found)
    assert found.path == path
    for name in re.findall(r"\btorch(?:\.\w+)+", table()[path].torch):
        value = torch
        for part in name.split(".")[1:]:
            value = getattr(value, part)


def test_counterparts_hold_for_all_names_of_an_operator():
    assert counterpart("F.concat") == counterpart("mxnet.sym.Concat") == table()["mxnet.nd.concat"]
    assert counterpart("mxnet.nd.NDArray.asnumpy") is None


@pytest.mark.parametrize(
    ("theirs", "argument", "value", "ours", "name", "default"),
    [
        (mx.nd.concat, "dim", 1, None, "", None),
        (mx.nd.split, "axis", 1, None, "", None),
        (mx.nd.BatchNorm, "eps", pytest.approx(1e-3), torch.nn.functional.batch_norm, "eps", 1e-5),
        (mx.nd.BatchNorm, "momentum", 0.9, torch.nn.functional.batch_norm, "momentum", 0.1),
        (mx.gluon.nn.BatchNorm, "epsilon", 1e-5, torch.nn.BatchNorm2d, "eps", 1e-5),
        (mx.gluon.nn.BatchNorm, "momentum", 0.9, torch.nn.BatchNorm2d, "momentum", 0.1),
        (mx.gluon.nn.InstanceNorm, "scale", False, torch.nn.InstanceNorm2d, "affine", False),
        (mx.nd.InstanceNorm, "eps", pytest.approx(1e-3), torch.nn.functional.instance_norm, "eps", 1e-5),
        (mx.nd.LeakyReLU, "slope", 0.25, torch.nn.functional.leaky_relu, "negative_slope", 0.01),
        (mx.nd.LRN, "knorm", 2, torch.nn.functional.local_response_norm, "k", 1),
        (mx.gluon.rnn.RNN, "activation", "relu", None, "", None),
        (mx.optimizer.RMSProp, "gamma1", 0.9, torch.optim.RMSprop, "alpha", 0.99),
        (mx.optimizer.AdaGrad, "eps", 1e-7, torch.optim.Adagrad, "eps", 1e-10),
        (mx.optimizer.AdaDelta, "epsilon", 1e-5, torch.optim.Adadelta, "eps", 1e-6),
        (mx.lr_scheduler.PolyScheduler, "pwr", 2, torch.optim.lr_scheduler.PolynomialLR, "power", 1),
        (mx.init.Normal, "sigma", 0.01, torch.nn.init.normal_, "std", 1),
        (mx.init.Orthogonal, "scale", 1.414, torch.nn.init.orthogonal_, "gain", 1),
        (mx.nd.contrib.BilinearResize2D, "align_corners", True, None, "", None),
    ],
)
def test_defaults_that_remarks_tell_of(theirs, argument, value, ours, name, default):
    assert inspect.signature(theirs).parameters[argument].default == value
    if ours:
        assert inspect.signature(ours).parameters[name].default == default


def test_running_variances():
    x = torch.arange(8.0).reshape(4, 2)
    ours, theirs = mx.gluon.nn.BatchNorm(in_channels=2), torch.nn.BatchNorm1d(2)
    ours.initialize()
    with mx.autograd.record():
        ours(mx.nd.array(x.numpy()))
    theirs(x)
    assert ours.running_var.data()[0].asscalar() == pytest.approx(0.9 + 0.1 * x[:, 0].var(correction=0).item())
    assert theirs.running_var[0].item() == pytest.approx(0.9 + 0.1 * x[:, 0].var(correction=1).item())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (mx.nd.round, lambda x: torch.sign(x) * torch.floor(torch.abs(x) + 0.5)),  # halves go away from zero
        (mx.nd.rint, lambda x: torch.ceil(x - 0.5)),
        (mx.nd.hard_sigmoid, lambda x: torch.clamp(0.2 * x + 0.5, 0, 1)),
        (mx.nd.fix, torch.trunc),
        (mx.nd.degrees, torch.rad2deg),
    ],
)
def test_values_that_remarks_tell_of(ours, theirs):
    x = torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.3])
    assert ours(mx.nd.array(x.numpy())).asnumpy().tolist() == pytest.approx(theirs(x).tolist())
