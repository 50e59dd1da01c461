"""Dicts of parameters: making, sharing, changing all at once, saving and loading."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import Parameter, ParameterDict, nn
from mxnet.gluon.parameter import ParameterError
from tests.gluon.programs import check, group


@group("printed")
def test_printed_as_in_mxnet(case: dict[str, Any]) -> None:
    check(case)


def filled(prefix: str = "net_") -> ParameterDict:
    params = ParameterDict(prefix)
    params.get("weight", shape=(2, 3))
    params.get("bias", shape=(2,))
    params.initialize(mx.init.One())
    return params


def test_is_a_mapping() -> None:
    params = filled()
    assert list(params) == list(params.keys()) == ["net_weight", "net_bias"]
    assert [p.name for p in params.values()] == list(params)
    assert dict(params.items())["net_bias"] is params["net_bias"]
    assert "net_bias" in params
    assert "bias" not in params
    assert len(params) == 2
    with pytest.raises(KeyError):
        params["bias"]


def test_get_makes_once() -> None:
    params = ParameterDict("net_")
    weight = params.get("weight", shape=(0, 3), dtype="float32", allow_deferred_init=True)
    assert params.get("weight") is weight
    assert params.get("weight", shape=(4, 0), dtype=np.float32).shape == (4, 3)
    assert params.get("weight", shape=None, init=None) is weight


def test_get_completes_what_is_missing() -> None:
    params = ParameterDict()
    weight = params.get("w")
    assert params.get("w", shape=3, init="ones") is weight
    assert weight.shape == (3,)
    assert weight.init == "ones"


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ({"shape": (2,)}, {"shape": (3,)}, r"exists with shape=\(2,\); it was asked for with shape=\(3,\)"),
        ({"shape": (2,)}, {"shape": (2, 1)}, r"exists with shape=\(2,\)"),
        (
            {"dtype": "float32"},
            {"dtype": "float16"},
            "exists with dtype='float32'; it was asked for with dtype='float16'",
        ),
        ({"grad_req": "add"}, {"grad_req": "write"}, "exists with grad_req='add'"),
    ],
)
def test_get_with_other_attributes(first: Any, second: Any, text: str) -> None:
    params = ParameterDict("net_")
    params.get("w", **first)
    with pytest.raises(ParameterError, match=rf"\[Parameter net_w\] {text}") as caught:
        params.get("w", **second)
    assert "Parameters that layers share must agree" in str(caught.value)


def test_shared_dict_is_asked_first() -> None:
    params = filled()
    other = ParameterDict("net_", shared=params)
    assert list(other) == []
    assert other.get("weight", shape=(2, 3)) is params["net_weight"]
    assert other.get("extra", shape=(1,)) not in list(params.values())
    assert list(other) == ["net_weight", "net_extra"]


def test_constants() -> None:
    params = ParameterDict("net_")
    constant = params.get_constant("c", [[1, 2]])
    assert params.get_constant("c") is constant
    assert params.get_constant("c", [[1, 2]]) is constant
    assert params.get_constant("c", nd.array([[1, 2]])) is constant
    with pytest.raises(ParameterError, match=r"\[Constant net_c\] exists with another value"):
        params.get_constant("c", [[1, 3]])
    with pytest.raises(ParameterError, match="exists with another value"):
        params.get_constant("c", [1, 2])
    with pytest.raises(KeyError, match=r"\[net_d\] there is no such constant; give its value to make it"):
        params.get_constant("d")
    params.get("w", shape=(1,))
    with pytest.raises(ParameterError, match=r"\[Parameter net_w\] exists and is no constant"):
        params.get_constant("w", [1])


def test_update() -> None:
    params, other = ParameterDict(), filled()
    params.update(other)
    params.update(other)
    params.update({"mine": other["net_bias"]})
    assert list(params) == ["net_weight", "net_bias", "mine"]
    with pytest.raises(ParameterError, match=r"two different parameters are called 'net_weight'; rename one block"):
        params.update(filled())


def test_all_at_once() -> None:
    params = filled()
    params.setattr("grad_req", "add")
    params.setattr("lr_mult", 0.5)
    assert [(p.grad_req, p.lr_mult) for p in params.values()] == [("add", 0.5)] * 2
    params["net_bias"].grad()[:] = 3
    params.zero_grad()
    assert params["net_bias"].grad().asnumpy().max() == 0
    params.reset_ctx([mx.cpu(0), mx.cpu(1)])
    assert params.list_ctx() == [mx.cpu(0), mx.cpu(1)]
    params.setattr("grad_req", "null")
    params.zero_grad()


def test_gradients_off_and_on_with_a_constant_inside() -> None:
    params = filled()
    params.get_constant("c", [1])
    with pytest.warns(UserWarning, match='Constant parameter "net_c" does not support grad_req'):
        params.setattr("grad_req", "add")
    assert params["net_weight"].grad_req == "add"


def test_initialize_verbosely(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    params = ParameterDict("net_")
    params.get("weight", shape=(2,))
    with caplog.at_level("INFO"):
        params.initialize(mx.init.One(), verbose=True)
    assert "net_weight" in capsys.readouterr().out + caplog.text
    params.initialize("zeros", force_reinit=True)
    assert params["net_weight"].data().asnumpy().tolist() == [0, 0]


# -- files ----------------------------------------------------------------------------------------------------------


def test_save_and_load(tmp_path: Path) -> None:
    params = filled()
    params["net_bias"].set_data(nd.array([4, 5]))
    params.save(tmp_path / "full.params")
    params.save(tmp_path / "stripped.params", strip_prefix="net_")
    assert sorted(nd.load(str(tmp_path / "stripped.params"))) == ["bias", "weight"]
    for name, restored in (("full", ""), ("stripped", "net_")):
        other = filled()
        other.load(tmp_path / f"{name}.params", restore_prefix=restored)
        assert other["net_bias"].data().asnumpy().tolist() == [4, 5]


def test_save_with_a_prefix_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"the prefix 'other_' cannot be taken off 'net_weight'") as caught:
        filled().save(tmp_path / "x.params", strip_prefix="other_")
    assert "with self.name_scope():" in str(caught.value)
    assert not (tmp_path / "x.params").exists()


def test_load_a_list(tmp_path: Path) -> None:
    nd.save(str(tmp_path / "list.params"), [nd.ones((2,))])
    with pytest.raises(ParameterError, match=r"\[ParameterDict.load\] .*list.params holds a list; expected names"):
        filled().load(tmp_path / "list.params")


def test_load_dict_takes_marks_of_checkpoints() -> None:
    params = filled()
    params.load_dict({"arg:net_weight": nd.zeros((2, 3)), "aux:net_bias": nd.array([7, 8])})
    assert params["net_bias"].data().asnumpy().tolist() == [7, 8]


def test_load_dict_reports_all_problems_and_changes_nothing() -> None:
    params = filled()
    params.get("gamma", shape=(2,)).initialize(mx.init.One())
    params.get("beta", shape=(2,)).initialize(mx.init.One())
    given = {
        "net_weight": nd.zeros((2, 4)),
        "net_bias": nd.zeros((2,)),
        "net_gama": nd.zeros((2,)),
        "net_beta": nd.zeros((2,), dtype="float64"),
    }
    with pytest.raises(ParameterError, match=r"\[load\] the dict does not fit the network \(4 differences\)") as caught:
        params.load_dict(given)
    text = str(caught.value)
    assert "missing in the file: net_gamma (nearest there: net_gama)" in text
    assert "not in the network: net_gama (nearest there: net_gamma)" in text
    assert "net_weight has shape (2, 3); the file has (2, 4)" in text
    assert "net_beta has dtype float32; the file has float64" in text
    assert "Pass allow_missing=True and ignore_extra=True to load the rest." in text
    assert params["net_bias"].data().asnumpy().tolist() == [1, 1]


def test_load_to_a_wrong_context_changes_nothing() -> None:
    params = filled()
    with pytest.raises(ParameterError, match=r"net_weight is on \[cpu\(0\)\]; cannot load it to \[cpu\(1\)\]"):
        params.load_dict({"net_weight": nd.zeros((2, 3)), "net_bias": nd.zeros((2,))}, ctx=mx.cpu(1))
    assert params["net_weight"].data().asnumpy().all()


def test_many_problems_are_cut_short() -> None:
    with pytest.raises(ParameterError, match=r"\.\.\. and 12 more"):
        filled().load_dict({f"x{i}": nd.zeros((1,)) for i in range(30)})


def test_allow_missing_and_ignore_extra() -> None:
    params = filled()
    params.load_dict({"net_bias": nd.zeros((2,)), "foreign": nd.zeros((9,))}, allow_missing=True, ignore_extra=True)
    assert params["net_bias"].data().asnumpy().tolist() == [0, 0]
    assert params["net_weight"].data().asnumpy().all()
    with pytest.raises(ParameterError, match="Pass allow_missing=True to load the rest"):
        params.load_dict({"net_bias": nd.zeros((2,))})
    with pytest.raises(ParameterError, match="Pass ignore_extra=True to load the rest"):
        params.load_dict({"net_bias": nd.zeros((2,)), "foreign": nd.zeros((9,))}, allow_missing=True)


def test_loading_uninitialized_parameters() -> None:
    layer = nn.Dense(2, prefix="net_")
    layer.collect_params().load_dict({"net_weight": nd.ones((2, 3)), "net_bias": nd.zeros((2,))}, ctx=mx.cpu(1))
    assert layer.weight.list_ctx() == [mx.cpu(1)]
    assert layer(nd.ones((1, 3), ctx=mx.cpu(1))).asnumpy().tolist() == [[3, 3]]


def test_public_paths() -> None:
    for kind in (ParameterDict, Parameter, gluon.Constant):
        assert getattr(gluon.parameter, kind.__name__) is kind
        assert str(kind) == f"<class 'mxnet.gluon.parameter.{kind.__name__}'>"


def test_parameters_know_their_block() -> None:
    block = gluon.Block(prefix="mine_")
    assert block.params.get("w")._owner == block.params.get_constant("c", [1])._owner == "Block mine"
    assert isinstance(block.params["mine_w"], Parameter)
