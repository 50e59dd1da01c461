"""Short programs with the recurrent cells of `mx.rnn`; see module_programs.py."""

SETUP = '''
import hashlib

def flat(states):
    return [each for state in states for each in (flat(state) if isinstance(state, list) else [state])]

def filled(executor):
    for place, name in enumerate(sorted(executor.arg_dict)):
        executor.arg_dict[name][:] = values(*executor.arg_dict[name].shape, seed=place, scale=0.4)
    return executor

def unrolled(cell, ways=(("NTC", None), ("NTC", True), ("TNC", False)), shape=(4,)):
    """For each way the graph's digest, its arguments and outputs; the cell's weights apart and together again."""
    found = []
    for layout, merge in ways:
        with mx.name.NameManager():
            outputs, states = cell.unroll(3, sym.Variable("data"), layout=layout, merge_outputs=merge)
        outputs = [outputs] if isinstance(outputs, sym.Symbol) else list(outputs)
        net = sym.Group(outputs + flat(states))
        executor = filled(net.simple_bind(mx.cpu(), data=((2, 3) if layout == "NTC" else (3, 2)) + shape))
        found.append([hashlib.sha256(net.tojson().encode()).hexdigest(), net.list_arguments(), executor.forward()])
    weights = {name: nd.array(array.asnumpy()) for name, array in executor.arg_dict.items() if name != "data"}
    apart = cell.unpack_weights(weights)
    together = cell.pack_weights(apart)
    same = all((together[name].asnumpy() == weights[name].asnumpy()).all() for name in weights)
    return {"ways": found, "apart": {name: [array.shape, array[0]] for name, array in apart.items()}, "same": same,
            "info": cell.state_info, "begin": [each.name for each in flat(cell.begin_state())]}
'''

CELLS = {
    "rnn": "result = unrolled(mx.rnn.RNNCell(4, prefix='a_'))",
    "rnn_relu": "result = unrolled(mx.rnn.RNNCell(4, activation='relu'))",
    "lstm": "result = unrolled(mx.rnn.LSTMCell(4, forget_bias=2.0))",
    "gru": "result = unrolled(mx.rnn.GRUCell(4))",
    **{
        f"fused_{mode}_{bidirectional}": f"""
cell = mx.rnn.FusedRNNCell(3, 2, {mode!r}, bidirectional={bidirectional}, get_next_state=True, dropout=0.2)
result = {{"fused": unrolled(cell), "plain": unrolled(cell.unfuse())}}
"""
        for mode, bidirectional in (
            ("rnn_tanh", False),
            ("rnn_relu", True),
            ("lstm", True),
            ("lstm", False),
            ("gru", True),
        )
    },
    "stack": """
cell = mx.rnn.SequentialRNNCell()
cell.add(mx.rnn.LSTMCell(4, prefix="a_"))
cell.add(mx.rnn.DropoutCell(0.3))
cell.add(mx.rnn.ResidualCell(mx.rnn.GRUCell(4, prefix="b_")))
result = unrolled(cell)
""",
    "residual": "result = unrolled(mx.rnn.ResidualCell(mx.rnn.RNNCell(4)), (('NTC', True), ('TNC', False)))",
    "zoneout": "result = unrolled(mx.rnn.ZoneoutCell(mx.rnn.LSTMCell(4), 0.2, 0.3), (('NTC', None), ('TNC', True)))",
    "directions": "result = unrolled(mx.rnn.BidirectionalCell(mx.rnn.LSTMCell(4, 'x_'), mx.rnn.GRUCell(4, 'y_')))",
    "directions_below": """
cell = mx.rnn.SequentialRNNCell()
cell.add(mx.rnn.BidirectionalCell(mx.rnn.LSTMCell(2, "x_"), mx.rnn.LSTMCell(2, "y_")))
cell.add(mx.rnn.RNNCell(4, prefix="top_"))
result = unrolled(cell)
""",
    **{
        f"convolutional_{kind.lower()}": f"""
cell = mx.rnn.Conv{kind}Cell((2, 3, 4, 4), 2)
result = unrolled(cell, (("NTC", True),), (3, 4, 4))
"""
        for kind in ("RNN", "LSTM", "GRU")
    },
    "convolutional_shapes": """
cell = mx.rnn.ConvLSTMCell((2, 3, 7, 7), 2, h2h_kernel=(5, 3), i2h_kernel=(3, 3), i2h_stride=(2, 2), i2h_pad=(0, 0),
                           h2h_dilate=(1, 2), activation="tanh", prefix="c_", i2h_bias_initializer="ones")
outputs, states = cell.unroll(2, sym.Variable("data"), merge_outputs=True)
executor = filled(sym.Group([outputs] + states).simple_bind(mx.cpu(), data=(2, 2, 3, 7, 7)))
result = {"outputs": executor.forward(), "info": cell.state_info,
          "init": {name: each.get("__init__") for name, each in outputs.attr_dict().items() if name.endswith("bias")}}
""",
    "steps": """
shared = mx.rnn.RNNParams("s_")
first, second = mx.rnn.LSTMCell(3, params=shared, prefix="p_"), mx.rnn.LSTMCell(3, params=shared, prefix="q_")
one, states = first(sym.Variable("x0"), first.begin_state(func=sym.Variable))
two, states = second(sym.Variable("x1"), states)
result = {"arguments": sym.Group([two] + states).list_arguments(), "names": [one.name, two.name],
          "shapes": first.state_shape}
""",
    "first_values": """
outputs, _ = mx.rnn.FusedRNNCell(3, 1, "lstm", prefix="f_").unroll(2, sym.Variable("data"), layout="TNC")
module = mx.mod.Module(outputs, label_names=None)
module.bind([mx.io.DataDesc("data", (2, 4, 3), layout="TNC")])
module.init_params(mx.init.Constant(0.25))
outputs, _ = mx.rnn.LSTMCell(3, prefix="g_", forget_bias=3.0).unroll(2, sym.Variable("data"), merge_outputs=True)
other = mx.mod.Module(outputs, label_names=None)
other.bind([("data", (4, 2, 3))])
other.init_params(mx.init.Constant(0.25))
result = {"fused": trained(module), "plain": trained(other)}
""",
    "files": """
cell = mx.rnn.FusedRNNCell(3, 1, "lstm", prefix="f_")
outputs, _ = cell.unroll(2, sym.Variable("data"), layout="TNC", merge_outputs=True)
weights = {"f_parameters": nd.array(values(96, seed=2))}
mx.rnn.do_rnn_checkpoint(cell, folder + "/cell", 2)(1, outputs, weights, {})
plain = cell.unfuse()
symbol, args, auxs = mx.rnn.load_rnn_checkpoint(plain, folder + "/cell", 2)
_, again, _ = mx.rnn.load_rnn_checkpoint([cell], folder + "/cell", 2)
result = {"args": args, "again": again, "arguments": symbol.list_arguments()}
""",
    "sentences": """
import random
lines = [["a", "b"], ["b", "c", "a"], ["d"], ["a", "a", "b"], ["c", "b"], ["b", "a", "d"]] * 2
coded, vocab = mx.rnn.encode_sentences(lines, start_label=1, invalid_label=0)
more, _ = mx.rnn.encode_sentences([["a", "z"]], dict(vocab), unknown_token="d")
skipped, _ = mx.rnn.encode_sentences([["x", "y", "z"]], invalid_label=1)
random.seed(3)
np.random.seed(3)
given = []
for layout in ("NT", "TN"):
    rows = mx.rnn.BucketSentenceIter(coded, 2, buckets=[2, 3], invalid_label=0, layout=layout)
    given.append([rows.default_bucket_key, repr(rows.provide_data), repr(rows.provide_label)])
    for _ in range(2):
        given.extend([each.bucket_key, each.data, each.label, repr(each.provide_data)] for each in rows)
        rows.reset()
rows = mx.rnn.BucketSentenceIter(coded, 2, invalid_label=0, dtype="int32")
result = {"coded": coded, "vocab": vocab, "more": more, "skipped": skipped, "given": given, "buckets": rows.buckets,
          "dtypes": [str(np.dtype(each.data[0].dtype)) for each in rows]}
""",
}

REFUSED_CELLS = {
    "step of a fused cell": "mx.rnn.FusedRNNCell(3)(sym.Variable('x'), [])",
    "step of two directions": "mx.rnn.BidirectionalCell(mx.rnn.RNNCell(2), mx.rnn.RNNCell(2))(sym.Variable('x'), [])",
    "modified": "cell = mx.rnn.LSTMCell(2)\nmx.rnn.ZoneoutCell(cell)\ncell.begin_state()",
    "zoneout of a fused cell": "mx.rnn.ZoneoutCell(mx.rnn.FusedRNNCell(3))",
    "zoneout of two directions": "mx.rnn.ZoneoutCell(mx.rnn.BidirectionalCell(mx.rnn.RNNCell(2), mx.rnn.RNNCell(2)))",
    "steps": "mx.rnn.RNNCell(2).unroll(3, [sym.Variable('x')])",
    "several outputs": "mx.rnn.RNNCell(2).unroll(2, sym.Group([sym.Variable('x'), sym.Variable('y')]))",
    "no inputs": "mx.rnn.RNNCell(2).unroll(2, None)",
    "dropout": "mx.rnn.DropoutCell('much')",
    "even kernel": "mx.rnn.ConvRNNCell((2, 3, 4, 4), 2, h2h_kernel=(2, 2))",
    "both params": "cell = mx.rnn.SequentialRNNCell(params=mx.rnn.RNNParams())\n"
    "cell.add(mx.rnn.RNNCell(2, params=mx.rnn.RNNParams()))",
    "vector": "mx.rnn.FusedRNNCell(3).unpack_weights({'lstm_parameters': nd.zeros((97,))})",
    "word": "mx.rnn.encode_sentences([['z']], {'a': 1})",
    "abstract": "mx.rnn.BaseRNNCell()(None, None)",
    "layout of a fused cell": "mx.rnn.FusedRNNCell(3).unroll(2, sym.Variable('x'), layout='NCT')",
}
