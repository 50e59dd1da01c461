"""Blocks as modules of torch: torch alone trains, saves, copies, compiles and exports them."""

import copy
import io
import os
import pickle
import warnings
from pathlib import Path
from typing import Any

import accelerate  # type: ignore[import-untyped]
import lightning
import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


def _network(classes: int = 3) -> nn.HybridSequential:
    mx.random.seed(3)
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(6, 3, in_channels=2), nn.BatchNorm(in_channels=6), nn.Activation("relu"))
        net.add(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(classes, in_units=6))
    net.initialize(mx.init.Xavier())
    return net


def _images(count: int = 4) -> torch.Tensor:
    return torch.tensor(np.random.default_rng(1).uniform(-1, 1, (count, 2, 6, 6)), dtype=torch.float32)


@pytest.fixture(params=[False, True], ids=["as written", "hybridized"])
def module(request: pytest.FixtureRequest) -> Any:
    """A network as a module."""
    net = _network()
    net.hybridize(request.param)
    return mx.torch.as_module(net)


# -- numbers and gradients --------------------------------------------------------------------------------------------


def test_training_is_that_of_gluon(module: Any) -> None:
    x, label = _images(), torch.tensor([0, 1, 2, 0])
    update = torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9)
    net = _network()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    for _ in range(4):
        update.zero_grad()
        loss = torch.nn.functional.cross_entropy(module(x), label)
        loss.backward()
        update.step()
        with autograd.record():
            expected = loss_of(net(nd.from_torch(x)), nd.from_torch(label)).mean()
        expected.backward()
        trainer.step(1)
        np.testing.assert_allclose(loss.item(), expected.asscalar(), rtol=1e-5)
    for name, parameter in net._collect_params_with_prefix().items():
        found = module.state_dict()[name].numpy()
        np.testing.assert_allclose(found, parameter.data().asnumpy(), rtol=1e-4, atol=1e-6, err_msg=name)


def test_gradient_of_the_input(module: Any) -> None:
    x = _images().requires_grad_()
    (first,) = torch.autograd.grad(module(x * 2).square().sum(), x, create_graph=not module.block._active)
    array = nd.from_torch(x)
    array.attach_grad()
    with autograd.record():
        loss = (module.block(array * 2) ** 2).sum()
    loss.backward()
    np.testing.assert_allclose(first.detach(), array.grad.asnumpy(), rtol=1e-4, atol=1e-6)


def test_no_graph_without_gradients(module: Any) -> None:
    with torch.no_grad():
        assert not module(_images()).requires_grad
    assert module(_images()).requires_grad


def test_modes(module: Any) -> None:
    x = _images()
    before = module.state_dict()["1.running_mean"].clone()
    module.eval()(x)
    assert torch.equal(module.state_dict()["1.running_mean"], before)
    module.train()(x)
    assert not torch.equal(module.state_dict()["1.running_mean"], before)


def test_gluon_goes_on_as_before(module: Any) -> None:
    """Neither side's gradients come to the other."""
    x, net = _images(), module.block
    with autograd.record():
        net(nd.from_torch(x)).sum().backward()
    own = net[0].weight.grad().asnumpy()
    assert module.state_dict(keep_vars=True)["0.weight"].grad is None
    module(x).sum().backward()
    np.testing.assert_array_equal(net[0].weight.grad().asnumpy(), own)
    np.testing.assert_allclose(module.state_dict(keep_vars=True)["0.weight"].grad, own, rtol=1e-4, atol=1e-6)


def test_memory_is_shared(module: Any) -> None:
    weight = module.state_dict()["5.weight"]
    module.block[5].weight.set_data(nd.ones((3, 6)))
    assert weight.eq(1).all()
    with torch.no_grad():
        weight.fill_(2)
    assert module.block[5].weight.data().asnumpy().min() == 2
    assert len(list(module.parameters())) == 6
    assert sorted(dict(module.named_buffers())) == ["1.running_mean", "1.running_var"]


def test_nested_inputs_and_results() -> None:
    class Both(nn.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, pair: Any) -> Any:
            return [x + pair[0], (x * pair[1],)]

    first, (second,) = mx.torch.as_module(Both())(torch.ones(2), [torch.ones(2), torch.full((2,), 3.0)])
    assert first.tolist() == [2, 2]
    assert second.tolist() == [3, 3]


# -- names, files, copies ---------------------------------------------------------------------------------------------


def test_state_dict_has_the_names_of_files(module: Any, tmp_path: Path) -> None:
    module.block.save_parameters(str(tmp_path / "net.params"))
    assert set(module.state_dict()) == set(nd.load(str(tmp_path / "net.params")))


@pytest.mark.parametrize("assign", [False, True])
def test_load_state_dict(module: Any, assign: bool) -> None:
    other = {name: torch.rand_like(tensor) for name, tensor in module.state_dict().items()}
    module.load_state_dict(other, assign=assign)
    for name, parameter in module.block._collect_params_with_prefix().items():
        np.testing.assert_array_equal(parameter.data().asnumpy(), other[name].numpy())


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module))])  # noqa: S301
def test_copies(module: Any, copied: Any) -> None:
    x = _images()
    module.eval()
    other = copied(module)
    with torch.no_grad():
        expected = module(x)
        assert torch.equal(other(x), expected)
        other.state_dict()["5.weight"].zero_()
        assert torch.equal(module(x), expected)
        assert not torch.equal(other(x), expected)


def test_other_dtype(module: Any) -> None:
    x = _images()
    expected = module.eval()(x)
    module.double()
    assert module.block[0].weight.dtype == np.float64
    np.testing.assert_allclose(module(x.double()).detach(), expected.detach(), rtol=1e-4, atol=1e-6)
    module(x.double()).sum().backward()
    assert module.state_dict(keep_vars=True)["0.weight"].grad.dtype is torch.float64


# -- what either side does meanwhile ----------------------------------------------------------------------------------


def _other_memory(module: Any) -> None:
    for parameter in module.parameters():
        parameter.data = torch.rand_like(parameter)


def _other_parameter(module: Any) -> None:
    module.get_submodule("5").weight = torch.nn.Parameter(torch.rand(3, 6))


def _other_buffer(module: Any) -> None:
    module.get_submodule("1").running_mean = torch.ones(6)


def _initialized(module: Any) -> None:
    module.block.initialize(mx.init.Normal(1.0), force_reinit=True)


def _cast(module: Any) -> None:
    module.block.cast("float64")


@pytest.mark.parametrize("change", [_other_memory, _other_parameter, _other_buffer, _initialized, _cast])
def test_changes_are_followed(module: Any, change: Any) -> None:
    for _ in range(3):
        module(_images())
    module.eval()
    parameters = list(module.parameters())
    change(module)
    x = _images().to(module.block[0].weight.data().as_torch().dtype)
    found = module(x)
    found.sum().backward()
    expected = module.block(nd.from_torch(x)).asnumpy()
    np.testing.assert_allclose(found.detach(), expected, rtol=1e-5, atol=1e-6)
    assert all(parameter.grad is not None for parameter in module.parameters())
    for name, parameter in module.block._collect_params_with_prefix().items():
        assert parameter.data().as_torch().data_ptr() == module.state_dict()[name].data_ptr()
    if change is not _other_parameter:  # optimizers hold them
        assert all(a is b for a, b in zip(parameters, module.parameters(), strict=True))


def test_functional_call(module: Any) -> None:
    x = _images()
    expected = module.eval()(x).detach()
    values = {name: torch.zeros_like(tensor) for name, tensor in module.state_dict().items()}
    values["5.bias"] = torch.ones(3, requires_grad=True)
    found = torch.func.functional_call(module, values, (x,))
    assert found.eq(1).all()
    found.sum().backward()
    assert values["5.bias"].grad.tolist() == [4, 4, 4]
    np.testing.assert_allclose(module(x).detach(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(module.block(nd.from_torch(x)).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_parameter_that_is_gone(module: Any) -> None:
    module.get_submodule("5").weight = None
    with pytest.raises(mx.MXNetError, match=r"the module has no 'weight' any more.*as_module once more"):
        module(_images())


def test_torch_modules_inside() -> None:
    torch.manual_seed(0)
    inside = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh())
    net = nn.HybridSequential()
    net.add(gluon.contrib.TorchBlock(inside), nn.Dense(2, in_units=4))
    net.initialize()
    net.hybridize()
    module, x = mx.torch.as_module(net), torch.rand(3, 4)
    assert sorted(module.state_dict()) == ["0.0.bias", "0.0.weight", "1.bias", "1.weight"]
    for active in (True, False):
        net.hybridize(active)
        module.zero_grad()
        module(x).square().sum().backward()
        weight = module.state_dict(keep_vars=True)["0.0.weight"]
        weights, bias = module.state_dict()["1.weight"], module.state_dict()["1.bias"]
        loss = torch.nn.functional.linear(
            torch.tanh(torch.nn.functional.linear(x, weight, inside[0].bias)), weights, bias
        )
        (expected,) = torch.autograd.grad(loss.square().sum(), weight)
        np.testing.assert_allclose(weight.grad, expected, rtol=1e-4, atol=1e-6)
    with torch.no_grad():
        weight.fill_(3)
    assert inside[0].weight.eq(3).all()
    module.double()
    assert inside[0].weight.dtype is torch.float64


# -- torch's tools ----------------------------------------------------------------------------------------------------


def test_compile(module: Any) -> None:
    x, wrapped = _images(), torch.nn.Sequential(torch.nn.Tanh(), module, torch.nn.Linear(3, 1))
    compiled = torch.compile(wrapped, backend="eager")
    module.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compiled(x)
    np.testing.assert_allclose(found.detach(), wrapped(x).detach(), rtol=1e-5, atol=1e-6)
    found.sum().backward()
    assert all(parameter.grad is not None for parameter in wrapped.parameters())


def test_export(module: Any) -> None:
    x = _images()
    expected = module.eval()(x).detach()
    for _ in range(2):  # and it stays what it was
        program = torch.export.export(module, (x,), strict=False)
        np.testing.assert_allclose(program.module()(x).detach(), expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(module(x).detach(), expected, rtol=1e-5, atol=1e-6)
    assert set(program.state_dict) == set(module.state_dict())
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    np.testing.assert_allclose(torch.export.load(file).module()(x).detach(), expected, rtol=1e-5, atol=1e-6)


def test_export_with_an_open_batch(module: Any) -> None:
    batch = torch.export.Dim("batch")
    program = torch.export.export(module.eval(), (_images(),), dynamic_shapes=(({0: batch},),))
    x = _images(7)
    np.testing.assert_allclose(program.module()(x).detach(), module(x).detach(), rtol=1e-5, atol=1e-6)


def test_other_classes_of_tensors(module: Any) -> None:
    class Picture(torch.Tensor):
        pass

    found = module.eval()(_images().as_subclass(Picture))
    assert torch.equal(found, module(_images()))
    assert found.requires_grad


def test_mixed_precision(module: Any) -> None:
    """Computes with the parameters' dtype, as operators that torch does not cast."""
    x = _images()
    expected = module.eval()(x).detach()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = module(x.bfloat16())
    assert found.dtype is torch.float32
    np.testing.assert_allclose(found.detach(), expected, rtol=0.1, atol=0.05)


def test_checkpoint(module: Any) -> None:
    x = _images().requires_grad_()
    torch.utils.checkpoint.checkpoint(module.eval(), x, use_reentrant=False).sum().backward()
    (expected,) = torch.autograd.grad(module(x).sum(), x)
    np.testing.assert_allclose(x.grad, expected, rtol=1e-5, atol=1e-6)


class _Lit(lightning.LightningModule):
    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        self.module = module
        self.losses: list[float] = []

    def training_step(self, batch: Any, number: int) -> torch.Tensor:
        x, label = batch
        loss = torch.nn.functional.cross_entropy(self.module(x), label)
        self.losses.append(loss.item())
        return loss

    def configure_optimizers(self) -> Any:
        return torch.optim.Adam(self.parameters(), lr=0.05)


def _batches() -> Any:
    x, label = _images(8), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
    return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, label), batch_size=4)


def test_lightning(module: Any, tmp_path: Path) -> None:
    model = _Lit(module)
    trainer = lightning.Trainer(
        max_epochs=8,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer.fit(model, _batches())
    assert model.losses[-1] < model.losses[0]
    saved = next(tmp_path.rglob("*.ckpt"))
    restored = _Lit(mx.torch.as_module(_network()))
    restored.load_state_dict(torch.load(saved, weights_only=True)["state_dict"])
    x = _images()
    np.testing.assert_allclose(restored.module.eval()(x).detach(), module.eval()(x).detach(), rtol=1e-5, atol=1e-6)


def _train_a_part(rank: int, folder: str) -> None:
    """One of two processes that train together, each on half of the pictures."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
    module = mx.torch.as_module(_network())
    module.block.hybridize()
    parallel = torch.nn.parallel.DistributedDataParallel(module.eval())
    update = torch.optim.SGD(parallel.parameters(), lr=0.1)
    for _ in range(3):
        update.zero_grad()
        parallel(_images(4)[2 * rank : 2 * rank + 2]).square().mean().backward()
        update.step()
    torch.save(module.state_dict(), f"{folder}/{rank}.pt")
    torch.distributed.destroy_process_group()
    # Torch may deadlock when DistributedDataParallel is freed: the destructor of the process group holds the GIL and
    # joins a thread that waits for the GIL. The process ends without destructors.
    os._exit(0)


def test_distributed_data_parallel(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(_train_a_part, (str(tmp_path),), nprocs=2)
    module = mx.torch.as_module(_network()).eval()
    update = torch.optim.SGD(module.parameters(), lr=0.1)
    for _ in range(3):
        update.zero_grad()
        module(_images(4)).square().mean().backward()
        update.step()
    for rank in range(2):
        for name, tensor in torch.load(tmp_path / f"{rank}.pt", weights_only=True).items():
            np.testing.assert_allclose(tensor, module.state_dict()[name], rtol=1e-4, atol=1e-6, err_msg=name)


def test_accelerate(module: Any) -> None:
    helper = accelerate.Accelerator(cpu=True)
    update = torch.optim.Adam(module.parameters(), lr=0.05)
    prepared, update, batches = helper.prepare(module, update, _batches())
    losses = []
    for _ in range(8):
        for x, label in batches:
            update.zero_grad()
            loss = torch.nn.functional.cross_entropy(prepared(x), label)
            helper.backward(loss)
            update.step()
            losses.append(loss.item())
    assert losses[-1] < losses[0]


# -- what is not known or not possible --------------------------------------------------------------------------------


def test_shapes_that_are_not_known() -> None:
    net = nn.Dense(3)
    net.initialize()
    with pytest.raises(mx.MXNetError, match=r"as_module\(block, x\)"):
        mx.torch.as_module(net)
    assert mx.torch.as_module(net, torch.ones(2, 4)).state_dict()["weight"].shape == (3, 4)


def test_not_initialized() -> None:
    with pytest.raises(mx.MXNetError, match=r"has not been initialized.*initialize\(\)"):
        mx.torch.as_module(nn.Dense(3, in_units=2))


def test_several_contexts() -> None:
    net = nn.Dense(3, in_units=2)
    net.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    with pytest.raises(mx.MXNetError, match=r"is on cpu\(0\), cpu\(1\); expected one context"):
        mx.torch.as_module(net)


def test_no_block() -> None:
    with pytest.raises(TypeError, match="received Linear; expected a Block"):
        mx.torch.as_module(torch.nn.Linear(2, 2))  # type: ignore[arg-type]


def test_tied_parameters_are_one() -> None:
    first = nn.Dense(3, in_units=3)
    net = nn.HybridSequential()
    net.add(first, nn.Dense(3, in_units=3, params=first.params))
    net.initialize()
    module = mx.torch.as_module(net)
    assert len(list(module.parameters())) == 2
    module(torch.ones(1, 3)).sum().backward()
    assert all(parameter.grad is not None for parameter in module.parameters())
