"""Cases of decoding, resizing and bordering with OpenCV.

Cubic interpolation is recorded with mx.image instead: builds of OpenCV with Intel's primitives round it differently.
"""

import struct
import zlib

import numpy as np

from ..case import Input, array, case, integers
from .image import pixels


def png(*shape):
    """The bytes of a PNG file with random pixels: (height, width) for gray, (height, width, 3 or 4) for color."""

    def draw(state):
        values = np.asarray(state.randint(0, 256, shape)).astype("uint8")
        kind = {2: 0, 3: {3: 2, 4: 6}.get(shape[-1])}[values.ndim]
        rows = b"".join(b"\0" + row.tobytes() for row in values)
        header = struct.pack(">IIBBBBB", shape[1], shape[0], 8, kind, 0, 0, 0)
        # Stored without compression: the bytes do not depend on the version of zlib.
        chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
        parts = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks)
        return np.frombuffer(b"\x89PNG\r\n\x1a\n" + b"".join(parts), "uint8")

    return Input(draw)


CASES = [
    case("_cvimdecode", png(3, 4, 3), infer=False),
    case("_cvimdecode", png(3, 4, 3), to_rgb=False, infer=False),
    case("_cvimdecode", png(3, 4, 3), flag=0, infer=False),
    case("_cvimdecode", png(4, 3), infer=False),
    case("_cvimdecode", png(2, 3, 4), infer=False),
    case("_cvimdecode", array(np.arange(40, dtype="uint8")), error=True),
    case("_cvimdecode", png(3, 4, 3), flag=-1, error=True),
    case("_cvimdecode", array(np.arange(40, dtype="float32")), grad=False, error=True),
    case("_cvimread", filename="no/such/file.png", error=True),
    case("_cvimresize", pixels(6, 8, 3), w=4, h=3),
    *(case("_cvimresize", pixels(6, 5, 3), w=7, h=4, interp=interp) for interp in (0, 1, 3, 4)),
    *(case("_cvimresize", pixels(7, 9, 3), w=4, h=4, interp=interp) for interp in (0, 1, 3, 4)),
    case("_cvimresize", pixels(6, 4, 1), w=5, h=5),
    case("_cvimresize", pixels(6, 4, 3, dtype="float32"), w=5, h=5, interp=2, grad=False, tolerance=(1e-4, 1e-3)),
    case("_cvimresize", pixels(6, 4), w=5, h=5, error=True),
    case("_cvimresize", pixels(6, 4, 3), w=0, h=5, error=True),
    case("_cvimresize", pixels(6, 4, 3), w=5, h=5, interp=9, error=True),
    case("_cvimresize", integers(6, 4, 3), w=5, h=5, error=True),
    *(case("_cvcopyMakeBorder", pixels(4, 5, 3), top=1, bot=2, left=3, right=1, type=kind) for kind in range(5)),
    case("_cvcopyMakeBorder", pixels(3, 2, 3), top=1, bot=0, left=0, right=2, value=7.0),
    case("_cvcopyMakeBorder", pixels(3, 2, 3), top=1, bot=0, left=0, right=2, values=(9.7, 300.0, -5.0)),
    case("_cvcopyMakeBorder", pixels(3, 2, 3), top=1, bot=0, left=0, right=2, type=16, values=(9.0, 8.0, 7.0)),
    case("_cvcopyMakeBorder", pixels(3, 2, 1), top=1, bot=1, left=1, right=2, values=(9.0,)),
    case(
        "_cvcopyMakeBorder",
        pixels(3, 2, 3, dtype="float32"),
        top=1,
        bot=0,
        left=0,
        right=2,
        values=(0.5, 1.5),
        grad=False,
    ),
    case("_cvcopyMakeBorder", integers(3, 2, 3), top=1, bot=0, left=0, right=2, values=(3.0, 4.0, 5.0)),
    case("_cvcopyMakeBorder", pixels(3, 2, 3), top=-1, bot=0, left=0, right=2, error=True),
    case("_cvcopyMakeBorder", pixels(3, 2, 3), top=1, bot=0, left=0, right=2, type=5, error=True),
    case("_cvcopyMakeBorder", pixels(3, 2), top=1, bot=0, left=0, right=2, error=True),
]
