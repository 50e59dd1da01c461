"""Event files as TensorBoard reads them: records of protocol buffers, with checksums.

record     8 bytes length, 4 bytes checksum of them, the event, 4 bytes checksum of it
Event      1 wall_time double, 2 step int64, 3 file_version string, 4 graph_def bytes, 5 summary, 7 session_log
Summary    1 value, repeated: 1 tag string, 2 simple_value float, 5 histo
histo      1 min, 2 max, 3 num, 4 sum, 5 sum_squares, doubles; 6 bucket_limit, 7 bucket, packed doubles
GraphDef   1 node, repeated: 1 name, 2 op, 3 input, repeated, strings
"""

import os
import socket
import struct
import time
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["EventFile", "Node"]

Node = tuple[str, str, list[str]]  # name, operator, and the names of its inputs

_DOUBLE, _BYTES, _FLOAT = 1, 2, 5  # kinds of fields; 0 is for integers
_NUM_BUCKETS = 30


def _table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_CRC32C = _table()


def _checksum(data: bytes) -> bytes:
    """The masked CRC-32C of bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC32C[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _field(number: int, value: Any) -> bytes:
    """One field of a message: an integer, a double, a text, or bytes of another message."""
    if isinstance(value, float):
        return _varint(number << 3 | _DOUBLE) + struct.pack("<d", value)
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


class EventFile:
    """Writes one event file.

    Args:
        folder: where the file is made.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{time.time_ns() // 10**9:010d}.{socket.gethostname()}.{os.getpid()}"
        taken = len(list(Path(folder).glob(f"{name}.*")))
        self.path = Path(folder) / f"{name}.{taken}"
        self._stream = self.path.open("xb")
        self._write(0, _field(3, "brain.Event:2"))

    def _write(self, step: int, content: bytes) -> None:
        event = _field(1, time.time()) + _field(2, step) + content
        length = struct.pack("<Q", len(event))
        self._stream.write(length + _checksum(length) + event + _checksum(event))

    def begin_again(self, step: int) -> None:
        """Says that what comes replaces all from this step on: an interrupted training goes on."""
        self._write(step, _field(7, _field(1, 1)))

    def scalar(self, tag: str, value: float, step: int) -> None:
        """Writes a point of a curve."""
        number = _varint(2 << 3 | _FLOAT) + struct.pack("<f", value)
        self._write(step, _field(5, _field(1, _field(1, tag) + number)))

    def histogram(self, tag: str, values: np.ndarray[Any, Any], step: int) -> None:
        """Writes how values are spread; infinite ones and NaN are left out."""
        values = np.asarray(values, np.float64).ravel()
        values = values[np.isfinite(values)]
        if not values.size:
            return
        counts, edges = np.histogram(values, _NUM_BUCKETS)
        facts = (values.min(), values.max(), float(values.size), values.sum(), np.square(values).sum())
        content = b"".join(_field(number, float(fact)) for number, fact in enumerate(facts, 1))
        content += _field(6, edges[1:].astype("<f8").tobytes()) + _field(7, counts.astype("<f8").tobytes())
        self._write(step, _field(5, _field(1, _field(1, tag) + _field(5, content))))

    def graph(self, nodes: Iterable[Node]) -> None:
        """Writes a network."""
        found = (
            _field(1, name) + _field(2, op) + b"".join(_field(3, source) for source in inputs)
            for name, op, inputs in nodes
        )
        self._write(0, _field(4, b"".join(_field(1, node) for node in found)))

    def flush(self) -> None:
        """Lets readers see what was written."""
        self._stream.flush()

    def close(self) -> None:
        """Ends the file."""
        self._stream.close()
