"""Dtypes that graphs of quantized operators infer, as a real MXNet 1.9.1 does."""

import pytest

import mxnet as mx

C = mx.sym.contrib
DATA, LOW, HIGH = (mx.sym.var(name) for name in ("data", "low", "high"))
CALIBRATED = {"min_calib_range": -1.0, "max_calib_range": 1.0}
LIMITS = ["float32", "float32"]


def inferred(symbol, **dtypes):
    return [[dtype.__name__ for dtype in part] for part in symbol.infer_type(**dtypes)]


@pytest.mark.parametrize("out_type", ["int8", "uint8", "auto"])
@pytest.mark.parametrize("low", [None, -1.0, 0.0])
def test_quantize_v2(out_type, low):
    limits = {} if low is None else {"min_calib_range": low, "max_calib_range": 1.0}
    expected = out_type if out_type != "auto" else "uint8" if low == 0 else "int8"
    symbol = C.quantize_v2(DATA, out_type=out_type, **limits)
    assert inferred(symbol, data="float32") == [["float32"], [expected, *LIMITS], []]


@pytest.mark.parametrize(
    ("symbol", "data", "arguments", "result"),
    [
        (C.quantize(DATA, LOW, HIGH, out_type="int8"), "float32", LIMITS, ["int8", *LIMITS]),
        (C.quantize_asym(DATA), "float32", [], ["uint8", *LIMITS]),
        (C.dequantize(DATA, LOW, HIGH), "uint8", LIMITS, ["float32"]),
        (C.requantize(DATA, LOW, HIGH), "int32", LIMITS, ["int8", *LIMITS]),
        (C.quantized_flatten(DATA, LOW, HIGH), "uint8", LIMITS, ["uint8", *LIMITS]),
        (C.quantized_pooling(DATA, LOW, HIGH, kernel=(2, 2)), "int8", LIMITS, ["int8", *LIMITS]),
        (C.quantized_conv(DATA, kernel=(1, 1), num_filter=2), "uint8", ["int8"] * 2 + LIMITS * 3, ["int32", *LIMITS]),
        (
            C.quantized_conv(DATA, kernel=(1, 1), num_filter=2, no_bias=True),
            "uint8",
            ["int8", *LIMITS * 2],
            ["int32", *LIMITS],
        ),
        (C.quantized_fully_connected(DATA, num_hidden=2), "int8", ["int8"] * 2 + LIMITS * 3, ["int32", *LIMITS]),
        (C.quantized_batch_norm(DATA, **CALIBRATED), "uint8", LIMITS * 2, ["int8", *LIMITS]),
        (C.quantized_rnn(DATA, state_size=2, num_layers=1, mode="lstm"), "uint8", ["float32"] * 5, ["float32"]),
    ],
    ids=lambda value: value.name if isinstance(value, mx.sym.Symbol) else "",
)
def test_limits_are_single(symbol, data, arguments, result):
    found = inferred(symbol, data=data)
    assert found[:2] == [[data, *arguments], result]


@pytest.mark.parametrize("left", ["int8", "uint8"])
def test_operators_on_pairs(left):
    first = C.quantize_v2(mx.sym.var("x"), out_type=left, **CALIBRATED)
    second = C.quantize_v2(mx.sym.var("y"), out_type="int8", **CALIBRATED)
    pair = (first[0], second[0], first[1], first[2], second[1], second[2])
    for symbol, result in (
        (C.quantized_elemwise_add(*pair), "int32"),
        (C.quantized_elemwise_add(*pair, **CALIBRATED), "int8"),
        (C.quantized_concat(*pair, num_args=2), "int8"),
    ):
        assert inferred(symbol, x="float32", y="float32") == [["float32"] * 2, [result, *LIMITS], []]
