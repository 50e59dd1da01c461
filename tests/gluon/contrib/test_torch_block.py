"""Modules of torch as blocks: the same numbers and gradients as torch alone, and all that blocks can do."""

import copy
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
    with mx.util.np_array(True), mx.util.np_shape(True):
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


# -- what is refused --------------------------------------------------------------------------------------------------


def _weight_norm() -> tnn.Module:
    return tnn.Sequential(torch.nn.utils.parametrizations.weight_norm(tnn.Linear(2, 2)))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tnn.Sequential(tnn.LazyLinear(3)), r"LazyLinear '0' is lazy.*Call the module once"),
        (_weight_norm, r"ParametrizedLinear '0' computes its weights anew.*remove_parametrizations"),
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
