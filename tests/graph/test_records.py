"""Symbol files whose counts, places and parameters cannot be: refused when they are loaded or inferred, by name."""

import json
from typing import Any

import pytest

import mxnet as mx
from mxnet import sym
from mxnet.base import MXNetError
from regluon.graph.node import MAX_OUTPUTS


def _text(op: str, attrs: dict[str, str], num_inputs: int = 1, subgraphs: Any = None) -> str:
    nodes: list[dict[str, Any]] = [{"op": "null", "name": f"x{place}", "inputs": []} for place in range(num_inputs)]
    node = {"op": op, "name": "n", "attrs": attrs, "inputs": [[place, 0, 0] for place in range(num_inputs)]}
    if subgraphs is not None:
        node["subgraphs"] = subgraphs
    graph = {"nodes": [*nodes, node], "arg_nodes": list(range(num_inputs)), "heads": [[num_inputs, 0, 0]]}
    return json.dumps({**graph, "attrs": {"mxnet_version": ["int", 10901]}})


def _foreach(**changes: str) -> str:
    x = sym.var("x")
    out, _ = sym.contrib.foreach(lambda item, state: (item + state, item + state), x, sym.var("s"))
    graph = json.loads(out.tojson())
    next(node for node in graph["nodes"] if node["op"] == "_foreach")["attrs"].update(changes)
    return json.dumps(graph)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (_text("SliceChannel", {"num_outputs": "4294967296"}), rf"4294967296 outputs; expected at most {MAX_OUTPUTS}"),
        (_text("SliceChannel", {"num_outputs": "60000"}), r"its 2 nodes ask for 60000 outputs; expected at most 32800"),
        (_text("SliceChannel", {"num_outputs": "-2"}), "-2 outputs"),
        (_text("SliceChannel", {"num_outputs": "9" * 40}), "expected an integer"),
        (_text("_ones", {"shape": "(2,)", "dtype": ",loat32"}, 0), "expected a dtype"),
        (_text("relu", {}, 1, [json.loads(sym.var("x").tojson())]), "received 1 subgraphs; only _foreach"),
        (_foreach(in_data_locs="[7]"), "do not list each of them once"),
        (_foreach(num_outputs="5"), r"gives 2 results; expected 5"),
        (_foreach(num_out_data="0"), "received 1 states; expected 2"),
    ],
    ids=["count", "proportion", "negative", "long", "dtype", "subgraphs", "places", "results", "states"],
)
def test_refused_at_loading(text: str, problem: str) -> None:
    with pytest.raises(MXNetError, match=problem):
        mx.sym.load_json(text)


@pytest.mark.parametrize(
    ("text", "shapes", "problem"),
    [
        (_text("InstanceNorm", {}, 3), {"x0": (4,)}, r"expected \(batch, channels"),
        (_text("_npi_stack", {"num_args": "0"}, 0), {}, "_npi_stack"),
        (
            _text("RNN", {"state_size": "2", "num_layers": "99999999", "mode": "gru"}, 3),
            {"x0": (3, 2, 4)},
            "num_layers=99999999; expected 1 to",
        ),
        (_text("SequenceReverse", {"axis": "1000"}), {"x0": (3, 2)}, "axis"),
        (
            _text("RNN", {"state_size": "-1", "num_layers": "2", "mode": "gru"}, 3),
            {"x0": (3, 2, 4)},
            r"its input parameters would have the shape \(-\d+,\); expected no negative length",
        ),
        (
            _text("UpSampling", {"scale": "2", "sample_type": "nearest"}),
            {"x0": (4,)},
            "expected inputs of 4 dimensions",
        ),
        (_text("relu", {}), {"x0": (1 << 70,)}, "received .1180591620717411303424,"),
    ],
    ids=["InstanceNorm", "stack", "RNN", "SequenceReverse", "RNN-size", "UpSampling", "length"],
)
def test_refused_at_inference(text: str, shapes: dict[str, Any], problem: str) -> None:
    with pytest.raises(MXNetError, match=problem):
        mx.sym.load_json(text).simple_bind(mx.cpu(), **shapes).forward()
