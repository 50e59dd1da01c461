"""All networks by name."""

from collections.abc import Callable
from typing import Any

from regluon.arguments import nearest

from ._builder import FeatureClassifier
from .alexnet import alexnet
from .densenet import densenet121, densenet161, densenet169, densenet201
from .inception import inception_v3
from .mobilenet import (
    mobilenet0_5,
    mobilenet0_25,
    mobilenet0_75,
    mobilenet1_0,
    mobilenet_v2_0_5,
    mobilenet_v2_0_25,
    mobilenet_v2_0_75,
    mobilenet_v2_1_0,
)
from .resnet import (
    resnet18_v1,
    resnet18_v2,
    resnet34_v1,
    resnet34_v2,
    resnet50_v1,
    resnet50_v2,
    resnet101_v1,
    resnet101_v2,
    resnet152_v1,
    resnet152_v2,
)
from .squeezenet import squeezenet1_0, squeezenet1_1
from .vgg import vgg11, vgg11_bn, vgg13, vgg13_bn, vgg16, vgg16_bn, vgg19, vgg19_bn

__all__ = ["get_model"]

_MODELS: dict[str, Callable[..., FeatureClassifier]] = {
    "alexnet": alexnet,
    "densenet121": densenet121,
    "densenet161": densenet161,
    "densenet169": densenet169,
    "densenet201": densenet201,
    "inceptionv3": inception_v3,
    "mobilenet0.25": mobilenet0_25,
    "mobilenet0.5": mobilenet0_5,
    "mobilenet0.75": mobilenet0_75,
    "mobilenet1.0": mobilenet1_0,
    "mobilenetv2_0.25": mobilenet_v2_0_25,
    "mobilenetv2_0.5": mobilenet_v2_0_5,
    "mobilenetv2_0.75": mobilenet_v2_0_75,
    "mobilenetv2_1.0": mobilenet_v2_1_0,
    "resnet18_v1": resnet18_v1,
    "resnet34_v1": resnet34_v1,
    "resnet50_v1": resnet50_v1,
    "resnet101_v1": resnet101_v1,
    "resnet152_v1": resnet152_v1,
    "resnet18_v2": resnet18_v2,
    "resnet34_v2": resnet34_v2,
    "resnet50_v2": resnet50_v2,
    "resnet101_v2": resnet101_v2,
    "resnet152_v2": resnet152_v2,
    "squeezenet1.0": squeezenet1_0,
    "squeezenet1.1": squeezenet1_1,
    "vgg11": vgg11,
    "vgg11_bn": vgg11_bn,
    "vgg13": vgg13,
    "vgg13_bn": vgg13_bn,
    "vgg16": vgg16,
    "vgg16_bn": vgg16_bn,
    "vgg19": vgg19,
    "vgg19_bn": vgg19_bn,
}


def get_model(name: str, **kwargs: Any) -> FeatureClassifier:
    """A network by its name, in small or capital letters.

    Args:
        name: the name, such as 'resnet50_v1', 'mobilenetv2_1.0' or 'inceptionv3'.
        kwargs: `pretrained`, whether to load the published parameters, or which others, see below; `ctx`, where to load
            them to; `root`, the folder where their files are kept; and arguments of the network, such as `classes`.

    Besides True and False, `pretrained` can be:

    - the path of a file: `.params`, or `.safetensors` with the names of Gluon, torchvision or timm; or of a folder with
      one such file;
    - a repository of Hugging Face, such as 'timm/resnet18.tv_in1k', 'timm/resnet18.tv_in1k@<revision>' or
      'hf://owner/name/weights.params', if the package huggingface_hub is installed;
    - 'torchvision': torchvision's weights, from the repository of timm that holds them, for ResNet V1 with 18 and 34
      layers, VGG, DenseNet and Inception V3.

    Weights of torchvision and timm are taken only by networks that are the same there. They expect images as the ones
    that MXNet published do, but for Inception V3: means and deviations of 0.5. The log says what is known of each.

    Example:
        >>> net = get_model("resnet18_v1", classes=10)
        >>> net.initialize()
    """
    if not isinstance(name, str):
        raise TypeError(f"[get_model] name: received a {type(name).__name__}; expected the name of a network.")
    make = _MODELS.get(name.lower())
    if make is None:
        near = nearest(name, _MODELS, 3)
        hint = f" Near it: {', '.join(near)}." if near else ""
        raise ValueError(
            f"[get_model] name: received {name!r}; expected the name of a network.{hint} All names:\n\t"
            + "\n\t".join(sorted(_MODELS))
        )
    return make(**kwargs)
