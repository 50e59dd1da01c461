"""`mx.AttrScope`."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import mxnet as mx
from mxnet import attribute
from mxnet.attribute import AttrScope


def test_scopes_nest_and_inner_values_win():
    with AttrScope(a="1", b="2") as outer:
        with AttrScope(b="3") as inner:
            assert attribute.current() is inner
            assert inner.get(None) == {"a": "1", "b": "3"}
            assert inner.get({"a": "9", "c": "4"}) == {"a": "9", "b": "3", "c": "4"}
        assert attribute.current() is outer
        assert outer.get({}) == {"a": "1", "b": "2"}
    assert attribute.current().get(None) == {}


def test_a_scope_keeps_what_it_inherited():
    outer, inner = AttrScope(x="1"), AttrScope(y="2")
    with outer, inner:
        pass
    with inner:
        assert inner.get(None) == {"x": "1", "y": "2"}


def test_what_get_returns_is_a_copy():
    scope = AttrScope(x="1")
    scope.get(None)["z"] = "1"
    assert scope.get(None) == {"x": "1"}


def test_values_are_strings():
    with pytest.raises(ValueError, match=r"\[AttrScope\] attribute 'lr' received 1 \(int\); expected a string"):
        AttrScope(lr=1)


def test_an_exception_leaves_the_scope():
    before = attribute.current()
    with pytest.raises(KeyError), AttrScope(a="1"):
        raise KeyError
    assert attribute.current() is before


def test_scopes_belong_to_a_thread():
    with AttrScope(a="1"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: attribute.current().get(None)).result() == {}
    assert mx.AttrScope is AttrScope


def test_the_scope_in_force_can_be_read_and_set_on_the_class() -> None:
    before = AttrScope.current
    seen = []

    def elsewhere() -> None:
        AttrScope.current = AttrScope(x="there")
        seen.append(AttrScope.current._attr)

    try:
        AttrScope.current = AttrScope(x="here")
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert mx.sym.var("v").attr("x") == "here"
        with AttrScope(y="inner") as inner:
            assert AttrScope._current.value is inner
    finally:
        AttrScope.current = before
    assert seen == [{"x": "there"}]
