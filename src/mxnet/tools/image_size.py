"""The size of an encoded image, from its first bytes: nothing is decoded."""

import struct

# Marks of JPEG's frame headers, which hold the size.
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}


def image_size(data: bytes) -> tuple[str, int, int] | None:
    """Kind, width and height of a JPEG or PNG image; None for anything else, or where it is damaged."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return "PNG", width, height
    return _jpeg_size(data) if data[:2] == b"\xff\xd8" else None


def _jpeg_size(data: bytes) -> tuple[str, int, int] | None:
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        mark = data[place + 1]
        if mark in _FRAMES:
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return "JPEG", width, height
        place += 1 if mark == 0xFF else 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return None
