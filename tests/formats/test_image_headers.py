"""Headers of images: what is claimed is compared with what is there, and nothing that OpenCV reads is refused."""

import io
import struct
import time
import zlib

import numpy as np
import pytest

import mxnet as mx
from regluon.formats import images
from regluon.formats.images import Size, check, read_size

cv2 = pytest.importorskip("cv2")
PIL = pytest.importorskip("PIL.Image")

COLOR = np.random.RandomState(0).randint(0, 256, (7, 11, 3)).astype(np.uint8)
# What a kind of file takes, beside three channels of 8 bits.
OPENCV = {
    ".jpg": ("JPEG", [COLOR, COLOR[:, :, 0]]),
    ".png": ("PNG", [COLOR, COLOR[:, :, 0], COLOR.astype(np.uint16), np.dstack([COLOR, COLOR[:, :, 0]])]),
    ".bmp": ("BMP", [COLOR, COLOR[:, :, 0]]),
    ".gif": ("GIF", [COLOR]),
    ".webp": ("WebP", [COLOR, np.dstack([COLOR, COLOR[:, :, 0]])]),
    ".tiff": ("TIFF", [COLOR, COLOR[:, :, 0], COLOR.astype(np.uint16), COLOR.astype(np.float32)]),
    ".ppm": ("PNM", [COLOR]),
    ".pgm": ("PNM", [COLOR[:, :, 0], COLOR[:, :, 0].astype(np.uint16)]),
    ".pbm": ("PNM", [COLOR[:, :, 0]]),
    ".pam": ("PAM", [COLOR, COLOR[:, :, 0]]),
    ".pfm": ("PNM", [COLOR.astype(np.float32)]),
    ".hdr": ("Radiance HDR", [COLOR.astype(np.float32)]),
    ".sr": ("Sun raster", [COLOR]),
    ".jp2": ("image of boxes", [COLOR]),
    ".avif": ("image of boxes", [COLOR]),
}
PILLOW = {
    "JPEG": [{}, {"progressive": True}, {"quality": 5, "optimize": True}, {"comment": b"c" * 70_000}],
    "PNG": [{}, {"optimize": True}],
    "BMP": [{}],
    "GIF": [{}, {"interlace": 1}],
    "WEBP": [{}, {"lossless": True}, {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0"}],
    "TIFF": [{}, {"compression": "tiff_lzw"}, {"compression": "tiff_deflate"}, {"big_tiff": True}],
    "PPM": [{}],
}
MODES = ("1", "L", "P", "RGB", "RGBA", "CMYK", "I;16", "LA", "F")


def written_by_opencv():
    for suffix, (kind, pictures) in OPENCV.items():
        for number, pixels in enumerate(pictures):
            yield pytest.param(suffix, kind, pixels, id=f"{suffix[1:]}-{number}")


def written_by_pillow():
    for kind, settings in PILLOW.items():
        for mode in MODES:
            for number, options in enumerate(settings):
                yield pytest.param(kind, mode, options, id=f"{kind}-{mode}-{number}")


@pytest.mark.parametrize(("suffix", "kind", "pixels"), [*written_by_opencv()])
def test_images_of_opencv(suffix: str, kind: str, pixels):
    try:
        done, encoded = cv2.imencode(suffix, pixels)
    except cv2.error:
        pytest.skip(f"this OpenCV writes no {suffix}")
    if not done or cv2.imdecode(encoded, cv2.IMREAD_UNCHANGED) is None:
        pytest.skip(f"this OpenCV does not read {suffix}")
    assert read_size(encoded) == read_size(encoded.tobytes()) == Size(kind, 11, 7)
    check(encoded, "test")
    assert mx.recordio.unpack_img(mx.recordio.pack((0, 1, 2, 0), encoded.tobytes()))[1].shape[:2] == (7, 11)


@pytest.mark.parametrize(("kind", "mode", "options"), [*written_by_pillow()])
def test_images_of_pillow(kind: str, mode: str, options):
    stream = io.BytesIO()
    try:
        PIL.fromarray(COLOR).convert("L" if mode == "I;16" else mode).convert(mode).save(stream, kind, **options)
    except (OSError, ValueError, TypeError, KeyError):
        pytest.skip(f"Pillow writes no {mode} as {kind}")
    encoded = stream.getvalue()
    decoded = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR)
    found = read_size(encoded)
    assert found is not None
    assert found[1:] == (11, 7)
    check(encoded, "test")
    if decoded is not None and decoded.dtype == np.uint8:
        assert mx.image.imdecode(encoded).shape[:2] == (7, 11)


def chunk(name: bytes, content: bytes, length: int | None = None) -> bytes:
    size = struct.pack(">I", len(content) if length is None else length)
    return size + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(*chunks: bytes, width: int = 11, height: int = 7) -> bytes:
    rows = b"".join(b"\0" + row.tobytes() for row in COLOR)
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    body = b"".join(chunks) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + header + body


CLAIM = chunk(b"tEXt", b"abc", length=0xFFFFFFF0)


def jpeg(width: int = 11, height: int = 7, before: bytes = b"") -> bytes:
    encoded = cv2.imencode(".jpg", COLOR)[1].tobytes()
    frame = encoded.index(b"\xff\xc0")
    size = struct.pack(">HH", height, width)
    return encoded[:2] + before + encoded[2 : frame + 5] + size + encoded[frame + 9 :]


@pytest.mark.parametrize(
    "read",
    [
        mx.image.imdecode,
        mx.nd.imdecode,
        lambda data: mx.recordio.unpack_img(mx.recordio.pack((0, 1, 2, 0), data)),
    ],
)
def test_a_chunk_that_claims_gigabytes(read):
    start = time.perf_counter()
    with pytest.raises(mx.MXNetError, match=r"chunk b'tEXt' at byte 33 says it has 4294967280 bytes; expected at most"):
        read(png(CLAIM))
    assert time.perf_counter() - start < 1


def test_what_follows_the_end_does_not_count():
    assert mx.image.imdecode(png() + CLAIM).shape == (7, 11, 3)


def test_files_cut_off_are_refused_as_opencv_does():
    for end in range(8, len(png())):
        cut = png()[:end]
        assert cv2.imdecode(np.frombuffer(cut, np.uint8), 1) is None
        with pytest.raises(mx.MXNetError):
            mx.image.imdecode(cut)


def test_damaged_jpegs_that_opencv_reads():
    for before in (b"\xff\xff\xff", b"\xff\xe5\x00\x04ab"):
        assert mx.image.imdecode(jpeg(before=before)).shape == (7, 11, 3)
    assert read_size(jpeg(before=b"\x00\x01\x02")) == Size("JPEG", 11, 7)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (png(width=60_000, height=60_000), "PNG, 60000 by 60000"),
        (jpeg(60_000, 60_000), "JPEG, 60000 by 60000"),
        (b"GIF89a" + struct.pack("<HH", 60_000, 60_000) + b"\0\0\0", "GIF, 60000 by 60000"),
    ],
)
def test_more_pixels_than_the_bytes_can_hold(data: bytes, kind: str):
    with pytest.raises(mx.MXNetError, match=rf"header says {kind} pixels; expected bytes in proportion"):
        mx.image.imdecode(data)


def test_budget(monkeypatch):
    data = cv2.imencode(".bmp", COLOR)[1].tobytes()
    monkeypatch.setenv("MXNET_IMAGE_MAX_PIXELS", "77")
    assert mx.image.imdecode(data).shape == (7, 11, 3)
    monkeypatch.setenv("MXNET_IMAGE_MAX_PIXELS", "76")
    text = r"header says BMP, 11 by 7 pixels; expected at most 76 pixels in all. Set the environment variable"
    with pytest.raises(mx.MXNetError, match=text):
        mx.image.imdecode(data)
    monkeypatch.setenv("MXNET_IMAGE_MAX_PIXELS", "many")
    with pytest.raises(mx.MXNetError, match=r"\[MXNET_IMAGE_MAX_PIXELS\] received 'many'; expected a number of pixels"):
        mx.image.imdecode(data)


def test_iterators_and_data_sets(tmp_path):
    """All the ways to an image pass the same check."""
    bad = png(CLAIM)
    (tmp_path / "images" / "class").mkdir(parents=True)
    (tmp_path / "images" / "class" / "a.png").write_bytes(bad)
    with mx.recordio.MXIndexedRecordIO(str(tmp_path / "a.idx"), str(tmp_path / "a.rec"), "w") as file:
        file.write_idx(0, mx.recordio.pack((0, 1.0, 0, 0), bad))
    record = {"path_imgrec": str(tmp_path / "a.rec"), "data_shape": (3, 4, 4), "batch_size": 1}
    ways = (
        lambda: mx.image.imread(str(tmp_path / "images" / "class" / "a.png")),
        lambda: mx.gluon.data.vision.ImageFolderDataset(str(tmp_path / "images"))[0],
        lambda: mx.gluon.data.vision.ImageRecordDataset(str(tmp_path / "a.rec"))[0],
        lambda: next(mx.io.ImageRecordIter(**record)),
    )
    for way in ways:
        with pytest.raises(mx.MXNetError, match="chunk b'tEXt' at byte 33 says it has"):
            way()


def test_what_is_no_image_is_left_to_the_decoder():
    for data in (b"something else", b"", b"\xff\xd8", b"BM", b"II*\0", b"RIFF", b"P6\n", b"\x89PNG\r\n\x1a\n\0\0"):
        assert read_size(data) is None
        check(data, "test")


def test_it_costs_little():
    data = cv2.imencode(".jpg", np.zeros((200, 200, 3), np.uint8))[1]
    best = min(_seconds(data) for _ in range(50))
    assert best < 200e-6
    assert images.budget() == 1 << 28


def _seconds(data) -> float:
    start = time.perf_counter()
    check(data, "test")
    return time.perf_counter() - start
