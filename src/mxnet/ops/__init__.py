"""Every operator, declared once. Importing this package fills the registry."""

from . import (
    adaptive_update,
    control_flow,
    custom,
    detection,
    image,
    legacy,
    multi_update,
    nn,
    np_random,
    numpy,
    optimizer_update,
    pdf,
    quantized,
    registry,
    sampling,
    tensor,
)
