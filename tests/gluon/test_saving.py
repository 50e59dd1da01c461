"""Files of networks: whichever way they were saved, here or by the real MXNet."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.parameter import ParameterError
from tests.gluon.programs import FIXTURES, assert_same, recorded, run

FILES = recorded("files")
each_file = pytest.mark.parametrize("name", FILES)


def values(net: Any) -> dict[str, Any]:
    return {name: p.data().asnumpy().tolist() for name, p in net._collect_params_with_prefix().items()}


def network(name: str) -> Any:
    return run(FILES[name]["network"])["net"]


def cleared(net: Any) -> Any:
    for parameter in net.collect_params().values():
        parameter.set_data(nd.zeros(parameter.shape))
    return net


@each_file
def test_files_of_mxnet_load(name: str) -> None:
    net = cleared(network(name))
    net.load_parameters(FIXTURES / name)
    assert_same(values(net), FILES[name]["values"])


@each_file
def test_files_of_mxnet_load_into_another_instance(name: str) -> None:
    """MXNet cannot do that where names have a prefix: what one instance saved, another did not know."""
    program = (
        FILES[name]["network"].replace("prefix='model_'", "").replace('Sequential(prefix="', 'Sequential(prefix="other')
    )
    net = cleared(run(program)["net"])
    net.load_parameters(FIXTURES / name)
    assert_same(values(net), FILES[name]["values"])


@each_file
def test_files_of_mxnet_load_before_data(name: str) -> None:
    """Without initialize(), and with shapes that only the file tells."""
    program = FILES[name]["network"].split("net.initialize()")[0].replace("in_units=3", "in_units=0")
    net = run(program)["net"]
    if name.startswith("half"):
        net.cast("float16")
    net.load_parameters(FIXTURES / name)
    assert_same(values(net), FILES[name]["values"])


@pytest.mark.parametrize("name", [name for name in FILES if FILES[name]["save"]])
def test_same_bytes_as_mxnet(name: str, tmp_path: Path) -> None:
    run(FILES[name]["save"], net=network(name), path=str(tmp_path / name))
    assert (tmp_path / name).read_bytes() == (FIXTURES / name).read_bytes()


# -- our own round trips --------------------------------------------------------------------------------------------


def small(prefix: str = "net_", **kwargs: Any) -> nn.HybridSequential:
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(nn.Dense(2, in_units=3, **kwargs), nn.Dense(1, in_units=2, **kwargs))
    return net


def ready(value: float = 1, **kwargs: Any) -> nn.HybridSequential:
    net = small(**kwargs)
    net.initialize(mx.init.Constant(value))
    return net


@pytest.mark.parametrize("suffix", ["params", "safetensors"])
@pytest.mark.parametrize("form", [str, Path])
def test_round_trip(tmp_path: Path, suffix: str, form: Any) -> None:
    path = form(tmp_path / f"net.{suffix}")
    ready(3).save_parameters(path)
    net = ready(0)
    net.load_parameters(path)
    assert net[0].weight.data().asnumpy().tolist() == [[3, 3, 3]] * 2
    assert sorted(nd.load(str(path))) == ["0.bias", "0.weight", "1.bias", "1.weight"]


def test_safetensors_is_what_it_says(tmp_path: Path) -> None:
    ready().save_parameters(tmp_path / "net.safetensors")
    raw = (tmp_path / "net.safetensors").read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    assert header["0.weight"]["shape"] == [2, 3]


def test_block_without_parameters(tmp_path: Path) -> None:
    nn.Sequential().save_parameters(tmp_path / "none.params")
    nn.Sequential().load_parameters(tmp_path / "none.params")


def test_list_of_arrays(tmp_path: Path) -> None:
    nd.save(str(tmp_path / "list.params"), [nd.ones((2,))])
    with pytest.raises(
        ParameterError, match=r"\[load_parameters\] .*list.params holds a list; expected names and arrays"
    ):
        ready().load_parameters(tmp_path / "list.params")


def test_all_problems_at_once_and_nothing_changed(tmp_path: Path) -> None:
    other = nn.HybridSequential()
    other.add(nn.Dense(2, in_units=4), nn.Dense(1, in_units=2, use_bias=False), nn.Dense(1, in_units=1))
    other.initialize(mx.init.Zero())
    other.save_parameters(tmp_path / "other.params")
    net = ready()
    with pytest.raises(ParameterError, match=r"other.params does not fit the network \(4 differences\)") as caught:
        net.load_parameters(tmp_path / "other.params")
    text = str(caught.value)
    assert "missing in the file: 1.bias" in text
    assert "not in the network: 2.weight (nearest there:" in text
    assert "not in the network: 2.bias" in text
    assert "0.weight has shape (2, 3); the file has (2, 4)" in text
    assert all(value.asnumpy().all() for value in (net[0].weight.data(), net[1].weight.data()))


def test_a_wrong_dtype_late_in_the_file_changes_nothing(tmp_path: Path) -> None:
    saved = ready(0)
    saved[1].bias.cast("float16")
    saved.save_parameters(tmp_path / "net.params")
    net = ready()
    with pytest.raises(ParameterError, match=r"1\.bias has dtype float32; the file has float16"):
        net.load_parameters(tmp_path / "net.params")
    assert net[0].weight.data().asnumpy().all()
    net.load_parameters(tmp_path / "net.params", cast_dtype=True)
    assert net[1].bias.data().dtype == np.float32
    net.load_parameters(tmp_path / "net.params", cast_dtype=True, dtype_source="saved")
    assert net[1].bias.data().dtype == np.float16


def test_allow_missing_and_ignore_extra(tmp_path: Path) -> None:
    part = nn.HybridSequential()
    part.add(nn.Dense(2, in_units=3))
    part.initialize(mx.init.Zero())
    part.save_parameters(tmp_path / "part.params")
    net = ready()
    with pytest.raises(ParameterError, match="Pass allow_missing=True to load the rest"):
        net.load_parameters(tmp_path / "part.params")
    net.load_parameters(tmp_path / "part.params", allow_missing=True)
    assert not net[0].weight.data().asnumpy().any()
    assert net[1].weight.data().asnumpy().all()
    net.save_parameters(tmp_path / "net.params")
    with pytest.raises(ParameterError, match="Pass ignore_extra=True to load the rest"):
        part.load_parameters(tmp_path / "net.params")
    part.load_parameters(tmp_path / "net.params", ignore_extra=True)


def test_contexts(tmp_path: Path) -> None:
    ready(3).save_parameters(tmp_path / "net.params")
    net = small()
    net.load_parameters(tmp_path / "net.params", ctx=[mx.cpu(0), mx.cpu(1)])
    assert net[0].weight.list_ctx() == [mx.cpu(0), mx.cpu(1)]
    assert net(nd.ones((1, 3), ctx=mx.cpu(1))).context == mx.cpu(1)
    net[0].weight.data(mx.cpu(1))[:] = 5
    net.save_parameters(tmp_path / "mean.params")
    assert nd.load(str(tmp_path / "mean.params"))["0.weight"].asnumpy().tolist() == [[4, 4, 4]] * 2
    waiting = nn.Dense(2)
    waiting.initialize(ctx=mx.cpu(1))
    source = nn.Dense(2, in_units=3)
    source.initialize()
    source.save_parameters(tmp_path / "dense.params")
    waiting.load_parameters(tmp_path / "dense.params")
    assert waiting.weight.list_ctx() == [mx.cpu(1)]


def test_shared_parameters(tmp_path: Path) -> None:
    def build() -> nn.HybridSequential:
        net, layer = nn.HybridSequential(), nn.Dense(2, in_units=2)
        net.add(layer, nn.Dense(2, in_units=2, params=layer.params))
        net.initialize(mx.init.One())
        return net

    net = build()
    for deduplicate, names in ((False, ["0.bias", "0.weight", "1.bias", "1.weight"]), (True, ["1.bias", "1.weight"])):
        net.save_parameters(tmp_path / "net.params", deduplicate=deduplicate)
        saved = nd.load(str(tmp_path / "net.params"))
        assert sorted(saved) == names
        nd.save(str(tmp_path / "twos.params"), {name: value * 2 for name, value in saved.items()})
        other = build()
        other.load_parameters(tmp_path / "twos.params")
        assert other[0].weight.data().asnumpy().tolist() == [[2, 2]] * 2


def test_unread_parameters_cannot_be_saved(tmp_path: Path) -> None:
    net = nn.Dense(2)
    net.initialize()
    with pytest.raises(gluon.DeferredInitializationError, match="only the data tell"):
        net.save_parameters(tmp_path / "net.params")
    assert not list(tmp_path.iterdir())


def test_old_names(tmp_path: Path) -> None:
    ready(3).save_params(str(tmp_path / "net.params"))
    assert sorted(nd.load(str(tmp_path / "net.params")))[0] == "dense0_bias"
    net = ready(0)
    net.load_params(str(tmp_path / "net.params"), mx.cpu())
    assert net[1].weight.data().asnumpy().tolist() == [[3, 3]]


def test_old_way_needs_the_prefix(tmp_path: Path) -> None:
    net = nn.Sequential(prefix="net_")
    net.add(nn.Dense(1, in_units=1, prefix="foreign_"))
    net.initialize()
    with pytest.raises(ValueError, match=r"the prefix 'net_' cannot be taken off 'foreign_weight'"):
        net.save_params(str(tmp_path / "net.params"))


# -- structure and parameters ---------------------------------------------------------------------------------------


def test_save_and_load_with_structure(tmp_path: Path) -> None:
    net = ready(3)
    net.save(tmp_path / "mine")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine-model.json", "mine-model.params"]
    other = small(prefix="other_")
    other.load(str(tmp_path / "mine"))
    assert other.name == "net"
    assert list(other.collect_params()) == list(net.collect_params())
    assert other(nd.ones((1, 3))).asscalar() == net(nd.ones((1, 3))).asscalar()


def test_structure_names_the_attributes(tmp_path: Path) -> None:
    """Attributes may have been renamed since; the order of blocks counts."""

    class Saved(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Dense(2, in_units=2)

    class Renamed(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.trunk = nn.Dense(2, in_units=2)

    Renamed.__name__ = "Saved"
    net = Saved()
    net.initialize(mx.init.One())
    net.save(tmp_path / "net")
    other = Renamed()
    other.load(tmp_path / "net")
    assert other.trunk.weight.data().asnumpy().all()
    assert list(other._children) == ["body"]


def test_structure_that_mxnet_saved(tmp_path: Path) -> None:
    program = FILES["model_attributes.params"]["network"]
    (tmp_path / "model-model.json").write_bytes((FIXTURES / "model-model.json").read_bytes())
    (tmp_path / "model-model.params").write_bytes((FIXTURES / "model_attributes.params").read_bytes())
    net = run(program.replace("model_", "other_").replace("; fill(net)", ""))["net"]
    net.load(tmp_path / "model")
    assert net.name == "model"
    assert_same(values(net), FILES["model_attributes.params"]["values"])


def test_structure_of_another_network(tmp_path: Path) -> None:
    ready().save(tmp_path / "net")
    other = nn.HybridSequential(prefix="other_")
    other.add(nn.Dense(2, in_units=3))
    other.initialize()
    with pytest.raises(
        ParameterError, match=r"net-model.json describes another network: it has no HybridSequential with 1"
    ):
        other.load(tmp_path / "net")
    assert other.name == "other"
    with pytest.raises(ParameterError, match=r"no Dense with 0 children in the place of lonely \('dense0'\)"):
        nn.Dense(2, prefix="lonely_").load(tmp_path / "net")
    with pytest.raises(FileNotFoundError):
        other.load(tmp_path / "missing")
