"""Networks that MXNet has fused for oneDNN, as it saves them, back to ordinary operators.

MXNet replaces a convolution and what follows it by one node, `_sg_mkldnn_conv`, that has them as its body; dense
layers become `_sg_mkldnn_fully_connected`. In quantized networks these nodes take and give 8 bits with their ranges.
Here the body takes the node's place, between a dequantization of its inputs and a quantization of its result.
"""

from dataclasses import replace

from ..errors import FileFormatError
from ..formats.symbol_json import VARIABLE, GraphRecord, NodeRecord
from ..ops.registry import find

_CONVOLUTION, _DENSE = "_sg_mkldnn_conv", "_sg_mkldnn_fully_connected"
_Place = tuple[int, int]  # a node of the graph, and one of its outputs


def expanded(record: GraphRecord) -> GraphRecord:
    """The graph with bodies in the place of fused nodes; the given one if it has none."""
    if not any(node.op in (_CONVOLUTION, _DENSE) for node in record.nodes):
        return record
    return _Expansion(record).run()


class _Expansion:
    """A graph while its fused nodes are replaced."""

    def __init__(self, record: GraphRecord) -> None:
        self._record = record
        self._nodes: list[NodeRecord] = []
        self._places: list[_Place] = []  # for each node of the file, where its outputs begin now

    def run(self) -> GraphRecord:
        """The graph without fused nodes."""
        for index, node in enumerate(self._record.nodes):
            if node.op in (_CONVOLUTION, _DENSE):
                self._places.append(self._expand(node, index))
            else:
                inputs = [self._place(source) for source in node.inputs]
                control_deps = [self._places[earlier][0] for earlier in node.control_deps]
                self._places.append((self._add(replace(node, inputs=inputs, control_deps=control_deps)), 0))
        heads = [self._place(head) for head in self._record.heads]
        return replace(self._record, nodes=self._nodes, heads=heads, head_versions=[])

    def _place(self, source: _Place) -> _Place:
        return _output(self._places[source[0]], source[1])

    def _add(self, node: NodeRecord) -> int:
        self._nodes.append(replace(node, versions=[]))
        return len(self._nodes) - 1

    def _expand(self, node: NodeRecord, index: int) -> _Place:
        """Adds the body of a fused node, and says where the node's outputs begin then."""
        if len(node.subgraphs) != 1 or len(node.subgraphs[0].heads) != 1:
            raise _fault(node, index, "has no body with one result; expected the operators that were fused")
        body = node.subgraphs[0]
        given = [self._place(source) for source in node.inputs]
        num_variables = sum(each.op == VARIABLE for each in body.nodes)
        sources = self._dequantized(node, index, given, num_variables)
        result = self._body(node, body, sources)
        if not _is_true(node, "quantized") or _is_true(node, "enable_float_output"):
            return result
        ranges: dict[str, str] = {
            key: node.attrs[key] for key in ("min_calib_range", "max_calib_range") if key in node.attrs
        }
        if len(ranges) < 2:
            raise _fault(
                node,
                index,
                "was quantized without calibration, so its result has no range; expected min_calib_range and "
                "max_calib_range. Quantize the network again with calib_mode 'naive' or 'entropy'",
            )
        quantize = NodeRecord("_contrib_quantize_v2", node.name, {"out_type": "auto", **ranges}, [result])
        return self._add(replace(quantize, num_outputs=3)), 0

    def _dequantized(self, node: NodeRecord, index: int, given: list[_Place], num_variables: int) -> list[_Place]:
        """What the body's variables are, in single precision. Ranges of those in 8 bits come after all inputs."""
        sources, ranges = given[:num_variables], given[num_variables:]
        is_dense = node.op == _DENSE
        quantized = {0: [], 2: [0], 4: [0, 1] if is_dense else [0, num_variables - 1], 6: [0, 1, 2]}.get(len(ranges))
        if quantized is None or len(sources) != num_variables or any(place >= num_variables for place in quantized):
            raise _fault(
                node,
                index,
                f"has {len(given)} inputs, and {num_variables} variables in its body; expected one input for each, and "
                "a least and a largest number for those in 8 bits",
            )
        for count, place in enumerate(quantized):
            name = f"{node.name}_dequantize{count}"
            inputs = [sources[place], *ranges[2 * count : 2 * count + 2]]
            sources[place] = (self._add(NodeRecord("_contrib_dequantize", name, {}, inputs)), 0)
        return sources

    def _body(self, node: NodeRecord, body: GraphRecord, sources: list[_Place]) -> _Place:
        """Adds the operators of a body; says where its result is."""
        variables = iter(sources)
        places: list[_Place] = []
        for inner in body.nodes:
            if inner.op == VARIABLE:
                places.append(next(variables))
                continue
            inputs = [_output(places[number], output) for number, output in inner.inputs]
            attrs = dict(inner.attrs)
            if "use_global_stats" in find(inner.op).params:
                attrs["use_global_stats"] = "True"  # its averages were folded into the weights
            places.append((self._add(replace(inner, name=f"{node.name}_{inner.name}", attrs=attrs, inputs=inputs)), 0))
        head, output = body.heads[0]
        return _output(places[head], output)


def _output(begin: _Place, number: int) -> _Place:
    """An output of a node whose first one is at `begin`."""
    return begin[0], begin[1] + number


def _is_true(node: NodeRecord, key: str) -> bool:
    return node.attrs.get(key, "false").lower() in ("true", "1")


def _fault(node: NodeRecord, index: int, what: str) -> FileFormatError:
    return FileFormatError(f"[symbol JSON] node {index} ({node.name!r}, {node.op}) {what}.")
