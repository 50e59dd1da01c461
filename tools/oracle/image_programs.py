"""Programs with `mx.image` whose results a real MXNet decides.

Each is a function of the library and of the folder with the files, and returns a list: arrays, texts, numbers. Random
choices follow Python's and NumPy's seeds, which are set before each program. Only NumPy is imported, so that the real
MXNet's Python and ours both read this.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Program = Callable[[Any, Path], list]
SIZES = ((14, 18), (20, 12), (16, 16), (9, 21), (13, 15), (18, 14), (12, 12))  # height and width of the pictures


def picture(number: int, height: int, width: int) -> np.ndarray:
    """A smooth picture with some noise: interpolation of pure noise would show rounding only."""
    state = np.random.RandomState(number)
    y, x = np.mgrid[:height, :width]
    planes = [127 + 90 * np.sin(x / state.uniform(2, 6) + y / state.uniform(2, 6)) for _ in range(3)]
    return np.clip(np.stack(planes, 2) + state.uniform(-30, 30, (height, width, 3)), 0, 255).astype("uint8")


def png_bytes(pixels: np.ndarray) -> bytes:
    """A PNG file, stored without compression: the bytes do not depend on the version of zlib."""
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    parts = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def box_label(number: int) -> list[float]:
    """The label of a picture for detection: a beginning of 2 or 3 numbers, then 1 to 3 objects of 6."""
    state = np.random.RandomState(100 + number)
    start = [2.0, 6.0] if number % 2 else [3.0, 6.0, 0.5]
    for _ in range(1 + number % 3):
        x, y = state.uniform(0, 0.5, 2)
        w, h = state.uniform(0.2, 0.5, 2)
        start += [float(state.randint(0, 5)), x, y, x + w, y + h, float(state.randint(0, 2))]
    return [float(np.float32(value)) for value in start]


def seed() -> None:
    """What every program starts from."""
    random.seed(11)
    np.random.seed(11)


def _image(mx: Any, number: int = 0, dtype: str = "uint8") -> Any:
    return mx.nd.array(picture(number, *SIZES[number % len(SIZES)]), dtype=dtype)


def _planes(mx: Any, *shape: int) -> Any:
    return mx.nd.array(np.random.RandomState(5).uniform(0, 1, shape))


def _reading(mx: Any, files: Path) -> list:
    path, data = str(files / "0.png"), (files / "1.png").read_bytes()
    image = mx.image
    return [
        image.imread(path),
        image.imread(path, 0),
        image.imread(path, flag=1, to_rgb=False),
        image.imdecode(data),
        image.imdecode(bytearray(data), flag=0),
        image.imdecode(np.frombuffer(data, "uint8"), 1, False),
        image.imdecode(mx.nd.array(np.frombuffer(data, "uint8"), dtype="uint8"), to_rgb=0),
    ]


def _jpeg(mx: Any, files: Path) -> list:
    return [mx.image.imread(str(files / "photo.jpg")), mx.image.imread(str(files / "photo.jpg"), 0)]


def _resizing(mx: Any, files: Path) -> list:
    src = _image(mx)
    results = [mx.image.imresize(src, 7, 9), mx.image.imresize(src, 30, 25, 2), mx.image.imresize(src, 7, 9, interp=3)]
    for interp in (0, 1, 2, 3, 4, 9, 10):
        results += [mx.image.resize_short(src, 10, interp), mx.image.resize_short(_image(mx, 1), 17, interp=interp)]
    return results


def _borders(mx: Any, files: Path) -> list:
    src = _image(mx)
    make = mx.image.copyMakeBorder
    return [
        make(src, 1, 2, 3, 4),
        make(src, 1, 2, 3, 4, 2),
        make(src, 1, 2, 3, 4, type=0, values=(9, 8, 7)),
        make(src=src, top=1, bot=1, left=0, right=0, value=5),
    ]


def _scaling_down(mx: Any, files: Path) -> list:
    sizes = [(640, 480), (100, 300), (7, 5), (224, 224), (1, 9)]
    wanted = [(720, 120), (50, 60), (300, 100), (224, 224), (13, 13)]
    return [list(mx.image.scale_down(src, size)) for src in sizes for size in wanted]


def _crops(mx: Any, files: Path) -> list:
    image, results = mx.image, []
    for number in range(3):
        src = _image(mx, number)
        results += [image.fixed_crop(src, 2, 1, 8, 7), image.fixed_crop(src, 2, 1, 8, 7, (11, 5), 1)]
        for size in ((8, 6), (30, 10), (24, 40)):
            for crop, place in (
                image.random_crop(src, size),
                image.center_crop(src, size, 1),
                image.random_size_crop(src, size, 0.2, (0.75, 1.33)),
                image.random_size_crop(src, size, (0.3, 0.9), (0.5, 2.0), 9),
                image.random_size_crop(src, size, (2.0, 3.0), (0.5, 2.0)),
            ):
                results += [crop, list(place)]
    return results


def _normalizing(mx: Any, files: Path) -> list:
    mean, std = mx.nd.array([120.0, 110.0, 100.0]), mx.nd.array([50.0, 60.0, 70.0])
    first, second = _image(mx, 0, "float32"), _image(mx, 1, "float32")
    returned = mx.image.color_normalize(first, mean, std)
    return [returned, first, mx.image.color_normalize(second, mean), mx.image.color_normalize(second, None, std)]


def _rotations(mx: Any, files: Path) -> list:
    image, single, batch = mx.image, _planes(mx, 3, 6, 9), _planes(mx, 3, 1, 7, 5)
    angles = mx.nd.array([10.0, -75.0, 200.0])
    return [
        image.imrotate(single, 30),
        image.imrotate(single, -100.5, zoom_in=True),
        image.imrotate(single, 45, zoom_out=True),
        image.imrotate(batch, angles),
        image.imrotate(batch, angles, zoom_in=True),
        image.imrotate(batch, angles, zoom_out=True),
        image.imrotate(batch, 90),
        image.random_rotate(single, (-30, 30)),
        image.random_rotate(batch, (-90, 90), zoom_out=True),
    ]


def _augmenters(image: Any) -> list:
    eigenvalues, eigenvectors = np.array([55.46, 4.794, 1.148]), np.arange(9).reshape(3, 3) / 10.0
    return [
        image.ResizeAug(10),
        image.ForceResizeAug((11, 7), 1),
        image.ForceResizeAug((30, 27), 9),
        image.RandomCropAug((9, 8)),
        image.RandomSizedCropAug((9, 8), 0.3, (0.75, 1.33)),
        image.RandomSizedCropAug((9, 8), (0.3, 0.6), (0.75, 1.33), interp=10),
        image.CenterCropAug((9, 8), 3),
        image.HorizontalFlipAug(0.5),
        image.CastAug(),
        image.CastAug("float64"),
        image.BrightnessJitterAug(0.4),
        image.ContrastJitterAug(0.4),
        image.SaturationJitterAug(0.4),
        image.HueJitterAug(0.4),
        image.ColorJitterAug(0.3, 0.2, 0.1),
        image.ColorJitterAug(0, 0.2, 0),
        image.LightingAug(0.1, eigenvalues, eigenvectors),
        image.ColorNormalizeAug(np.array([120.0, 110.0, 100.0]), None),
        image.ColorNormalizeAug(None, np.array([50.0, 60.0, 70.0])),
        image.RandomGrayAug(0.5),
        image.SequentialAug([image.ResizeAug(10), image.CastAug(), image.BrightnessJitterAug(0.1)]),
        image.RandomOrderAug([image.BrightnessJitterAug(0.2), image.HorizontalFlipAug(0.5)]),
    ]


def _augmenting(mx: Any, files: Path) -> list:
    results = []
    for augmenter in _augmenters(mx.image):
        color = type(augmenter).__name__ not in ("ResizeAug", "ForceResizeAug", "CenterCropAug", "CastAug")
        for number in range(3):
            results.append(augmenter(_image(mx, number, "float32" if color else "uint8")))
    return results


def _dumps(mx: Any, files: Path) -> list:
    image = mx.image
    made = [*_augmenters(image), *image.CreateAugmenter((3, 10, 12)), *_recipe(image)]
    made += [*_det_augmenters(image), *image.CreateDetAugmenter((3, 10, 12)), *_det_recipe(image)]
    return [augmenter.dumps() for augmenter in made]


def _recipe(image: Any) -> list:
    return image.CreateAugmenter(
        (3, 10, 12),
        resize=13,
        rand_crop=True,
        rand_resize=True,
        rand_mirror=True,
        mean=True,
        std=True,
        brightness=0.2,
        contrast=0.2,
        saturation=0.2,
        hue=0.2,
        pca_noise=0.1,
        rand_gray=0.3,
        inter_method=2,
    )


def _recipes(mx: Any, files: Path) -> list:
    image, results = mx.image, []
    lists = [
        _recipe(image),
        image.CreateAugmenter((3, 10, 12), rand_crop=True, mean=np.array([1.0, 2.0, 3.0])),
        image.CreateAugmenter((3, 10, 12), resize=15, std=mx.nd.array([2.0])),
    ]
    for augmenters in lists:
        for number in range(4):
            src = _image(mx, number)
            for augmenter in augmenters:
                src = augmenter(src)
            results.append(src)
    return results


def _det_augmenters(image: Any) -> list:
    return [
        image.DetBorrowAug(image.ForceResizeAug((11, 7))),
        image.DetHorizontalFlipAug(0.5),
        image.DetRandomCropAug(),
        image.DetRandomCropAug(0.5, (0.5, 2.0), (0.2, 0.8), 0.5, 20),
        image.DetRandomCropAug(min_object_covered=0.0, aspect_ratio_range=1.0, area_range=0.5),
        image.DetRandomPadAug(),
        image.DetRandomPadAug((0.5, 2.0), (1.5, 4.0), 30, (1, 2, 3)),
        image.DetRandomSelectAug([image.DetHorizontalFlipAug(1.0), image.DetRandomPadAug()], 0.3),
        image.CreateMultiRandCropAugmenter([0.1, 0.5, 0.9], area_range=[(0.1, 1.0), (0.3, 1.0), (0.5, 0.9)]),
    ]


def _det_recipe(image: Any) -> list:
    return image.CreateDetAugmenter(
        (3, 10, 12),
        resize=20,
        rand_crop=0.7,
        rand_pad=0.7,
        rand_gray=0.3,
        rand_mirror=True,
        mean=True,
        std=True,
        brightness=0.1,
        contrast=0.1,
        saturation=0.1,
        pca_noise=0.1,
        hue=0.1,
        inter_method=1,
        min_object_covered=[0.1, 0.5],
        area_range=(0.3, 2.0),
    )


def _objects(number: int) -> np.ndarray:
    label = np.array(box_label(number), "float32")
    return label[int(label[0]) :].reshape(-1, 6)


def _detecting(mx: Any, files: Path) -> list:
    results: list = []
    for augmenter in _det_augmenters(mx.image):
        for number in range(6):
            results += augmenter(_image(mx, number), _objects(number))
    for _ in range(2):
        for number in range(5):
            src, label = _image(mx, number), _objects(number)
            for augmenter in _det_recipe(mx.image):
                src, label = augmenter(src, label)
            results += [src, label]
    return results


def _passes(iterator: Any, count: int = 2) -> list:
    """All batches of some passes."""
    results: list = [[list(map(list, given)) for given in (iterator.provide_data, iterator.provide_label)]]
    for _ in range(count):
        batches = 0
        for batch in iterator:
            results += [batch.data[0], batch.label[0], batch.pad]
            batches += 1
        results.append(batches)
        iterator.reset()
    return results


def _records(files: Path) -> dict[str, str]:
    return {"path_imgrec": str(files / "pictures.rec"), "path_imgidx": str(files / "pictures.idx")}


def _iterating(mx: Any, files: Path) -> list:
    make, shape = mx.image.ImageIter, (3, 4, 5)
    only = {"path_imgrec": str(files / "pictures.rec")}
    listed = {"path_imglist": str(files / "pictures.lst"), "path_root": str(files)}
    own = [[number, f"{number}.png"] for number in range(5)]
    two = [[[number, number + 0.5], f"{number}.png"] for number in range(5)]
    results = []
    for handle in ("pad", "discard", "roll_over"):
        results += _passes(make(3, shape, last_batch_handle=handle, **_records(files)), 3)
        results += _passes(make(4, shape, last_batch_handle=handle, **only), 3)
    results += _passes(make(2, shape, **listed))
    results += _passes(make(2, shape, **_records(files), path_imglist=listed["path_imglist"]))
    results += _passes(make(2, shape, imglist=own, path_root=str(files), dtype="int32"))
    results += _passes(make(2, shape, label_width=2, imglist=two, path_root=str(files), data_name="x", label_name="y"))
    results += _passes(make(2, shape, shuffle=True, rand_crop=True, rand_mirror=True, **_records(files)))
    results += _passes(make(2, shape, part_index=1, num_parts=3, **_records(files)))
    augmenters = [mx.image.ForceResizeAug((5, 4), 1), mx.image.CastAug()]
    results += _passes(make(2, shape, aug_list=augmenters, **listed))
    return results


def _iterating_over_boxes(mx: Any, files: Path) -> list:
    make, shape = mx.image.ImageDetIter, (3, 6, 7)
    records = {"path_imgrec": str(files / "boxes.rec"), "path_imgidx": str(files / "boxes.idx")}
    own = [[box_label(number), f"{number}.png"] for number in range(4)]
    results = []
    for handle in ("pad", "discard", "roll_over"):
        results += _passes(make(3, shape, last_batch_handle=handle, inter_method=1, **records))
    results += _passes(make(2, shape, imglist=own, path_root=str(files), mean=True, inter_method=1))
    results += _passes(make(2, shape, shuffle=True, rand_crop=0.5, rand_pad=0.5, rand_mirror=True, **records))
    train, test = make(2, shape, **records), make(2, shape, imglist=own[:1], path_root=str(files))
    results += [list(train.label_shape), list(test.label_shape)]
    test = train.sync_label_shape(test)
    results += [list(train.label_shape), list(test.label_shape), list(map(list, test.provide_label))]
    train.reshape(label_shape=(7, 6))
    results += [list(train.label_shape), next(train).label[0]]
    drawn = make(1, shape, imglist=own, path_root=str(files), mean=True, std=True, inter_method=1)
    results += list(drawn.draw_next(color=(200, 0, 200), thickness=1, mean=True, std=True, id2labels={1: "cat"}))
    return results


PROGRAMS: dict[str, Program] = {
    "reading": _reading,
    "jpeg": _jpeg,
    "resizing": _resizing,
    "borders": _borders,
    "scaling_down": _scaling_down,
    "crops": _crops,
    "normalizing": _normalizing,
    "rotations": _rotations,
    "augmenting": _augmenting,
    "dumps": _dumps,
    "recipes": _recipes,
    "detecting": _detecting,
    "iterating": _iterating,
    "iterating_over_boxes": _iterating_over_boxes,
}
