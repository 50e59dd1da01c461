"""Event files, read by a reader of their own; and by TensorBoard's where it is installed."""

import struct
import zlib

import numpy as np
import pytest

from mxnet import gluon
from mxnet.gluon.contrib.estimator import TensorBoardHandler
from mxnet.gluon.contrib.estimator.event_files import EventFile, _checksum
from tests.gluon.contrib.estimator.runs import make_data, make_estimator


def _fields(data):
    """Numbers and values of a message's fields."""
    place, found = 0, []

    def varint():
        nonlocal place
        value, shift = 0, 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(data):
        key = varint()
        kind = key & 7
        length = {0: 0, 1: 8, 5: 4}.get(kind)
        value = varint() if kind == 0 else None
        if length is None:
            length = varint()
        if kind:
            value = data[place : place + length]
            place += length
            if kind in (1, 5):
                (value,) = struct.unpack("<d" if kind == 1 else "<f", value)
        found.append((key >> 3, value))
    return found


def _events(path):
    data, place, found = path.read_bytes(), 0, []
    while place < len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        assert data[place + 8 : place + 12] == _checksum(data[place : place + 8])
        content = data[place + 12 : place + 12 + length]
        assert data[place + 12 + length : place + 16 + length] == _checksum(content)
        found.append(dict(_fields(content)))
        place += 16 + length
    return found


def _values(path):
    """Step, tag, and the value or the fields of the histogram."""
    for event in _events(path):
        if 5 in event:
            value = dict(_fields(dict(_fields(event[5]))[1]))
            yield event[2], value[1].decode(), value.get(2, value.get(5))


def test_the_checksum_is_the_known_one():
    # The check value of CRC-32C is E3069283.
    crc = 0xE3069283
    assert _checksum(b"123456789") == struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)
    assert zlib.crc32(b"123456789") != crc


def test_scalars(tmp_path):
    estimator, _ = make_estimator()
    estimator.fit(
        make_data(), val_data=make_data(), epochs=2, event_handlers=TensorBoardHandler(tmp_path, batch_period=5)
    )
    (path,) = tmp_path.iterdir()
    assert path.name.startswith("events.out.tfevents.")
    assert _events(path)[0][3] == b"brain.Event:2"
    found = list(_values(path))
    assert [step for step, tag, _ in found if tag == "accuracy/training"] == [5, 6, 10, 12]
    assert [step for step, tag, _ in found if tag == "accuracy/validation"] == [6, 12]
    assert {tag for _, tag, _ in found} == {
        *(f"{name}/{kind}" for name in ("accuracy", "softmaxcrossentropyloss") for kind in ("training", "validation")),
        "learning rate",
    }
    last = {tag: value for _, tag, value in found}
    assert last["accuracy/training"] == pytest.approx(estimator.train_metrics[0].get()[1])
    assert last["learning rate"] == pytest.approx(0.1)


def test_histograms_and_the_graph(tmp_path):
    estimator, _ = make_estimator()
    estimator.fit(make_data(), epochs=1, event_handlers=TensorBoardHandler(tmp_path, histograms=True, graph=True))
    (path,) = tmp_path.iterdir()
    found = {tag: value for _, tag, value in _values(path)}
    facts = dict(_fields(found["parameters/net_dense0_weight"]))
    weight = estimator.net[0].weight.data().asnumpy().astype("float64")
    assert [facts[number] for number in range(1, 6)] == pytest.approx(
        [weight.min(), weight.max(), weight.size, weight.sum(), np.square(weight).sum()]
    )
    assert np.frombuffer(facts[7]).sum() == weight.size
    assert len(facts[6]) == len(facts[7])
    assert "gradients/net_dense1_bias" in found
    (graph,) = [event[4] for event in _events(path) if 4 in event]
    nodes = [_fields(node) for number, node in _fields(graph) if number == 1]
    by_name = {
        dict(node)[1].decode(): (dict(node)[2].decode(), [v.decode() for n, v in node if n == 3]) for node in nodes
    }
    operator, inputs = by_name["net_dense0_fwd"]
    assert operator == "FullyConnected"
    assert "net_dense0_weight" in inputs
    assert by_name["net_dense0_weight"][0] == "Parameter"


def test_networks_without_a_graph(tmp_path):
    net = gluon.nn.Sequential()
    net.add(gluon.nn.Dense(2))
    net.initialize()
    estimator, text = make_estimator(net)
    estimator.fit(make_data(), epochs=1, event_handlers=TensorBoardHandler(tmp_path, graph=True))
    assert "the graph is not written; sequential" in text.getvalue()
    hybrid = gluon.nn.Dense(2, in_units=3)  # not hybridized: it is traced for the picture
    hybrid.initialize()
    estimator, _ = make_estimator(hybrid)
    estimator.fit(make_data(), epochs=1, event_handlers=TensorBoardHandler(tmp_path / "hybrid", graph=True))
    (path,) = (tmp_path / "hybrid").iterdir()
    assert any(4 in event for event in _events(path))


def test_values_that_are_no_numbers(tmp_path):
    file = EventFile(tmp_path)
    file.histogram("empty", np.array([np.nan, np.inf]), 1)
    file.scalar("negative", -1.5, 1 << 40)
    file.close()
    assert list(_values(file.path)) == [(1 << 40, "negative", -1.5)]
    second = EventFile(tmp_path)
    second.close()
    assert second.path != file.path


def test_tensorboard_reads_them(tmp_path):
    reading = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    estimator, _ = make_estimator()
    estimator.fit(make_data(), epochs=2, event_handlers=TensorBoardHandler(tmp_path, histograms=True, graph=True))
    found = reading.EventAccumulator(str(tmp_path)).Reload()
    assert [event.step for event in found.Scalars("accuracy/training")] == [6, 12]
    assert found.Histograms("parameters/net_dense0_weight")[0].histogram_value.num == 18
    assert "net_dense0_fwd" in [node.name for node in found.Graph().node]
