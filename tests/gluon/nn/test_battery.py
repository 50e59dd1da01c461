"""One battery of checks, run over every recorded layer."""

import contextlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.gluon import nn
from mxnet.gluon.nn.basic_layers import _BatchNorm
from tests.gluon.nn.base import RECORDED, RUNNING, Recorded, by_id, make, parameters

WITH_SIZE = [each for each in RUNNING if each.given is not None]
LEARNING = [each for each in RUNNING if each.parameters]
SINGLE = [each for each in RUNNING if len(each.shapes) == 1]


def predicted(layer: Any, recorded: Recorded) -> np.ndarray:
    return layer(*recorded.inputs()).asnumpy()


@contextlib.contextmanager
def quiet() -> Any:
    """nn.Sequential warns that nn.HybridSequential would be faster."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@pytest.mark.parametrize("recorded", WITH_SIZE, ids=by_id)
def test_given_input_size_gives_the_same(recorded: Recorded) -> None:
    deferred = recorded.with_weights(make(recorded.make))
    given = recorded.with_weights(make(recorded.given))
    assert parameters(given) == parameters(deferred)
    assert repr(given) == repr(deferred)
    np.testing.assert_array_equal(predicted(given, recorded), predicted(deferred, recorded))


@pytest.mark.parametrize("recorded", WITH_SIZE, ids=by_id)
def test_unknown_sizes_are_read_too_early(recorded: Recorded) -> None:
    layer = make(recorded.make)
    layer.initialize()
    waiting = [p for p in layer.collect_params().values() if 0 in p.shape]
    for parameter in waiting:
        with pytest.raises(mx.gluon.DeferredInitializationError, match=f"{parameter.name}.* has the shape"):
            parameter.data()


@pytest.mark.parametrize("recorded", RECORDED, ids=by_id)
def test_is_not_initialized_by_itself(recorded: Recorded) -> None:
    layer = make(recorded.make)
    for parameter in layer.collect_params().values():
        with pytest.raises(mx.base.MXNetError, match=r"has not been initialized\. Call initialize\(\)"):
            parameter.data()


@pytest.mark.parametrize("suffix", [".params", ".safetensors"])
@pytest.mark.parametrize("recorded", LEARNING, ids=by_id)
def test_saves_and_loads(recorded: Recorded, suffix: str, tmp_path: Path) -> None:
    layer = recorded.with_weights(make(recorded.make))
    file = tmp_path / f"layer{suffix}"
    layer.save_parameters(file)
    fresh = make(recorded.make)
    fresh.load_parameters(file)
    assert parameters(fresh) == parameters(layer)
    np.testing.assert_array_equal(predicted(fresh, recorded), predicted(layer, recorded))


@pytest.mark.parametrize("dtype", ["float64", "float16"])
@pytest.mark.parametrize("recorded", RUNNING, ids=by_id)
def test_casts(recorded: Recorded, dtype: str) -> None:
    if dtype == "float16" and recorded.make.startswith("nn.AvgPool3D"):
        pytest.skip("torch has no such kernel on a CPU")
    layer = recorded.with_weights(make(recorded.make))
    expected = predicted(layer, recorded)
    is_indexed = recorded.dtype == "int32"
    layer.cast(dtype)
    out = layer(*recorded.inputs(None if is_indexed else dtype))
    assert out.dtype == np.dtype(dtype)
    tolerance = {"float64": (1e-4, 1e-5), "float16": (5e-2, 5e-2)}[dtype]
    # An offset that is rounded may jump over the border of the image, beyond which there are zeros.
    jumps = 0.1 if recorded.make.startswith("cnn.") and dtype == "float16" else 0
    close = np.isclose(out.asnumpy().astype("float64"), expected, *tolerance)
    assert np.mean(~close) <= jumps
    layer.apply(lambda block: check_dtypes(block, dtype))


def check_dtypes(block: Any, dtype: str) -> None:
    """Batch normalization keeps its averages in float32 where the data are float16."""
    kept = "float32" if isinstance(block, _BatchNorm) and dtype == "float16" else dtype
    for parameter in block.params.values():
        assert np.dtype(parameter.dtype) == parameter.data().dtype == np.dtype(kept)


@pytest.mark.parametrize("recorded", RECORDED, ids=by_id)
def test_takes_the_prefix_of_its_surroundings(recorded: Recorded) -> None:
    outer = nn.Sequential(prefix="outer_")
    with outer.name_scope():
        layer = make(recorded.make)
    outer.add(layer)
    assert layer.prefix.startswith("outer_")
    inside = [name for name, *_ in recorded.parameters if name.startswith(f"{recorded.name}_")]
    assert set(outer.collect_params()) >= {f"{layer.prefix}{name[len(recorded.name) + 1 :]}" for name in inside}
    assert all(name.startswith("outer_") for name in outer.collect_params())
    for key in layer._collect_params_with_prefix():
        assert f"0.{key}" in outer._collect_params_with_prefix()


@pytest.mark.parametrize("recorded", RUNNING, ids=by_id)
def test_hybridize_changes_nothing(recorded: Recorded) -> None:
    layer = recorded.with_weights(make(recorded.make))
    expected = predicted(layer, recorded)
    with quiet():
        layer.hybridize(static_alloc=True)
        np.testing.assert_allclose(predicted(layer, recorded), expected, 1e-6, 1e-6)
        assert repr(layer) == recorded.repr_after
        layer.hybridize(False)
    np.testing.assert_array_equal(predicted(layer, recorded), expected)


@pytest.mark.parametrize("row", [nn.Sequential, nn.HybridSequential])
@pytest.mark.parametrize("recorded", SINGLE, ids=by_id)
def test_stands_in_a_row(recorded: Recorded, row: Any) -> None:
    layer = recorded.with_weights(make(recorded.make))
    net = row()
    if row is nn.HybridSequential and not isinstance(layer, nn.HybridBlock):
        with pytest.raises(ValueError, match="must be HybridBlocks"):
            net.add(layer)
        return
    net.add(layer)
    np.testing.assert_array_equal(predicted(net, recorded), predicted(layer, recorded))
    assert f"(0): {recorded.repr_after.splitlines()[0]}" in repr(net)


@pytest.mark.parametrize("recorded", RUNNING, ids=by_id)
def test_runs_on_several_contexts(recorded: Recorded) -> None:
    contexts = [mx.cpu(0), mx.cpu(1)]
    layer = make(recorded.make)
    layer.initialize(ctx=contexts)
    for context in contexts:
        out = layer(*(array.as_in_context(context) for array in recorded.inputs()))
        assert out.context == context
    for parameter in layer.collect_params().values():
        assert parameter.list_ctx() == contexts


@pytest.mark.parametrize("recorded", [each for each in RUNNING if each.dtype != "int32"], ids=by_id)
def test_learns(recorded: Recorded) -> None:
    """Gradients reach every parameter that asks for one, also where MXNet has none on a CPU."""
    layer = recorded.with_weights(make(recorded.make))
    inputs = recorded.inputs()
    for array in inputs:
        array.attach_grad()
    with mx.autograd.record():
        loss = (layer(*inputs) ** 2).sum()
    loss.backward()
    for parameter in layer.collect_params().values():
        if parameter.grad_req != "null":
            gradient = parameter.grad().asnumpy()
            assert np.isfinite(gradient).all()
            assert gradient.any(), parameter.name


WRONG_INPUTS = [
    ("nn.Dense(3, in_units=4)", (2, 5), "FullyConnected"),
    ("nn.Conv1D(2, 3)", (2, 3, 4, 5), "Convolution|Conv1D"),
    ("nn.Conv2D(2, 3, in_channels=2)", (1, 3, 5, 5), "Convolution"),
    ("nn.Conv2D(2, 3)", (1, 3, 2, 5), "Convolution"),
    ("nn.Conv3D(2, 3)", (2, 3), "Convolution|Conv3D"),
    ("nn.Conv2DTranspose(2, 3, in_channels=2)", (1, 3, 5, 5), "Deconvolution"),
    ("nn.MaxPool2D()", (2, 3), "Pooling"),
    ("nn.AvgPool1D(5)", (1, 2, 4), "Pooling"),
    ("nn.GlobalAvgPool3D()", (1, 2, 4), "Pooling"),
    ("nn.ReflectionPad2D(5)", (1, 1, 3, 3), "Pad"),
    ("nn.BatchNorm(in_channels=3)", (2, 4, 2), "BatchNorm"),
    ("nn.LayerNorm(in_channels=3)", (2, 4), "LayerNorm"),
    ("nn.InstanceNorm(in_channels=3)", (2, 4, 2), "InstanceNorm"),
    ("nn.GroupNorm(num_groups=3)", (2, 4, 2), "GroupNorm"),
    ("nn.PReLU(in_channels=3)", (2, 4, 2), "LeakyReLU"),
    ("nn.Dropout(0.5, axes=(7,))", (2, 3), "Dropout"),
    ("contrib.SyncBatchNorm(in_channels=3, num_devices=1)", (2, 4, 2), "SyncBatchNorm"),
    ("contrib.PixelShuffle2D(2)", (1, 3, 2, 2), "[Rr]eshape"),
    ("cnn.DeformableConvolution(2, 3)", (1, 3, 4), "Convolution"),
    ("cnn.DeformableConvolution(2, layout='NHWC')", (1, 4, 4, 3), "_contrib_DeformableConvolution"),
]


@pytest.mark.parametrize(("expression", "shape", "who"), WRONG_INPUTS, ids=[each[0] for each in WRONG_INPUTS])
def test_wrong_data_name_the_operator(expression: str, shape: tuple[int, ...], who: str) -> None:
    layer = make(expression)
    layer.initialize()
    with pytest.raises(mx.base.MXNetError, match=rf"^\[.*({who})"), mx.autograd.train_mode():
        layer(mx.nd.ones(shape))


@pytest.mark.parametrize(
    "expression", ["nn.Dense(3)", "nn.Conv2D(2, 3)", "nn.Embedding(3, 2)", "nn.BatchNorm()", "nn.ELU()", "nn.Flatten()"]
)
def test_data_that_are_no_arrays_are_refused(expression: str) -> None:
    layer = make(expression)
    layer.initialize()
    with pytest.raises(ValueError, match="expected at least one NDArray"):
        layer(np.ones((2, 3)))
