"""Tracebacks without the frames of the library."""

import sys
import traceback

import pytest

import mxnet as mx
from mxnet import nd
from mxnet.error import InternalError
from regluon import tracebacks


def caught(function):
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def refused():
    nd.dot(nd.ones((2, 3)), nd.ones((2, 3)))


def files(error):
    return {frame.filename for frame in traceback.extract_tb(error.__traceback__)}


def test_frames_of_the_library_and_what_led_there_are_taken_out():
    error = caught(refused)
    assert len(files(error)) > 1
    tracebacks.fold(error)
    assert files(error) == {__file__}
    assert (error.__cause__, error.__suppress_context__) == (None, True)


def test_all_is_left_where_it_is_asked_for(monkeypatch):
    monkeypatch.setenv("MXNET_FULL_TRACEBACK", "1")
    error = caught(refused)
    tracebacks.fold(error)
    assert len(files(error)) > 1
    assert error.__cause__ is not None


def test_causes_in_code_of_users_stay():
    class Own(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            raise KeyError("mine")

    @mx.operator.register("test_tracebacks_own")
    class OwnProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Own()

    error = caught(lambda: nd.Custom(nd.ones(3), op_type="test_tracebacks_own"))
    tracebacks.fold(error)
    shown = "".join(traceback.format_exception(error))
    assert 'raise KeyError("mine")' in shown


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (mx.MXNetError("text"), True),
        (InternalError("text"), False),
        (ValueError("[Mine] raised by nobody"), False),
        (caught(lambda: nd.ones(3).asscalar()), True),
        (caught(lambda: {}["x"]), False),
    ],
)
def test_what_counts_as_refused_on_purpose(error, expected):
    assert tracebacks.is_refusal(error) is expected


def test_whatever_showed_errors_before_goes_on_doing_so(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "excepthook", lambda *args: seen.append(args))
    tracebacks.install()
    for function in (refused, lambda: 1 / 0):
        error = caught(function)
        sys.excepthook(type(error), error, error.__traceback__)
    assert [kind.__name__ for kind, *_ in seen] == ["OpShapeError", "ZeroDivisionError"]
    assert files(seen[0][1]) == {__file__}
