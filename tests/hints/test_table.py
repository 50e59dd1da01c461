"""The table of hints: each attribute is missing, and each suggested piece of code runs."""

import json
from pathlib import Path

import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd, np, npx
from mxnet._hints import alternatives
from mxnet._hints.table import HINTS
from mxnet.gluon import nn

SURFACE = json.loads((Path(__file__).parents[1] / "fixtures" / "api" / "surface.json").read_text())


def owners():
    """An object with the attributes of each owner."""
    net = nn.Dense(3, in_units=2)
    net.initialize()
    made = {
        "Block": net,
        "NDArray": nd.ones((2, 2)),
        "Optimizer": mx.optimizer.SGD(),
        "Parameter": net.weight,
        "Symbol": mx.sym.var("x"),
        "Trainer": gluon.Trainer(net.collect_params(), "sgd"),
        "ndarray": np.ones((2, 2)),
    }
    for path in HINTS:
        if path.startswith("mx"):
            module = mx
            for part in path.split(".")[1:]:
                module = getattr(module, part)
            made[path] = module
    return made


def shown(owner):
    return {"Block": "Dense", "Optimizer": "SGD"}.get(owner, owner)


OWNERS = owners()


@pytest.mark.parametrize("owner", HINTS)
def test_attributes_are_missing_and_their_errors_name_the_equivalent(owner):
    found, listed = OWNERS[owner], dir(OWNERS[owner])
    for name, row in HINTS[owner].items():
        with pytest.raises(AttributeError) as caught:
            getattr(found, name)
        text, codes = str(caught.value), alternatives(row)
        assert text.startswith(f"[{shown(owner)}] has no attribute {name!r}. ")
        assert not codes or f"Use {' or '.join(codes)}." in text
        assert text.endswith(".")
        assert not hasattr(found, name)
        assert getattr(found, name, None) is None
        assert name not in listed


def test_attributes_of_mxnet_are_not_in_the_table():
    paths = {"mx": "mxnet", "mx.nd": "mxnet.ndarray", "mx.sym": "mxnet.symbol", "mx.init": "mxnet.initializer"}
    classes = {path.rpartition(".")[2]: set(names) for path, names in SURFACE["classes"].items()}
    checked = 0
    for owner, rows in HINTS.items():
        names = SURFACE["modules"].get(paths.get(owner, owner.replace("mx.", "mxnet.", 1))) or classes.get(owner, ())
        checked += bool(names)
        assert not set(rows) & set(names)
    assert checked > 10


class _Dataset(gluon.data.Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, place):
        return place


def variables(is_numpy, is_symbol):
    """The variables that the code of the table names."""
    new = np if is_numpy else nd
    net = nn.HybridSequential()
    layer = nn.Dense(3, in_units=4)
    net.add(layer)
    net.initialize()
    x, y = new.ones((2, 2, 2)), new.ones((2, 2, 2))
    parameter = gluon.Parameter("p", shape=(2, 2))
    parameter.initialize()
    optimizer = mx.optimizer.SGD()
    for each in net.collect_params().values():
        each.grad()[:] = 0
    # `trainer.step()` refuses gradients that no backward() has written.
    with autograd.record():
        loss = net(nd.ones((2, 4)))
    loss.backward()
    return {
        "a": mx.sym.var("a"),
        "b": mx.sym.var("b"),
        "x": mx.sym.var("x") if is_symbol else x,
        "y": y,
        "autograd": autograd,
        "gluon": gluon,
        "mx": mx,
        "nd": nd,
        "nn": nn,
        "np": np,
        "npx": npx,
        "net": net,
        "layer": nn.Dense(3),
        "p": parameter,
        "optimizer": optimizer,
        "classes": nd.array([0, 1]),
        "dataset": _Dataset(),
        "images": nd.ones((1, 3, 8, 8)),
        "index": new.array([0, 1]),
        "indices": nd.array([[0], [0], [0]]),
        "kernels": nd.ones((8, 3, 3, 3)),
        "labels": new.zeros((2, 2)),
        "loss_function": gluon.loss.L2Loss(),
        "mask": new.ones((2, 2, 2)),
        "scores": nd.ones((2, 3)),
        "trainer": gluon.Trainer(net.collect_params(), "sgd"),
        "values": nd.array([1]),
    }


@pytest.mark.parametrize("owner", HINTS)
def test_suggested_code_runs(owner, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mx, "gpu", lambda: mx.cpu(1))  # a device that every machine has
    (tmp_path / "images" / "cats").mkdir(parents=True)
    (tmp_path / "images" / "cats" / "one.jpg").touch()
    nd.save("arrays.params", [nd.ones((1,))])
    is_numpy, is_symbol = owner in ("ndarray", "mx.np"), owner == "Symbol"
    for code in sorted({code for row in HINTS[owner].values() for code in alternatives(row)}):
        names = variables(is_numpy, is_symbol)
        if "loss_function" in code:
            names["y"] = nd.ones((2, 3))
        if "load_" in code:
            names["net"].save_parameters("net.params")
            names["trainer"].save_states("net.states")
        try:
            exec(code, names)
        except Exception as error:
            pytest.fail(f"{code}: {error}")
