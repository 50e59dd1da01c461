"""Networks that classify images, of the families that MXNet published parameters for.

    net = vision.resnet18_v1(classes=10)            # parameters to be initialized
    net = vision.get_model("mobilenet0.25", pretrained=True)
    net = vision.resnet18_v1(pretrained="torchvision")      # or a file, or a repository: see `get_model`

Published parameters expect images of shape (batch, 3, height, width) with 224 pixels and more (299 for Inception), in
the colour order red, green, blue, scaled to 0..1, then normalized with the means (0.485, 0.456, 0.406) and the
deviations (0.229, 0.224, 0.225).
"""

from ._catalogue import get_model as get_model
from .alexnet import *  # noqa: F403
from .densenet import *  # noqa: F403
from .inception import *  # noqa: F403
from .mobilenet import *  # noqa: F403
from .resnet import *  # noqa: F403
from .squeezenet import *  # noqa: F403
from .vgg import *  # noqa: F403
