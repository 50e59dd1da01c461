"""Threads that meet."""

import threading
from typing import Any

import pytest

from mxnet.base import MXNetError
from regluon.ops.nn.sync_batch_norm import MeetingError, meet


def _together(*calls: tuple[Any, ...]) -> list[Any]:
    """What threads that call `meet` with these arguments get, or what it raises in them."""
    found: list[Any] = [None] * len(calls)

    def call(number: int) -> None:
        try:
            found[number] = meet(*calls[number], "me")
        except Exception as error:
            found[number] = error

    threads = [threading.Thread(target=call, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_everyone_gets_a_result_in_the_order_of_places() -> None:
    for _ in range(20):  # whoever comes first
        found = _together(
            ("key", 3, 2, "c", lambda parts: [*enumerate(parts)]),
            ("key", 3, 0, "a", lambda parts: [*enumerate(parts)]),
            ("key", 3, 1, "b", lambda parts: [*enumerate(parts)]),
        )
        assert found == [(2, "c"), (0, "a"), (1, "b")]


def test_meetings_of_other_names_and_sizes_are_others() -> None:
    found = _together(
        ("one", 2, 0, 1, lambda parts: [sum(parts)] * 2),
        ("two", 2, 0, 10, lambda parts: [sum(parts)] * 2),
        ("one", 2, 1, 2, lambda parts: [sum(parts)] * 2),
        ("two", 2, 1, 20, lambda parts: [sum(parts)] * 2),
        ("one", 1, 0, 5, lambda parts: parts),
    )
    assert found == [3, 30, 3, 30, 5]


def test_an_error_reaches_everyone_and_the_next_meeting_is_a_new_one() -> None:
    def fail(parts: list[Any]) -> list[Any]:
        raise MXNetError(f"cannot combine {parts}")

    errors = _together(("key", 2, 0, 1, fail), ("key", 2, 1, 2, fail))
    assert [str(error) for error in errors] == ["cannot combine [1, 2]"] * 2
    assert _together(("key", 2, 0, 1, list), ("key", 2, 1, 2, list)) == [1, 2]


def test_who_waits_in_vain_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_KVSTORE_TIMEOUT", "0.05")
    text = r"\[me\] 1 of 2 threads came to the meeting 'key' in 0.05 seconds \(MXNET_KVSTORE_TIMEOUT\)"
    with pytest.raises(MeetingError, match=text):
        meet("key", 2, 0, 1, list, "me")
    monkeypatch.setenv("MXNET_KVSTORE_TIMEOUT", "60")
    assert _together(("key", 2, 0, 1, list), ("key", 2, 1, 2, list)) == [1, 2]  # nobody of before counts


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan"])
def test_the_time_to_wait_is_a_number(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_KVSTORE_TIMEOUT", text)
    with pytest.raises(MXNetError, match=rf"\[distributed\] MXNET_KVSTORE_TIMEOUT is '{text}'; expected a number"):
        meet(f"in {text}", 2, 0, 1, list, "me")
