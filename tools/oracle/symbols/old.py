"""Small symbol files in the layouts of old versions of MXNet, written by hand.

0.8 and before: `param`, a separate `attr`, `backward_source_id`, pairs as inputs, no auxiliary states, no version.
0.9: `attr` holds both, auxiliary states are inputs, triples, `node_row_ptr`, a version. 1.0: `attrs`.
"""

from __future__ import annotations

import json
from typing import Any

Node = dict[str, Any]


def variable(name: str, **fields: Any) -> Node:
    return node("null", name, **fields)


def node(op: str, name: str, *inputs: int | tuple[int, ...], **fields: Any) -> Node:
    """A node; an input is the index of a node, or everything the file has for it."""
    listed = [[entry, 0] if isinstance(entry, int) else list(entry) for entry in inputs]
    return {"op": op, "name": name, **fields, "inputs": listed}


def first(*nodes: Node, heads: tuple[tuple[int, ...], ...] = ()) -> str:
    """A file as 0.5 to 0.8 wrote it."""
    written = [
        {
            "op": given["op"],
            "param": given.get("param", {}),
            "name": given["name"],
            "inputs": given["inputs"],
            "backward_source_id": -1,
            **({"attr": given["attr"]} if "attr" in given else {}),
        }
        for given in nodes
    ]
    return _text(written, heads, {})


def later(version: int, *nodes: Node, heads: tuple[tuple[int, ...], ...] = ()) -> str:
    """A file as 0.9 and later wrote it; with the version 0 it does not say which."""
    written = [{**given, "inputs": [[*entry, 0][:3] for entry in given["inputs"]]} for given in nodes]
    more: Node = {"node_row_ptr": list(range(len(nodes) + 1))}
    if version:
        more["attrs"] = {"mxnet_version": ["int", version]}
    return _text(written, heads, more)


def _text(nodes: list[Node], heads: tuple[tuple[int, ...], ...], more: Node) -> str:
    variables = [index for index, given in enumerate(nodes) if given["op"] == "null"]
    ends = [list(head) for head in heads] or [[len(nodes) - 1, 0]]
    return json.dumps({"nodes": nodes, "arg_nodes": variables, "heads": ends, **more}, indent=2) + "\n"


_DATA = variable("data")
_NORM = {"eps": "0.001", "momentum": "0.9", "fix_gamma": "True", "use_global_stats": "False"}
_NORMALIZED = (_DATA, variable("bn_gamma"), variable("bn_beta"), variable("bn_moving_mean"), variable("bn_moving_var"))
_DENSE = (_DATA, variable("fc_weight"), variable("fc_bias"))
_AXIS = {"axis": "-1"}


def _arithmetic() -> str:
    ops = ("_PlusScalar", "_MinusScalar", "_RMinusScalar", "_MulScalar", "_DivScalar", "_RDivScalar", "_PowerScalar")
    nodes = [_DATA, node("_Plus", "add", 0, 0), node("_Minus", "sub", 1, 0), node("_Mul", "mul", 2, 0)]
    nodes += [node("_Div", "div", 3, 0), node("_Power", "pow", 4, 0), node("_Maximum", "max", 5, 0)]
    for op in ops:
        nodes.append(node(op, op.strip("_").lower(), len(nodes) - 1, param={"scalar": "2"}))
    nodes.append(node("ElementWiseSum", "sum", len(nodes) - 1, 0, param={"num_args": "2"}))
    return first(*nodes)


FILES: dict[str, str] = {
    "v08_mlp": first(
        _DATA,
        variable("fc1_weight"),
        variable("fc1_bias"),
        node("FullyConnected", "fc1", 0, 1, 2, param={"no_bias": "False", "num_hidden": "4"}),
        node("Activation", "relu1", 3, param={"act_type": "relu"}),
        variable("fc2_weight"),
        variable("fc2_bias"),
        node("FullyConnected", "fc2", 4, 5, 6, param={"no_bias": "False", "num_hidden": "3"}),
        variable("softmax_label"),
        node(
            "SoftmaxOutput", "softmax", 7, 8, param={"grad_scale": "1", "ignore_label": "-1", "multi_output": "False"}
        ),
    ),
    "v08_batch_norm": first(
        _DATA,
        variable("conv_weight"),
        node(
            "Convolution", "conv", 0, 1, param={"kernel": "(3,3)", "num_filter": "8", "no_bias": "True", "pad": "(1,1)"}
        ),
        variable("bn_gamma"),
        variable("bn_beta"),
        node("BatchNorm", "bn", 2, 3, 4, param=_NORM),
        node("Activation", "relu", 5, param={"act_type": "relu"}),
        node("Pooling", "pool", 6, param={"kernel": "(2,2)", "pool_type": "max", "stride": "(2,2)"}),
        node("Flatten", "flatten", 7),
    ),
    "v08_hidden_keys": first(
        variable("data", attr={"ctx_group": "dev1", "lr_mult": "0.5"}),
        variable("w", attr={"wd_mult": "0", "__init__": "zeros"}),
        variable("b"),
        node(
            "FullyConnected",
            "fc",
            *(0, 1, 2),
            param={"num_hidden": "4"},
            attr={"ctx_group": "dev2", "force_mirroring": "True", "mirror_stage": "1", "__mood__": "good"},
        ),
    ),
    "v08_prefixed_keys": first(
        _DATA,
        variable("w", attr={"lr_mult": "9"}),
        variable("b"),
        node("Convolution", "c", 0, 1, 2, param={"kernel": "(1,1)", "num_filter": "2"}, attr={"weight_lr_mult": "2"}),
        variable("g"),
        variable("z"),
        node("BatchNorm", "bn", 3, 4, 5, param=_NORM, attr={"gamma_wd_mult": "0", "beta_lr_mult": "3", "lr_mult": "7"}),
    ),
    "v08_no_weights": first(
        _DATA,
        node("FullyConnected", "fc", 0, param={"num_hidden": "4"}),
        node("LeakyReLU", "prelu", 1, param={"act_type": "prelu"}),
        node("LeakyReLU", "leaky", 2, param={"act_type": "leaky"}),
        node("SoftmaxOutput", "softmax", 3),
    ),
    "v08_recurrent": first(
        _DATA, node("RNN", "rnn", 0, param={"state_size": "2", "num_layers": "1", "mode": "lstm"}), heads=((1, 0),)
    ),
    "v08_upsampling": first(
        _DATA,
        node(
            "UpSampling", "up", 0, param={"scale": "2", "sample_type": "bilinear", "num_filter": "1", "num_args": "2"}
        ),
    ),
    "v08_two_norms": first(
        _DATA,
        variable("gamma"),
        variable("beta"),
        node("BatchNorm", "a", 0, 1, 2, param=_NORM, attr={"ctx_group": "x"}),
        node("BatchNorm", "b", 3, 1, 2, param=_NORM),
        node("_Plus", "sum", 3, 4),
        heads=((5, 0), (4, 0)),
    ),
    "v08_arithmetic": _arithmetic(),
    "v08_renamed": first(
        _DATA,
        node("Concat", "cat", 0, 0, param={"num_args": "2", "dim": "1"}),
        node("SliceChannel", "parts", 1, param={"num_outputs": "2"}),
        node("SwapAxis", "swap", (2, 1), param={"dim1": "0", "dim2": "1"}),
        node("Reshape", "reshape", 3, param={"target_shape": "(0,4)"}),
        node("BlockGrad", "block", 4),
        node("sum_axis", "total", 5, param={"axis": "1"}),
        variable("softmax_label"),
        node("Softmax", "softmax", 6, 7),
    ),
    "v08_argmax": first(
        _DATA, node("argmax", "a", 0, param=_AXIS), node("argmin", "b", 0, param=_AXIS), heads=((1, 0), (2, 0))
    ),
    "v08_both_keys": first(
        variable("data", param={"p": "param", "q": "param"}, attr={"p": "attr", "lr_mult": "2"}), node("relu", "r", 0)
    ),
    "v090_batch_norm": later(
        900, *_NORMALIZED, node("BatchNorm", "bn", 0, 1, 2, (3, 0, 1), (4, 0, 1), attr=_NORM), heads=((5, 0, 0),)
    ),
    "v090_no_states": later(
        900, *_NORMALIZED[:3], node("BatchNorm", "bn", 0, 1, 2, attr=_NORM), node("relu", "r", 3), heads=((4, 0, 0),)
    ),
    "v093_initializers": later(
        903,
        *_NORMALIZED[:4],
        variable("bn_moving_var", attr={"__init__": "mine"}),
        node("BatchNorm", "bn", 0, 1, 2, (3, 0, 1), (4, 0, 1), attr=_NORM),
        variable("slope"),
        node("LeakyReLU", "prelu", 5, 6, attr={"act_type": "prelu"}),
        heads=((7, 0, 0),),
    ),
    "v094_initializers": later(
        904, *_NORMALIZED, node("BatchNorm", "bn", 0, 1, 2, (3, 0, 1), (4, 0, 1), attr=_NORM), heads=((5, 0, 0),)
    ),
    "v094_argmax": later(904, _DATA, node("argmax", "a", 0, attr={**_AXIS, "keepdims": "True"}), heads=((1, 0, 0),)),
    "v095_argmax": later(905, _DATA, node("argmax", "a", 0, attr=_AXIS), heads=((1, 0, 0),)),
    "v011_hidden_keys": later(
        1100,
        *_DENSE,
        node("FullyConnected", "fc", 0, 1, 2, attr={"num_hidden": "4", "weight_lr_mult": "2", "ctx_group": "g"}),
        heads=((3, 0, 0),),
    ),
    "v011_both_layouts": later(
        1100,
        variable("data", attr={"lr_mult": "1", "p": "attr"}, attrs={"wd_mult": "2", "p": "attrs"}),
        node("relu", "r", 0),
        heads=((1, 0, 0),),
    ),
    "v012_attrs_then_attr": later(
        1200,
        variable("data", attrs={"wd_mult": "2", "p": "attrs"}, attr={"lr_mult": "1", "p": "attr"}),
        node("relu", "r", 0),
        heads=((1, 0, 0),),
    ),
    "v100_resnet": later(
        10000,
        _DATA,
        variable("w", attrs={"__shape__": "(4, 2, 3, 3)", "__lr_mult__": "0.1"}),
        node(
            "Convolution",
            "conv",
            0,
            1,
            attrs={"kernel": "(3, 3)", "num_filter": "4", "no_bias": "True", "pad": "(1, 1)"},
        ),
        *(variable(f"bn_{name}") for name in ("gamma", "beta", "moving_mean", "moving_var")),
        node("BatchNorm", "bn", 2, 3, 4, (5, 0, 1), (6, 0, 1), attrs={"eps": "1e-05", "fix_gamma": "False"}),
        node("Activation", "relu", 7, attrs={"act_type": "relu"}),
        node("elemwise_add", "plus", 8, 2),
        node("Pooling", "pool", 9, attrs={"global_pool": "True", "kernel": "(1, 1)", "pool_type": "avg"}),
        heads=((10, 0, 0),),
    ),
    "v190_hidden_stay": later(10900, variable("data", attrs={"lr_mult": "2"}), heads=((0, 0, 0),)),
    "v191_hidden_stay": later(10901, variable("data", attrs={"lr_mult": "2"}), heads=((0, 0, 0),)),
    "v200_newer": later(20000, variable("data", attrs={"lr_mult": "2"}), node("relu", "r", 0), heads=((1, 0, 0),)),
    "no_version": later(0, _DATA, node("argmax", "a", 0, attr=_AXIS), heads=((1, 0, 0),)),
    "out_of_order": later(
        10900,
        node("relu", "last", 1),
        node("elemwise_add", "middle", 2, 3),
        variable("x"),
        node("sigmoid", "first", 2),
        heads=((0, 0, 0), (3, 0, 0)),
    ),
    "unused_nodes": later(
        10900, _DATA, variable("unused"), node("relu", "r", 0), node("relu", "dead", 1), heads=((2, 0, 0),)
    ),
    "versions": later(10901, _DATA, node("relu", "r", (0, 0, 3)), heads=((1, 0, 2), (0, 0, 4))),
    "controls": later(
        10901, _DATA, node("relu", "r", 0), node("sigmoid", "s", 0, control_deps=[1]), heads=((2, 0, 0),)
    ),
}
