"""Callbacks for notebooks, with stand-ins for pandas and bokeh where these are not installed."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import mxnet as mx
from mxnet.notebook.callback import LiveBokehChart, LiveLearningCurve, LiveTimeSeries, PandasLogger, args_wrapper


class Source:
    """A curve of a figure."""

    def __init__(self) -> None:
        self.data_source = SimpleNamespace(data={})
        self.visible = True


class Figure:
    def __init__(self, **options) -> None:
        self.options = options
        self.legend = SimpleNamespace(location="")
        self.yaxis = SimpleNamespace(axis_label="")

    def line(self, x, y, **looks) -> Source:
        return Source()

    scatter = line


@pytest.fixture
def bokeh(monkeypatch) -> SimpleNamespace:
    pushed: list[object] = []
    plotting = SimpleNamespace(figure=Figure, show=lambda fig, notebook_handle: "handle")
    io = SimpleNamespace(output_notebook=lambda: None, push_notebook=lambda handle: [pushed.append(handle)])
    package = SimpleNamespace(plotting=plotting, io=io, pushed=pushed, __path__=[])
    for name, module in {"bokeh": package, "bokeh.plotting": plotting, "bokeh.io": io}.items():
        monkeypatch.setitem(sys.modules, name, module)
    return package


def fit(**callbacks) -> None:
    draw = np.random.RandomState(0)
    data, label = draw.uniform(-1, 1, (64, 4)), (draw.uniform(size=64) > 0.5).astype("float32")
    net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2), name="softmax")
    train, held_out = mx.io.NDArrayIter(data, label, 8), mx.io.NDArrayIter(data[:16], label[:16], 8)
    mx.mod.Module(net).fit(train, eval_data=held_out, num_epoch=2, **callbacks)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "bokeh", None)
    with pytest.raises(ImportError, match=r"\[PandasLogger\] the tables are made by pandas: `pip install pandas`"):
        PandasLogger(8)
    with pytest.raises(ImportError, match=r"\[LiveLearningCurve\] the chart is drawn by bokeh: `pip install bokeh`"):
        LiveLearningCurve("accuracy")


def test_tables_of_pandas():
    pytest.importorskip("pandas")
    logger = PandasLogger(batch_size=8, frequent=4)
    fit(**logger.callback_args())
    assert list(logger.train_df["minibatch_count"]) == [0, 4, 0, 4]
    assert {"accuracy", "batches_per_sec", "records_per_sec", "elapsed", "epoch"} <= set(logger.train_df.columns)
    assert len(logger.eval_df) == len(logger.epoch_df) == 2
    assert set(logger.all_dataframes) == {"train", "eval", "epoch"}
    logger.append_metrics({"other": 1.0}, "epoch")
    assert logger.epoch_df["other"].isna().sum() == 2


def test_a_learning_curve(bokeh):
    curve = LiveLearningCurve("accuracy", display_freq=0, frequent=2)
    fit(**args_wrapper(curve))
    points = curve.train1.data_source.data
    assert len(points["x"]) == len(points["y"]) == 8
    assert len(curve.valid2.data_source.data["y"]) == 2
    assert bokeh.pushed
    assert curve.train1.visible
    assert curve.fig.yaxis.axis_label == "accuracy"
    fit(**curve.callback_args())
    assert curve.train2.visible
    assert not curve.train1.visible


def test_a_series(bokeh):
    series = LiveTimeSeries(width=300)
    series.update_chart_data(3.0)
    series.update_chart_data(4.0)
    assert series._curve.data_source.data["y"] == [3.0, 4.0]
    assert series.fig.options["width"] == 300
    series.eval_cb(None)
    assert len(bokeh.pushed) == 3


def test_a_chart_must_be_written(bokeh):
    with pytest.raises(NotImplementedError, match=r"\[LiveBokehChart\] write a setup_chart method"):
        LiveBokehChart(SimpleNamespace(), "accuracy")


def test_arguments_of_several_are_joined():
    one = SimpleNamespace(callback_args=lambda: {"batch_end_callback": 1})
    two = SimpleNamespace(callback_args=lambda: {"batch_end_callback": 2, "eval_end_callback": 3})
    assert args_wrapper(one, two) == {"batch_end_callback": [1, 2], "eval_end_callback": [3]}
