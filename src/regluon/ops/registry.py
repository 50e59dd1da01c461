"""The operator registry: one declaration, from which every front end, check, document and stub derives.

    @operator("clip", "_sparse_clip")
    def clip(data: Tensor, *, a_min: float, a_max: float) -> Tensor:
        \"\"\"Limits every element to the interval [a_min, a_max].\"\"\"
        return data.clamp(a_min, a_max)

Arguments before the `*` are inputs (those with the default None may be left out), `*args` is a list of inputs, and
keyword-only arguments are parameters, their annotations saying how a value is read (see params.py). What is annotated
`Training`, `Rng` or `Bodies` is supplied by the caller's surroundings. The function is pure: torch tensors in, new
torch tensors out. It runs on `meta` tensors as well, and that is how shapes and dtypes are inferred.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ..arguments import did_you_mean, nearest
from ..base import MXNetError, _Null, shortened
from ..config import process
from ..context import Context
from ..dtypes import NAME_OF_TORCH
from ..errors import OpIndexError, OpMemoryError, OpParamError, OpShapeError, OpTypeError, memory_text
from ..native import forget_calls
from .common import reach_rule
from .dtype_rules import USUAL, DtypeRule
from .examples import with_example
from .params import Bodies, Kind, Rng, Training, kind_of
from .partial_shapes import PartialRule, Shape, TrialFilter, has_axes, same_everywhere
from .shape_rules import Rule
from .signatures import Description, Surroundings, Wiring

REQUIRED = inspect.Parameter.empty
_CACHE_LIMIT = 1024  # parsed parameter sets kept per operator; a program that varies a scalar must not grow it


class Operand:
    """What operators take as an input: an array or a symbol. As a parameter, only an array without axes."""

    __slots__ = ()


class Param(NamedTuple):
    """A parameter of an operator. `default` is REQUIRED for one that must be given."""

    name: str
    kind: Kind
    default: Any


class Operator:
    """An operator as declared.

    Attributes:
        name: its registered name, the one saved graphs contain.
        aliases: further names.
        function: the pure torch function.
        eager: what runs when it is called on arrays: the function, or one that casts first, in a range of a profiler.
        precision: the CastRule in force, or None.
        casting: the function that casts first, where a rule is in force; see precision.py.
        inputs: names of the inputs, auxiliary states included; of a variadic operator, the name of the list.
        num_required: how many of the inputs must be given.
        variadic: whether it takes any number of inputs.
        params: its parameters by name, in order.
        auxiliary: positions of inputs that it updates; its function then returns (outputs, updates). Declared by name,
            or, for a variadic operator, as a function from the number of inputs to the positions.
        outputs: number of outputs, or a function from the parameters to that number; the parameters include the
            number of inputs under the name `count_param`.
        returns_view: the function may return its input or a view of it; eager results must be copies.
        in_place: like the function, but may write the result over the first input; None if that is not possible.
        reads_values: the host looks at values of its inputs, for a check or because they decide how long the result is;
            on a GPU, the program waits there. No other operator may.
        zero_gradient: its gradient is zero everywhere, yet its inputs count as reached by `backward`.
        zero_inputs: names, or positions, of inputs whose gradient is zero: conditions, indices, arrays of a shape.
        has_gradient: False if `backward` refuses a result of arrays of the graph, instead of taking it as constant.
        forwards_gradient: inputs receive the gradient of the result itself; in MXNet no operator runs for it, so
            monitors do not report it.
        gradient: its gradient written out, for compiled training; see gradient.py. None if torch differentiates it.
        label_classes: from the output's shape and the parameters to the number of classes of the input `label`, so that
            executors warn about labels that are no class. None if the operator has no such label.
        completes: from known input shapes and parameters to the shapes of learnable inputs.
        takes: from the parameters to the names of the inputs in force, where optional inputs depend on them; in a
            graph, inputs that were not given become variables.
        initializers: by name of an input, the initializer of a variable in its place, as saved graphs contain it.
        shape: from shapes and dtypes of the inputs, and the parameters, to those of the outputs; None where it does
            not apply, and the function runs on tensors without data instead. See shape_rules.py.
        partial_shapes: what partial shapes of inputs and outputs imply for each other; see partial_shapes.py.
        trial_filter: from parameters, partial input shapes and the output shapes on which trial runs agree, to those
            of which that is enough; see partial_shapes.py.
        alike: all inputs and outputs have one shape, so that each follows from any other.
        keeps_integers: of an operator with all alike: integers give integers, as floats give floats.
        broadcasts: two operands whose axes of length 1 are stretched to fit.
        dtypes: which dtypes inputs and outputs have, without data; see dtype_rules.py.
        wiring: for an operator with bodies, from its parameters to what its bodies receive; see wiring.py.
        total_outputs: number of outputs that MXNet counts, hidden ones such as masks included, if that is more than
            can be used; or a function from the parameters to it. Saved graphs number outputs by it.
        output_names: names of the outputs, hidden ones included; None if they are `output`, or numbered.
        numbers_output: its output is numbered even if there is only one.
        names_input: monitors report its only input by its name, not as `input0`.
        free_params: it takes any parameter, as text: what they mean is up to whoever registered the operation.
        describes: for an operator whose inputs, outputs and shapes are known only when it is used: from the texts of
            its parameters to a Description, which the function receives.
    """

    outputs: int | Callable[[Mapping[str, Any]], int] = 1
    returns_view: bool = False
    in_place: Callable[..., torch.Tensor] | None = None
    reads_values: bool = False
    zero_gradient: bool = False
    zero_inputs: tuple[str | int, ...] = ()
    has_gradient: bool = True
    forwards_gradient: bool = False
    gradient: Any = None
    label_classes: Callable[..., int] | None = None
    completes: Callable[..., dict[str, tuple[int, ...]]] | None = None
    initializers: Mapping[str, str] | None = None
    shape: Rule | None = None
    partial_shapes: PartialRule | None = None
    trial_filter: TrialFilter | None = None
    alike: bool = False
    keeps_integers: bool = False
    broadcasts: bool = False
    dtypes: DtypeRule = USUAL
    wiring: Callable[[Mapping[str, Any]], Wiring] | None = None
    total_outputs: int | Callable[[Mapping[str, Any]], int] = 1
    output_names: tuple[str, ...] | None = None
    numbers_output: bool = False
    names_input: bool = False
    count_param: str | None = None
    free_params: bool = False
    describes: Callable[[dict[str, str]], Description] | None = None

    def __init__(self, name: str, aliases: tuple[str, ...], function: Callable[..., Any], **traits: Any) -> None:
        self.name, self.aliases, self.function = name, aliases, function
        self.precision: Any = None
        self.casting: Callable[..., Any] | None = None
        self.renew_eager()
        self.doc = with_example(name, inspect.getdoc(function) or "")
        self._takes: Callable[[Mapping[str, Any]], tuple[str, ...]] | None = traits.pop("takes", None)
        auxiliary: tuple[str, ...] | Callable[[int], tuple[int, ...]] = traits.pop("auxiliary", ())
        for trait in Operator.__annotations__:
            setattr(self, trait, traits.pop(trait, getattr(Operator, trait)))
        assert not traits, f"[{name}] unknown traits {sorted(traits)}"
        self._read_signature()
        self.auxiliary: tuple[int, ...] | Callable[[int], tuple[int, ...]] = (
            auxiliary if callable(auxiliary) else tuple(self.inputs.index(state) for state in auxiliary)
        )
        self.reach = reach_rule(self.zero_gradient, self.zero_inputs, self.inputs)
        self._input_positions = {} if self.variadic else {key: i for i, key in enumerate(self.inputs)}
        self._parsed: dict[tuple[Any, ...], dict[str, Any]] = {}

    def _read_signature(self) -> None:
        inputs, required = [], 0
        self.variadic = self.needs_training = self.needs_rng = self.needs_place = False
        self.params: dict[str, Param] = {}
        for argument in inspect.signature(self.function).parameters.values():
            if argument.kind is argument.KEYWORD_ONLY:
                if argument.annotation is Training:
                    self.needs_training = True
                elif argument.annotation is Rng:
                    self.needs_rng = True
                elif argument.annotation == Bodies:
                    continue  # given by the program that runs the node: see Node.subgraphs
                elif argument.annotation is Surroundings:
                    self.needs_place = True
                elif argument.annotation is not Description:
                    self.params[argument.name] = Param(argument.name, kind_of(argument.annotation), argument.default)
            else:
                self.variadic = argument.kind is argument.VAR_POSITIONAL
                inputs.append(argument.name)
                required += argument.default is REQUIRED
        self.inputs, self.num_required = tuple(inputs), required
        self.placed = "ctx" in self.params
        self.needs_surroundings = self.placed or self.needs_training or self.needs_rng or self.needs_place

    def renew_eager(self) -> None:
        """Sets what eager calls run. Casts and profilers are put in there, so that calls without them cost nothing."""
        function = self.casting or self.function
        tracer = process.tracer
        self.eager: Callable[..., Any] = function if tracer is None else tracer.timed(self, function)
        forget_calls()

    def __repr__(self) -> str:
        return f"<operator {self.name}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> "Operator":
        return self  # copies of a graph share its operators

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Sorts the arguments of a call into inputs and parsed parameters.

        Returns:
            The inputs in order, None for one left out, and the given parameters; the dict is shared: do not change it.
        """
        inputs, given = self.sort(args, kwargs)
        return inputs, self.parse(given)

    def sort(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Sorts the arguments of a call into inputs and parameters as they were given."""
        if self.variadic:
            if len(args) == 1 and isinstance(args[0], (list, tuple)):
                args = args[0]
            if self.count_param in kwargs:
                kwargs = dict(kwargs)
                count = kwargs.pop(self.count_param)
                if str(count) != str(len(args)):
                    raise OpParamError(f"[{self.name}] {self.count_param}={count}, but received {len(args)} inputs.")
            return self._sort_described(args, kwargs) if self.describes is not None else (list(args), kwargs)
        count = len(self.inputs)
        inputs = list(args[:count])
        if len(args) > count:
            kwargs = self._name_positional(args[count:], kwargs)
        if kwargs:
            named = [name for name in kwargs if name in self._input_positions]
            if named:
                inputs = self._place_named(inputs, {name: kwargs[name] for name in named})
                kwargs = {name: value for name, value in kwargs.items() if name not in self._input_positions}
        return inputs, kwargs

    def _sort_described(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Inputs by position, or by the names that the description gives them."""
        named = {name: value for name, value in kwargs.items() if isinstance(value, Operand)}
        if not named:
            return list(args), kwargs
        if args:
            raise OpTypeError(
                f"[{self.name}] received {len(args)} input(s) by position and {', '.join(named)} by name; expected all "
                "inputs by position or all by name."
            )
        given = {name: value for name, value in kwargs.items() if name not in named}
        expected = self.description(self.parse(given)).inputs
        unknown = sorted(named.keys() - set(expected))
        if unknown:
            raise OpTypeError(f"[{self.name}] received the input {unknown[0]!r}; expected {', '.join(expected)}.")
        return [named.get(name) for name in expected], given

    def _name_positional(self, values: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        if len(values) > len(self.params):
            raise OpTypeError(
                f"[{self.name}] received {len(values) + len(self.inputs)} positional arguments; expected at most "
                f"{len(self.inputs)} inputs ({', '.join(self.inputs)}) and {len(self.params)} parameters "
                f"({', '.join(self.params)})."
            )
        named = dict(zip(self.params, values, strict=False))
        twice = sorted(named.keys() & kwargs.keys())
        if twice:
            raise OpTypeError(f"[{self.name}] received {', '.join(twice)} both by position and by name.")
        return {**named, **kwargs}

    def _place_named(self, inputs: list[Any], named: dict[str, Any]) -> list[Any]:
        for name, value in named.items():
            position = self._input_positions[name]
            if position < len(inputs):
                if inputs[position] is not None:
                    raise OpTypeError(f"[{self.name}] received input {name} both by position and by name.")
            else:
                inputs.extend([None] * (position + 1 - len(inputs)))
            inputs[position] = value
        return inputs

    def parse(self, given: dict[str, Any]) -> dict[str, Any]:
        """Checks and converts parameters; those equal to `_Null` count as not given."""
        if self.describes is not None:
            texts = {name: str(value) for name, value in given.items() if value is not _Null}
            declared = self._parse({name: text for name, text in texts.items() if name in self.params})
            return {**declared, "description": self.describes(texts)}
        key = _memory_key(given) if given else ()
        if key is None:
            return self._parse(given)
        parsed = self._parsed.get(key)
        if parsed is None:
            parsed = self._parse(given)
            if len(self._parsed) >= _CACHE_LIMIT:
                self._parsed.clear()
            self._parsed[key] = parsed
        return parsed

    def _parse(self, given: dict[str, Any]) -> dict[str, Any]:
        parsed = {}
        for name, value in given.items():
            param = self.params.get(name)
            if param is None:
                if self.params or self.variadic or isinstance(value, Operand):
                    raise self._unknown_param(name)
                continue  # MXNet reads nothing where there is nothing to set, and programs and files rest on that
            if value is _Null:
                continue
            try:
                parsed[name] = param.kind.parse(value if param.kind.is_dtype else _number_in(value))
            except (ValueError, TypeError, KeyError, OverflowError):
                raise OpParamError(
                    f"[{self.name}] parameter {name}: received {shortened(repr(value), 200)} ({type(value).__name__}); "
                    f"expected {param.kind.expects}."
                ) from None
        missing = [name for name, param in self.params.items() if param.default is REQUIRED and name not in parsed]
        if missing:
            raise OpParamError(
                f"[{self.name}] parameter {', '.join(missing)} is required; give it by name, such as "
                f"{missing[0]}=..., {self.params[missing[0]].kind.expects}."
            )
        return parsed

    def _unknown_param(self, name: str) -> OpParamError:
        known = [*self.inputs, *self.params] if not self.variadic else list(self.params)
        return OpParamError(
            f"[{self.name}] received an unknown parameter {name!r}; expected some of {', '.join(known)}."
            f"{did_you_mean(name, known)}"
        )

    def full_params(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters, defaults filled in."""
        return {name: params.get(name, param.default) for name, param in self.params.items()}

    def description(self, params: Mapping[str, Any]) -> Description:
        """What the parameters make of an operator that `describes`."""
        found: Description = params["description"]
        return found

    def takes(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Names of the inputs in force under these parameters; of a variadic operator, those that have names."""
        if self.describes is not None:
            return self.description(params).inputs
        if self._takes is not None:
            return self._takes(self.full_params(params))
        return () if self.variadic else self.inputs[: self.num_required]

    def completed(
        self, shapes: Sequence[tuple[int, ...] | None], params: Mapping[str, Any]
    ) -> dict[int, tuple[int, ...]]:
        """Shapes of inputs, by position, that follow from those that are known."""
        if self.describes is not None:
            description = self.description(params)
            inferred = description.infer_shapes(shapes[: len(description.arguments)])
            return dict(enumerate([*inferred.arguments, *inferred.states]))
        if self.completes is None or not shapes or shapes[0] is None:
            return {}
        found = self.completes(shapes[0], **self.full_params(params))
        return {position: found[name] for position, name in enumerate(self.inputs) if name in found}

    def implied_shapes(
        self, inputs: Sequence[Shape | None], outputs: Sequence[Shape | None], params: Mapping[str, Any]
    ) -> Sequence[Shape | None]:
        """What partial shapes imply for each other, inputs first: see partial_shapes.py for how it may be refused."""
        rule = same_everywhere if self.alike else self.partial_shapes
        if rule is None:
            return []
        known = [[shape if has_axes(shape) else None for shape in shapes] for shapes in (inputs, outputs)]
        return rule(self.full_params(params), *known)

    def auxiliary_positions(self, num_inputs: int, params: Mapping[str, Any] | None = None) -> tuple[int, ...]:
        """Which of so many inputs it updates."""
        if self.describes is not None and params is not None:
            description = self.description(params)
            return tuple(range(len(description.arguments), len(description.inputs)))
        return self.auxiliary(num_inputs) if callable(self.auxiliary) else self.auxiliary

    def num_outputs(self, params: Mapping[str, Any], num_inputs: int = 0) -> int:
        """How many outputs it has under these parameters, and with so many inputs if it takes any number."""
        if isinstance(self.outputs, int) and self.describes is None:
            return self.outputs
        if self.describes is not None:
            return len(self.description(params).outputs)
        assert callable(self.outputs)
        full = self.full_params(params)
        if self.count_param is not None:
            full[self.count_param] = num_inputs
        return self.outputs(full)


def _number_in(value: Any) -> Any:
    """The number in an array without axes, of NumPy's or ours, which may stand for a parameter; else the value."""
    if isinstance(value, (np.ndarray, Operand)) and getattr(value, "shape", None) == ():
        return value.item()  # type: ignore[union-attr]
    return value


_UNCHANGING = frozenset((int, float, bool, str, type(None), type, type(_Null), torch.dtype, Context))


def _memory_key(given: dict[str, Any]) -> tuple[Any, ...] | None:
    """What parsed parameters are remembered under; None if a value may change or is unusual."""
    kinds: list[Any] = []
    for value in given.values():
        kind = type(value)
        if kind is tuple and _UNCHANGING.issuperset(map(type, value)):
            kinds.append(tuple(map(type, value)))
        elif kind in _UNCHANGING:
            kinds.append(kind if value else str(value))  # 1 and True, 0.0 and -0.0 are equal, yet not the same
        else:
            return None
    return (*given.items(), *kinds)


_operators: dict[str, Operator] = {}  # by name and by alias


def operator(name: str, *aliases: str, **traits: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares the decorated function as an operator; see Operator for the traits."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        declared = Operator(name, aliases, function, **traits)
        for key in (name, *aliases):
            assert key not in _operators, f"{key} is declared twice"
            _operators[key] = declared
        return function

    return declare


def shape_of(*names: str) -> Callable[[Rule], Rule]:
    """Declares the decorated function as the `shape` of the operators of these names."""
    return _rule_of("shape", names)


def partial_shapes_of(*names: str) -> Callable[[PartialRule], PartialRule]:
    """Declares the decorated function as the `partial_shapes` of the operators of these names."""
    return _rule_of("partial_shapes", names)


def in_place_of(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares the decorated function as the `in_place` form of the operators of these names."""
    return _rule_of("in_place", names)


def _rule_of(trait: str, names: Sequence[str]) -> Callable[[Any], Any]:
    def declare(rule: Any) -> Any:
        for declared in map(find, names):
            assert getattr(declared, trait) is None, f"{declared.name} declares {trait} twice"
            setattr(declared, trait, rule)
        return rule

    return declare


# Operators of MXNet that cannot be, or need not be, operators here, and what takes their place.
ABSENT = {
    "_CustomFunction": "it is an autograd.Function that was recorded, which lives in the process that made it. Write a "
    "CustomOp, which graphs can contain",
    "_imdecode": "it takes the bytes of an image from outside of its inputs. Use nd.imdecode or mx.image.imdecode",
    "_set_value": "it has no result but writes to `out`. Write x[:] = value",
}


def absent(name: str) -> MXNetError:
    """The error for one of ABSENT."""
    return MXNetError(f"[{name}] there is no such operator here: {ABSENT[name]}.")


def find(name: str) -> Operator:
    """The operator of this name or alias."""
    found = _operators.get(name)
    if found is None and name in ABSENT:
        raise absent(name)
    if found is None:
        near = nearest(name, _operators, 3)
        hint = f"; the nearest are {', '.join(near)}" if near else ""
        raise MXNetError(f"[operator] there is no operator {name!r}{hint}.")
    return found


def names() -> Iterator[tuple[str, Operator]]:
    """All names and aliases with their operators."""
    return iter(_operators.items())


def describe(operator: Operator, tensors: Sequence[torch.Tensor | None]) -> str:
    """The inputs of a call in words, for error texts."""
    if operator.variadic:
        labels = [f"{operator.inputs[0]}[{i}]" for i in range(len(tensors))]
    else:
        labels = list(operator.inputs)
    return ", ".join(
        f"{label} {NAME_OF_TORCH.get(tensor.dtype, tensor.dtype)}{tuple(tensor.shape)}"
        for label, tensor in zip(labels, tensors, strict=False)
        if tensor is not None
    )


def explained(operator: Operator, tensors: Sequence[torch.Tensor | None], error: Exception) -> MXNetError:
    """The error to show for one that an operator's function raised: who, what was received, what is wrong."""
    received = describe(operator, tensors) or "no inputs"
    if isinstance(error, MXNetError):
        return type(error)(f"[{operator.name}] received {received}: {error}")
    memory = memory_text(error)
    if memory is not None:
        return OpMemoryError(f"[{operator.name}] received {received}: {memory}.")
    text = str(error).split("\n", 1)[0]
    kind: type[MXNetError] = MXNetError
    if isinstance(error, IndexError):
        kind = OpIndexError
    elif "dtype" in text or "Long" in text or "Float" in text or isinstance(error, TypeError):
        kind = OpTypeError
    elif "shape" in text or "size" in text or "dimension" in text:
        kind = OpShapeError
    return kind(f"[{operator.name}] received {received}: {text}")
