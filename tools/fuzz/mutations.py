"""Damages bytes: flipped bits, cuts, splices, edited length fields, and words of a format's dictionary."""

import re
import struct
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random

Mutation = Callable[[Random, bytes, Sequence[bytes]], bytes]

_NUMBERS = (0, 1, 2, 3, 7, 8, 16, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40)
_LARGE = (*_NUMBERS, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
_BYTES = (0, 1, 9, 10, 13, 28, 29, 30, 31, 32, 34, 44, 46, 58, 91, 93, 123, 125, 127, 128, 133, 160, 255)
_LAYOUTS = ("<I", ">I", "<Q", "<i", "<H", ">H", "<B")
_SPAN = 24  # bytes that one mutation removes, repeats or inserts at most

# A key, which is skipped; or a text in quotes, a number or a word.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"\s*:|("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|[A-Za-z_]\w*)')
_ATTRIBUTES = re.compile(rb'"(?:attrs?|param)": \{\s*"[^"]*": "[^{}]*\}')
_INSIDE = re.compile(rb"-?\d+(?:\.\d+)?|[A-Za-z_]\w*|[(),\[\]]")
_VALUES = (
    *(b"0", b"1", b"-1", b"2", b"3", b"7", b"100", b"65536", b"2147483647", b"4294967296", b"9223372036854775807"),
    *(b"9223372036854775808", b"-9223372036854775808", b"1e400", b"-1e38", b"nan", b"inf", b"0.5", b"1e-45"),
    *(b"None", b"True", b"False", b"()", b"(0,)", b"(1,)", b"(-1, 2)", b"(1, 1, 1, 1, 1)", b"(2147483647, 2147483647)"),
    *(b"(", b")", b"[", b"]", b",", b"", b" ", b"((1,),)", b"float16", b"int64", b"bfloat16", b",loat32", b"NTC"),
    *(b"null", b"{}", b"[]", b'""', b'"x"', b"[[0, 0, 0]]", b"\\u0000", b"\\ud800", b"\x1d", b"\xe2\x80\xa8"),
)

_WHOLE = (b"0", b"1", b"2", b"3", b"4", b"5", b"8", b"-1", b"65536", b"4294967296", b"9223372036854775807")


def damage(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """One or a few changes of bytes anywhere."""
    out = bytearray(data)
    for _ in range(1 if random.random() < 0.7 else random.randrange(2, 6)):
        if not out:
            out += random.choice(others)
        _CHANGES[int(random.random() * len(_CHANGES))](random, out, others)
    return bytes(out)


def _flip(random: Random, out: bytearray, others: Sequence[bytes]) -> None:
    out[int(random.random() * len(out))] ^= 1 << int(random.random() * 8)


def _set(random: Random, out: bytearray, others: Sequence[bytes]) -> None:
    out[int(random.random() * len(out))] = random.choice(_BYTES)


def _cut(random: Random, out: bytearray, others: Sequence[bytes]) -> None:
    del out[int(random.random() * len(out)) :]


def _remove(random: Random, out: bytearray, others: Sequence[bytes]) -> None:
    start = int(random.random() * len(out))
    del out[start : start + 1 + int(random.random() * _SPAN)]


def _repeat(random: Random, out: bytearray, others: Sequence[bytes]) -> None:
    start = int(random.random() * len(out))
    out[start:start] = out[start : start + 1 + int(random.random() * _SPAN)]


def _insert(random: Random, out: bytearray, others: Sequence[bytes]) -> None:
    start = int(random.random() * len(out))
    out[start:start] = random.randbytes(1 + int(random.random() * _SPAN))


def _number(random: Random, out: bytearray, others: Sequence[bytes]) -> None:
    """Writes a number that a length field would be broken by; small ones more often at the start, where headers are."""
    layout = random.choice(_LAYOUTS)
    size = struct.calcsize(layout)
    where = min(len(out), 64) if random.random() < 0.5 else len(out)
    start = int(random.random() * where) & ~(3 if random.random() < 0.5 else 0)
    if start + size > len(out):
        return
    if random.random() < 0.4:
        (value,) = struct.unpack_from(layout, out, start)
        value += random.choice((-2, -1, 1, 2, 4, 8, 256))
    else:
        value = random.choice(_LARGE)
    value %= 1 << (8 * size - (layout[1] == "i"))
    struct.pack_into(layout, out, start, value)


def _splice(random: Random, out: bytearray, others: Sequence[bytes]) -> None:
    other = random.choice(others)
    start = int(random.random() * len(out))
    out[start:] = other[int(random.random() * len(other)) :]


def _word(random: Random, out: bytearray, others: Sequence[bytes]) -> None:
    start = int(random.random() * len(out))
    word = random.choice(_VALUES)
    out[start : start + (len(word) if random.random() < 0.5 else 0)] = word


_CHANGES = (_flip, _flip, _set, _cut, _remove, _repeat, _insert, _number, _number, _number, _splice, _word)


def text(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Exchanges words, numbers and quoted texts, so that most of the damage passes the parser of the text."""
    if random.random() < 0.2:
        return damage(random, data, others)
    return _exchanged(random, data, others, _tokens)


def graph(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Mostly changes of operators' parameters, which leave the graph readable."""
    chance = random.random()
    if chance < 0.1:
        return damage(random, data, others)
    return _exchanged(random, data, others, _tokens if chance < 0.35 else _attribute_tokens)


Spans = list[tuple[int, int]]


def _exchanged(random: Random, data: bytes, others: Sequence[bytes], find: Callable[[bytes], Spans]) -> bytes:
    for _ in range(1 if random.random() < 0.6 else random.randrange(2, 5)):
        places = find(data)
        if not places:
            return damage(random, data, others)
        start, end = places[int(random.random() * len(places))]
        other = others[int(random.random() * len(others))]
        data = data[:start] + _instead(random, data[start:end], other, find(other)) + data[end:]
    return data


@lru_cache(4096)
def _tokens(data: bytes) -> Spans:
    """Where the values of a text stand, keys left out."""
    return [found.span(1) for found in _TOKEN.finditer(data) if found.group(1)]


@lru_cache(4096)
def _attribute_tokens(data: bytes) -> Spans:
    """Where the values of nodes' attributes stand."""
    return [
        (part.start() + start, part.start() + end)
        for part in _ATTRIBUTES.finditer(data)
        for start, end in _tokens(part.group())
    ]


def _instead(random: Random, token: bytes, other: bytes, places: Spans) -> bytes:
    """What takes the place of a token: mostly one of its kind, so that the text can still be parsed."""
    chance = random.random()
    if chance < 0.3 and places:
        start, end = random.choice(places)
        word = other[start:end]
        if (word[:1] == b'"') == (token[:1] == b'"'):
            return word
    if token[:1] == b'"':
        inner = token[1:-1]
        if chance < 0.85 and (parts := list(_INSIDE.finditer(inner))):
            start, end = random.choice(parts).span()
            is_number = inner[end - 1 : end].isdigit() and chance < 0.7
            return b'"%b%b%b"' % (inner[:start], random.choice(_WHOLE if is_number else _VALUES), inner[end:])
        return b'"%b"' % random.choice(_VALUES)
    return random.choice(_WHOLE if chance < 0.8 else _VALUES)


def png(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Damage, after which the checksums of a PNG's chunks may be put right: otherwise nothing is read of them."""
    out = bytearray(damage(random, data, others))
    if out[:8] != b"\x89PNG\r\n\x1a\n" or random.random() < 0.3:
        return bytes(out)
    place = 8
    while place + 12 <= len(out):
        (length,) = struct.unpack_from(">I", out, place)
        if place + 12 + length > len(out):
            break
        struct.pack_into(">I", out, place + 8 + length, zlib.crc32(out[place + 4 : place + 8 + length]))
        place += 12 + length
    return bytes(out)
