"""Every operator, declared once. Importing this package fills the registry."""

from . import (
    control_flow,
    custom,
    detection,
    image,
    legacy,
    nn,
    numpy,
    quantized,
    random,
    registry,
    tensor,
    updates,
)
