"""Symbol files: bytes as MXNet writes them, every generation read, every fault named, nothing hostile gets through."""

import copy
import gc
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from mxnet.base import MXNetError
from mxnet.error import FileFormatError
from regluon.formats import symbol_json
from regluon.formats.symbol_json import GraphRecord, NodeRecord, read_symbol_json, write_symbol_json

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "symbols"
OLD_FILES = sorted((FIXTURES / "old").glob("*.json"))


def written_by_mxnet() -> list[str]:
    """The text of every graph in the recorded programs."""
    found: dict[str, None] = {}

    def collect(value: Any) -> None:
        if isinstance(value, str) and value.startswith('{\n  "nodes": ['):
            found[value] = None
        for item in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
            collect(item)

    for path in sorted(FIXTURES.glob("*.json")):
        collect(json.loads(path.read_text(encoding="utf-8")))
    return list(found)


TEXTS = written_by_mxnet()
NET: dict[str, Any] = {
    "nodes": [
        {"op": "null", "name": "x", "inputs": []},
        {"op": "null", "name": "w", "attrs": {"__lr_mult__": "2"}, "inputs": []},
        {"op": "FullyConnected", "name": "fc", "attrs": {"num_hidden": "2"}, "inputs": [[0, 0, 0], [1, 0, 0]]},
        {"op": "_foreach", "name": "loop", "inputs": [[2, 0, 0]], "subgraphs": []},
    ],
    "arg_nodes": [0, 1],
    "heads": [[3, 0, 0]],
    "attrs": {"mxnet_version": ["int", 10901]},
}
BODY = {"nodes": [{"op": "null", "name": "inner", "inputs": []}], "arg_nodes": [0], "heads": [[0, 0, 0]]}


def test_there_are_texts_to_compare() -> None:
    assert len(TEXTS) > 150
    assert sum('"subgraphs"' in text for text in TEXTS) >= 5


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_round_trip_is_byte_for_byte(text: str) -> None:
    assert write_symbol_json(read_symbol_json(text)) == text
    assert write_symbol_json(read_symbol_json(text.encode())) == text


@pytest.mark.parametrize("path", OLD_FILES, ids=lambda path: path.stem)
def test_old_files_are_read_and_written_anew(path: Path) -> None:
    record = read_symbol_json(path.read_bytes())
    again = read_symbol_json(write_symbol_json(record))
    assert again.version == symbol_json.VERSION
    again.attrs = record.attrs
    assert again == record


def read(**changes: Any) -> GraphRecord:
    return read_symbol_json(json.dumps({**NET, **changes}))


def test_records() -> None:
    record = read()
    assert [node.op for node in record.nodes] == ["null", "null", "FullyConnected", "_foreach"]
    assert record.nodes[2] == NodeRecord("FullyConnected", "fc", {"num_hidden": "2"}, [(0, 0), (1, 0)])
    assert record.heads == [(3, 0)]
    assert record.version == 10901
    assert record.head_versions == record.nodes[2].versions == []


def test_a_text_without_version_is_taken_for_the_oldest() -> None:
    assert read(attrs={}).version == 800


def test_short_and_long_entries() -> None:
    node = {"op": "BatchNorm", "name": "b", "inputs": [[0, 0], [0, 1, 0], [1, 0, 3]]}
    record = read(nodes=[*NET["nodes"][:2], node], heads=[[2, 0], [1, 0, 2]])
    assert record.nodes[2].inputs == [(0, 0), (0, 1), (1, 0)]
    assert record.nodes[2].versions == [0, 0, 3]
    assert record.head_versions == [0, 2]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"param": {"a": "1"}}, {"a": "1"}),
        ({"attr": {"a": "1"}}, {"a": "1"}),
        ({"param": {"a": "1", "b": "1"}, "attr": {"a": "2"}}, {"a": "2", "b": "1"}),
        ({"attrs": {"a": "1", "b": "1"}, "attr": {"a": "2"}}, {"a": "2"}),
        ({"attr": {"a": "2"}, "attrs": {"a": "1", "b": "1"}}, {"a": "1", "b": "1"}),
        ({"backward_source_id": -1}, {}),
    ],
)
def test_where_attributes_stand(keys: dict[str, Any], expected: dict[str, str]) -> None:
    node = {"op": "null", "name": "x", **keys, "inputs": []}
    assert read(nodes=[node], arg_nodes=[0], heads=[[0, 0]]).nodes[0].attrs == expected


def test_numbers_of_outputs_come_from_the_row_pointers() -> None:
    assert [node.num_outputs for node in read(node_row_ptr=[0, 1, 2, 5, 6]).nodes] == [1, 1, 3, 1]


@pytest.mark.parametrize("offsets", [[], [0, 1], [0, 5, 4, 5, 6], [0, 1, 2, 3, 4, 5]])
def test_row_pointers_that_do_not_fit_are_not_used(offsets: list[int]) -> None:
    assert [node.num_outputs for node in read(node_row_ptr=offsets).nodes] == [1, 1, 1, 1]


def test_nodes_are_put_in_order() -> None:
    nodes = [
        {"op": "relu", "name": "last", "inputs": [[2, 0]], "control_deps": [1]},
        {"op": "null", "name": "x", "inputs": []},
        {"op": "relu", "name": "first", "inputs": [[1, 0]]},
    ]
    record = read(nodes=nodes, arg_nodes=[1], heads=[[0, 0], [1, 0]])
    assert [node.name for node in record.nodes] == ["x", "first", "last"]
    assert [node.inputs for node in record.nodes] == [[], [(0, 0)], [(1, 0)]]
    assert record.nodes[2].control_deps == [0]
    assert record.heads == [(2, 0), (0, 0)]


def test_attributes_of_the_graph() -> None:
    attrs = {"is_np_shape": 1, "note": 'a "b"', "names": ["x", "y"], "sizes": [1, 2]}
    text = write_symbol_json(GraphRecord(attrs=dict(attrs)))
    assert json.loads(text)["attrs"] == {
        "is_np_shape": ["int", 1],
        "mxnet_version": ["int", 10901],
        "names": ["list_str", ["x", "y"]],
        "note": ["str", 'a "b"'],
        "sizes": ["list_int", [1, 2]],
    }
    assert '"attrs": {\n    "is_np_shape": ["int", 1], \n    "mxnet_version": ["int", 10901], \n' in text
    assert read_symbol_json(text).attrs == {**attrs, "mxnet_version": 10901}


def test_text_around_and_marks_before() -> None:
    assert read_symbol_json("\ufeff \n" + json.dumps(NET) + "\n\n") == read()
    assert read_symbol_json(b"\xef\xbb\xbf" + json.dumps(NET).encode()) == read()


def test_names_with_every_character() -> None:
    name = "".join(map(chr, range(1, 300))) + "\u2028☃😀"
    record = GraphRecord([NodeRecord("null", name, {name: name})], [(0, 0)])
    assert read_symbol_json(write_symbol_json(record)).nodes == record.nodes


def changed(path: str, value: Any) -> str:
    """The network with the part at `path` replaced; `path` is keys and indices with slashes between."""
    graph = copy.deepcopy(NET)
    *way, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    part: Any = graph
    for key in way:
        part = part[key]
    part[last] = value
    return json.dumps(graph)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("nodes", {}, "received an object of 0 as nodes; expected a list"),
        ("nodes", None, "received None as nodes; expected a list"),
        ("heads", 3, "received 3 as heads; expected a list"),
        ("heads", [[4, 0, 0]], r"heads\[0\] refers to node 4, but there are 4 nodes"),
        ("heads", [[-1, 0, 0]], r"heads\[0\] refers to node -1, but there are 4 nodes"),
        ("heads", [[0, -1]], r"heads\[0\] has -1 where an output or a version should be"),
        ("heads", [[0, 0, 2**40]], r"heads\[0\] has 1099511627776 where"),
        ("heads", [0], r"received 0 as heads\[0\]; expected \[node, output\] or"),
        ("arg_nodes", [9], r"received 9 as arg_nodes\[0\]; expected one of the 4 nodes"),
        ("arg_nodes", ["0"], r"received '0' as arg_nodes\[0\]"),
        ("arg_nodes", [True], r"received True as arg_nodes\[0\]"),
        ("arg_nodes", "0", "received '0' as arg_nodes; expected a list"),
        ("node_row_ptr", ["0"], r"received '0' as node_row_ptr\[0\]; expected an integer"),
        ("node_row_ptr", 1, "received 1 as node_row_ptr; expected a list"),
        ("extra", 1, "received the unknown key 'extra' of a graph; expected nodes, arg_nodes, heads"),
        ("attrs", [], "received a list of 0 as attrs; expected an object"),
        ("attrs/mxnet_version", 5, r"received 5 for the graph's attribute 'mxnet_version'; expected a pair"),
        ("attrs/mxnet_version", ["int", "5"], "received a list of 2 for the graph's attribute 'mxnet_version'"),
        ("attrs/mxnet_version", ["int", True], "received a list of 2 for the graph's attribute 'mxnet_version'"),
        ("attrs/mxnet_version", ["str", "5"], r"received mxnet_version '5'; expected one such as \[\"int\", 10901\]"),
        ("attrs/mxnet_version", ["int", -1], "received mxnet_version -1"),
        ("attrs/other", ["float", 1.0], "for the graph's attribute 'other'; .* kinds are int, str, list_int, list_str"),
        ("attrs/other", [["int"], 1], "for the graph's attribute 'other'"),
        ("attrs/other", ["list_int", ["1"]], "for the graph's attribute 'other'"),
        ("nodes/2", 7, "node 2: received 7 as a node; expected an object"),
        ("nodes/2/op", 7, r"node 2 \('fc'\): received 7 as op; expected text"),
        ("nodes/2/name", 7, "node 2: received 7 as name; expected text"),
        ("nodes/2/name", None, "node 2: received None as name; expected text"),
        ("nodes/2/extra", 7, r"node 2 \('fc'\): received the unknown key 'extra' of a node"),
        ("nodes/2/inputs", {}, r"node 2 \('fc'\): received an object of 0 as inputs; expected a list"),
        ("nodes/2/inputs/1", [1], r"node 2 \('fc'\): received a list of 1 as inputs\[1\]"),
        ("nodes/2/inputs/1", [1, 0, 0, 0], r"node 2 \('fc'\): received a list of 4 as inputs\[1\]"),
        ("nodes/2/inputs/1", [1, 0.0], r"node 2 \('fc'\): received a list of 2 as inputs\[1\]"),
        ("nodes/2/inputs/1", [1, False], r"node 2 \('fc'\): received a list of 2 as inputs\[1\]"),
        ("nodes/2/inputs/1", [8, 0, 0], r"node 2 \('fc'\): inputs\[1\] refers to node 8, but there are 4"),
        ("nodes/2/inputs/1", [2, 0, 0], r"node 2 \('fc'\): depends on its own output"),
        ("nodes/2/inputs/1", [3, 0, 0], r"node [23] \('(fc|loop)'\): depends on its own output"),
        ("nodes/1/inputs", [[0, 0, 0]], r"node 1 \('w'\): received 1 inputs for a variable; expected none"),
        ("nodes/1/attrs", [], r"node 1 \('w'\): received a list of 0 as attrs; expected an object"),
        ("nodes/1/param", "x", r"node 1 \('w'\): received 'x' as param; expected an object"),
        ("nodes/1/attrs/a", 1, r"node 1 \('w'\): received 1 for 'a' in attrs; expected text, in quotes"),
        ("nodes/1/attr", {"a": None}, r"node 1 \('w'\): received None for 'a' in attr; expected text"),
        ("nodes/1/attrs/a", "\ud800", r"node 1 \('w'\): received 'a' with half of a surrogate pair"),
        ("nodes/1/name", "\udc00", r"node 1 .*: received 'name' with half of a surrogate pair"),
        ("nodes/1/backward_source_id", "1", r"node 1 \('w'\): received backward_source_id '1'; expected an integer"),
        ("nodes/3/control_deps", [9], r"node 3 \('loop'\): received 9 as control_deps\[0\]"),
        ("nodes/3/control_deps", [3], r"node 3 \('loop'\): depends on its own output"),
        ("nodes/3/subgraphs", {}, r"node 3 \('loop'\): received an object of 0 as subgraphs; expected a list"),
        ("nodes/3/subgraphs", [3], r"node 3 \('loop'\), subgraph 0: received 3 as a graph; expected an object"),
        ("nodes/3/subgraphs", [BODY, {**BODY, "heads": [[7, 0]]}], r"node 3 \('loop'\), subgraph 1: heads\[0\] refers"),
        (
            "nodes/3/subgraphs",
            [{**BODY, "nodes": [{"op": 1, "name": "i", "inputs": []}]}],
            r"node 3 \('loop'\), subgraph 0, node 0 \('i'\): received 1 as op",
        ),
    ],
)
def test_faults_are_named(path: str, value: Any, problem: str) -> None:
    with pytest.raises(FileFormatError, match=rf"^\[symbol JSON\] .*{problem}"):
        read_symbol_json(changed(path, value))


@pytest.mark.parametrize("key", ["nodes", "arg_nodes", "heads"])
def test_missing_keys_of_the_graph(key: str) -> None:
    text = json.dumps({name: value for name, value in NET.items() if name != key})
    with pytest.raises(FileFormatError, match=f"a graph without {key}; expected nodes, arg_nodes, heads"):
        read_symbol_json(text)


@pytest.mark.parametrize("key", ["op", "name", "inputs"])
def test_missing_keys_of_a_node(key: str) -> None:
    node = {name: value for name, value in NET["nodes"][0].items() if name != key}
    with pytest.raises(FileFormatError, match=f"node 0.*: a node without {key}; expected op, name, inputs"):
        read_symbol_json(changed("nodes/0", node))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            '"op": "null", "name": "x"',
            '"op": "null", "op": "relu", "name": "x"',
            "node 0 .* the key 'op' of a node twice",
        ),
        ('"num_hidden": "2"', '"num_hidden": "2", "num_hidden": "3"', "the key 'num_hidden' of attrs twice"),
        ('"heads"', '"heads": [], "heads"', "the key 'heads' of a graph twice"),
        ('"num_hidden": "2"', '"num_hidden": NaN', "NaN is no number of JSON"),
        ('"num_hidden": "2"', '"num_hidden": Infinity', "Infinity is no number of JSON"),
        ('"num_hidden": "2"', '"num_hidden": 1e999', "received inf for 'num_hidden'"),
        ("[[3, 0, 0]]", "[[3, 0, " + "9" * 5000 + "]]", "received a number that cannot be read"),
        ("[[3, 0, 0]]", "[[3, 0, " + "9" * 400 + "]]", r"heads\[0\] has 9{60}\.\.\. where"),
    ],
)
def test_faults_in_the_text(old: str, new: str, problem: str) -> None:
    with pytest.raises(FileFormatError, match=problem):
        read_symbol_json(json.dumps(NET).replace(old, new, 1))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "received text that is no JSON, at line 1, column 1"),
        ("{", "no JSON"),
        ("[]", "received a list of 0 as a graph; expected an object"),
        ("3", "received 3 as a graph"),
        (json.dumps(NET) + " more", "no JSON, at line 1, column .*Extra data"),
        ("[" * 100_000, "nested without end"),
        ('{"a":' * 100_000, "nested without end"),
        (b"\xff\xfe{}", "not UTF-8 text at byte 0"),
        (b"\x80\x03}q\x00.", "not UTF-8 text at byte 0"),
        ("<html>", "Is the file complete, and a symbol file?"),
    ],
)
def test_what_is_no_graph(text: str | bytes, problem: str) -> None:
    with pytest.raises(FileFormatError, match=problem):
        read_symbol_json(text)


def test_faults_can_be_caught_as_mxnet_errors_and_stay_short() -> None:
    with pytest.raises(MXNetError) as caught:
        read_symbol_json(changed("nodes/2/name", "n" * 10_000).replace('"inputs": [[0', '"inputs": [[77', 1))
    assert "node 2 ('nnn" in str(caught.value)
    assert len(str(caught.value)) < 300


def nested(depth: int) -> dict[str, Any]:
    graph: dict[str, Any] = copy.deepcopy(BODY)
    for _ in range(depth):
        loop = {"op": "_foreach", "name": "loop", "inputs": [], "subgraphs": [graph]}
        graph = {"nodes": [loop], "arg_nodes": [], "heads": [[0, 0]]}
    return graph


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    read_symbol_json(json.dumps(nested(symbol_json.MAX_DEPTH)))
    with pytest.raises(FileFormatError, match="subgraphs nested more than 32 deep"):
        read_symbol_json(json.dumps(nested(symbol_json.MAX_DEPTH + 1)))
    many = {f"a{i}": "1" for i in range(symbol_json.MAX_ATTRIBUTES + 1)}
    with pytest.raises(FileFormatError, match="received 1025 attrs; expected at most 1024"):
        read_symbol_json(changed("nodes/1/attrs", many))
    with pytest.raises(FileFormatError, match="received 1025 attrs of the graph; expected at most 1024"):
        read_symbol_json(changed("attrs", {key: ["int", 1] for key in many}))
    monkeypatch.setattr(symbol_json, "MAX_NODES", 3)
    with pytest.raises(FileFormatError, match="received 4 nodes; expected at most 3"):
        read()
    monkeypatch.setattr(symbol_json, "MAX_TEXT", 100)
    with pytest.raises(FileFormatError, match=r"received \d+ bytes of text; expected at most 100"):
        read()


SAMPLE = max((text for text in TEXTS if len(text) < 2500), key=len)


def survives(data: str | bytes) -> None:
    """Damaged text is refused with an MXNetError, or still is a graph that can be written."""
    try:
        record = read_symbol_json(data)
    except MXNetError:
        return
    assert read_symbol_json(write_symbol_json(record)).nodes == record.nodes


def test_truncation_never_crashes() -> None:
    for length in range(len(SAMPLE) - 1):
        with pytest.raises(MXNetError):
            read_symbol_json(SAMPLE[:length])


def test_flipped_bytes_never_crash() -> None:
    draw = random.Random(7)
    original = SAMPLE.encode()
    for _ in range(2000):
        data = bytearray(original)
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(len(data))] = draw.choice((draw.randrange(256), *b'"[]{},:0-9\\'))
        survives(bytes(data))


def test_exchanged_parts_never_crash() -> None:
    draw = random.Random(11)
    values = (None, True, -1, 0, 3, 2**63, 1.5, "", "x", [], {}, [0, 0], [[0, 0, 0]], {"a": "b"}, {"nodes": []})
    for _ in range(2000):
        graph = copy.deepcopy(NET)
        part: Any = graph
        while True:
            keys = list(part) if isinstance(part, dict) else list(range(len(part)))
            key = draw.choice(keys)
            if not part[key] or not isinstance(part[key], (dict, list)) or draw.random() < 0.3:
                break
            part = part[key]
        part[key] = draw.choice(values)
        survives(json.dumps(graph))


def seconds(text: str) -> float:
    """Of the processor, the best of three and without the collector: a busy machine must not count."""
    times = []
    gc.disable()
    try:
        for _ in range(3):
            start = time.process_time()
            survives(text)
            times.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(times)


@pytest.mark.parametrize("unit", ["(", "a", "\\\\", '\\"', "((1,", "é", "\\u0041", "0 ", "__", "\t"])
def test_time_is_linear_in_a_hostile_name(unit: str) -> None:
    def text(count: int) -> str:
        return json.dumps(NET).replace('"fc"', '"' + unit * count + '"').replace('"2"', '"' + unit * count + '"')

    assert seconds(text(100_000)) < 30 * seconds(text(10_000)) + 0.05


@pytest.mark.parametrize("backwards", [False, True])
def test_time_is_linear_in_a_long_chain(backwards: bool) -> None:
    def text(count: int) -> str:
        nodes = [{"op": "null", "name": "x", "inputs": []}]
        nodes += [{"op": "relu", "name": f"r{i}", "inputs": [[i, 0, 0]]} for i in range(count)]
        if backwards:
            nodes.reverse()
            for node in nodes:
                node["inputs"] = [[count - source, 0, 0] for source, _, _ in node["inputs"]]
        return json.dumps({"nodes": nodes, "arg_nodes": [], "heads": [[0, 0]]})

    assert seconds(text(3_000)) < 30 * seconds(text(300)) + 0.1
