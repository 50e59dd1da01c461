import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch

from mxnet import nd, profiler, runtime
from mxnet.base import MXNetError
from mxnet.profiler import _state

from .conftest import Profile

X = nd.ones((2, 2))


def test_pausing(profile: Profile) -> None:
    with profile:
        nd.sin(X)
        profiler.pause()
        nd.cos(X)
        profiler.resume()
        nd.tan(X)
    profiler.resume()  # it does not run
    nd.exp(X)
    assert profile.counts() == {"sin": 1, "tan": 1}


def test_statistics_can_be_read_on_the_way_and_reset(profile: Profile) -> None:
    with profile:
        nd.sin(X)
        assert profile.counts() == {"sin": 1}
        nd.sin(X)
        assert profile.counts() == {"sin": 2}
        profiler.dumps(reset=True)
        nd.cos(X)
    assert profile.counts() == {"cos": 1}


def test_traces_grow_until_they_are_finished(profile: Profile) -> None:
    def names() -> list[str]:
        return [
            each["name"]
            for each in json.loads(profile.path.read_text())["traceEvents"]
            if each.get("cat") == "operator"
        ]

    with profile:
        nd.sin(X)
        profiler.dump(finished=False)
        assert names() == ["sin"]
        nd.cos(X)
        profiler.dump(finished=False)
        assert names() == ["sin", "cos"]
        nd.tan(X)
        profiler.dump()
        assert names() == ["sin", "cos", "tan"]
        nd.exp(X)  # it has stopped
    with pytest.raises(MXNetError, match=r"\[profiler\] there is nothing to dump: it has not run since the last dump"):
        profiler.dump()
    with profile:
        nd.log(X)
    profiler.dump()
    assert names() == ["log"]


def test_continuous_dumps(profile: Profile) -> None:
    profiler.set_config(filename=str(profile.path), dump_period=0.01)
    with profile:
        nd.sin(X)
        time.sleep(0.02)
        nd.cos(X)
        assert "sin" in profile.path.read_text()


def test_settings_may_change_while_it_runs(profile: Profile) -> None:
    other = profile.path.with_name("other.json")
    with profile:
        nd.sin(X)
        profiler.set_config(profile_memory=False, filename=str(other), continuous_dump=False)
        nd.cos(X)
    profiler.dump()
    assert "cos" in other.read_text()


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ({"format": "xml"}, "format: received 'xml'; expected one of 'table', 'json'"),
        ({"sort_by": "name"}, "sort_by: received 'name'; expected one of 'total', 'avg', 'min', 'max', 'count'"),
        ({"ascending": "yes"}, "ascending: received 'yes'; expected one of False, True"),
        ({"reset": 2}, "reset: received 2"),
    ],
)
def test_wrong_arguments_of_dumps(argument: dict, text: str) -> None:
    with pytest.raises(AssertionError, match=text):  # MXNet's class of error
        profiler.dumps(**argument)


def test_wrong_states_are_refused() -> None:
    with pytest.raises(MXNetError, match="set_state: received 'go'; expected 'run' or 'stop'"):
        profiler.set_state("go")
    for function in (profiler.pause, profiler.resume, profiler.set_state, profiler.dump):
        with pytest.raises(MXNetError, match="received 'server'; expected 'worker'"):
            function(profile_process="server")


def test_former_names(profile: Profile) -> None:
    with pytest.warns(DeprecationWarning, match=r"Please use profiler.set_config\(\) instead"):
        profiler.profiler_set_config("all", str(profile.path))
    with pytest.warns(DeprecationWarning, match=r"Please use profiler.set_state\(\) instead"):
        profiler.profiler_set_state("run")
    nd.sin(X)
    with pytest.warns(DeprecationWarning, match=r"Please use profiler.dump\(\) instead"):
        profiler.dump_profile()
    assert profile.counts() == {"sin": 1}
    assert "sin" in profile.path.read_text()
    profiler.set_kvstore_handle("store")
    assert _state.profiler.store == "store"


def test_other_profilers_of_torch_are_in_the_way(profile: Profile) -> None:
    with torch.profiler.profile(), pytest.raises(MXNetError, match="another profiler of torch is running"):
        profiler.set_state("run")
    with profile:
        nd.sin(X)
    assert profile.counts() == {"sin": 1}


def test_other_threads_cannot_stop_it(profile: Profile) -> None:
    errors: list[Exception] = []

    def stop() -> None:
        try:
            profiler.set_state("stop")
        except MXNetError as error:
            errors.append(error)

    with profile:
        nd.sin(X)
        thread = threading.Thread(target=stop)
        thread.start()
        thread.join()
    assert "it was started in another thread" in str(errors[0])
    assert profile.counts() == {"sin": 1}


def run_program(folder: Path, text: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **settings}
    return subprocess.run(
        [sys.executable, "-c", text],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )


@pytest.mark.parametrize("mode", ["0", "1"])
def test_the_environment_starts_it(tmp_path: Path, mode: str) -> None:
    program = """
import mxnet as mx
net = mx.gluon.nn.Dense(2, in_units=2)
net.initialize()
net.hybridize()
net(mx.nd.sqrt(mx.nd.ones((1, 2))))
"""
    done = run_program(tmp_path, program, MXNET_PROFILER_AUTOSTART="1", MXNET_PROFILER_MODE=mode)
    assert done.stderr == ""
    events = json.loads((tmp_path / "profile.json").read_text())["traceEvents"]
    names = {event["name"] for event in events if event.get("cat") == "operator"}
    assert ("FullyConnected" in names, "sqrt" in names) == (True, mode == "1")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_forked_processes_leave_the_file_alone(tmp_path: Path) -> None:
    program = """
import os
import mxnet as mx
import regluon.config
mx.profiler.set_config(profile_all=True, filename="trace.json", continuous_dump=False)
mx.profiler.set_state("run")
mx.nd.sin(mx.nd.ones(2))
child = os.fork()
if child == 0:
    mx.nd.cos(mx.nd.ones(2))
    os._exit(regluon.config.process.tracer is not None)  # as workers end
assert os.waitpid(child, 0)[1] == 0
assert not os.path.exists("trace.json")
"""
    run_program(tmp_path, program)
    trace = (tmp_path / "trace.json").read_text()
    assert '"sin"' in trace
    assert '"cos"' not in trace


def test_without_torchs_private_interfaces(tmp_path: Path) -> None:
    program = """
import json
import mxnet as mx
mx.profiler.set_config(profile_all=True, filename="trace.json", continuous_dump=False)
mx.profiler.set_state("run")
x = mx.nd.ones((50, 50))
x.attach_grad()
with mx.autograd.record():
    y = mx.nd.exp(x)
y.backward()
mx.profiler.set_state("stop")
found = json.loads(mx.profiler.dumps(format="json"))
assert found["Time"]["operator"]["exp"]["Count"] == found["Time"]["operator"]["_backward_exp"]["Count"] == 1
assert found["Memory"]["Operator Memory"]["exp"]["Max"] >= 10
"""
    run_program(tmp_path, program, MXNET_TORCH_PRIVATE="0")


def test_the_feature_is_there() -> None:
    assert runtime.Features().is_enabled("PROFILER")


def test_times_begin_with_the_first_run_of_a_file(profile: Profile) -> None:
    with profile:
        nd.exp(X)
        profiler.dumps()  # has torch begin a new trace
        profiler.pause()
        profiler.resume()
        nd.sin(X)
    times = [event["ts"] for event in profile.events() if "ts" in event]
    assert times
    assert min(times) >= 0
