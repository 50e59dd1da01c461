"""Transforms of images; their values are compared with MXNet's in ../test_programs.py."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from mxnet.gluon import data, nn
from mxnet.gluon.data import _batch_reader
from mxnet.gluon.data._batch_reader import BatchReader
from mxnet.gluon.data.vision import transforms

COLOR = nd.array(np.random.RandomState(0).randint(0, 256, (9, 8, 7, 3)), dtype="uint8")
GRAY = nd.array(np.random.RandomState(1).randint(0, 256, (9, 8, 7, 1)), dtype="uint8")


def same(a, b):
    assert (a.shape, a.dtype, a.context) == (b.shape, b.dtype, b.context)
    # Bit by bit.
    np.testing.assert_array_equal(a.asnumpy().view("uint8"), b.asnumpy().view("uint8"))


ALONE = [
    transforms.ToTensor(),
    transforms.Cast("float16"),
    transforms.Resize(5),
    transforms.Resize(9, keep_ratio=True),
    transforms.CropResize(1, 2, 4, 3),
    transforms.CropResize(1, 2, 4, 3, (6, 5), 1),
    transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.13, 0.31)]),
    transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1,), (0.3,)), transforms.Cast("float64")]),
    transforms.Compose([transforms.Resize(5), transforms.Compose([transforms.ToTensor()]), transforms.Normalize(0.5)]),
    transforms.Compose([]),
]


@pytest.mark.parametrize("transform", ALONE)
@pytest.mark.parametrize("images", [COLOR, GRAY])
@pytest.mark.parametrize("num_workers", [0, 1])
@pytest.mark.sample(one_in=4)
def test_a_batch_at_once_is_the_batch_of_samples(transform, images, num_workers):
    labels = np.arange(9, dtype="int32")
    order = [8, 0, 3, 3, 5]
    for source in (
        data.ArrayDataset(images, labels).transform_first(transform),
        data.ArrayDataset(images, labels).take(9).transform_first(transform).shard(1, 0),
        data.SimpleDataset(images).transform(transform),
        data.ArrayDataset(data.SimpleDataset(images).transform(transform), labels),
    ):
        assert _batch_reader.taken(source, np.array(order)) is not None
        expected = data.dataloader.default_batchify_fn([source[i] for i in order])
        (found,) = data.DataLoader(source, batch_sampler=[order], num_workers=num_workers)
        if isinstance(expected, list):
            same(found[1], expected[1])
            found, expected = found[0], expected[0]
        same(found, expected)


class Pair(nn.Block):
    """Gives two arrays, of which a row hands on both."""

    def forward(self, x):
        return x, x * 2


class Difference(nn.Block):
    def forward(self, x, y=0):
        return y - x


class Listing(nn.Block):
    def forward(self, x):
        return nd.array(x, dtype="uint8")


PARTLY = [
    transforms.Compose([transforms.RandomFlipLeftRight(), transforms.ToTensor(), transforms.Normalize(0.5, 0.25)]),
    transforms.Compose(
        [
            transforms.RandomResizedCrop(5),
            transforms.RandomColorJitter(0.3, 0.3, 0.3),
            transforms.RandomFlipTopBottom(),
            transforms.ToTensor(),
        ]
    ),
    transforms.Compose(
        [transforms.CenterCrop(3), transforms.Cast(), transforms.RandomLighting(0.5), transforms.Cast()]
    ),
    transforms.Compose([Pair(), Difference(), transforms.ToTensor()]),
    transforms.Compose([Pair(), transforms.RandomApply(transforms.Cast()), Difference(), transforms.Cast("int32")]),
]


class Rows(data.Dataset):
    """Reads samples one by one."""

    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return self.samples[index]


@pytest.mark.parametrize("number", range(len(PARTLY)))
@pytest.mark.parametrize(
    "source",
    [
        data.SimpleDataset(COLOR),
        data.ArrayDataset(COLOR, np.arange(9)),
        data.ArrayDataset(list(COLOR), nd.arange(9)),
        Rows([(image, i, str(i)) for i, image in enumerate(COLOR)]).transform(lambda x, i, s: (x, i)),
        Rows(list(COLOR)),
        Rows([image[: 5 + i % 2] for i, image in enumerate(COLOR)]),
    ],
)
def test_batches_that_are_joined_halfway(number, source):
    changed = source.transform_first(PARTLY[number])
    order = [3, 0, 8, 1]
    mx.random.seed(4)
    samples = [changed[i] for i in order]
    after = nd.random.uniform().asscalar()
    mx.random.seed(4)
    assert _batch_reader.taken(changed, np.array(order)) is not None
    mx.random.seed(4)
    reader = BatchReader(changed, data.dataloader.default_batchify_fn)
    if isinstance(source, Rows) and len({sample.shape for sample in samples}) > 1:
        with pytest.raises(mx.MXNetError, match=r"sample 3 of the dataset has shape .*, sample 0 has shape"):
            reader(order)
        return
    found = reader(order)
    assert nd.random.uniform().asscalar() == after
    expected = data.dataloader.default_batchify_fn(samples)
    if isinstance(expected, list):
        same(found[1], expected[1])
        found, expected = found[0], expected[0]
    same(found, expected)


def test_errors_halfway_name_the_sample():
    def picky(x):
        return x if x[0, 0, 0].asscalar() < 5 else nd.ones(3)[7]

    images = nd.array(np.arange(9).reshape((9, 1, 1, 1)), dtype="uint8")
    row = nn.Sequential()
    row.add(nn.Lambda(picky), transforms.ToTensor())
    with pytest.raises(IndexError) as caught:
        list(data.DataLoader(data.SimpleDataset(images).transform(row), 3))
    assert caught.value.__notes__ == ["[DataLoader] while transforming sample 5 with Lambda."]


def test_samples_of_several_elements():
    pairs = Rows([(nd.ones(2) * i, nd.ones(2)) for i in range(4)])
    row = transforms.Compose([Difference(), transforms.Cast("int8")])
    for source in (pairs, data.ArrayDataset(nd.arange(8).reshape((4, 2)), nd.ones((4, 2)))):
        (batch,) = data.DataLoader(source.transform(row), 4)
        same(batch, data.dataloader.default_batchify_fn([source.transform(row)[i] for i in range(4)]))
    # Tuples of different lengths cannot be joined, but their first elements are transformed.
    ragged = Rows([(nd.ones(2), 1), (nd.ones(2), 1, 2), (nd.ones(2),)]).transform_first(transforms.Cast("int8"))
    with pytest.raises(mx.MXNetError, match="sample 0 of the dataset has 2 elements, sample 1 has 3"):
        list(data.DataLoader(ragged, 3))
    # Lists are one argument.
    lists = Rows([[1, 2], [3, 4]]).transform(transforms.Compose([Listing(), transforms.Cast("int8")]))
    (batch,) = data.DataLoader(lists, 2)
    assert batch.asnumpy().tolist() == [[1, 2], [3, 4]]


def test_large_samples_are_treated_one_by_one():
    large = Rows([nd.zeros((160, 160, 3), dtype="uint8")] * 2).transform(transforms.ToTensor())
    (batch,) = data.DataLoader(large, 2)
    assert batch.shape == (2, 3, 160, 160)


class Doubling(transforms.Normalize):
    """A subclass does as it likes."""

    def hybrid_forward(self, F, x):
        return super().hybrid_forward(F, x) * 2


class Own(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return x.sum()


@pytest.mark.parametrize(
    "transform",
    [
        Own(),
        Doubling(0.5, 0.5),
        transforms.Compose([transforms.ToTensor(), Doubling(0.5, 0.5)]),
        transforms.RandomFlipLeftRight(),
        transforms.RandomApply(transforms.ToTensor()),
        lambda x: x * 2,
    ],
)
def test_others_run_on_samples(transform):
    source = data.SimpleDataset(COLOR).transform(transform)
    assert _batch_reader.taken(source, np.arange(3)) is None


def test_hooks_see_samples():
    seen = []
    transform = transforms.ToTensor()
    transform.register_forward_hook(lambda block, inputs, output: seen.append(output.shape))
    list(data.DataLoader(data.SimpleDataset(COLOR).transform(transform), 4))
    assert seen == [(3, 8, 7)] * 9
    row = transforms.Compose([transforms.ToTensor()])
    row.register_forward_hook(lambda block, inputs, output: seen.append(output.shape))
    list(data.DataLoader(data.SimpleDataset(COLOR).transform(row), 4))
    assert len(seen) == 18


def test_shapes_that_a_batch_would_change():
    # Samples of two axes: a batch of them looks like one image.
    flat = data.SimpleDataset(nd.ones((4, 6, 3), dtype="uint8")).transform(transforms.ToTensor())
    with pytest.raises(mx.MXNetError, match=r"expected an image of shape .*got \(6, 3\)"):
        list(data.DataLoader(flat, 4))
    # Samples that are batches themselves.
    deep = data.SimpleDataset(nd.ones((4, 2, 6, 5, 3), dtype="uint8")).transform(transforms.ToTensor())
    assert next(iter(data.DataLoader(deep, 4))).shape == (4, 2, 3, 6, 5)


def test_datasets_of_ones_own_are_read_by_sample():
    class Shifted(data.SimpleDataset):
        def __getitem__(self, index):
            return super().__getitem__(index) + 1

    assert _batch_reader.taken(Shifted(COLOR), np.arange(2)) is None
    source = Shifted(nd.zeros((3, 2)))
    assert next(iter(data.DataLoader(source, 3))).asnumpy().tolist() == [[1, 1]] * 3
    changed = source.transform(transforms.Cast("int32"))
    assert next(iter(data.DataLoader(changed, 3))).asnumpy().tolist() == [[1, 1]] * 3


def test_nothing_is_read_twice():
    read = []
    source = data.ArrayDataset([1, 2, 3], range(3)).transform(lambda x, y: read.append(y) or (nd.array([x]), y))
    list(data.DataLoader(data.ArrayDataset(source, range(3)).transform_first(lambda x: x), 3))
    assert read == [0, 1, 2]
    list(data.DataLoader(source.transform_first(transforms.Cast("int8")), 3))
    assert read == [0, 1, 2, 0, 1, 2]


def test_large_batches_may_use_threads():
    reader = BatchReader(data.SimpleDataset(nd.zeros((3, 1 << 21))), data.dataloader.default_batchify_fn)
    assert not reader._is_large
    reader([0, 1, 2])
    assert reader._is_large
    reader([0])
    assert not reader._is_large


def test_batches_at_once_take_part_in_recording():
    images = nd.ones((4, 2, 2, 1))
    images.attach_grad()
    with autograd.record():
        (batch,) = data.DataLoader(data.SimpleDataset(images).transform(transforms.ToTensor()), 4)
        loss = batch.sum()
    loss.backward()
    np.testing.assert_allclose(images.grad.asnumpy(), 1 / 255, rtol=1e-6)


def test_compose_joins_neighbours():
    row = transforms.Compose(
        [transforms.CenterCrop(3), transforms.ToTensor(), transforms.Normalize(0.5), transforms.Rotate(3.0), None]
    )
    kinds = [type(block).__name__ for block in row]
    assert kinds == ["CenterCrop", "HybridSequential", "Rotate"]
    assert row[1]._active
    given = [transforms.ToTensor()]
    transforms.Compose(given)
    assert len(given) == 1


def test_the_seed_fixes_choices():
    half = transforms.RandomApply(transforms.Cast("float32"), 0.5)
    turned = transforms.RandomRotation((-90.0, 90.0), rotate_with_proba=0.5)
    image = transforms.ToTensor()(COLOR[0])
    results = []
    for _ in range(2):
        mx.random.seed(2)
        results.append([half(COLOR[0]).dtype for _ in range(20)] + [turned(image).asnumpy().tolist() for _ in range(9)])
    assert results[0] == results[1]
    assert {np.uint8, np.float32} == set(results[0][:20])


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: transforms.Rotate(3.0)(COLOR[0]), TypeError, r"\[Rotate\] received an image of uint8.*after ToTensor"),
        (lambda: transforms.RandomRotation((1, 2))(COLOR[0]), TypeError, "only supports float32"),
        (lambda: transforms.RandomRotation((3, 1)), ValueError, r"`angle_limits` \(3, 1\); expected an ordered tuple"),
        (lambda: transforms.RandomRotation((1, 3), rotate_with_proba=2), ValueError, "a probability between 0 and 1"),
    ],
)
def test_refused(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_names_of_mxnet():
    names = {"Block", "HybridBlock", "HybridSequential", "Sequential", "is_np_array"}
    assert names <= vars(transforms).keys()
    assert transforms.ToTensor.__module__ == "mxnet.gluon.data.vision.transforms"


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize(("side", "axis"), [("left_right", 1), ("top_bottom", 0)])
def test_flips_draw_as_their_operators_do(side, axis, hybridized):
    """One draw for each image, half of them flipped, as in MXNet."""
    transform = getattr(transforms, "RandomFlip" + side.title().replace("_", ""))()
    transform.hybridize(hybridized)
    operator = getattr(nd.image, f"random_flip_{side}")
    mx.random.seed(4)
    results = [transform(COLOR[0]) for _ in range(400)]
    mx.random.seed(4)
    for result in results:
        same(result, operator(COLOR[0]))
    flipped = sum(np.array_equal(result.asnumpy(), np.flip(COLOR[0].asnumpy(), axis)) for result in results)
    assert 160 < flipped < 240
