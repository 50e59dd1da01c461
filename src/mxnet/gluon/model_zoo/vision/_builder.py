"""What the families of networks share: rows of layers, the way through a network, variants, published parameters."""

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ....context import cpu
from ..._block_inputs import BlockOptions
from ...contrib.nn.basic_layers import HybridConcurrent
from ...nn import Activation, BatchNorm, Conv2D, HybridBlock, HybridSequential
from ...nn._arguments import LayerArgumentError
from .._pretrained.weights import Pretrained, load_pretrained
from ..model_store import DEFAULT_ROOT

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "DEFAULT_CONTEXT",
    "DEFAULT_ROOT",
    "FeatureClassifier",
    "Options",
    "Pretrained",
    "Variant",
    "branches",
    "chosen",
    "conv_norm",
    "conv_norm_relu",
    "load_pretrained",
    "same_length",
    "row",
    "variant",
]

# Where constructors load published parameters to, unless they are told.
DEFAULT_CONTEXT = cpu()

Network = TypeVar("Network", bound=HybridBlock)
Made_co = TypeVar("Made_co", covariant=True)
Choice = TypeVar("Choice")
Container = TypeVar("Container", HybridSequential, HybridConcurrent)


class FeatureClassifier(HybridBlock):
    """A network in two parts: `features` turns images into features, `output` rates classes by them."""

    features: HybridSequential
    output: HybridBlock

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Rates the classes for images of shape (batch, channels, height, width)."""
        return self.output(self.features(x))


# -- layers ---------------------------------------------------------------------------------------------------------


def row(*layers: HybridBlock | Iterable[HybridBlock], prefix: str = "") -> HybridSequential:
    """Layers one after the other.

    Args:
        layers: layers, or iterables of them. Generators run one after the other in the scope of the row: what they
            make gets its prefix. Layers that are given ready are made before, and counted before.
        prefix: beginning of the names; without one the layers are named as if the row were not there.
    """
    return _filled(HybridSequential(prefix=prefix), layers)


def branches(*layers: HybridBlock | Iterable[HybridBlock], prefix: str = "") -> HybridConcurrent:
    """Layers side by side whose results are joined as channels; arguments as those of `row`."""
    return _filled(HybridConcurrent(axis=1, prefix=prefix), layers)


def _filled(container: Container, layers: Iterable[HybridBlock | Iterable[HybridBlock]]) -> Container:
    with container.name_scope():
        for each in layers:
            container.add(*([each] if isinstance(each, HybridBlock) else each))
    return container


def conv_norm(
    channels: int,
    kernel_size: int | tuple[int, int],
    strides: int = 1,
    padding: int | tuple[int, int] = 0,
    groups: int = 1,
    epsilon: float = 1e-5,
) -> list[HybridBlock]:
    """A convolution without bias, and its normalization."""
    convolution = Conv2D(channels, kernel_size, strides, padding, groups=groups, use_bias=False)
    return [convolution, BatchNorm(epsilon=epsilon)]


def conv_norm_relu(*args: Any, **kwargs: Any) -> list[HybridBlock]:
    """What `conv_norm` makes of the arguments, cut off at 0."""
    return [*conv_norm(*args, **kwargs), Activation("relu")]


# -- arguments ------------------------------------------------------------------------------------------------------


def chosen(who: str, argument: str, given: Any, options: Mapping[Any, Choice]) -> Choice:
    """The option of this name; refuses other names."""
    if given not in options:
        listed = ", ".join(map(repr, options))
        raise LayerArgumentError(f"[{who}] {argument}: received {given!r}; expected one of {listed}.")
    return options[given]


def same_length(who: str, **lists: Any) -> None:
    """Refuses two lists that should describe the same stages, and do not."""
    (first, ours), (second, theirs) = lists.items()
    if len(ours) != len(theirs):
        raise LayerArgumentError(
            f"[{who}] received {len(ours)} {first} {ours!r} and {len(theirs)} {second} {theirs!r}; expected as many "
            "of both, one for each stage."
        )


# -- variants and their parameters ----------------------------------------------------------------------------------


class Options(BlockOptions, total=False):
    """Arguments of the networks of every family."""

    classes: int


class _Published(Options, total=False):
    pretrained: Pretrained
    ctx: Any
    root: str | PathLike[str]
    # Of some families only.
    thumbnail: bool
    batch_norm: bool
    bn_size: int
    dropout: float


class Variant(Protocol[Made_co]):
    """A constructor of one member of a family."""

    def __call__(self, **kwargs: "Unpack[_Published]") -> Made_co:
        """The network, with published parameters if they are asked for."""


def variant(name: str, about: str, make: Callable[..., Network], *settings: Any, **fixed: Any) -> Variant[Network]:
    """A constructor of one member of a family.

    Args:
        name: name of the constructor.
        about: first line of its documentation.
        make: the constructor of the family.
        settings: what it is called with first.
        fixed: what it is called with by name, whatever the user says.
    """

    def build(**kwargs: "Unpack[_Published]") -> Network:
        return make(*settings, **{**kwargs, **fixed})

    build.__name__ = build.__qualname__ = name
    build.__module__ = make.__module__
    build.__doc__ = (
        f"{about}\n\nArgs:\n    kwargs: `pretrained`, `ctx` and `root`, see `{make.__name__}`, and arguments of the "
        "network, such as `classes`.\n"
    )
    return build
