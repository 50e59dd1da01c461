"""Modules of torch as blocks: the same numbers and gradients as torch alone, and all that blocks can do."""

import copy
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn as tnn

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.contrib import TorchBlock


def _convolutional() -> tnn.Sequential:
    torch.manual_seed(0)
    return tnn.Sequential(
        tnn.Conv2d(3, 8, 3, padding=1),
        tnn.BatchNorm2d(8),
        tnn.ReLU(),
        tnn.AdaptiveAvgPool2d(1),
        tnn.Flatten(),
        tnn.Linear(8, 4),
    )


def _images() -> nd.NDArray:
    return nd.array(np.random.default_rng(0).uniform(-1, 1, (4, 3, 6, 6)))


class _Several(tnn.Module):
    """Takes and gives several things, nested, with integers among them."""

    def __init__(self) -> None:
        super().__init__()
        self.words = tnn.Embedding(10, 4)
        self.mix = tnn.Linear(4, 2)

    def forward(self, pair: tuple[torch.Tensor, torch.Tensor], *, scale: float = 1.0) -> dict[str, Any]:
        numbers, x = pair
        found = self.mix(self.words(numbers) + x) * scale
        return {"sum": found.sum(), "both": [found, found.argmax(-1)]}


# -- numbers and gradients --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_hybridized", [False, True])
def test_training_is_that_of_torch(is_hybridized: bool) -> None:
    module, x = _convolutional(), _images()
    alone = copy.deepcopy(module)
    net = nn.HybridSequential()
    net.add(TorchBlock(module))
    if is_hybridized:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    update = torch.optim.SGD(alone.parameters(), lr=0.1, momentum=0.9)
    for _ in range(4):
        with autograd.record():
            loss = (net(x) ** 2).mean()
        loss.backward()
        trainer.step(1)
        update.zero_grad()
        expected = (alone(x.as_torch()) ** 2).mean()
        expected.backward()
        update.step()
        np.testing.assert_allclose(loss.asscalar(), expected.item(), rtol=1e-5)
    for name, tensor in alone.state_dict().items():
        np.testing.assert_allclose(module.state_dict()[name], tensor, rtol=1e-4, atol=1e-6, err_msg=name)
    alone.eval()
    np.testing.assert_allclose(net(x).asnumpy(), alone(x.as_torch()).detach(), rtol=1e-4, atol=1e-6)


def test_memory_and_identity_are_those_of_the_module() -> None:
    module = tnn.Linear(3, 2)
    weight = module.weight
    block = TorchBlock(module)
    with torch.no_grad():
        weight.fill_(2)
    assert block.collect_params()[f"{block.prefix}weight"].data().asnumpy().min() == 2
    block._reg_params["weight"].set_data(nd.ones((2, 3)))
    assert module.weight is weight
    assert weight.eq(1).all()


def test_gradient_of_the_input_and_of_gradients() -> None:
    module = tnn.Sequential(tnn.Linear(2, 8), tnn.Tanh(), tnn.Linear(8, 1))
    block, x = TorchBlock(module), nd.array([[0.3, -0.7]])
    x.attach_grad()
    with autograd.record():
        first = autograd.grad(block(x).sum(), [x], create_graph=True, retain_graph=True)[0]
        (first**2).sum().backward()
    tensor = torch.tensor([[0.3, -0.7]], requires_grad=True)
    (inner,) = torch.autograd.grad(module(tensor).sum(), tensor, create_graph=True)
    (expected,) = torch.autograd.grad((inner**2).sum(), tensor)
    np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("is_hybridized", [False, True])
def test_nested_inputs_and_results(is_hybridized: bool) -> None:
    module = _Several()
    block = TorchBlock(module)
    block.hybridize(is_hybridized)
    numbers, x = nd.array([1, 5], dtype="int64"), nd.array(np.ones((2, 4)))
    found = block((numbers, x), scale=2.0)
    expected = module((numbers.as_torch(), x.as_torch()), scale=2.0)
    np.testing.assert_allclose(found["both"][0].asnumpy(), expected["both"][0].detach(), rtol=1e-6)
    assert found["both"][1].dtype == np.int64
    np.testing.assert_allclose(found["sum"].asnumpy().reshape(()), expected["sum"].item(), rtol=1e-6)


def test_result_is_no_view_of_the_input() -> None:
    x = nd.ones((2, 2))
    y = TorchBlock(tnn.Identity())(x)
    y[:] = 5
    assert x.asnumpy().max() == 1


def test_modes() -> None:
    module = tnn.Dropout(0.5)
    block, x = TorchBlock(module), nd.ones((100,))
    assert block(x).asnumpy().min() == 1
    with autograd.train_mode():
        assert block(x).asnumpy().min() == 0
    assert block(x).asnumpy().min() == 1


def test_arrays_of_numpy_semantics() -> None:
    block = TorchBlock(tnn.Linear(3, 2))
    with mx.util.np_shape(True), mx.util.np_array(True):
        assert type(block(mx.np.ones((2, 3)))) is mx.np.ndarray


# -- what blocks can do -----------------------------------------------------------------------------------------------


def test_names() -> None:
    block = TorchBlock(_convolutional(), prefix="net_")
    assert list(block.collect_params())[:3] == ["net_0_weight", "net_0_bias", "net_1_weight"]
    assert block.collect_params()["net_1_running_mean"].grad_req == "null"
    assert block.collect_params(".*bias").keys() == {"net_0_bias", "net_1_bias", "net_5_bias"}


def test_initialize_keeps_values_unless_forced() -> None:
    module = _convolutional()
    before = copy.deepcopy(module.state_dict())
    block = TorchBlock(module)
    block.initialize()
    assert all(torch.equal(tensor, before[name]) for name, tensor in module.state_dict().items())
    block.initialize(mx.init.Xavier(), force_reinit=True)
    now = module.state_dict()
    assert not torch.equal(now["0.weight"], before["0.weight"])
    assert now["1.running_var"].eq(1).all()
    assert now["1.weight"].eq(1).all()


def test_save_and_load(tmp_path: Path) -> None:
    block, other, x = TorchBlock(_convolutional()), TorchBlock(_convolutional()), _images()
    with autograd.train_mode():
        block(x)
    block.save_parameters(str(tmp_path / "net.params"))
    assert set(nd.load(str(tmp_path / "net.params"))) == set(block.module.state_dict())
    other.load_parameters(str(tmp_path / "net.params"))
    assert (other(x).asnumpy() == block(x).asnumpy()).all()
    assert other.module.state_dict()["1.num_batches_tracked"].item() == 1


def test_frozen_and_factor_of_the_rate() -> None:
    module = tnn.Linear(2, 1)
    block = TorchBlock(module)
    block.collect_params(".*bias").setattr("grad_req", "null")
    block.collect_params(".*weight").setattr("lr_mult", 0.0)
    before = copy.deepcopy(module.state_dict())
    trainer = gluon.Trainer(block.collect_params(), "sgd", {"learning_rate": 1.0})
    with autograd.record():
        block(nd.ones((1, 2))).backward()
    trainer.step(1)
    assert not module.bias.requires_grad
    assert all(torch.equal(tensor, before[name]) for name, tensor in module.state_dict().items())
    block.collect_params().setattr("grad_req", "add")
    for _ in range(2):
        with autograd.record():
            block(nd.ones((1, 2))).backward()
    assert block._reg_params["bias"].grad().asscalar() == 2


def test_cast() -> None:
    module = tnn.Linear(2, 1)
    block = TorchBlock(module)
    block.cast("float64")
    assert module.weight.dtype is torch.float64
    with autograd.record():
        found = block(nd.ones((1, 2), dtype="float64"))
    found.backward()
    assert found.dtype == np.float64
    assert block._reg_params["weight"].grad().dtype == np.float64


def test_several_contexts() -> None:
    module = tnn.Linear(2, 1)
    block = TorchBlock(module)
    block.reset_ctx([mx.cpu(0), mx.cpu(1)])
    trainer = gluon.Trainer(block.collect_params(), "sgd", {"learning_rate": 0.5})
    before = module.weight.detach().clone()
    parts = gluon.utils.split_and_load(nd.ones((4, 2)), [mx.cpu(0), mx.cpu(1)])
    with autograd.record():
        losses = [block(part).sum() for part in parts]
    autograd.backward(losses)
    trainer.step(4)
    np.testing.assert_allclose(module.weight.detach(), before - 0.5, rtol=1e-6)
    np.testing.assert_allclose(block._reg_params["weight"].data(mx.cpu(1)).asnumpy(), before - 0.5, rtol=1e-6)


def test_tied_parameters_are_one() -> None:
    module = tnn.ModuleDict({"a": tnn.Linear(3, 3), "b": tnn.Linear(3, 3)})
    module["b"].weight = module["a"].weight
    block = TorchBlock(module)
    assert block._reg_params["a.weight"] is block._reg_params["b.weight"]
    assert len(block.collect_params()) == 3


def test_hooks_and_summary(capsys: pytest.CaptureFixture[str]) -> None:
    block, seen = TorchBlock(tnn.Linear(2, 1)), []
    block.register_forward_hook(lambda _, inputs, output: seen.append((inputs[0].shape, output.shape)))
    block(nd.ones((3, 2)))
    assert seen == [((3, 2), (3, 1))]
    block.summary(nd.ones((3, 2)))
    assert "Total params: 3" in capsys.readouterr().out


def test_compiled_network_follows_the_module() -> None:
    """What the module does may change between calls, and so may its values by torch's hand."""
    module = tnn.Linear(2, 2)
    net = nn.HybridSequential()
    net.add(nn.Dense(2, in_units=2), TorchBlock(module))
    net.initialize()
    net.hybridize()
    x = nd.ones((1, 2))
    for _ in range(4):
        net(x)
    with torch.no_grad():
        module.weight.zero_()
        module.bias.fill_(3)
    assert net(x).asnumpy().tolist() == [[3, 3]]
    assert net(nd.ones((5, 2))).shape == (5, 2)


class _Looking(tnn.Module):
    """Looks at values, has a tensor that is no buffer, and a number that programs change."""

    def __init__(self) -> None:
        super().__init__()
        self.mix, self.offset, self.factor = tnn.Linear(2, 2), torch.ones(2), 1.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found = self.mix(x) * self.factor + self.offset
        return found * 2 if x.sum() > 0 else found * 3


@pytest.mark.parametrize("is_recorded", [False, True])
def test_any_code_is_a_step_of_the_program(is_recorded: bool) -> None:
    """Warnings are errors: it does not run as written."""
    module = _Looking()
    net = nn.HybridSequential()
    net.add(TorchBlock(module))
    net.hybridize()
    for place in range(10):
        module.factor = float(place // 4)
        x = nd.array([[1, 2]]) * (-1) ** (place // 2)
        with autograd.record() if is_recorded else autograd.pause():
            found = net(x)
        expected = module(x.as_torch())
        np.testing.assert_allclose(found.asnumpy(), expected.detach(), rtol=1e-6)
        if is_recorded:
            found.backward()
            (gradient,) = torch.autograd.grad(expected.sum(), module.mix.weight)
            np.testing.assert_allclose(net[0]._reg_params["mix.weight"].grad().asnumpy(), gradient, rtol=1e-6)
    assert next(iter(net._compiled.values())) is not None


def test_shapes_that_values_tell() -> None:
    class Chosen(tnn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x[x > 0]

    block = TorchBlock(Chosen())
    block.hybridize()
    with pytest.warns(UserWarning, match="cannot be compiled and runs as it is written"):
        assert block(nd.array([1, -1, 2])).shape == (2,)
    assert block(nd.array([1, 3, 2])).shape == (3,)


# -- export -----------------------------------------------------------------------------------------------------------


def _exported(net: Any, folder: Path, *inputs: nd.NDArray) -> Any:
    net.hybridize()
    net(*inputs)
    net.export(str(folder / "net"))
    names = ["data"] if len(inputs) == 1 else [f"data{place}" for place in range(len(inputs))]
    return gluon.SymbolBlock.imports(str(folder / "net-symbol.json"), names, str(folder / "net-0000.params"))


def test_export_converts_the_module(tmp_path: Path) -> None:
    module = _convolutional()
    net = nn.HybridSequential()
    net.add(nn.Conv2D(3, 1, in_channels=3), TorchBlock(module, prefix="inside_"), nn.Dense(2, in_units=4))
    net.initialize()
    with autograd.train_mode():
        net(_images())
    again = _exported(net, tmp_path, _images())
    x = nd.array(np.random.default_rng(1).normal(size=(7, 3, 6, 6)))
    np.testing.assert_allclose(again(x).asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-6)
    saved = nd.load(str(tmp_path / "net-0000.params"))
    assert {"arg:inside_0_weight", "arg:inside_1_gamma", "aux:inside_1_moving_mean", "arg:inside_5_bias"} <= set(saved)
    operators = {node["op"] for node in json.loads((tmp_path / "net-symbol.json").read_text())["nodes"]}
    assert operators == {"null", "Convolution", "BatchNorm", "Activation", "Pooling", "Flatten", "FullyConnected"}


def test_export_after_training_alone(tmp_path: Path) -> None:
    module, x = tnn.Sequential(tnn.Linear(2, 2), tnn.Dropout(0.5)), nd.ones((3, 2))
    block = TorchBlock(module)
    block.hybridize()
    with autograd.record():
        block(x)
    block.export(str(tmp_path / "net"))
    assert module.training
    assert module[1].training
    again = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params"))
    np.testing.assert_allclose(again(x).asnumpy(), block(x).asnumpy(), rtol=1e-6)


def test_export_of_a_module_that_is_called_twice(tmp_path: Path) -> None:
    class Twice(nn.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.inside = TorchBlock(tnn.Linear(2, 2), prefix="inside_")

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.inside(F.relu(self.inside(x)))

    net, x = Twice(), nd.array([[1, -2]])
    again = _exported(net, tmp_path, x)
    np.testing.assert_allclose(again(x).asnumpy(), net(x).asnumpy(), rtol=1e-6)
    assert sorted(nd.load(str(tmp_path / "net-0000.params"))) == ["arg:inside_bias", "arg:inside_weight"]


def test_export_of_nested_inputs_and_results(tmp_path: Path) -> None:
    class Both(nn.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.inside = TorchBlock(_Several())

        def hybrid_forward(self, F: Any, numbers: Any, x: Any) -> Any:
            found = self.inside((numbers, x), scale=2.0)
            return found["both"][0], found["sum"]

    net, inputs = Both(), (nd.array([1, 5], dtype="int64"), nd.ones((2, 4)))
    again = _exported(net, tmp_path, *inputs)
    for found, expected in zip(again(*inputs), net(*inputs), strict=True):
        np.testing.assert_allclose(found.asnumpy().ravel(), expected.asnumpy().ravel(), rtol=1e-5)


class _Determinant(tnn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.linalg.det(x)


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (_Determinant(), r"(?s)\[export\] torchblock\d+ is a module of torch.*aten._linalg_det.default, once"),
        (_Looking(), r"torch.export cannot look through it: .*whatever the values are"),
    ],
)
def test_export_that_is_not_possible(module: tnn.Module, text: str, tmp_path: Path) -> None:
    block = TorchBlock(module)
    block.hybridize()
    block(nd.ones((2, 2)))
    with pytest.raises(mx.MXNetError, match=text):
        block.export(str(tmp_path / "net"))
    assert not list(tmp_path.iterdir())


def test_graph_as_text() -> None:
    block = TorchBlock(tnn.Linear(2, 2))
    block.hybridize()
    block(nd.ones((2, 2)))
    with pytest.raises(mx.MXNetError, match=r"which no file can contain.*net.export\(path\)"):
        block._cached_graph[1].tojson()


def test_mixed_precision_of_a_network() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=4), TorchBlock(tnn.Linear(4, 4)))
    net.initialize()
    net.hybridize()
    x = nd.array(np.eye(4))
    expected = net(x).asnumpy()
    converted = mx.contrib.amp.convert_hybrid_block(net, target_dtype="float16", ctx=mx.cpu())
    np.testing.assert_allclose(converted(x).asnumpy().astype("float32"), expected, atol=1e-2)


# -- what torch does to the module meanwhile --------------------------------------------------------------------------


def _train_once(net: Any, x: nd.NDArray) -> None:
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    with autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()
    trainer.step(1)


def _assigned(module: tnn.Module) -> None:
    module.load_state_dict({name: tensor.clone() for name, tensor in module.state_dict().items()}, assign=True)


def _other_memory(module: tnn.Module) -> None:
    for parameter in module.parameters():
        parameter.data = parameter.data.clone()


def _other_parameters(module: Any) -> None:
    module[0].weight = tnn.Parameter(torch.ones(4, 4))


@pytest.mark.parametrize("is_hybridized", [False, True])
@pytest.mark.parametrize("change", [_assigned, _other_memory, _other_parameters, tnn.Module.double])
def test_other_tensors_are_followed(change: Any, is_hybridized: bool) -> None:
    module = tnn.Sequential(tnn.Linear(4, 4), tnn.BatchNorm1d(4))
    net = nn.HybridSequential()
    net.add(TorchBlock(module))
    net.hybridize(is_hybridized)
    x = nd.array(np.random.default_rng(0).normal(size=(3, 4)))
    for _ in range(3):
        net(x)
    change(module)
    x = nd.from_torch(x.as_torch().to(module[0].weight.dtype))
    weight, before = module[0].weight, copy.deepcopy(module.state_dict())
    np.testing.assert_allclose(net(x).asnumpy(), copy.deepcopy(module).eval()(x.as_torch()).detach(), rtol=1e-5)
    _train_once(net, x)
    assert module[0].weight is weight
    assert not torch.equal(weight, before["0.weight"])
    assert not torch.equal(module[1].running_mean, before["1.running_mean"])
    parameter = net[0]._reg_params["0.weight"]
    assert parameter.data().as_torch().data_ptr() == weight.data_ptr()
    assert str(parameter.dtype) == str(weight.dtype).removeprefix("torch.")


def test_frozen_by_torch() -> None:
    module = tnn.Sequential(tnn.Linear(2, 2), tnn.Linear(2, 1))
    block = TorchBlock(module)
    module[0].requires_grad_(False)
    before = copy.deepcopy(module.state_dict())
    _train_once(block, nd.ones((1, 2)))
    assert block._reg_params["0.weight"].grad_req == "null"
    assert torch.equal(module[0].weight, before["0.weight"])
    assert not torch.equal(module[1].weight, before["1.weight"])
    module.requires_grad_(True)
    _train_once(block, nd.ones((1, 2)))
    assert not torch.equal(module[0].weight, before["0.weight"])


def test_mode_set_by_torch() -> None:
    module, x = tnn.Dropout(0.5), nd.ones((100,))
    block = TorchBlock(module)
    with autograd.train_mode():
        block(x)
        module.eval()
        assert block(x).asnumpy().min() == 0


def test_part_that_is_replaced() -> None:
    module = tnn.Sequential(tnn.Linear(2, 2))
    block = TorchBlock(module)
    module[0] = tnn.Linear(2, 3)
    with pytest.raises(mx.MXNetError, match=r"part '0' of the module is another one.*Make a new TorchBlock"):
        block(nd.ones((1, 2)))


def test_parameter_that_is_gone() -> None:
    module = tnn.Linear(2, 2)
    block = TorchBlock(module)
    module.bias = None
    with pytest.raises(mx.MXNetError, match=r"the module has no 'bias' any more.*Make a new TorchBlock"):
        block(nd.ones((1, 2)))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda block: pickle.loads(pickle.dumps(block))])  # noqa: S301
def test_copies(copied: Any) -> None:
    block, x = TorchBlock(_convolutional()), _images()
    before = block(x).asnumpy()
    other = copied(block)
    np.testing.assert_array_equal(other(x).asnumpy(), before)
    _train_once(other, x)
    assert not torch.equal(other.module[0].weight, block.module[0].weight)
    for name, parameter in other._reg_params.items():
        assert parameter.data().as_torch().data_ptr() == other.module.state_dict()[name].data_ptr()
    np.testing.assert_array_equal(block(x).asnumpy(), before)


def _normalized(kind: str) -> tnn.Sequential:
    owner = torch.nn.utils.parametrizations if kind.startswith("new ") else torch.nn.utils
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the old ones are deprecated
        return tnn.Sequential(getattr(owner, kind.removeprefix("new "))(tnn.Linear(4, 4)), tnn.Tanh())


@pytest.mark.parametrize("is_hybridized", [False, True])
@pytest.mark.parametrize("kind", ["weight_norm", "spectral_norm", "new weight_norm", "new spectral_norm"])
def test_weights_that_are_computed_in_each_call(kind: str, is_hybridized: bool) -> None:
    module, alone = _normalized(kind), _normalized(kind)
    net = nn.HybridSequential()
    net.add(TorchBlock(module))
    net.hybridize(is_hybridized)
    x, update = nd.array(np.eye(4)), torch.optim.SGD(alone.parameters(), lr=0.5)
    for _ in range(3):
        _train_once(net, x)
        update.zero_grad()
        (alone(x.as_torch()) ** 2).sum().backward()
        update.step()
    for name, tensor in alone.state_dict().items():
        np.testing.assert_allclose(module.state_dict()[name], tensor, rtol=1e-4, atol=1e-6, err_msg=name)


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tnn.Sequential(tnn.LazyLinear(3)), r"LazyLinear '0' is lazy.*Call the module once"),
        (lambda: tnn.Linear(1, 1, device="meta"), r"on the device 'meta'; expected one with values.*to_empty"),
        (lambda: tnn.Sequential(tnn.Linear(1, 1), tnn.Linear(1, 1, device="meta")), "on several devices: cpu, meta"),
    ],
)
def test_modules_that_are_refused(make: Any, text: str) -> None:
    with pytest.raises(mx.MXNetError, match=text):
        TorchBlock(make())


def test_no_module() -> None:
    with pytest.raises(TypeError, match=r"received Dense; expected a torch\.nn\.Module"):
        TorchBlock(nn.Dense(3))  # type: ignore[arg-type]


def test_plain_symbol() -> None:
    with pytest.raises(mx.MXNetError, match=r"needs shapes to become part of a graph.*hybridize\(\)"):
        TorchBlock(tnn.Linear(2, 1))(mx.sym.var("data"))


@pytest.mark.parametrize("hybridized", [False, True])
def test_wrong_shapes_name_the_block(hybridized: bool) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=3), TorchBlock(tnn.Linear(5, 2)))
    net.initialize()
    net.hybridize(hybridized)
    expected = r"the torch module Linear received \(2, 4\) float32, and torch refuses: (.|\n)*in net\.1 \(torchblock"
    with pytest.raises(mx.MXNetError, match=expected):
        net(mx.nd.ones((2, 3)))
