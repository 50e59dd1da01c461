import json
import threading

import pytest

from mxnet import profiler
from mxnet.base import MXNetError

from .conftest import Profile


def times() -> dict:
    return json.loads(profiler.dumps(format="json"))["Time"]


def test_durations_are_counted_by_domain(profile: Profile) -> None:
    domain = profiler.Domain("Dom")
    task, frame, event = domain.new_task("task"), domain.new_frame("frame"), profiler.Event("event")
    assert [str(each) for each in (domain, task, frame, event)] == ["Dom", "task", "frame", "event"]
    with profile:
        for each in (task, task, frame, event):
            each.start()
            each.stop()
    found = times()
    assert {category: list(named) for category, named in found.items()} == {
        "Dom": ["task"], "Dom,frame": ["frame"], "event": ["event"],
    }  # fmt: skip
    assert found["Dom"]["task"]["Count"] == 2
    phases = {event["name"]: event["ph"] for event in profile.events()}
    assert (phases["task"], phases["frame"], phases["event"]) == ("e", "X", "X")


def test_tasks_may_end_in_other_threads(profile: Profile) -> None:
    task = profiler.Task(profiler.Domain("Dom"), "task")
    with profile:
        task.start()
        thread = threading.Thread(target=task.stop)
        thread.start()
        thread.join()
    assert times()["Dom"]["task"]["Count"] == 1


def test_nothing_is_seen_while_the_profiler_is_off(profile: Profile) -> None:
    domain = profiler.Domain("Dom")
    task, counter = domain.new_task("task"), domain.new_counter("counter", 5)
    task.start()
    domain.new_marker("marker").mark()
    task.stop()
    task.stop()
    assert times() == {}
    with profile:
        counter += 2  # counters go on all the same
        task.stop()
    assert times()["Dom"] == {"counter": {"Count": 1, "Total": 0.007, "Min": 0.007, "Max": 0.007, "Avg": 0.0}}


def test_counters_change(profile: Profile) -> None:
    with profile:
        counter = profiler.Domain("Dom").new_counter("counter", 5)
        counter += 3
        counter -= 1
        counter.increment()
        counter.decrement(4)
        counter.set_value("9")  # MXNet converts
    values = [event["args"]["counter"] for event in profile.events() if event["ph"] == "C" and event["cat"] == "Dom"]
    assert values == [5, 8, 7, 8, 4, 9]
    assert str(counter) == "counter"


def test_markers_have_scopes(profile: Profile) -> None:
    marker = profiler.Marker(profiler.Domain("Dom"), "here")
    with profile:
        marker.mark()
        marker.mark("global")
    assert [event["s"] for event in profile.events() if event["name"] == "here"] == ["p", "g"]
    with pytest.raises(MXNetError, match=r"\[Marker\] scope: received 'galaxy'; expected one of global, process"):
        marker.mark("galaxy")
