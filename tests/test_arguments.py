"""Keyword arguments that a class does not have."""

import functools

import pytest

from regluon.arguments import check_keywords, unknown_keywords


class Plain:
    def __init__(self, width, *, height=1):
        pass


class Open(Plain):
    def __init__(self, depth=1, **kwargs):
        super().__init__(1, **kwargs)


def decorated(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args)

    return inner


class Decorated:
    @decorated
    def __init__(self, width):
        pass


class Bare:
    pass


def test_all_names_of_a_class_are_accepted():
    check_keywords(Plain, {"width": 1, "height": 2})


def test_others_are_refused_with_the_nearest():
    with pytest.raises(
        TypeError, match=r"^\[Plain\] widht: unknown argument; did you mean width\? It takes width, height\.$"
    ):
        check_keywords(Plain, {"widht": 1})


@pytest.mark.parametrize("kind", [Open, Decorated, Bare])
def test_what_a_program_decides_itself_is_left_to_it(kind):
    check_keywords(kind, {"anything": 1})


def test_names_of_bases_are_told_too():
    text = "[Open] hight: unknown argument; did you mean height? xyz: unknown argument. It takes depth, width, height."
    assert str(unknown_keywords(Open, ["hight", "xyz"])) == text


def test_classes_that_take_nothing():
    assert str(unknown_keywords(Bare, ["xyz"])) == "[Bare] xyz: unknown argument. It takes none."
