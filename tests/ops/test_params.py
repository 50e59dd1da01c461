"""Kinds of parameters: values users give, and text from saved graphs."""

from typing import Literal

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import nd
from regluon.ops.params import Ctx, DType, Floats, Shape, Shapes, kind_of


@pytest.mark.parametrize(
    ("annotation", "given", "expected"),
    [
        (int, 3, 3),
        (int, "3", 3),
        (int, "-3", -3),
        (int, np.int8(3), 3),
        (int, True, 1),
        (int, np.array(3), 3),
        (int, nd.array([3], dtype="int32"), 3),
        (float, 3, 3.0),
        (float, "0.5", 0.5),
        (float, "1e-05", 1e-5),
        (float, np.float16(0.5), 0.5),
        (float, "inf", float("inf")),
        (bool, True, True),
        (bool, 0, False),
        (bool, np.bool_(True), True),
        (bool, "True", True),
        (bool, "false", False),
        (bool, "1", True),
        (str, "text", "text"),
        (Shapes, ((1, 2), [0, 3]), ((1, 2), (0, 3))),
        (Shapes, np.array([[1, 2], [0, 3]]), ((1, 2), (0, 3))),
        (Shapes, "((1, 2), (0, 3))", ((1, 2), (0, 3))),
        (Shapes, "[[1,2],[0,3]]", ((1, 2), (0, 3))),
        (Shapes, (1, 2), ((1, 2),)),
        (Shapes, "((1, 2),)", ((1, 2),)),
        (Shapes, (), ()),
        (Shape, (2, 3), (2, 3)),
        (Shape, [2, 3], (2, 3)),
        (Shape, 2, (2,)),
        (Shape, np.array([2, 3]), (2, 3)),
        (Shape, "(2, 3)", (2, 3)),
        (Shape, "[2,3]", (2, 3)),
        (Shape, "(2,)", (2,)),
        (Shape, "()", ()),
        (Shape, "2", (2,)),
        (Shape, None, ()),
        (Shape, "None", ()),
        (Shape, (None, 2), (None, 2)),
        (Shape, "(None, 2)", (None, 2)),
        (Floats, (1, 0.5), (1.0, 0.5)),
        (Floats, "(1, 0.5)", (1.0, 0.5)),
        (Floats, 0.5, (0.5,)),
        (DType, "float16", torch.float16),
        (DType, np.int32, torch.int32),
        (DType, torch.uint8, torch.uint8),
        (Ctx, "cpu(1)", mx.cpu(1)),
        (Ctx, mx.gpu(2), mx.gpu(2)),
        (Ctx, None, mx.cpu(0)),
        (Literal["a", "b"], "b", "b"),
        (int | None, None, None),
        (int | None, "None", None),
        (int | None, "4", 4),
        (Shape | None, None, None),
    ],
    ids=repr,
)
def test_values_are_read(annotation, given, expected):
    found = kind_of(annotation).parse(given)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("annotation", "given", "kind", "text"),
    [
        (int, 2.0, TypeError, "a float is not an integer"),
        (int, "2.5", ValueError, "invalid literal for int"),
        (int, "a", ValueError, "invalid literal for int"),
        (int, None, TypeError, "not 'NoneType'"),
        (int, np.float32(2), TypeError, "a float is not an integer"),
        (int, (2,), TypeError, "not 'tuple'"),
        (float, None, TypeError, "not a number"),
        (float, "a", ValueError, "could not convert string to float"),
        (float, (1,), TypeError, "not a number"),
        (float, [1.0], TypeError, "not a number"),
        (bool, "yes", KeyError, "'yes'"),
        (bool, None, TypeError, "not a boolean"),
        (bool, 0.5, TypeError, "not a boolean"),
        (Shape, "(2, 3", ValueError, "unbalanced brackets"),
        (Shape, "2, a", ValueError, "invalid literal for int"),
        (Shape, (2, 3.5), TypeError, "a float is not an integer"),
        (Shape, "[2, 3)", ValueError, "unbalanced brackets"),
        (Floats, "(1, a)", ValueError, "could not convert string to float"),
        (Floats, None, TypeError, "not a number"),
        (DType, "float8", ValueError, r"\[dtype\] received 'float8'; expected one of float32"),
        (DType, 3.5, ValueError, r"\[dtype\] received 3\.5; expected one of float32"),
        (Literal["a", "b"], "c", ValueError, "not one of the choices"),
        (Literal["a", "b"], None, ValueError, "not one of the choices"),
        (int | None, "a", ValueError, "invalid literal for int"),
    ],
    ids=repr,
)
def test_other_values_do_not_fit(annotation, given, kind, text):
    with pytest.raises(kind, match=text):
        kind_of(annotation).parse(given)


@pytest.mark.parametrize(
    ("annotation", "value", "text"),
    [
        (int, 3, "3"),
        (float, 0.5, "0.5"),
        (float, 1e-5, "1.0e-05"),
        (float, 3.0, "3"),
        (bool, True, "True"),
        (str, "text", "text"),
        (Shape, (2, 3), "(2, 3)"),
        (Shape, (2,), "(2,)"),
        (Shape, (), "()"),
        (DType, torch.float16, "float16"),
        (Ctx, mx.cpu(1), "cpu(1)"),
        (Literal["a", "b"], "b", "b"),
        (int | None, None, "None"),
        (Shape | None, (1, 2), "(1, 2)"),
    ],
    ids=repr,
)
def test_values_are_written_and_read_back(annotation, value, text):
    kind = kind_of(annotation)
    written = kind.format(value)
    if annotation is not float:
        assert written == text
    assert kind.parse(written) == value


def test_floats_survive_as_text():
    kind = kind_of(Floats)
    assert kind.parse(kind.format((0.1, 1e-7, 3.0))) == pytest.approx((0.1, 1e-7, 3.0), rel=1e-8)


def test_kinds_say_what_they_expect():
    assert kind_of(int).expects == "an integer"
    assert kind_of(Literal["a", "b"]).expects == "one of 'a', 'b'"
    assert kind_of(int | None).expects == "an integer, or None"
    assert kind_of(Shape).expects == "a tuple of integers, such as (2, 2)"


def test_kinds_have_a_type_for_editors():
    assert kind_of(Literal["a", "b"]).stub == "Literal['a', 'b']"
    assert kind_of(float | None).stub == "float | None"
    assert kind_of(Shape).stub == "Shape"


def test_kinds_are_made_once():
    assert kind_of(Literal["x", "y"]) is kind_of(Literal["x", "y"])


def test_other_annotations_are_a_mistake_of_the_declaration():
    with pytest.raises(AssertionError, match="an operator parameter cannot be annotated with"):
        kind_of(int | str)
