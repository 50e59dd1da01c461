"""Records what networks of torchvision and timm compute, to compare the model zoo with.

Run from the repository's root, in an environment that has both:

    python -m venv /tmp/counterparts
    /tmp/counterparts/bin/pip install torchvision timm
    /tmp/counterparts/bin/python -m tools.counterparts.record            # writes tests/fixtures/pretrained/

Weights follow from a formula of their names, so that none are stored. The lists of names are long and alike: they are
compressed.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import timm
import torch
import torchvision
from timm.models.vgg import VGG as TimmVGG
from torchvision.models.vgg import VGG, make_layers

from tools.counterparts.numbers import images, summary, weights

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "pretrained"

VGG_STAGES = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
# Full VGGs have 140 million numbers: the tests compare narrow ones, which have the same layers under the same names.
NARROW = (4, 8, 8, 16, 16)

# Name in the model zoo: name in torchvision, name in timm if it has the network.
NETWORKS = {
    "alexnet": ("alexnet", None),
    "densenet121": ("densenet121", "densenet121"),
    "densenet161": ("densenet161", "densenet161"),
    "densenet169": ("densenet169", "densenet169"),
    "densenet201": ("densenet201", "densenet201"),
    "inceptionv3": ("inception_v3", "inception_v3"),
    "resnet18_v1": ("resnet18", "resnet18"),
    "resnet34_v1": ("resnet34", "resnet34"),
    "squeezenet1.0": ("squeezenet1_0", None),
    "squeezenet1.1": ("squeezenet1_1", None),
    **{f"vgg{n}{norm}": (f"vgg{n}{norm}", f"vgg{n}{norm}") for n in VGG_STAGES for norm in ("", "_bn")},
}
# Networks whose counterparts differ: only their names are kept, to test that such weights are refused.
DIFFERENT = {"resnet50_v1": ("resnet50", "resnet50"), "mobilenetv2_1.0": ("mobilenet_v2", "mobilenetv2_100")}


def from_torchvision(name: str) -> Any:
    # Images are given as the network wants them, not to be normalized once more; see the pages on pretrained weights.
    options = {"transform_input": False, "aux_logits": True} if name == "inception_v3" else {}
    lean = {"init_weights": False} if name.startswith(("vgg", "inception")) else {}  # others have no such argument
    return torchvision.models.get_model(name, weights=None, **options, **lean)


def narrow_vgg(layers: int, norm: bool, library: str) -> Any:
    plan: list[Any] = []
    for depth, channels in zip(VGG_STAGES[layers], NARROW):
        plan += [channels] * depth + ["M"]
    if library == "timm":
        return TimmVGG(plan, num_classes=10, norm_layer=torch.nn.BatchNorm2d if norm else None)
    net = VGG(make_layers(plan, batch_norm=norm), num_classes=10, init_weights=False)
    net.classifier[0] = torch.nn.Linear(NARROW[-1] * 49, 4096)
    return net


def cases() -> Iterator[tuple[str, str, Any]]:
    """Library, name in the model zoo, network."""
    for ours, (theirs, timms) in NETWORKS.items():
        yield "torchvision", ours, from_torchvision(theirs)
        if timms:
            yield "timm", ours, timm.create_model(timms)
    for layers in VGG_STAGES:
        for norm in (False, True):
            for library in ("torchvision", "timm"):
                yield library, f"narrow_vgg{layers}{'_bn' if norm else ''}", narrow_vgg(layers, norm, library)


def listed(net: Any) -> list[list[Any]]:
    return [[name, list(tensor.shape)] for name, tensor in net.state_dict().items()]


@torch.no_grad()
def computed(net: Any, side: int) -> list[float]:
    net.eval()
    for name, tensor in net.state_dict().items():
        tensor.copy_(torch.from_numpy(weights(name, tuple(tensor.shape))))
    return summary(net(torch.from_numpy(images(side))).numpy())


def main() -> None:
    results, names = {}, {}
    for library, ours, net in cases():
        side = 299 if ours == "inceptionv3" else 224
        key = f"{library}/{ours}"
        results[key] = {"side": side, "output": computed(net, side)}
        names[key] = listed(net)
        print(key, results[key]["output"][:3], flush=True)
    for ours, (theirs, timms) in DIFFERENT.items():
        names[f"torchvision/{ours}"] = listed(from_torchvision(theirs))
        names[f"timm/{ours}"] = listed(timm.create_model(timms))
    versions = {each.__name__: each.__version__ for each in (torch, torchvision, timm)}
    FIXTURES.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"versions": versions, "networks": results}, indent=1)
    (FIXTURES / "outputs.json").write_text(text + "\n", encoding="utf-8")
    packed = gzip.compress(json.dumps(names, separators=(",", ":")).encode(), 9, mtime=0)
    (FIXTURES / "names.json.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
