"""Monitors note what they note in the real MXNet, and name what they find by its own name."""

import pytest

import mxnet as mx
from tests.module.recorded import check
from tools.oracle.module_programs import MONITORS


@pytest.mark.parametrize("name", MONITORS)
def test_program(name: str, tmp_path):
    check("monitors", name, MONITORS[name], tmp_path)


def executor() -> mx.executor.Executor:
    net = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=2, name="fc")
    return net.simple_bind(mx.cpu(), data=(1, 3))


def test_only_every_interval():
    monitor = mx.mon.Monitor(2, pattern="fc_output")
    bound = executor()
    monitor.install(bound)
    found = []
    for _ in range(3):
        monitor.tic()
        bound.forward()
        found.append([step for step, _, _ in monitor.toc()])
    assert found == [[1], [], [3]]


def test_inputs_too():
    monitor = mx.mon.Monitor(1, pattern="fc_data|fc_output", monitor_all=True)
    bound = executor()
    monitor.install(bound)
    monitor.tic()
    bound.forward()
    assert [name for _, name, _ in monitor.toc()] == ["fc_data", "fc_output"]


def test_statistic_must_be_an_array():
    monitor = mx.mon.Monitor(1, lambda array: 3)
    bound = executor()
    monitor.install(bound)
    monitor.tic()
    bound.forward()
    with pytest.raises(AssertionError, match=r"\[Monitor\] stat_func gave int for fc_output; expected an NDArray"):
        monitor.toc()


def test_an_executor_of_another_shape_is_not_watched():
    monitor = mx.mon.Monitor(1, pattern="fc_output")
    bound = executor()
    other = bound.reshape(allow_up_sizing=True, data=(4, 3))
    monitor.install(bound)
    monitor.tic()
    other.forward()
    assert monitor.toc() == []


def test_an_executor_made_of_a_watched_one_is_watched():
    monitor = mx.mon.Monitor(1, pattern="fc_data|fc_output", monitor_all=True)
    bound = executor()
    monitor.install(bound)
    other = bound.reshape(allow_up_sizing=True, data=(4, 3))
    monitor.tic()
    other.forward()
    assert [name for _, name, _ in monitor.toc()] == ["fc_data", "fc_output"]
    bound.set_monitor_callback(None)
    monitor.tic()
    bound.reshape(allow_up_sizing=True, data=(5, 3)).forward()
    assert monitor.toc() == []
