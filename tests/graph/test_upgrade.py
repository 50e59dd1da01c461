"""Graphs of old files become what a real MXNet made of them: see tools/oracle/symbols/old.py."""

import json
from pathlib import Path
from typing import Any

import pytest

from mxnet.error import FileFormatError
from regluon.formats.symbol_json import VERSION, GraphRecord, NodeRecord, read_symbol_json
from regluon.graph.upgrade import upgrade
from regluon.ops import registry

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "symbols"
OLD_FILES = json.loads((FIXTURES / "old_files.json").read_text(encoding="utf-8"))


def reachable(record: GraphRecord) -> list[list[Any]]:
    """The nodes that the heads depend on, in the order MXNet lists them; without counts of writes."""
    place: dict[int, int] = {}

    def visit(index: int) -> None:
        if index not in place:
            for source, _ in record.nodes[index].inputs:
                visit(source)
            for source in record.nodes[index].control_deps:
                visit(source)
            place[index] = len(place)

    for head, _ in record.heads:
        visit(head)
    nodes = []
    for index in place:
        node = record.nodes[index]
        op = node.op if node.op == "null" else registry.find(node.op).name
        nodes.append([op, node.name, node.attrs, [(place[source], output) for source, output in node.inputs]])
    return [*nodes, [(place[source], output) for source, output in record.heads]]


@pytest.mark.parametrize("name", OLD_FILES)
def test_file(name: str) -> None:
    text = (FIXTURES / "old" / f"{name}.json").read_text(encoding="utf-8")
    upgraded = upgrade(read_symbol_json(text))
    assert upgraded.version == VERSION
    assert reachable(upgraded) == reachable(read_symbol_json(OLD_FILES[name]["json"]))


def graph(*nodes: NodeRecord, version: int = 800) -> GraphRecord:
    return GraphRecord(list(nodes), [(len(nodes) - 1, 0)], {"mxnet_version": version})


def test_the_given_graph_stays() -> None:
    record = read_symbol_json((FIXTURES / "old" / "v08_hidden_keys.json").read_text(encoding="utf-8"))
    before = repr(record)
    upgrade(record)
    assert repr(record) == before


def test_a_new_graph_is_not_changed() -> None:
    record = graph(NodeRecord("null", "x", {"lr_mult": "2"}), version=VERSION)
    assert upgrade(record) == record


def test_a_key_of_an_input_that_is_no_variable_stays() -> None:
    nodes = (
        NodeRecord("null", "x"),
        NodeRecord("relu", "w", inputs=[(0, 0)]),
        NodeRecord("FullyConnected", "f", {"num_hidden": "2", "weight_lr_mult": "3"}, [(0, 0), (1, 0)]),
    )
    assert upgrade(graph(*nodes, version=1000)).nodes[2].attrs == {"num_hidden": "2", "weight_lr_mult": "3"}


def test_a_key_of_an_input_that_is_not_there_stays() -> None:
    node = NodeRecord("FullyConnected", "f", {"num_hidden": "2", "bias_lr_mult": "3"}, [(0, 0)])
    assert upgrade(graph(NodeRecord("null", "x"), node, version=1000)).nodes[1].attrs == node.attrs


def test_an_initializer_stays() -> None:
    slope = NodeRecord("null", "slope", {"__init__": "mine"})
    node = NodeRecord("LeakyReLU", "l", {"act_type": "prelu"}, [(0, 0), (1, 0)])
    assert upgrade(graph(NodeRecord("null", "x"), slope, node)).nodes[1].attrs == {"__init__": "mine"}


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (NodeRecord("Nothing", "n", inputs=[(0, 0)]), r"node 1 \('n'\): .*no operator 'Nothing'"),
        (NodeRecord("FullyConnected", "f", {}, [(0, 0)]), r"node 1 \('f'\): .*num_hidden is required"),
        (NodeRecord("BatchNorm", "b", {"q": "1"}, [(0, 0)]), r"node 1 \('b'\): .*unknown parameter 'q'"),
    ],
)
def test_what_cannot_be_read_is_named(node: NodeRecord, text: str) -> None:
    with pytest.raises(FileFormatError, match=text):
        upgrade(graph(NodeRecord("null", "x"), node))
