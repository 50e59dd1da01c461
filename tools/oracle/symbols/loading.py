"""Graphs read from text: old generations at work."""

from tools.oracle.symbols import Entry, group
from tools.oracle.symbols.old import FILES


def _about(file: str, *expressions: str) -> list[Entry]:
    return group(file, f"s = sym.load_json({FILES[file]!r})", *expressions)


ENTRIES: list[Entry] = [
    *_about(
        "v08_mlp",
        "s.infer_shape(data=(2, 5))",
        "s.infer_type(data='float16')",
        "s.eval(data=nd.ones((1, 2)), fc1_weight=nd.ones((4, 2)), fc1_bias=nd.zeros(4), fc2_weight=nd.ones((3, 4)), "
        "fc2_bias=nd.array([0, 1, 2]), softmax_label=nd.zeros(1))",
    ),
    *_about("v08_batch_norm", "s.infer_shape(data=(2, 3, 6, 6))", "s.get_internals().list_outputs()"),
    *_about("v08_hidden_keys", "s.attr_dict()", "s.attr('ctx_group')", "s.list_attr()"),
    *_about("v08_prefixed_keys", "s.attr_dict()"),
    *_about("v08_no_weights", "s.infer_shape(data=(2, 5))", "s.debug_str()"),
    *_about("v08_arithmetic", "s.eval(data=nd.array([1, 2, 3]))"),
    *_about("v08_renamed", "s.infer_shape(data=(2, 4, 1, 1))[1]"),
    *_about("v08_argmax", "s.eval(data=nd.array([[1, 5], [7, 0]]))"),
    *_about("v095_argmax", "s.eval(data=nd.array([[1, 5], [7, 0]]))"),
    *_about("v100_resnet", "s.infer_shape(data=(1, 2, 4, 4))", "s.list_inputs()", "repr(s)"),
    *_about("out_of_order", "s.eval(x=nd.array([-1, 2]))"),
    *_about("v08_two_norms", "s.list_auxiliary_states()", "s.infer_shape(data=(2, 3))"),
]
