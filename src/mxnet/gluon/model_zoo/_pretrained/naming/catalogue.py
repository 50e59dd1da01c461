"""Which networks have a counterpart in torchvision and timm, and why the others have none."""

from typing import NamedTuple

from .layers import Renaming, alexnet, densenet, inception, resnet, squeezenet, vgg

__all__ = ["COUNTERPARTS", "Counterpart", "refusal"]


class Counterpart(NamedTuple):
    """The same network elsewhere.

    Attributes:
        renaming: gives their names for our layers.
        architectures: what torchvision and timm call the network; the first name is torchvision's.
    """

    renaming: Renaming
    architectures: tuple[str, ...]


# By the network's name in `get_model`.
COUNTERPARTS = {
    "alexnet": Counterpart(alexnet, ("alexnet",)),
    **{f"densenet{layers}": Counterpart(densenet, (f"densenet{layers}",)) for layers in (121, 161, 169, 201)},
    "inceptionv3": Counterpart(
        inception, ("inception_v3", "tf_inception_v3", "adv_inception_v3", "gluon_inception_v3")
    ),
    "resnet18_v1": Counterpart(resnet, ("resnet18", "gluon_resnet18_v1b", "ssl_resnet18", "swsl_resnet18")),
    "resnet34_v1": Counterpart(resnet, ("resnet34", "gluon_resnet34_v1b", "tv_resnet34")),
    "squeezenet1.0": Counterpart(squeezenet, ("squeezenet1_0",)),
    "squeezenet1.1": Counterpart(squeezenet, ("squeezenet1_1",)),
    **{f"vgg{layers}": Counterpart(vgg, (f"vgg{layers}",)) for layers in (11, 13, 16, 19)},
    **{f"vgg{layers}_bn": Counterpart(vgg, (f"vgg{layers}_bn",)) for layers in (11, 13, 16, 19)},
}

_BOTTLENECK = (
    "Gluon's bottlenecks have the stride in the first 1x1 convolution, and biases in the 1x1 convolutions; those of "
    "torchvision and timm have the stride in the 3x3 convolution, and no biases. The results would be wrong. The same "
    "as torchvision's are resnet18_v1 and resnet34_v1, and GluonCV's {gluoncv}"
)
_PREACTIVATION = (
    "Gluon's second version normalizes the images first, and normalizes before each convolution; torchvision has no "
    "such network, and timm's resnetv2 has another beginning. The same as torchvision's are resnet18_v1 and resnet34_v1"
)
_MOBILENET = (
    "Gluon's MobileNet cuts off values below 0 only; timm's mobilenetv1 cuts them off above 6 too, and torchvision has "
    "no such network"
)
_MOBILENET_V2 = (
    "Gluon's MobileNetV2 has no bias in its last layer, and a 1x1 convolution with normalization at the beginning of "
    "the first bottleneck; those of torchvision and timm have the bias and not the convolution, so that no parameters "
    "make both compute the same"
)


def refusal(network: str) -> str:
    """Why state dicts of torchvision and timm do not fit a network, and what can be done."""
    return f"{_reason(network)}. To use the network of torch itself: gluon.contrib.TorchBlock(module)."


def _reason(network: str) -> str:
    if network.startswith("resnet") and network.endswith("_v1"):
        return _BOTTLENECK.format(gluoncv=f"{network}b")
    if network.startswith("resnet"):
        return _PREACTIVATION
    if network.startswith("mobilenetv2"):
        return _MOBILENET_V2
    if network.startswith("mobilenet"):
        return _MOBILENET
    return "no network of torchvision or timm is known to be the same"
