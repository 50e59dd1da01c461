"""Classes by name."""

import pytest

import mxnet as mx
from mxnet import registry


class Shape:
    def __init__(self, size=1, color="red"):
        self.size, self.color = size, color


register = registry.get_register_func(Shape, "shape")
alias = registry.get_alias_func(Shape, "shape")
create = registry.get_create_func(Shape, "shape")


@register
@alias("ring", "Disc")
class Circle(Shape):
    pass


def test_names_are_lower_case():
    assert registry.get_registry(Shape) == {"ring": Circle, "disc": Circle, "circle": Circle}
    registry.get_registry(Shape).clear()
    assert registry.get_registry(Shape)
    assert registry.get_registry(int) == {}


@pytest.mark.parametrize(
    "described",
    [
        lambda: create("circle", 3, color="blue"),
        lambda: create("RING", size=3, color="blue"),
        lambda: create('["Disc", {"size": 3, "color": "blue"}]'),
        lambda: create('{"shape": "circle", "size": 3, "color": "blue"}'),
        lambda: create({"shape": "circle", "size": 3, "color": "blue"}),
        lambda: create(shape="circle", size=3, color="blue"),
        lambda: create(Circle(3, "blue")),
    ],
)
def test_create(described):
    made = described()
    assert type(made) is Circle
    assert (made.size, made.color) == (3, "blue")


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "text"),
    [
        (("circel",), {}, ValueError, r"received 'circel', which is not registered; did you mean 'circle'\?"),
        (("x",), {}, ValueError, "there are circle, disc, ring. Your own: shape.register"),
        ((3,), {}, TypeError, "received 3; expected a name or an object of Shape"),
        ((), {"size": 3}, ValueError, "received no shape; expected a name or an object"),
        ((Circle(),), {"size": 3}, ValueError, "which is complete, and more arguments; expected it alone"),
        (('["circle", {}]', 3), {}, ValueError, "which is complete, and more arguments"),
        (('["circle", 3]',), {}, ValueError, "expected '.\"name\", {arguments}.'"),
        (('["circle"]',), {}, ValueError, "expected '.\"name\", {arguments}.'"),
        (("[circle",), {}, ValueError, "which is no JSON: Expecting value"),
        ((f'["circle", {{"size": {"1" * 5000}}}]',), {}, mx.MXNetError, "which is no JSON: Exceeds the limit"),
    ],
)
def test_refusals(args, kwargs, error, text):
    with pytest.raises(error, match=rf"^\[shape.create\] {text}" if text.startswith("rec") else text):
        create(*args, **kwargs)


def test_only_subclasses_are_registered():
    for klass in (int, 3):
        with pytest.raises(TypeError, match=r"\[shape.register\] received .*; expected a subclass of Shape"):
            register(klass)


def test_a_name_taken_twice_warns():
    class Square(Shape):
        pass

    register(Square)
    with pytest.warns(
        UserWarning, match=r"\[shape.register\] .*\.Circle takes the name 'square' from .*\.Square"
    ) as seen:
        register(Circle, "Square")
    assert seen[0].filename == __file__
    assert type(create("square")) is Circle
    del registry._REGISTRY[Shape]["square"]
