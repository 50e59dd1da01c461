"""Blocks that put settings back: with exceptions, by hand, nested, in threads, and when Ctrl-C comes at any moment."""

import contextlib
import gc
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

import mxnet as mx
from mxnet import autograd
from mxnet.gluon._block_naming import _local as naming
from mxnet.name import managers
from regluon.scopes import CollectorPaused

STATE = """
def now():
    from mxnet.gluon._block_naming import _local
    from regluon.symbol.graph_builder import local
    from mxnet.name import managers
    return [mx.autograd.is_recording(), mx.autograd.is_training(), len(managers()), mx.attribute.current()._attr,
            str(mx.current_context()), mx.util.is_np_shape(), mx.util.is_np_array(), mx.engine._local.size,
            len(_local.entered), local.maker is None]
"""

PROGRAM = (
    STATE
    + """
import json, signal, sys
import torch
import mxnet as mx
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started the tests without it
net = mx.gluon.nn.Dense(2, in_units=2)
net.initialize()
manager, attributes, inner = mx.name.NameManager(), mx.AttrScope(a="1"), mx.gluon.nn.Sequential()
first = now()
entered = [
    mx.autograd.record, mx.autograd.pause, mx.autograd.train_mode, mx.autograd.predict_mode,
    lambda: manager, lambda: attributes, lambda: mx.cpu(1), lambda: mx.engine.bulk(3), mx.util.np_shape,
    mx.util.np_array, inner.name_scope,
]
bad = []
for number in range(COUNT):
    try:
        print("go", flush=True)  # the next signal comes a little later
        while True:
            for make in entered:
                with make():
                    pass
                with make(), mx.autograd.record(), make():
                    pass
    except KeyboardInterrupt:
        if now() != first or not torch.is_grad_enabled():
            bad = [number, now()]
            break
print(json.dumps([first, bad]), flush=True)
"""
)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on POSIX")
def test_interrupts_at_any_moment() -> None:
    command = [sys.executable, "-c", f"COUNT = 60\n{PROGRAM}"]
    environment = {**os.environ, "MXNET_NATIVE": "0"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        moments = random.Random(5)
        while (line := process.stdout.readline()) == "go\n":
            time.sleep(moments.uniform(0.0, 0.001))
            process.send_signal(signal.SIGINT)
    first, bad = json.loads(line)
    assert bad == [], first


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 notices signals between any two instructions")
def test_where_python_notices_a_signal() -> None:
    """Every place in the bytecode of a block where an interrupt can be raised, one after the other."""
    first = autograd.is_recording(), autograd.is_training()
    for steps in range(1, 60):
        with contextlib.suppress(KeyboardInterrupt):
            _interrupted_after(steps, _nested)
        assert (autograd.is_recording(), autograd.is_training()) == first, steps
        assert (mx.current_context(), len(managers()), naming.entered) == (mx.cpu(0), 1, []), steps


def _nested() -> None:
    with autograd.record(), mx.cpu(1), mx.name.Prefix("a"), autograd.pause():
        pass


def _interrupted_after(steps: int, function: Any) -> None:
    """Runs a function and raises KeyboardInterrupt at the begin of the n-th function of Python that it calls."""
    count = 0

    def trace(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        if event == "call":
            count += 1
            if count == steps:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(trace)
    try:
        function()
    finally:
        sys.setprofile(None)


def test_exceptions_come_out() -> None:
    for make in (autograd.record, autograd.pause, lambda: mx.cpu(1), lambda: mx.AttrScope(a="b"), mx.util.np_shape):
        with pytest.raises(ZeroDivisionError), make():  # type: ignore[attr-defined]
            _ = 1 / 0
    assert not autograd.is_recording()
    assert mx.current_context() == mx.cpu(0)
    assert mx.attribute.current()._attr == {}
    assert not mx.util.is_np_shape()


def test_blocks_entered_by_hand() -> None:
    context, manager, scope = mx.cpu(1), mx.name.Prefix("a_"), autograd.record()
    for each in (context, manager, scope):
        each.__enter__()
    assert (mx.current_context(), mx.name.current(), autograd.is_recording()) == (context, manager, True)
    for each in (scope, manager, context):
        each.__exit__(None, None, None)
    assert (mx.current_context(), len(managers()), autograd.is_recording()) == (mx.cpu(0), 1, False)
    autograd.record().__enter__()  # and forgotten: it stays so, as in MXNet
    assert autograd.is_recording()
    autograd.set_recording(False)
    autograd.set_training(False)


def test_one_context_twice_and_in_threads() -> None:
    context = mx.cpu(1)
    seen = []

    def other() -> None:
        with context:
            seen.append(mx.current_context())
        seen.append(mx.current_context())

    with context:
        with context:
            assert mx.current_context() == context
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert mx.current_context() == context
        mx.Context.default_ctx = mx.cpu(2)
        assert mx.current_context() == mx.cpu(2)
    assert mx.current_context() == mx.cpu(0)
    assert seen == [context, mx.cpu(0)]


@pytest.mark.parametrize(("prepare", "error"), [("", ""), ("sys.modules['mxnet.visualization'] = None", "ImportError")])
def test_importing_leaves_garbage_collection_as_it_was(prepare: str, error: str) -> None:
    text = f"""
import gc, sys
{prepare}
found = ""
try:
    import mxnet
except ImportError:
    found = "ImportError"
print(found, gc.isenabled())
"""
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert run.stdout.strip().split() == [*([error] if error else []), "True"]


@pytest.mark.parametrize("is_enabled", [True, False])
def test_collector_is_put_back(is_enabled: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if is_enabled else gc.disable)()
        with CollectorPaused(), CollectorPaused():
            assert not gc.isenabled()
        assert gc.isenabled() == is_enabled
        with contextlib.suppress(ValueError), CollectorPaused():
            raise ValueError
        assert gc.isenabled() == is_enabled
    finally:
        (gc.enable if before else gc.disable)()
