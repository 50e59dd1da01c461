"""The examples run, on tiny settings, and do what they say."""

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mxnet import nd
from mxnet.gluon.data import ArrayDataset
from tests.distributed.ranks import run_ranks

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(autouse=True)
def _examples_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield
    for name in [path.stem for path in EXAMPLES.glob("*.py")]:
        sys.modules.pop(name, None)


def _example(name: str):
    return importlib.import_module(name)


def test_lenet_learns_saves_loads_and_draws(tmp_path, capsys):
    accuracy = _example("lenet").main("digits", epochs=2, limit=600, folder=tmp_path / "demo")
    assert accuracy > 0.5
    assert (tmp_path / "demo" / "lenet.params").stat().st_size > 10_000
    with Image.open(tmp_path / "demo" / "lenet.png") as picture:
        assert min(picture.size) > 800
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"epoch 2: training loss \d\.\d{3}, test accuracy \d\d\.\d%", lines[2])
    assert lines[-2].startswith("Native kernels: not built. They train this network")
    assert lines[-2].endswith("make native")
    assert lines[-1] == f"Curves and predictions: {tmp_path / 'demo' / 'lenet.png'}"


def test_lenet_report_marks_mistakes():
    module = _example("lenet_report")
    names = [f"class {number}" for number in range(module.ROWS * module.COLUMNS)]
    data = ArrayDataset(nd.zeros((len(names), 1, 8, 8)), nd.arange(len(names)))
    scores = 20 * np.eye(len(names))
    scores[1] = scores[2]  # the second image is taken for the third

    history = module.History([(0.5, 2.0), (1.0, 1.0)], [(1, 0.5)])
    figure = module.make_figure(history, lambda images: nd.array(scores), data, names, "title")
    correct, wrong, *_ = (axes for axes in figure.get_axes() if axes.images)
    assert (correct.get_title(), correct.get_xlabel()) == ("class 0 100%", "class 0")
    assert (wrong.get_title(), wrong.get_xlabel()) == ("class 2 100%", "is: class 1")
    assert (correct.title.get_color(), wrong.title.get_color()) == (module.CORRECT, module.WRONG)
    assert figure.subfigs[1].get_suptitle().endswith("mistakes in red: 1")


def test_sample_data():
    samples = _example("samples")
    for load, width, counts in ((samples.clothes, 28, (6000, 1000)), (samples.digits, 24, (1437, 360))):
        for train, count in zip((True, False), counts):
            images, labels = load(train)
            assert images.shape == (count, 1, width, width)
            assert labels.shape == (count,)
            assert (images.min().asscalar(), images.max().asscalar()) == (0, 1)


def test_custom_layer(capsys):
    net = _example("custom_layer").main()
    assert "initializing mynet" in capsys.readouterr().out
    assert net.layers[0].bias.grad().shape == (8,)


def test_every_step_to_torch_gives_the_same_numbers(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES / "moving"))
    names = sorted(path.stem for path in (EXAMPLES / "moving").glob("step*.py"))
    assert len(names) == 5
    first, *others = (_example(name).main() for name in names)
    assert first[-1] < first[0]
    # Training amplifies rounding. A float32 sum of 800 products is off by about sqrt(800) units in the last place; the
    # bound is four times the largest effect so far of initial weights that are off by as much.
    module, numbers = sys.modules[names[0]], np.random.default_rng(0)
    exact, rounding = module.weights(), np.sqrt(800) * 2.0**-24

    def perturbed():
        return {
            name: (value * (1 + rounding * numbers.choice([-1, 1], value.shape))).astype("float32")
            for name, value in exact.items()
        }

    monkeypatch.setattr(module, "weights", perturbed)
    effects = np.abs([np.subtract(module.main(), first) for _ in range(3)]).max(axis=0)
    bound = 4 * np.maximum.accumulate(np.maximum(effects, rounding * np.abs(first)))
    assert (bound[:4] < 0.01 * np.abs(first[:4])).all()  # a wrong gradient shows in the first steps
    for losses in others:
        assert (np.abs(np.subtract(losses, first)) <= bound).all(), (losses, first, bound)
    for name in (*names, "network", "start"):
        sys.modules.pop(name)


def test_gradient_accumulation():
    assert _example("gradient_accumulation").main(batches=24, batch_size=8) < 5


def test_siamese():
    first, last = _example("siamese").main(steps=50)
    assert last < first


def test_language_model():
    assert _example("language_model").main(epochs=2) < 2.5


def test_export_and_import(tmp_path, capfd):
    assert _example("export_and_import").main(folder=str(tmp_path), count=4) < 1e-5
    assert (tmp_path / "clothes-0000.params").stat().st_size > 1_000
    out = capfd.readouterr().out
    assert "clothes_pool0_fwd_output" in out
    assert "3  Convolution" in out  # what the command prints


def test_face_records(tmp_path, capfd):
    right = _example("face_records").main(epochs=3, limit=300, workers=2, folder=str(tmp_path))
    assert right > 0.75
    out = capfd.readouterr().out
    assert "300 images packed, 0 left out" in out  # what im2rec prints
    assert "300 faces of 10 people" in out
    files = _example("face_files")
    with files.MXIndexedRecordIO(tmp_path / "train.idx", tmp_path / "train.rec", "r") as file:
        header, content = files.recordio.unpack(file.read_idx(0))
        assert (header.flag, list(header.label), content) == (2, [301, 311], b"")
        first, _ = files.recordio.unpack(file.read_idx(301))
        assert first.label[0] == 1
        assert sorted(file.keys) == list(range(311))


def test_symbol_module(tmp_path, capsys):
    right = _example("symbol_module").main(epochs=2, limit=1000, folder=str(tmp_path))
    assert right > 0.5
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("clothes-0001.params", "clothes-0002.params", "clothes-symbol.json")
    ]
    assert "clothes-0002.params" in capsys.readouterr().out


def test_custom_operator(capsys):
    assert _example("custom_operator").main() < 1e-6
    assert "gradient: [0. 1. 1. 1. 0.]" in capsys.readouterr().out


def test_sparse_embedding():
    error, net = _example("sparse_embedding").main(steps=120)
    assert error < 0.4
    gradient = net.people.weight.grad()
    assert gradient.stype == "row_sparse"
    assert 100 < len(gradient.indices) < 300


def test_detection_head(tmp_path):
    found = _example("detection_head").main(steps=40, batch_size=16, folder=str(tmp_path))
    assert found > 0.2
    assert (tmp_path / "rectangles.png").read_bytes()[:4] == b"\x89PNG"


def test_tour(capsys):
    tour = _example("tour")
    for part in (tour.arrays, tour.gradients, tour.regression, tour.files, tour.torch_and_back, tour.errors):
        part()
    assert "OpShapeError: [FullyConnected]" in capsys.readouterr().out


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_short_enough_to_read(path):
    assert len(path.read_text().splitlines()) <= 96


def _trained_together(folder):
    sys.path.insert(0, str(EXAMPLES))
    return _example("distributed").main("digits", epochs=2, batch_size=32, limit=640, folder=folder)


@pytest.mark.parametrize("size", [1, 2])
def test_distributed(size, tmp_path):
    right, *others = run_ranks(_trained_together, size, str(tmp_path))
    assert right > 0.5
    assert others == [None] * (size - 1)
    assert len(list(tmp_path.iterdir())) == 2
