"""What recording means: state per thread, memory, and what can be differentiated when.

Writes while recording and gradient buffers: test_recording_gradients.py.
"""

import gc
import mmap
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

from mxnet import autograd, nd
from mxnet.base import MXNetError
from regluon.autograd.recording import Tape, state

NOT_RECORDED = r"^\[backward\] received an array that is not part of a recorded graph"


def variable(*values, req="write"):
    array = nd.array(values or (1.0, 2.0, 3.0))
    array.attach_grad(req)
    return array


def values(array):
    return array.asnumpy().tolist()


def modes():
    return autograd.is_recording(), autograd.is_training()


# -- state ----------------------------------------------------------------------------------------------------------


def test_nothing_is_recorded_at_first():
    assert modes() == (False, False)


def test_nested_scopes_set_and_restore_both_modes():
    seen = []
    with autograd.record():
        seen.append(modes())
        with autograd.predict_mode():
            seen.append(modes())
        with autograd.pause():
            seen.append(modes())
            with autograd.train_mode():
                seen.append(modes())
            with autograd.record(train_mode=False):
                seen.append(modes())
            seen.append(modes())
        with autograd.pause(train_mode=True):
            seen.append(modes())
        with autograd.record(train_mode=False):
            seen.append(modes())
        seen.append(modes())
    assert seen == [
        (True, True),
        (True, False),
        (False, False),
        (False, True),
        (True, False),
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    ]
    assert modes() == (False, False)


def test_train_mode_alone_does_not_record():
    with autograd.train_mode():
        assert modes() == (False, True)
    assert modes() == (False, False)


@pytest.mark.parametrize("scope", [autograd.record, autograd.pause, autograd.train_mode, autograd.predict_mode])
def test_an_exception_leaves_the_state_right(scope):
    for outer in (autograd.record, autograd.pause):
        with outer():
            before = modes()
            with pytest.raises(ZeroDivisionError), scope():
                _ = 1 / 0
            assert modes() == before
    assert modes() == (False, False)
    assert torch.is_grad_enabled()


def test_a_scope_can_be_entered_again():
    scope = autograd.record()
    for _ in range(2):
        with scope:
            assert autograd.is_recording()
        assert not autograd.is_recording()


def test_setters_return_what_was():
    assert autograd.set_recording(True) is False
    assert autograd.set_recording(True) is True
    assert autograd.set_recording(False) is True
    assert autograd.set_training(True) is False
    assert autograd.set_training(False) is True


def test_set_recording_records_without_a_block():
    x = variable()
    autograd.set_recording(True)
    try:
        y = x * x
    finally:
        autograd.set_recording(False)
    y.backward()
    assert values(x.grad) == [2, 4, 6]


def test_record_works_where_torch_has_gradients_switched_off():
    x = variable()
    with torch.no_grad():
        with autograd.record():
            y = x * x
        assert not torch.is_grad_enabled()
    y.backward()
    assert values(x.grad) == [2, 4, 6]


# -- threads --------------------------------------------------------------------------------------------------------


def in_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_a_new_thread_starts_without_recording():
    with autograd.record():
        assert in_thread(modes) == (False, False)
        assert modes() == (True, True)


def test_recording_in_a_thread_does_not_reach_the_others():
    entered, leave = threading.Event(), threading.Event()

    def hold():
        with autograd.record():
            entered.set()
            leave.wait(10)

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(hold)
        assert entered.wait(10)
        assert modes() == (False, False)
        leave.set()
        held.result()


def test_a_graph_recorded_here_can_be_differentiated_in_another_thread():
    x = variable()
    with autograd.record():
        y = x * x
    in_thread(y.backward)
    assert values(x.grad) == [2, 4, 6]
    assert y._node is None


def test_threads_record_their_own_graphs_at_the_same_time():
    def work(number):
        x = variable(float(number))
        for _ in range(30):
            with autograd.record():
                y = x * x * x
            y.backward()
        return values(x.grad)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(8))) == [[3.0 * n * n] for n in range(8)]


@pytest.mark.parametrize(("req", "expected"), [("write", 3.0), ("add", 3.0 * 4 * 50)])
def test_threads_share_a_variable(req, expected):
    w = variable(2.0, req=req)

    def work(_):
        for _ in range(50):
            with autograd.record():
                y = w * 3
            y.backward()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert values(w.grad) == [expected]


# -- memory ---------------------------------------------------------------------------------------------------------


def living(kind):
    gc.collect()
    # type() and not isinstance(): looking at every object must not wake lazy ones.
    return sum(type(thing) is kind for thing in gc.get_objects())


def graph_of(array):
    """A weak reference to an object that lives as long as the recorded graph below the array."""
    token = Token()
    array._node.grad_fn.metadata["token"] = token
    return weakref.ref(token)


class Token:
    """Something a weak reference can point to."""


def test_a_result_used_outside_carries_no_graph():
    x = variable()
    with autograd.record():
        loss = x * x
    graph = graph_of(loss)
    total = nd.zeros(3)
    total += loss
    other = loss + 1
    del loss
    assert graph() is None
    assert total._node is None
    assert other._node is None
    assert not other._t.requires_grad


def test_backward_frees_what_was_recorded():
    x = variable()
    with autograd.record():
        hidden = x * x
        loss = hidden * 2
    graph = graph_of(loss)
    loss.backward()
    assert graph() is not None  # `hidden` is still to learn that it is a constant now
    with autograd.record():
        again = hidden * x
    again.backward()
    assert graph() is None
    assert values(x.grad) == [1, 4, 9]


def test_leaving_the_block_without_backward_frees_with_the_last_array():
    x, tapes = variable(), living(Tape)
    with autograd.record():
        loss = x * x
    graph = graph_of(loss)
    del loss
    assert graph() is None
    assert living(Tape) == tapes


def step(x, total):
    with autograd.record():
        loss = x * x + x
    loss.backward()
    total += loss


def test_thousands_of_steps_leave_no_tensors_behind():
    x, total = variable(), nd.zeros(3)
    for _ in range(10):
        step(x, total)
    tensors, tapes = living(torch.Tensor), living(Tape)
    for _ in range(3000):
        step(x, total)
    assert (living(torch.Tensor), living(Tape)) == (tensors, tapes)
    assert values(total) == [3010 * n for n in (2, 6, 12)]


STATM = Path("/proc/self/statm")


def resident_bytes():
    return int(STATM.read_text().split()[1]) * mmap.PAGESIZE


@pytest.mark.skipif(not STATM.exists(), reason="reads Linux's /proc")
def test_thousands_of_steps_leave_memory_flat():
    x = nd.ones((64, 1024))  # 256 KiB: a leak of one array a step would be 750 MiB
    x.attach_grad()
    total = nd.zeros((64, 1024))
    for _ in range(100):
        step(x, total)
    before = resident_bytes()
    for _ in range(3000):
        step(x, total)
    assert resident_bytes() - before < 32 << 20


def test_a_hidden_state_is_carried_without_detach():
    w, hidden = variable(0.5), nd.array([1.0])
    counts = []
    for number in range(200):
        with autograd.record():
            hidden = hidden * w + 1
            loss = hidden * hidden
        loss.backward()
        if number in (5, 199):
            counts.append((living(torch.Tensor), living(Tape)))
    assert counts[0] == counts[1]
    expected, before = 1.0, 0.0
    for _ in range(200):
        expected, before = expected * 0.5 + 1, expected
    np.testing.assert_allclose(values(hidden), [expected], rtol=1e-6)
    np.testing.assert_allclose(values(w.grad), [2 * expected * before], rtol=1e-6)


def test_backward_in_a_paused_part_of_a_long_block_keeps_no_graphs():
    x = variable()
    with autograd.record():
        for _ in range(50):
            loss = x * 2
            with autograd.pause():
                loss.backward()
        assert not state.tape._freed
        assert not state.tape.spent
    assert values(x.grad) == [2, 2, 2]


def test_a_block_around_all_steps_keeps_no_graphs():
    w, hidden = variable(0.5), nd.array([1.0])
    with autograd.record():
        for _ in range(20):
            hidden = hidden * w
            loss = hidden * hidden
            graph = graph_of(loss)
            loss.backward()
        hidden = hidden * 1
        assert graph() is None
    assert values(hidden) == [0.5**20]


def test_arrays_kept_from_every_step_do_not_keep_each_other():
    x, kept, tapes = variable(), [], living(Tape)
    for _ in range(20):
        with autograd.record():
            output = x * 3
            loss = output * output
        loss.backward()
        kept.append(output)
    assert living(Tape) - tapes <= 20
    with autograd.record():
        y = kept[0] * x
    y.backward()
    assert values(x.grad) == [3, 6, 9]


# -- what can be differentiated when --------------------------------------------------------------------------------


def test_two_separate_losses_of_one_block():
    x = variable()
    with autograd.record():
        first, second = x * x, x * 3
    first.backward()
    assert values(x.grad) == [2, 4, 6]
    second.backward()
    assert values(x.grad) == [3, 3, 3]


def test_two_losses_of_one_graph_need_retain_graph():
    x = variable()
    with autograd.record():
        hidden = x * x
        first, second = hidden * 2, hidden * 3
    first.backward(retain_graph=True)
    assert values(x.grad) == [4, 8, 12]
    second.backward()
    assert values(x.grad) == [6, 12, 18]


def test_two_losses_of_one_graph_in_one_backward():
    x = variable()
    with autograd.record():
        hidden = x * x
        first, second = hidden * 2, hidden * 3
    autograd.backward([first, second])
    assert values(x.grad) == [10, 20, 30]


def test_the_same_graph_twice_is_refused():
    x = variable()
    with autograd.record():
        y = x * x
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(MXNetError, match=NOT_RECORDED):
        y.backward()


def test_arrays_cross_blocks():
    x = variable()
    with autograd.record():
        hidden = x * x
    with autograd.record():
        y = hidden * hidden
    y.backward()
    assert values(x.grad) == [4, 32, 108]


def test_what_was_computed_outside_is_a_constant():
    x = variable()
    with autograd.record():
        hidden = x * x
    outside = hidden + 0
    with autograd.record():
        y = outside * x
    y.backward()
    assert values(x.grad) == [1, 4, 9]


def test_arrays_of_a_used_up_graph_are_constants():
    x = variable()
    with autograd.record():
        hidden = x * x
        y = hidden * 2
        y.backward()
        z = hidden * x
        z.backward()
    assert values(x.grad) == [1, 4, 9]
    with pytest.raises(MXNetError, match=NOT_RECORDED):
        hidden.backward()


def test_used_up_through_a_chain_of_tapes():
    x = variable()
    with autograd.record():
        first = x * x
    with autograd.record():
        second = first * 2
    with autograd.record():
        third = second * 3
    third.backward()
    for used in (first, second, third):
        with autograd.record():
            y = used * x
        y.backward()
        assert values(x.grad) == values(used)


def test_paused_parts_are_constants():
    x = variable()
    with autograd.record():
        y = x * x
        with autograd.pause():
            z = y * 2
        w = y * z
    w.backward()
    assert values(x.grad) == [4, 32, 108]


def test_backward_inside_the_block_goes_on_recording():
    x = variable()
    with autograd.record():
        y = x * x
        y.backward()
        assert modes() == (True, True)
        z = x * 3
        z.backward()
    assert values(x.grad) == [3, 3, 3]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x * x,
        lambda x: (x * x).detach(),
        lambda x: nd.array([1, 2]),
    ],
    ids=["outside", "detached", "never recorded"],
)
def test_backward_of_what_was_not_recorded(make):
    y = make(variable())
    with pytest.raises(MXNetError, match=NOT_RECORDED):
        y.backward()


def test_backward_without_any_variable():
    x = nd.array([1, 2])
    with autograd.record():
        y = x * x
    x.attach_grad()
    with pytest.raises(MXNetError, match=NOT_RECORDED):
        y.backward()


def test_a_variable_is_its_own_head():
    x = variable()
    x.backward()
    assert values(x.grad) == [1, 1, 1]
    x.backward(nd.array([5, 6, 7]))
    assert values(x.grad) == [5, 6, 7]


def test_constants_among_the_heads_are_passed_over():
    x = variable()
    with autograd.record():
        y = x > 1
        z = x * 2
    autograd.backward([y, z])
    assert values(x.grad) == [2, 2, 2]


def test_attach_grad_cuts_an_intermediate_from_what_came_before():
    x = variable()
    with autograd.record():
        y = x * 2
        y.attach_grad()
        z = y * y
    z.backward()
    assert values(y.grad) == [4, 8, 12]
    assert values(x.grad) == [0, 0, 0]


def test_attach_grad_again_starts_anew():
    x = variable()
    with autograd.record():
        y = x * x
    old = x.grad
    x.attach_grad()
    y.backward()
    assert values(old) == [2, 4, 6]
    assert values(x.grad) == [0, 0, 0]


# -- head gradients -------------------------------------------------------------------------------------------------


def test_head_gradients_weigh_the_elements():
    x = variable()
    with autograd.record():
        y = x * x
    y.backward(nd.array([1, 10, 100]))
    assert values(x.grad) == [2, 40, 600]


def test_head_gradient_of_another_shape():
    x = variable()
    with autograd.record():
        y = x * x
    with pytest.raises(
        MXNetError, match=r"\[backward\] .*shape \(2,\) for an array of shape \(3,\); expected the same"
    ):
        y.backward(nd.ones(2))
    y.backward()
    assert values(x.grad) == [2, 4, 6]


@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_head_gradient_of_another_dtype(dtype):
    x = variable()
    with autograd.record():
        y = x * x
    with pytest.raises(MXNetError, match=f"head gradient of {dtype} for an array of float32; expected the same dtype"):
        y.backward(nd.ones(3, dtype=dtype))


def test_what_stands_on_a_used_up_graph_is_refused_and_then_a_constant():
    x = variable()
    with autograd.record():
        hidden = x * x
        other, loss = hidden * 2, hidden * 3
    loss.backward()
    with pytest.raises(MXNetError, match=NOT_RECORDED):
        other.backward()
    with autograd.record():
        y = other * x
    y.backward()
    assert values(x.grad) == values(other)


def test_two_networks_against_each_other():
    maker, judge = variable(1.0), variable(2.0)
    with autograd.record():
        made = maker * 3
        judge_loss = made.detach() * judge
        judge_loss.backward()
        maker_loss = made * judge
    maker_loss.backward()
    assert (values(maker.grad), values(judge.grad)) == ([6], [3])


def test_an_update_inside_the_block():
    w = variable(2.0)
    with autograd.record():
        loss = w * w
        loss.backward()
        with autograd.pause():
            w -= 0.5 * w.grad
        loss = w * w * w
    loss.backward()
    assert (values(w), values(w.grad)) == ([0], [0])


def test_changed_values_are_used_by_the_next_block():
    x = variable()
    with autograd.record():
        y = x * 2
    y[0] = 10
    with autograd.record():
        z = y * y
    z.backward()
    assert values(x.grad) == [40, 16, 24]


def test_a_state_returned_beside_the_output_becomes_a_constant():
    """Truncated backpropagation without detach(): the state is no part of the loss, but rests on what is freed."""
    weight = nd.array([2.0])
    weight.attach_grad()
    state = nd.array([1.0])
    for _ in range(3):
        with autograd.record():
            hidden = nd.sigmoid(weight * state)
            output, state = hidden * 3, hidden.reshape((1, 1)).reshape((1,))
            loss = output * output
        loss.backward()
    assert weight.grad.asscalar() != 0


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x > 0,
        lambda x: (x > 0) * (x != 2) + (x <= 1),
        lambda x: nd.broadcast_greater(x, nd.zeros((1,))),
        lambda x: nd.logical_and(x, x),
    ],
    ids=["one", "several", "operator", "logic"],
)
def test_comparisons_pass_zeros_on(function):
    x = nd.array([1, 2, -3])
    x.attach_grad()
    x.grad[:] = 7
    with autograd.record():
        y = function(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == [0, 0, 0]
