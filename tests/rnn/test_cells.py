"""Recurrent cells make the graphs that they make in the real MXNet, to the byte, and read its weights."""

import warnings

import pytest

import mxnet as mx
from tests.module.recorded import check, check_refused
from tools.oracle.cell_programs import CELLS, REFUSED_CELLS


@pytest.mark.parametrize("name", CELLS)
def test_program(name: str, tmp_path):
    check("cells", name, CELLS[name], tmp_path)


@pytest.mark.parametrize("name", REFUSED_CELLS)
def test_refused(name: str):
    check_refused("refused_cells", name, REFUSED_CELLS[name])


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
