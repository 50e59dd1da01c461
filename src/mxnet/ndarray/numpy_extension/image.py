"""Operators on images: `npx.image`, the operators `_npx__image_*` without the prefix."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regluon.array.numpy_extension.image import *  # noqa: F403
else:
    from regluon.array.numpy_extension.image import __dir__ as __dir__
    from regluon.array.numpy_extension.image import __getattr__ as __getattr__
