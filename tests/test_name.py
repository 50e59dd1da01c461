"""`mx.name`: automatic names."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from mxnet import name
from mxnet.name import NameManager, Prefix


def test_names_count_by_kind():
    manager = NameManager()
    assert [manager.get(None, "conv"), manager.get("", "conv"), manager.get(None, "fc")] == ["conv0", "conv1", "fc0"]
    assert manager.get("mine", "conv") == "mine"
    assert manager.get(None, "conv") == "conv2"


def test_a_prefix_stands_before_every_name():
    prefix = Prefix("net_")
    assert prefix.get(None, "conv") == "net_conv0"
    assert prefix.get("mine", "conv") == "net_mine"


def test_managers_nest():
    before = name.current()
    with Prefix("a_") as outer:
        assert name.current() is outer
        with NameManager() as inner:
            assert name.current() is inner
            assert inner.get(None, "fc") == "fc0"
        assert name.current() is outer
    assert name.current() is before


def test_a_manager_goes_on_counting_when_entered_again():
    manager = NameManager()
    for expected in ("fc0", "fc1"):
        with manager:
            assert name.current().get(None, "fc") == expected


def test_an_exception_leaves_the_manager():
    before = name.current()
    with pytest.raises(KeyError), NameManager():
        raise KeyError
    assert name.current() is before


def test_managers_belong_to_a_thread():
    with Prefix("a_") as manager, ThreadPoolExecutor(1) as pool:
        assert pool.submit(name.current).result() is not manager


def test_the_manager_in_force_can_be_read_and_set_on_the_class() -> None:
    before = NameManager.current
    try:
        NameManager.current = Prefix("my_")
        assert NameManager._current.value.get(None, "layer") == "my_layer0"
    finally:
        NameManager.current = before
