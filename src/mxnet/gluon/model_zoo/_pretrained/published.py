"""Repositories that are known to hold the weights of torchvision, with their licences, and what images they expect."""

from typing import Any, NamedTuple

__all__ = ["IMAGENET", "INCEPTION", "TORCHVISION", "Preprocessing", "Published", "preprocessing_of"]


class Preprocessing(NamedTuple):
    """How images are prepared: red, green, blue in 0..1, resized, cropped, then normalized."""

    mean: tuple[float, ...]
    std: tuple[float, ...]
    size: int
    resize: int
    interpolation: str

    def __str__(self) -> str:
        return (
            f"images resized to {self.resize} ({self.interpolation}), cropped to {self.size}, scaled to 0..1, then "
            f"normalized with the means {self.mean} and the deviations {self.std}"
        )

    @property
    def is_usual(self) -> bool:
        """Whether images are normalized as for MXNet's own parameters."""
        return (self.mean, self.std) == (IMAGENET.mean, IMAGENET.std)


IMAGENET = Preprocessing((0.485, 0.456, 0.406), (0.229, 0.224, 0.225), 224, 256, "bilinear")
# Inside of torchvision's network a first step, `transform_input`, normalizes images anew. There is none in Gluon's.
INCEPTION = Preprocessing((0.5, 0.5, 0.5), (0.5, 0.5, 0.5), 299, 342, "bilinear")


class Published(NamedTuple):
    """A repository, and the licence that it names."""

    repository: str
    licence: str
    preprocessing: Preprocessing = IMAGENET


def _timm(name: str, licence: str, preprocessing: Preprocessing = IMAGENET) -> Published:
    return Published(f"timm/{name}.tv_in1k", licence, preprocessing)


# By the network's name in `get_model`. The licences are those that timm states for each repository.
TORCHVISION = {
    "resnet18_v1": _timm("resnet18", "BSD-3-Clause"),
    "resnet34_v1": _timm("resnet34", "BSD-3-Clause"),
    **{f"vgg{layers}": _timm(f"vgg{layers}", "BSD-3-Clause") for layers in (11, 13, 16, 19)},
    **{f"vgg{layers}_bn": _timm(f"vgg{layers}_bn", "BSD-3-Clause") for layers in (11, 13, 16, 19)},
    **{f"densenet{layers}": _timm(f"densenet{layers}", "Apache-2.0") for layers in (121, 161, 169, 201)},
    "inceptionv3": _timm("inception_v3", "Apache-2.0", INCEPTION),
}


def preprocessing_of(config: dict[str, Any]) -> Preprocessing | None:
    """What the `config.json` of a repository of timm says about images; None if it does not."""
    stated = config.get("pretrained_cfg")
    if not isinstance(stated, dict):
        return None
    try:
        size = int(stated["input_size"][-1])
        return Preprocessing(
            tuple(map(float, stated["mean"])),
            tuple(map(float, stated["std"])),
            size,
            round(size / float(stated["crop_pct"])),
            str(stated["interpolation"]),
        )
    except (TypeError, KeyError, IndexError, ValueError, ZeroDivisionError):
        return None  # a remark for people: weights are usable without it
