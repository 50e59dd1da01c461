"""Records what a real MXNet's recurrent cells and layers do with given weights.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_rnn`.

Each case is an expression that makes a block and a way to use it: step by step, unrolled, or called as a layer. Noted
are its texts and parameters, its outputs and last states, and the gradients of inputs, first states and parameters for
random head gradients. Everything random follows from the case's place. The tests perform the same cases and compare.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from mxnet import autograd, nd
from mxnet.gluon import contrib, nn, rnn

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "rnn_layers"
NAMES = {"rnn": rnn, "crnn": contrib.rnn, "nn": nn, "nd": nd, "mx": mx}


def step(make: str, *shape: int, count: int = 2, dtype: str = "float32") -> dict[str, Any]:
    """A few steps, the states passed on."""
    return {"make": make, "how": "step", "shape": shape, "count": count, "dtype": dtype}


def unroll(
    make: str, *shape: int, lengths: Any = None, listed: bool = False, given: bool = True, **options: Any
) -> Any:
    """The whole sequence; `listed` gives it as a list of steps, `given` gives first states."""
    return {
        "make": make,
        "how": "unroll",
        "shape": shape,
        "lengths": lengths,
        "listed": listed,
        "given": given,
        "options": {"layout": "NTC", **options},
        "dtype": "float32",
    }


def call(make: str, *shape: int, given: bool = True, grad: bool = True, dtype: str = "float32") -> dict[str, Any]:
    """A layer called on a sequence."""
    return {"make": make, "how": "call", "shape": shape, "given": given, "grad": grad, "dtype": dtype}


def dynamic(make: str, *shape: int, lengths: Any = None, layout: str = "TNC") -> dict[str, Any]:
    """`dynamic_unroll`."""
    return {
        "make": make,
        "how": "dynamic",
        "shape": shape,
        "lengths": lengths,
        "options": {"layout": layout},
        "dtype": "float32",
    }


def stack(*cells: str, kind: str = "SequentialRNNCell") -> str:
    return f"stacked(rnn.{kind}(), {', '.join(cells)})"


def stacked(row: Any, *cells: Any) -> Any:
    for cell in cells:
        row.add(cell)
    return row


NAMES["stacked"] = stacked

BASIC = ("rnn.RNNCell(4)", "rnn.LSTMCell(4)", "rnn.GRUCell(4)")
TWO = ("rnn.LSTMCell(4)", "rnn.GRUCell(3)")
BOTH = "rnn.BidirectionalCell(rnn.LSTMCell(4), rnn.GRUCell(3))"
LENGTHS = [3, 1]

CASES: list[dict[str, Any]] = [
    # Cells.
    *(step(cell, 2, 3) for cell in BASIC),
    step("rnn.RNNCell(4, 'relu', input_size=3)", 2, 3),
    step("rnn.RNNCell(4, activation='softsign')", 2, 3),
    step("rnn.RNNCell(4, activation='softrelu')", 2, 3),
    step("rnn.LSTMCell(4, activation='softsign', recurrent_activation='tanh', prefix='my_')", 2, 3),
    step("rnn.LSTMCell(3, i2h_bias_initializer=mx.init.LSTMBias(2.0), input_size=5)", 3, 5, count=3),
    step("rnn.GRUCell(5, i2h_weight_initializer='ones', h2h_bias_initializer='ones')", 1, 2),
    step("rnn.DropoutCell(0.5, axes=(1,))", 2, 3),
    step("rnn.ZoneoutCell(rnn.LSTMCell(4), 0.3, 0.4)", 2, 3),
    step("rnn.ZoneoutCell(rnn.GRUCell(4), zoneout_outputs=0.5)", 2, 3),
    step("rnn.ResidualCell(rnn.GRUCell(3))", 2, 3),
    step("rnn.ResidualCell(rnn.ZoneoutCell(rnn.LSTMCell(3), 0.1))", 2, 3),
    step(stack(*TWO), 2, 3),
    step(stack("rnn.LSTMCell(4)", "rnn.DropoutCell(0.2)", "rnn.ResidualCell(rnn.LSTMCell(4))"), 2, 3),
    step(stack(*TWO, kind="HybridSequentialRNNCell"), 2, 3),
    step(stack(stack(*TWO), "rnn.RNNCell(2)"), 2, 3),
    # Unrolled: layouts, lists, merging, lengths.
    *(unroll(cell, 2, 3, 5) for cell in BASIC),
    *(unroll(cell, 3, 2, 5, layout="TNC", merge_outputs=True, given=False) for cell in BASIC),
    *(unroll(cell, 2, 3, 5, merge_outputs=True, lengths=LENGTHS) for cell in BASIC),
    *(unroll(cell, 3, 2, 5, layout="TNC", merge_outputs=False, lengths=LENGTHS) for cell in BASIC),
    unroll("rnn.LSTMCell(4)", 2, 3, 5, lengths=LENGTHS),
    unroll("rnn.LSTMCell(4)", 2, 3, 5, listed=True),
    unroll("rnn.LSTMCell(4)", 2, 3, 5, listed=True, merge_outputs=True),
    unroll("rnn.LSTMCell(4)", 3, 2, 5, listed=True, layout="TNC", lengths=LENGTHS, merge_outputs=True),
    unroll("rnn.GRUCell(4)", 2, 1, 5),
    unroll("rnn.GRUCell(4)", 2, 1, 5, merge_outputs=False, lengths=[1, 1]),
    unroll("rnn.DropoutCell(0.5)", 2, 3, 5, given=False),
    unroll("rnn.DropoutCell(0.5)", 2, 3, 5, given=False, merge_outputs=False),
    unroll("rnn.DropoutCell(0.5)", 2, 3, 5, given=False, listed=True),
    unroll("rnn.ZoneoutCell(rnn.LSTMCell(4), 0.3, 0.4)", 2, 3, 5),
    unroll("rnn.ZoneoutCell(rnn.RNNCell(4), 0.3, 0.4)", 2, 3, 5, lengths=LENGTHS, merge_outputs=True),
    unroll("rnn.ResidualCell(rnn.LSTMCell(5))", 2, 3, 5, merge_outputs=True, lengths=LENGTHS),
    unroll("rnn.ResidualCell(rnn.LSTMCell(5))", 3, 2, 5, layout="TNC", lengths=LENGTHS),
    unroll("rnn.ResidualCell(rnn.LSTMCell(5))", 2, 3, 5, merge_outputs=False, lengths=LENGTHS),
    unroll("rnn.ResidualCell(rnn.GRUCell(5))", 2, 3, 5, given=False),
    unroll("rnn.ResidualCell(rnn.GRUCell(5))", 2, 3, 5, listed=True, merge_outputs=True),
    unroll(stack(*TWO), 2, 3, 5, given=False),
    unroll(stack(*TWO), 2, 3, 5, merge_outputs=True, lengths=LENGTHS),
    unroll(stack(*TWO, kind="HybridSequentialRNNCell"), 3, 2, 5, layout="TNC", merge_outputs=True),
    unroll(stack("rnn.LSTMCell(4)", "rnn.DropoutCell(0.2)", BOTH), 2, 3, 5, merge_outputs=True),
    unroll(BOTH, 2, 3, 5),
    unroll(BOTH, 2, 3, 5, merge_outputs=True),
    unroll(BOTH, 2, 3, 5, merge_outputs=True, lengths=LENGTHS),
    unroll(BOTH, 2, 3, 5, merge_outputs=False, lengths=LENGTHS),
    unroll(BOTH, 3, 2, 5, layout="TNC", merge_outputs=True, given=False),
    unroll(BOTH, 3, 2, 5, layout="TNC", lengths=LENGTHS),
    unroll(BOTH, 3, 2, 5, layout="TNC", merge_outputs=False, listed=True),
    unroll(
        "rnn.BidirectionalCell(rnn.RNNCell(2), rnn.RNNCell(2), output_prefix='both_')",
        2,
        1,
        5,
        lengths=[1, 1],
        merge_outputs=True,
    ),
    unroll(stack(BOTH, "rnn.BidirectionalCell(rnn.LSTMCell(2), rnn.LSTMCell(2))"), 2, 3, 5, merge_outputs=True),
    # Layers.
    call("rnn.RNN(4)", 3, 2, 5),
    call("rnn.RNN(4, 2, 'tanh', layout='NTC')", 2, 3, 5),
    call("rnn.RNN(4, activation='tanh', bidirectional=True, input_size=5)", 3, 2, 5, given=False),
    call("rnn.LSTM(4)", 3, 2, 5),
    call("rnn.LSTM(4)", 3, 2, 5, given=False),
    call("rnn.LSTM(4, 2, 'NTC', dropout=0.5, bidirectional=True)", 2, 3, 5),
    call("rnn.LSTM(4, 3, dtype='float64', input_size=5, prefix='deep_')", 3, 2, 5, dtype="float64"),
    call("rnn.LSTM(4, 2, i2h_bias_initializer=mx.init.LSTMBias(2.0), h2h_weight_initializer='orthogonal')", 3, 2, 5),
    # On a CPU, MXNet has no gradients for projections.
    call("rnn.LSTM(4, projection_size=3)", 3, 2, 5, grad=False),
    call("rnn.LSTM(4, 2, projection_size=2, bidirectional=True, layout='NTC')", 2, 3, 5, grad=False),
    call("rnn.GRU(4)", 3, 2, 5),
    call("rnn.GRU(4, 2, layout='NTC', bidirectional=True)", 2, 3, 5),
    call("rnn.GRU(4, 2)", 3, 2, 5, given=False),
    # Contributed.
    step("crnn.LSTMPCell(4, 2)", 2, 3),
    step("crnn.LSTMPCell(3, 5, input_size=3, h2r_weight_initializer='ones')", 2, 3),
    unroll("crnn.LSTMPCell(4, 2)", 2, 3, 5, merge_outputs=True, lengths=LENGTHS),
    step("crnn.VariationalDropoutCell(rnn.LSTMCell(4), 0.3, 0.4, 0.5)", 2, 3),
    unroll("crnn.VariationalDropoutCell(rnn.LSTMCell(4), drop_inputs=0.3)", 2, 3, 5),
    unroll("crnn.VariationalDropoutCell(rnn.GRUCell(4), 0.3, drop_outputs=0.2)", 2, 3, 5, lengths=LENGTHS),
    unroll("crnn.VariationalDropoutCell(rnn.GRUCell(4), 0.3)", 3, 2, 5, layout="TNC", merge_outputs=False, given=False),
    unroll(
        "crnn.VariationalDropoutCell(rnn.GRUCell(4), drop_states=0.3)", 2, 3, 5, merge_outputs=True, lengths=LENGTHS
    ),
    dynamic("rnn.LSTMCell(4)", 3, 2, 5),
    dynamic("rnn.GRUCell(4)", 2, 3, 5, layout="NTC"),
    dynamic("rnn.LSTMCell(4)", 3, 2, 5, lengths=LENGTHS),
    *(step(f"crnn.Conv1D{kind}Cell((3, 6), 2, 3, 3)", 2, 3, 6) for kind in ("RNN", "LSTM", "GRU")),
    *(
        step(f"crnn.Conv2D{kind}Cell((2, 5, 4), 2, (3, 2), 3, i2h_pad=(1, 0))", 1, 2, 5, 4)
        for kind in ("RNN", "LSTM", "GRU")
    ),
    *(
        step(f"crnn.Conv3D{kind}Cell((1, 3, 4, 3), 2, 2, 1, activation='relu')", 1, 1, 3, 4, 3)
        for kind in ("RNN", "LSTM", "GRU")
    ),
    step("crnn.Conv2DLSTMCell((2, 5, 5), 2, 3, (3, 1), 2, 2, 2, activation='softsign')", 1, 2, 5, 5),
    unroll("crnn.Conv1DGRUCell((3, 6), 2, 3, 3, i2h_pad=1)", 2, 3, 3, 6, merge_outputs=True, lengths=LENGTHS),
]

REFUSED = [
    "rnn.LSTM(4, layout='CNT')",
    "rnn.RNN(4, activation='sigmoid')",
    "made(rnn.LSTM(4))(nd.ones((3, 2, 5)), [nd.zeros((1, 2, 3)), nd.zeros((1, 2, 4))])",
    "made(rnn.LSTM(4))(nd.ones((3, 2, 5)), [nd.zeros((1, 2, 4))])",
    "made(rnn.LSTM(4, input_size=3))(nd.ones((3, 2, 5)))",
    "made(rnn.LSTM(4, input_size=3))(nd.ones((2, 3)))",
    "made(rnn.LSTM(4, use_sequence_length=True))(nd.ones((3, 2, 5)))",
    "rnn.LSTM(4, projection_size=2)._unfuse()",
    "rnn.LSTM(4, state_clip_min=-1, state_clip_max=1)._unfuse()",
    "made(rnn.LSTMCell(4))(nd.ones((2, 3)), [nd.zeros((2, 4))])",
    "made(rnn.LSTMCell(4)).unroll(4, nd.ones((2, 3, 5)))",
    "made(rnn.LSTMCell(4)).unroll(2, [nd.ones((2, 5))] * 3)",
    "made(rnn.LSTMCell(4)).unroll(3, None)",
    "rnn.DropoutCell('half')",
    "rnn.ZoneoutCell(rnn.BidirectionalCell(rnn.GRUCell(2), rnn.GRUCell(2)))",
    "rnn.BidirectionalCell(rnn.GRUCell(2), rnn.GRUCell(2))(nd.ones((2, 3)), [])",
    "twice(rnn.GRUCell(2))",
    "wrapped(rnn.GRUCell(2)).begin_state(2)",
    "rnn.RecurrentCell().state_info()",
    "rnn.HybridRecurrentCell()(nd.ones((2, 3)), [])",
    "crnn.VariationalDropoutCell(rnn.BidirectionalCell(rnn.GRUCell(2), rnn.GRUCell(2)), drop_states=0.5)",
    "crnn.Conv2DRNNCell((2, 5, 5), 2, 3, 2)",
    "crnn.Conv2DRNNCell((2, 5, 5), 2, (3, 3, 3), 3)",
]


def made(block: Any) -> Any:
    block.initialize()
    return block


def wrapped(cell: Any) -> Any:
    rnn.ResidualCell(cell)
    return cell


def twice(cell: Any) -> Any:
    return rnn.ResidualCell(wrapped(cell))


NAMES.update(made=made, wrapped=wrapped, twice=twice)


def evaluate(expression: str) -> Any:
    """The value of an expression of the tables above, with names counted from 0."""
    with mx.name.NameManager():
        return eval(expression, dict(NAMES))


def leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def first_states(block: Any, batch_size: int, dtype: str) -> list[Any]:
    return [nd.zeros(info["shape"], dtype=dtype) for info in block.state_info(batch_size)]


def run(block: Any, case: dict[str, Any], inputs: Any, states: Any) -> Any:
    """What the case does with a block; outputs, then states."""
    lengths = None if case.get("lengths") is None else nd.array(case["lengths"])
    if case["how"] == "step":
        outputs = []
        block.reset()
        for i in range(case["count"]):
            output, states = block(inputs * (1 + i), states)
            outputs.append(output)
        return outputs, states
    given = states if case.get("given", True) else None
    if case["how"] == "call":
        result = block(inputs, given)
        return result if given is not None else (result, [])
    if case["how"] == "dynamic":
        return contrib.rnn.rnn_cell.dynamic_unroll(block, inputs, states, valid_length=lengths, **case["options"])
    axis = case["options"]["layout"].index("T")
    count = inputs.shape[axis]
    if case["listed"]:
        inputs = [inputs.slice_axis(axis, i, i + 1).squeeze(axis) for i in range(count)]
    return block.unroll(count, inputs, given, valid_length=lengths, **case["options"])


def batch_size_of(case: dict[str, Any]) -> int:
    make, shape = case["make"], case["shape"]
    layout = case.get("options", {}).get("layout") or ("NTC" if "NTC" in make or case["how"] == "step" else "TNC")
    return shape[layout.index("N")]


def perform(case: dict[str, Any], seed: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Facts and arrays of one case."""
    draw = np.random.RandomState(seed)
    dtype = case["dtype"]

    def drawn(shape: Any) -> Any:
        return nd.array(np.round(draw.uniform(-1, 1, shape), 3).astype(dtype), dtype=dtype)

    block = evaluate(case["make"])
    facts: dict[str, Any] = {"repr": repr(block), "names": list(block.collect_params().keys())}
    block.initialize()
    inputs = drawn(case["shape"])
    states = [drawn(state.shape) for state in first_states(block, batch_size_of(case), dtype)]
    run(block, case, inputs, states)  # finds out the shapes
    parameters = block.collect_params()
    facts["after"] = repr(block)
    facts["params"] = repr(parameters)
    facts["structure"] = [[name, list(p.shape)] for name, p in block._collect_params_with_prefix().items()]
    facts["states"] = [
        {key: str(value) if key == "dtype" else value for key, value in info.items()} for info in block.state_info(7)
    ]
    for parameter in parameters.values():
        parameter.set_data(drawn(parameter.shape))
    variables = [inputs, *states] if case.get("given", True) else [inputs]
    if case.get("grad", True):
        for variable in variables:
            variable.attach_grad()
        with autograd.record(train_mode=False):
            result = run(block, case, inputs, states)
    else:
        result = run(block, case, inputs, states)
    facts["listed"] = [isinstance(part, (list, tuple)) for part in result]
    outputs, after = leaves(result[0]), leaves(result[1])
    arrays = {f"output{i}": value.asnumpy() for i, value in enumerate(outputs)}
    arrays.update({f"state{i}": value.asnumpy() for i, value in enumerate(after)})
    if case.get("grad", True):
        # A state may be the output itself: only those that are more get a head of their own.
        heads = outputs + [state for state in after if all(state is not output for output in outputs)]
        autograd.backward(heads, [drawn(head.shape) for head in heads], train_mode=False)
        arrays.update({f"grad{i}": variable.grad.asnumpy() for i, variable in enumerate(variables)})
        arrays.update({f"grad_{name}": p.grad().asnumpy() for name, p in parameters.items()})
    return facts, arrays


def refusal(expression: str) -> str:
    """The kind of error that an expression ends in."""
    try:
        for leaf in leaves(evaluate(expression)):
            if isinstance(leaf, nd.NDArray):
                leaf.wait_to_read()
    except Exception as error:
        return type(error).__name__
    return ""


def record_file() -> dict[str, Any]:
    """A network's parameters as a file, with what it computes."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(rnn.LSTM(3, 2, bidirectional=True), rnn.GRU(2), nn.Dense(2, flatten=False))
    net.initialize(mx.init.Uniform(0.5))
    mx.random.seed(7)
    inputs = nd.array(np.round(np.random.RandomState(5).uniform(-1, 1, (3, 2, 4)), 3))
    outputs = net(inputs)
    net.save_parameters(str(FIXTURES / "net.params"))
    return {"inputs": inputs.asnumpy().tolist(), "outputs": outputs.asnumpy().tolist()}


def perform_all() -> list[Any]:
    """All cases; convolutions in a process without oneDNN, which MXNet fails to combine with slices."""
    apart = [".Conv" in case["make"] for case in CASES]
    found = [None if skip else perform(case, seed) for seed, (case, skip) in enumerate(zip(CASES, apart))]
    os.environ["MXNET_MKLDNN_ENABLED"] = "0"
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        for seed in np.flatnonzero(apart):
            found[seed] = pool.submit(perform, CASES[seed], int(seed)).result()
    del os.environ["MXNET_MKLDNN_ENABLED"]
    return found


def main() -> None:
    FIXTURES.mkdir(parents=True, exist_ok=True)
    entries, arrays = [], {}
    for i, (facts, found) in enumerate(perform_all()):
        entries.append(facts)
        arrays.update({f"{i}/{name}": value for name, value in found.items()})
    refused = {expression: refusal(expression) for expression in REFUSED}
    # One case per line keeps changes readable in a diff.
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    tail = f'"refused": {json.dumps(refused, indent=1)},\n"file": {json.dumps(record_file())}'
    (FIXTURES / "rnn_layers.json").write_text(f'{{"cases": [\n{lines}\n],\n{tail}\n}}\n', encoding="utf-8")
    with zipfile.ZipFile(FIXTURES / "rnn_layers.npz", "w") as archive:
        for name, value in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, value, allow_pickle=False)
            # ZipInfo's default date is a constant, unlike the present time that np.savez stores.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue(), zipfile.ZIP_DEFLATED, 9)
    print(f"{len(CASES)} cases, {len(arrays)} arrays, {len(REFUSED)} refusals")
    print([expression for expression, kind in refused.items() if not kind])


if __name__ == "__main__":
    main()
