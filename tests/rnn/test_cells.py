"""Recurrent cells make the graphs that they make in the real MXNet, to the byte, and read its weights."""

import warnings

import pytest

import mxnet as mx
from tests.module.recorded import check, check_refused
from tools.oracle.cell_programs import CELLS, REFUSED_CELLS


@pytest.mark.parametrize("name", CELLS)
def test_program(name: str, tmp_path):
    check("cells", name, CELLS[name], tmp_path)


# How the texts of the refusals begin.
TEXTS = {
    "step of a fused cell": "[FusedRNNCell] cannot be stepped",
    "step of two directions": "[BidirectionalCell] cannot be stepped",
    "modified": "[LSTMCell] a modifier cell was applied to it, so the base cell cannot be called directly",
    "zoneout of a fused cell": "[ZoneoutCell] FusedRNNCell doesn't support zoneout",
    "zoneout of two directions": "[ZoneoutCell] BidirectionalCell doesn't support zoneout",
    "steps": "[unroll] inputs: received 1 steps",
    "several outputs": "[unroll] inputs: received a symbol with several outputs",
    "no inputs": "[unroll] inputs: received None",
    "dropout": "[DropoutCell] dropout: received 'much'",
    "even kernel": "[ConvRNNCell] h2h_kernel: received (2, 2)",
    "both params": "[SequentialRNNCell] Either specify params for SequentialRNNCell or child cells, not",
    "vector": "[FusedRNNCell] Invalid parameters size: received 97 elements",
    "word": "[encode_sentences] Unknown token 'z'",
    "abstract": "[BaseRNNCell] does not define a step",
    "layout of a fused cell": "[FusedRNNCell] Unsupported layout NCT",
}


@pytest.mark.parametrize("name", REFUSED_CELLS)
def test_refused(name: str):
    check_refused("refused_cells", name, REFUSED_CELLS[name], TEXTS[name])


def test_old_way_to_unroll():
    with pytest.warns(DeprecationWarning, match="cell.unroll"):
        outputs, _ = mx.rnn.rnn_unroll(mx.rnn.RNNCell(2, prefix="r_"), 2, input_prefix="in_")
    assert [name for name in mx.sym.Group(outputs).list_arguments() if "data" in name] == ["in_t0_data", "in_t1_data"]


def test_modifiers_nest_and_stack():
    stack = mx.rnn.SequentialRNNCell()
    stack.add(mx.rnn.ResidualCell(mx.rnn.ZoneoutCell(mx.rnn.GRUCell(3, prefix="a_"), 0.5)))
    stack.add(mx.rnn.RNNCell(3, prefix="b_"))
    states = stack.begin_state(func=mx.sym.Variable)
    assert [state.name for state in states] == ["a_begin_state_0", "b_begin_state_0"]
    outputs, _ = stack.unroll(2, mx.sym.Variable("data"), merge_outputs=True)
    assert outputs.infer_shape(data=(4, 2, 3))[1] == [(4, 2, 3)]


def test_fused_cell_prefers_time_first():
    with pytest.warns(UserWarning, match="TNC is faster"):
        mx.rnn.FusedRNNCell(3).unroll(2, mx.sym.Variable("data"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mx.rnn.FusedRNNCell(3).unroll(2, mx.sym.Variable("data"), layout="TNC")


def test_sentences_that_fit_no_bucket(capsys):
    with pytest.raises(ValueError, match="no sentence fits a bucket: received 1 sentences for batches of 4"):
        mx.rnn.BucketSentenceIter([[1, 2]], 4)
    with pytest.raises(ValueError, match="Invalid layout NTC"):
        mx.rnn.BucketSentenceIter([[1, 2]] * 4, 4, layout="NTC")
    mx.rnn.BucketSentenceIter([[1, 2]] * 4 + [[1, 2, 3]], 4)
    assert capsys.readouterr().out.endswith("WARNING: discarded 1 sentences longer than the largest bucket.\n")
