"""Documentation put together from parts, for symbols and arrays; functions as source text."""

import pytest

import mxnet as mx
from mxnet import ndarray_doc, symbol_doc
from mxnet.base import _Null, build_param_doc
from mxnet.ndarray.register import _generate_ndarray_function_code
from mxnet.symbol.register import _generate_symbol_function_code


def test_shapes_of_outputs_by_name():
    layer = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=512, name="FC1")
    assert symbol_doc.SymbolDoc.get_output_shape(layer, data=(128, 100)) == {"FC1_output": (128, 512)}


def test_sections_of_parameters():
    text = build_param_doc(
        ["data", "axis", "axis", "num_args"], ["NDArray", "int", "int", "int"], ["", "which", "", ""]
    )
    assert text == "Parameters\n----------\ndata : NDArray\naxis : int\n    which\n"


@pytest.mark.parametrize(("module", "base"), [(symbol_doc, "SymbolDoc"), (ndarray_doc, "NDArrayDoc")])
def test_classes_add_examples(module, base):
    name = f"made_for_{base}"
    kept = type(f"{name}Doc", (getattr(module, base),), {"__doc__": "An example."})
    text = module._build_doc(name, "What it does.", ["data"], ["NDArray-or-Symbol"], [""], "num_args")
    assert text.startswith("What it does.\nAny number of inputs may be given by position.\n")
    assert text.endswith(kept.__doc__)
    assert f"data : {base.removesuffix('Doc')}\n" in text


@pytest.mark.parametrize("operator", ["FullyConnected", "Concat", "_plus_scalar", "split"])
def test_functions_as_text(operator):
    inputs, params = {
        "FullyConnected": ([(2, 3), (4, 3)], {"num_hidden": 4, "no_bias": True}),
        "Concat": ([(2, 3), (2, 3)], {"dim": 0}),
        "_plus_scalar": ([(2, 3)], {"scalar": 2.0}),
        "split": ([(2, 4)], {"num_outputs": 2}),
    }[operator]
    names = {"mxnet": mx, "_Null": _Null}
    code, doc = _generate_ndarray_function_code(None, operator, "made")
    exec(code, names)
    direct = getattr(mx.nd._internal if operator[0] == "_" else mx.nd, operator)
    arrays = [mx.nd.random.uniform(shape=shape) for shape in inputs]
    for got, expected in zip(names["made"](*arrays, **params), direct(*arrays, **params), strict=True):
        assert (got.asnumpy() == expected.asnumpy()).all()
    assert doc == direct.__doc__
    code, doc = _generate_symbol_function_code(None, operator, "made")
    exec(code, names)
    made = names["made"](*(mx.sym.var(f"v{i}") for i in range(len(inputs))), name="it", **params)
    assert made.name == "it"
    assert "return (0,)" in _generate_symbol_function_code(None, operator, "made", signature_only=True)[0]
