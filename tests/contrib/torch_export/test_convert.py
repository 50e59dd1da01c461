"""`from_exported_program`: inputs, outputs, constants, what is refused."""

import numpy as np
import pytest
import torch

import mxnet as mx
from regluon.convert.torch_export import UnsupportedProgram, WrongConversion, from_exported_program
from regluon.convert.torch_export.node import TRANSLATIONS
from tests.contrib.torch_export.support import check, exported, randn, run, same, used


class Several(torch.nn.Module):
    """Inputs and outputs in structures."""

    def forward(self, image, features, *, scale):
        mean = (image + features["a"]) * scale
        return {"sum": mean, "parts": (mean.relu(), features["b"])}


def test_structures_are_flat():
    given = (randn(2, 3), {"a": randn(2, 3, seed=1), "b": randn(2, 4, seed=2)})
    program = torch.export.export(Several(), given, {"scale": randn(2, 3, seed=3)})
    symbol, arguments, _ = from_exported_program(program)
    assert set(symbol.list_arguments()) == {"image", "features_a", "features_b", "scale"}
    assert not arguments
    assert len(symbol.list_outputs()) == 3
    named = {"image": given[0], "features_a": given[1]["a"], "features_b": given[1]["b"], "scale": randn(2, 3, seed=3)}
    found = symbol.bind(mx.cpu(), {k: mx.nd.array(v.numpy()) for k, v in named.items()}).forward()
    expected = Several()(*given, scale=named["scale"])
    same([each.asnumpy() for each in found], [expected["sum"], *expected["parts"]])


def test_arguments_that_are_no_tensors():
    class Scaled(torch.nn.Module):
        def forward(self, x, factor, flag=None):
            return x * factor if flag is None else x

    x = randn(2, 3)
    converted = from_exported_program(torch.export.export(Scaled(), (x, 3)))
    same(run(converted, x), x * 3)


class Constants(torch.nn.Module):
    """Buffers that are used as such, and computed with."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("scale", torch.arange(1.0, 5.0))
        self.register_buffer("hidden", torch.ones(4), persistent=False)
        self.register_buffer("unused", torch.ones(4))
        self.weight = torch.nn.Parameter(randn(4))

    def forward(self, x):
        return x * self.scale + (self.hidden * 2 + torch.arange(4)).exp() + self.weight * 2


def test_constants_are_folded_and_parameters_are_not():
    symbol, arguments, _ = check(Constants(), randn(2, 4))
    assert "weight" in arguments
    assert "scale" in arguments
    assert "unused" not in arguments
    assert len(arguments) == 3
    assert used(symbol).count("exp") == 0


def test_outputs_that_are_inputs():
    symbol, _, _ = check(lambda x: (x, x.clone(), x + 1), randn(2, 4))
    assert len(set(symbol.list_outputs())) == 3


def test_outputs_that_are_constants():
    program = exported(lambda x: (x + 1, torch.arange(3.0)), randn(2, 4))
    same(run(from_exported_program(program), randn(2, 4)), (randn(2, 4) + 1, torch.arange(3.0)))


def test_shared_layers():
    class Shared(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = torch.nn.Linear(4, 4)

        def forward(self, x):
            return self.fc(self.fc(x))

    symbol, arguments, _ = check(Shared(), randn(2, 4))
    assert set(arguments) == {"fc_weight", "fc_bias"}
    assert symbol.list_outputs() == ["linear_1_output"]
    assert "fc_output" in symbol.get_internals().list_outputs()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16])
def test_dtypes(dtype):
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 2)).to(dtype)
    x = randn(2, 4).to(dtype)
    converted = from_exported_program(exported(net, x))
    same(run(converted, x), net(x), rtol=1e-2, atol=1e-2)
    assert converted[1]["0_weight"].dtype == np.dtype(str(dtype).removeprefix("torch."))


class Unknown(torch.nn.Module):
    """Two operators without a translation, one of them twice, and one with a wrong option."""

    def forward(self, x):
        y = torch.fft.fft(x).real
        y = torch.fft.fft(y).real
        z = torch.nn.functional.max_pool2d(x[None, None], 2, dilation=2)
        return y + torch.linalg.det(x), z


def test_all_that_is_unknown_is_named():
    with pytest.raises(UnsupportedProgram) as caught:
        from_exported_program(exported(Unknown(), randn(4, 4)))
    text = str(caught.value)
    assert "nodes cannot be converted" in text
    assert "aten._fft_c2c.default" in text or "aten.fft_fft" in text or "aten._fft_r2c.default" in text
    assert "aten._linalg_det.default, once: there is no translation of this operator" in text
    assert "aten.max_pool2d.default, once: dilation=[2, 2]" in text
    assert "test_convert.py:" in text
    assert "in forward: z = torch.nn.functional.max_pool2d(x[None, None], 2, dilation=2)" in text
    assert "What to do:" in text
    assert "supported_operators()" in text
    assert isinstance(caught.value, mx.MXNetError)


def test_a_program_that_returns_numbers_is_refused():
    with pytest.raises(mx.MXNetError, match=r"the program returns 2; expected tensors only"):
        from_exported_program(exported(lambda x: (x, x.shape[0]), randn(2, 4)))


def test_other_things_are_refused():
    with pytest.raises(TypeError, match=r"received Linear; expected a .*ExportedProgram.*torch.export.export\(module"):
        from_exported_program(torch.nn.Linear(2, 3))
    with pytest.raises(TypeError, match=r"received int; expected"):
        from_exported_program(3)


def test_a_wrong_translation_is_found(monkeypatch):
    monkeypatch.setitem(TRANSLATIONS, "aten.relu.default", lambda node: mx.sym.sigmoid(node.symbol("self")))
    with pytest.raises(WrongConversion, match=r"gives other results than the program: an output of float32 differs by"):
        from_exported_program(exported(torch.relu, randn(2, 4)))


def test_a_wrong_shape_is_found(monkeypatch):
    monkeypatch.setitem(TRANSLATIONS, "aten.relu.default", lambda node: mx.sym.sum(node.symbol("self"), axis=0))
    with pytest.raises(WrongConversion, match=r"gives the shapes \[\(4,\)\]; expected \[\(2, 4\)\]"):
        from_exported_program(exported(torch.relu, randn(2, 4)))


def test_examples_that_mix_keep_their_number():
    converted = check(lambda x: x - x.sum(0) + torch.ones(2, 4), randn(2, 4), other_batch=False)
    with pytest.raises(mx.MXNetError):
        run(converted, randn(3, 4))


def test_results_for_gradients_are_refused():
    with pytest.raises(UnsupportedProgram, match=r"result 1 of aten.adaptive_max_pool2d.default is used, which"):
        from_exported_program(exported(torch.nn.AdaptiveMaxPool2d(1, return_indices=True), randn(2, 3, 4, 4)))


def test_what_was_not_foreseen_is_listed(monkeypatch):
    monkeypatch.setitem(TRANSLATIONS, "aten.relu.default", lambda node: node["nothing"])
    with pytest.raises(UnsupportedProgram, match=r"aten.relu.default, once: its arguments were not foreseen: KeyError"):
        from_exported_program(exported(torch.relu, randn(2, 4)))


def test_parts_without_gradients():
    def detached(x):
        with torch.no_grad():
            y = x * 2
        return y + x

    check(detached, randn(2, 4))
