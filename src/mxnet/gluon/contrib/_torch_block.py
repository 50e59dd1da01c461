"""Any module of torch as a block of Gluon."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.func import functional_call
from torch.nn.parameter import is_lazy

from regluon.autograd.recording import Tape, plain, recorded_input, state
from regluon.ops.common import is_view
from regluon.ops.shape_rules import Spec
from regluon.runtime.invoke import enter_graph
from regluon.symbol.torch_export import TracedModule
from regluon.symbol.tracer import TracedSymbol

from ...autograd import is_training
from ...base import MXNetError
from ...context import Context, current_context
from ...ndarray import NDArray
from ...symbol import Symbol
from .._block_inputs import leaves, mapped
from .._hybrid_block import HybridBlock
from .._parameter_dict import ParameterDict
from .._torch_parameter import Place, TorchParameter, TorchParameters

__all__ = ["TorchBlock"]

_INITIAL = {"running_var": "ones", "running_mean": "zeros", "bias": "zeros"}


class TorchBlock(HybridBlock):
    """A module of torch as a block: its parameters and buffers are parameters of Gluon over the same memory.

    Gradients come to where Gluon's are, whichever way the module computes, and of any order. Inside of a network that
    is hybridized the module is one step of the program, as it is written.

    Args:
        module: any module whose parameters are there: not a lazy one. Where weights are computed in each call, as
            by weight norm and parametrizations, the parameters are what they are computed from.
        prefix: beginning of the parameters' names.
        params: not to be given: the module has its parameters.

    Example:
        >>> layer = gluon.contrib.TorchBlock(torch.nn.Linear(4, 2))
        >>> list(layer.collect_params())
        ['torchblock0_weight', 'torchblock0_bias']
        >>> layer(nd.ones((3, 4))).shape
        (3, 2)
    """

    __module__ = "mxnet.gluon.contrib"

    def __init__(self, module: torch.nn.Module, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        if not isinstance(module, torch.nn.Module):
            raise TypeError(f"[TorchBlock] received {type(module).__name__}; expected a torch.nn.Module.")
        if params is not None:
            raise ValueError("[TorchBlock] params: received a ParameterDict; the module has its parameters already.")
        super().__init__(prefix)
        _check(module, self._name)
        self.module = module
        learned = self._enter(dict(module.named_parameters(remove_duplicate=False)))
        kept = module.state_dict(keep_vars=True)
        buffers = {name: tensor for name, tensor in module.named_buffers(remove_duplicate=False) if name in kept}
        self._names = learned, self._enter(buffers)
        found = {id(each): each for each in self._reg_params.values() if isinstance(each, TorchParameter)}
        self._own = TorchParameters(list(found.values()))
        self._parts = [(part, dict(part._modules)) for part in module.modules() if part._modules]
        self._places = {name: self._place(name) for name in self._reg_params}

    def _enter(self, tensors: dict[str, torch.Tensor]) -> list[str]:
        """Makes parameters of tensors; one that has several names is one parameter. Returns the names."""
        known = {id(each._tensor): each for each in self._reg_params.values() if isinstance(each, TorchParameter)}
        for name, tensor in tensors.items():
            if id(tensor) not in known:
                last = name.rpartition(".")[2]
                # Weights of one axis are factors: those of normalization.
                init = _INITIAL.get(last, "ones" if last == "weight" and tensor.dim() < 2 else None)
                full = self.params.prefix + name.replace(".", "_")
                known[id(tensor)] = self.params._params[full] = TorchParameter(full, self._place(name), init)
            self._reg_params[name] = known[id(tensor)]
        return list(tensors)

    def _place(self, path: str) -> Place:
        """Where the module holds a parameter or a buffer."""
        folder, _, name = path.rpartition(".")
        part = self.module.get_submodule(folder)
        return Place(part, name, name in part._parameters)

    def _expect_same_parts(self) -> None:
        for part, children in self._parts:
            if part._modules != children:
                name = next(
                    each for each in {**part._modules, **children} if part._modules.get(each) != children.get(each)
                )
                now, before = (type(held.get(name)).__name__ for held in (part._modules, children))
                raise MXNetError(
                    f"[{self._name}] part {name!r} of the module is another one than when the block was made: a {now}; "
                    f"expected that {before}, whose parameters are Gluon's. Make a new TorchBlock of the module after "
                    "changing it, and a new Trainer."
                )

    def __repr__(self) -> str:
        return f"TorchBlock(\n  {repr(self.module).replace(chr(10), chr(10) + '  ')}\n)"

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the module on the tensors of arrays, or makes it a step of the graph that is being traced."""
        if len(args) == 1 and isinstance(args[0], NDArray) and not kwargs:
            return self._of_one(args[0])
        found = list(leaves((args, kwargs)))
        if any(isinstance(leaf, Symbol) for leaf in found):
            return self._join_graph(args, kwargs)
        arrays = [leaf for leaf in found if isinstance(leaf, NDArray)]
        tape = state.tape
        context = arrays[0]._ctx if arrays else current_context()
        tensors: list[torch.Tensor] = []

        def tensor_of(array: NDArray) -> torch.Tensor:
            tensors.append(plain(array) if tape is None else recorded_input(array, tape))
            return tensors[-1]

        given = mapped(tensor_of, args), mapped(tensor_of, kwargs)
        result = self._call_on(context, *given)
        kind = type(arrays[0])._result_type if arrays else NDArray

        def array_of(tensor: torch.Tensor) -> Any:
            return _array(tensor, kind, context, tensors, tape)

        return mapped(array_of, result, torch.Tensor)

    def _of_one(self, array: NDArray) -> Any:
        """The usual call, without looking for arrays in what might be nested."""
        tape = state.tape
        tensor = plain(array) if tape is None else recorded_input(array, tape)
        result = self._call_on(array._ctx, (tensor,), {})
        if type(result) is torch.Tensor:
            return _array(result, array._result_type, array._ctx, (tensor,), tape)
        return mapped(lambda each: _array(each, array._result_type, array._ctx, (tensor,), tape), result, torch.Tensor)

    def _call_on(self, context: Context, args: Any, kwargs: Any) -> Any:
        """Calls the module with the parameters of a context; torch keeps a graph while autograd records."""
        self._set_mode(state.training)
        is_recording = state.tape is not None
        if torch.is_grad_enabled() == is_recording:
            return self._run_on(context, args, kwargs)
        with torch.set_grad_enabled(is_recording):
            return self._run_on(context, args, kwargs)

    def _run_on(self, context: Context, args: Any, kwargs: Any) -> Any:
        self._expect_same_parts()
        tape = state.tape
        if self._own.are_own(context, tape is not None):
            return self._result_of(args, kwargs)
        arrays = [parameter.data(context) for parameter in self._reg_params.values()]
        values = [plain(array) if tape is None else recorded_input(array, tape) for array in arrays]
        with _Lent(self._places.values(), values):
            return self._result_of(args, kwargs)

    def _result_of(self, args: Any, kwargs: Any) -> Any:
        """What the module gives; what torch refuses is refused with the block's name, and what it received."""
        try:
            return self.module(*args, **kwargs)
        except RuntimeError as error:
            if type(error) is not RuntimeError:  # of the module's own code, or one that programs handle
                raise
            tensors = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
            given = ", ".join(f"{tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}" for tensor in tensors)
            raise MXNetError(
                f"[{self._name}] the torch module {type(self.module).__name__} received {given or 'no array'}, and "
                f"torch refuses: {error}"
            ) from error

    def _set_mode(self, training: bool) -> None:
        # Only when the mode changes: parts of a module that a program has set to predict by hand stay so until then.
        if training != self.module.training:
            self.module.train(training)

    # -- in graphs ----------------------------------------------------------------------------------------------------

    def _join_graph(self, args: Any, kwargs: Any) -> Any:
        found = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, Symbol)]
        symbols = [symbol for symbol in found if isinstance(symbol, TracedSymbol)]
        if len(symbols) < len(found):
            raise MXNetError(
                f"[{self._name}] a module of torch needs shapes to become part of a graph, and a Symbol has none. Call "
                "hybridize() on the network and then the network on arrays: that traces it."
            )
        # Counters have no axes, which to graphs means that they are unknown: they stay with the module.
        learned, buffers = ([name for name in names if self._reg_params[name].shape] for names in self._names)
        names = [*learned, *buffers]
        inputs = [*symbols, *(symbols[0]._trace.parameter(self._reg_params[name]) for name in names)]
        traced = _Traced(self, args, kwargs, names, [(symbol.shape, symbol._spec()[1]) for symbol in inputs])
        results = inputs[0]._trace.module(traced.described(len(buffers)), inputs)
        return traced.nested(results)


class _Traced:
    """A call of a module while a network is traced: how its inputs and results are nested.

    Args:
        block: the block.
        args: what it was called with, symbols among it.
        kwargs: likewise.
        names: of the module's parameters and buffers.
        specs: shapes and dtypes of the symbols, then of these.
    """

    def __init__(self, block: TorchBlock, args: Any, kwargs: Any, names: Sequence[str], specs: Sequence[Spec]) -> None:
        self._block, self._args, self._kwargs, self._names, self._specs = block, args, kwargs, names, list(specs)
        self._count = len(specs) - len(names)
        self._is_single = len(args) == 1 and isinstance(args[0], Symbol) and not kwargs
        self._places = [block._places[name] for name in names]
        self._results = self._fake_results(self._specs)

    def described(self, num_states: int) -> Any:
        """The description of the node."""
        outputs = len([leaf for leaf in leaves(self._results) if isinstance(leaf, torch.Tensor)])
        counts = (len(self._specs) - num_states, num_states, outputs)
        return TracedModule(self._block.name, self._run, self._infer, self._specs, counts, self._program)

    def nested(self, symbols: Sequence[Any]) -> Any:
        """The results of the node in the places of the module's."""
        rest = iter(symbols)
        return mapped(lambda _: next(rest), self._results, torch.Tensor)

    def _infer(self, specs: Sequence[Spec]) -> list[Spec]:
        return _specs_of(self._fake_results(specs))

    def _fake_results(self, specs: Sequence[Spec]) -> Any:
        """What the module gives for tensors without data; its own tensors have none either then."""
        self._block._set_mode(is_training())
        try:
            return self._results_without_data(specs)
        except Exception:  # code that looks at values, or tensors of its own that have some
            first, second = (self._results_of(fill, specs) for fill in (0, 1))
            if _specs_of(first) != _specs_of(second):  # results whose shapes values tell: no graph can have them
                raise
            return first

    def _results_without_data(self, specs: Sequence[Spec]) -> Any:
        module = self._block.module
        with torch.no_grad(), torch.device("meta"):
            own = {name: tensor.to("meta") for name, tensor in _tensors(module)}
            return self._called_with(own, [torch.empty(shape, dtype=dtype) for shape, dtype in specs])

    def _results_of(self, fill: int, specs: Sequence[Spec]) -> Any:
        """What the module gives for some numbers; its parameters, and the random numbers to come, stay as they are."""
        module = self._block.module
        device = next((tensor.device for _, tensor in _tensors(module)), torch.device("cpu"))
        devices = [device] if device.type == "cuda" else []
        with torch.no_grad(), torch.random.fork_rng(devices):
            tensors = [torch.full(shape, fill, dtype=dtype, device=device) for shape, dtype in specs[: self._count]]
            own = {name: tensor.clone() for name, tensor in _tensors(module)}
            return self._called_with(own, [*tensors, *(own[name] for name in self._names)])

    def _program(self) -> Any:
        """What torch.export makes of the module, in predict mode, on inputs like those it was traced with."""
        module = self._block.module
        modes = [(part, part.training) for part in module.modules()]
        device = next((tensor.device for _, tensor in _tensors(module)), torch.device("cpu"))
        inputs = [torch.zeros(shape, dtype=dtype, device=device) for shape, dtype in self._specs[: self._count]]
        module.eval()
        try:
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of torch about its own functions
                return torch.export.export(_Flat(self, module), tuple(inputs), strict=False)
        except Exception as error:  # torch has no class of errors for this
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise MXNetError(
                f"torch.export cannot look through it: {reason} Expected code that computes the same whatever the "
                "values are; torch.export.export(module.eval(), inputs) tells more."
            ) from error
        finally:
            for part, mode in modes:
                part.training = mode

    def _run(self, tensors: Sequence[torch.Tensor], training: bool) -> list[torch.Tensor]:
        self._block._set_mode(training)
        self._block._expect_same_parts()
        args, kwargs = (tensors[:1], {}) if self._is_single else self._given(tensors)
        with _Lent(self._places, tensors[self._count :]):
            result = self._block._result_of(args, kwargs)
        found = [leaf for leaf in leaves(result) if isinstance(leaf, torch.Tensor)]
        # What is written to later must not be the input itself.
        return [tensor.clone() if is_view(tensor, tensors) else tensor for tensor in found]

    def _called_with(self, own: dict[str, torch.Tensor], tensors: Sequence[torch.Tensor]) -> Any:
        """Calls the module with other tensors in place of all that it has."""
        args, kwargs = self._given(tensors)
        values = dict(zip(self._names, tensors[self._count :], strict=True))
        return functional_call(self._block.module, {**own, **values}, args, kwargs)

    def _given(self, tensors: Sequence[torch.Tensor]) -> tuple[Any, Any]:
        data = iter(tensors)
        return mapped(lambda _: next(data), self._args, Symbol), mapped(lambda _: next(data), self._kwargs, Symbol)


class _Flat(torch.nn.Module):
    """A module as a function of tensors to tensors, without nesting."""

    def __init__(self, traced: _Traced, module: torch.nn.Module) -> None:
        super().__init__()
        self._traced, self.module = traced, module

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        args, kwargs = self._traced._given(tensors)
        return tuple(leaf for leaf in leaves(self.module(*args, **kwargs)) if isinstance(leaf, torch.Tensor))


class _Lent:
    """While it lasts, a module has other tensors.

    `torch.func.functional_call` does the same in five times the time.
    """

    def __init__(self, places: Iterable[Place], tensors: Sequence[torch.Tensor]) -> None:
        self._places, self._tensors = places, tensors
        self._before: list[tuple[dict[str, Any], str, Any]] = []

    def __enter__(self) -> None:
        for (part, name, is_parameter), tensor in zip(self._places, self._tensors, strict=True):
            tensors: dict[str, Any] = part._parameters if is_parameter else part._buffers
            self._before.append((tensors, name, tensors[name]))
            tensors[name] = tensor

    def __exit__(self, *error: object) -> None:
        for tensors, name, tensor in self._before:
            tensors[name] = tensor


def _tensors(module: torch.nn.Module) -> list[tuple[str, torch.Tensor]]:
    """All parameters and buffers of a module by name; those that have several, under each."""
    return [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]


def _specs_of(results: Any) -> list[Spec]:
    found = [leaf for leaf in leaves(results) if isinstance(leaf, torch.Tensor)]
    return [(tuple(tensor.shape), tensor.dtype) for tensor in found]


def _array(
    tensor: torch.Tensor, kind: Any, context: Context, tensors: Sequence[torch.Tensor], tape: Tape | None
) -> Any:
    """The array of a result."""
    if is_view(tensor, tensors):
        tensor = tensor.clone(memory_format=torch.contiguous_format)
    array = kind(tensor, context)
    if tape is not None:
        enter_graph(array, tensor, tensors, tape)
    return array


def _check(module: torch.nn.Module, name: str) -> None:
    """Refuses modules whose parameters are not there, or not in one place."""
    devices = set()
    for path, part in module.named_modules():
        where = f"{type(part).__name__} {path!r}" if path else type(part).__name__
        tensors = [*part.parameters(recurse=False), *part.buffers(recurse=False)]
        if any(map(is_lazy, tensors)):
            raise MXNetError(
                f"[{name}] {where} is lazy: its parameters have no shapes yet. Call the module once on a batch first."
            )
        devices |= {tensor.device for tensor in tensors}
    if torch.device("meta") in devices and len(devices) == 1:
        raise MXNetError(
            f"[{name}] received a module on the device 'meta'; expected one with values. Give it memory with "
            "module.to_empty(device='cpu'), and values with load_state_dict()."
        )
    if len(devices) > 1:
        raise MXNetError(
            f"[{name}] the module is on several devices: {', '.join(sorted(map(str, devices)))}; expected one. Move it "
            "with module.to(device), then spread it with reset_ctx()."
        )
