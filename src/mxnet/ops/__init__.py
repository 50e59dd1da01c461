"""Every operator, declared once. Importing this package fills the registry."""

from . import (
    control_flow,
    custom,
    detection,
    image,
    legacy,
    nn,
    np_random,
    numpy,
    pdf,
    quantized,
    registry,
    sampling,
    tensor,
    updates,
)
