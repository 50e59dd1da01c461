"""Images: reading, changing, and iterating over them in batches."""

from . import detection, image
from . import detection as det
from .detection import *  # noqa: F403
from .image import *  # noqa: F403
