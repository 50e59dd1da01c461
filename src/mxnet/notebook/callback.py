"""Callbacks that keep the course of a training in tables of pandas, or draw it in a notebook with bokeh.

Both packages are optional. Where MXNet's callbacks no longer fit the callers, these do what was meant: `epoch_cb` takes
what `Module.fit` gives it, and charts are drawn by the bokeh of today.
"""

import time
from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any

__all__ = ["LiveBokehChart", "LiveLearningCurve", "LiveTimeSeries", "PandasLogger", "args_wrapper"]

_MANY_POINTS = 10  # of the training curve, from which on it is drawn as dots


def _pandas() -> Any:
    try:
        import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise ImportError("[PandasLogger] the tables are made by pandas: `pip install pandas`.") from None
    return pandas


def _bokeh(who: str) -> Any:
    try:
        import bokeh.io  # type: ignore[import-not-found,unused-ignore]
        import bokeh.plotting  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise ImportError(f"[{who}] the chart is drawn by bokeh: `pip install bokeh`.") from None
    return bokeh


def _values(param: Any) -> dict[str, Any]:
    """What a metric has by name; it begins anew."""
    if param.eval_metric is None:
        return {}
    found = dict(param.eval_metric.get_name_value())
    param.eval_metric.reset()
    return found


class PandasLogger:
    """Keeps the course of a training in three tables: of training batches, of evaluations and of epochs.

    Args:
        batch_size: examples in a batch.
        frequent: a row is added after so many batches of training.

    Example:
        >>> logger = mx.notebook.callback.PandasLogger(batch_size=32)
        >>> module.fit(data, eval_data=held_out, num_epoch=5, **logger.callback_args())
        >>> logger.train_df[["elapsed", "accuracy"]].plot()
    """

    def __init__(self, batch_size: int, frequent: int = 50) -> None:
        pandas = _pandas()
        self.batch_size = batch_size
        self.frequent = frequent
        self._dataframes: dict[str, Any] = {name: pandas.DataFrame() for name in ("train", "eval", "epoch")}
        self.last_time = time.time()
        self.start_time = self.last_epoch_time = datetime.now()

    @property
    def train_df(self) -> Any:
        """Metrics and speed, every `frequent` batches."""
        return self._dataframes["train"]

    @property
    def eval_df(self) -> Any:
        """Metrics of the evaluations."""
        return self._dataframes["eval"]

    @property
    def epoch_df(self) -> Any:
        """How long the epochs took."""
        return self._dataframes["epoch"]

    @property
    def all_dataframes(self) -> dict[str, Any]:
        """The tables by name: 'train', 'eval', 'epoch'."""
        return self._dataframes

    def elapsed(self) -> timedelta:
        """The time since the logger was made."""
        return datetime.now() - self.start_time

    def append_metrics(self, metrics: dict[str, Any], df_name: str) -> None:
        """Adds a row to a table; names it has not got become columns.

        Args:
            metrics: the values by name.
            df_name: 'train', 'eval' or 'epoch'.
        """
        pandas = _pandas()
        table = self._dataframes[df_name]
        # A table of its own for the row keeps numbers numbers and times times; rows without a value have None.
        row = pandas.DataFrame([metrics], index=[len(table)])
        self._dataframes[df_name] = row if table.empty else pandas.concat([table, row])

    def train_cb(self, param: Any) -> None:
        """To be called after each batch of training."""
        if param.nbatch % self.frequent == 0:
            self._process_batch(param, "train")

    def eval_cb(self, param: Any) -> None:
        """To be called after an evaluation."""
        self._process_batch(param, "eval")

    def epoch_cb(self, *_: Any) -> None:
        """To be called after an epoch, with whatever arguments."""
        now = datetime.now()
        self.append_metrics({"elapsed": self.elapsed(), "epoch_time": now - self.last_epoch_time}, "epoch")
        self.last_epoch_time = now

    def _process_batch(self, param: Any, dataframe: str) -> None:
        now = time.time()
        passed = now - self.last_time
        speed = self.frequent / passed if passed > 0 else float("inf")
        metrics = {
            **_values(param),
            # MXNet has the two the wrong way round; programs that plot them know it.
            "batches_per_sec": speed * self.batch_size,
            "records_per_sec": speed,
            "elapsed": self.elapsed(),
            "minibatch_count": param.nbatch,
            "epoch": param.epoch,
        }
        self.append_metrics(metrics, dataframe)
        self.last_time = now

    def callback_args(self) -> dict[str, Any]:
        """The keyword arguments of `Module.fit` that have it called."""
        return {
            "batch_end_callback": self.train_cb,
            "eval_end_callback": self.eval_cb,
            "epoch_end_callback": self.epoch_cb,
        }


class LiveBokehChart:
    """Base of charts that change while a training runs; a subclass writes `setup_chart` and `update_chart_data`.

    Args:
        pandas_logger: where the numbers come from; a new PandasLogger if it is None.
        metric_name: the metric to draw.
        display_freq: seconds between changes of the chart.
        batch_size: for the new logger.
        frequent: for the new logger.
    """

    def __init__(
        self,
        pandas_logger: PandasLogger | None,
        metric_name: str | None,
        display_freq: float = 10,
        batch_size: int | None = None,
        frequent: int = 50,
    ) -> None:
        self._bokeh = _bokeh(type(self).__name__)
        self.pandas_logger = self._logger(pandas_logger, batch_size or 1, frequent)
        self.display_freq = display_freq
        self.last_update = time.time()
        self.metric_name = metric_name
        self._bokeh.io.output_notebook()
        self.handle: Any = self.setup_chart()

    def _logger(self, given: PandasLogger | None, batch_size: int, frequent: int) -> PandasLogger | None:
        return given or PandasLogger(batch_size, frequent)

    def setup_chart(self) -> Any:
        """Shows the chart and returns a handle to it."""
        raise NotImplementedError(f"[{type(self).__name__}] write a setup_chart method.")

    def update_chart_data(self) -> None:
        """Gives the chart the numbers that came since."""
        raise NotImplementedError(f"[{type(self).__name__}] write an update_chart_data method.")

    def interval_elapsed(self) -> bool:
        """Whether it is time to change the chart."""
        return time.time() - self.last_update > self.display_freq

    def _push_render(self) -> None:
        self._bokeh.io.push_notebook(handle=self.handle)
        self.last_update = time.time()

    def _do_update(self) -> None:
        self.update_chart_data()
        self._push_render()

    def batch_cb(self, param: Any) -> None:
        """To be called after each batch of training."""
        if self.interval_elapsed():
            self._do_update()

    def eval_cb(self, param: Any) -> None:
        """To be called after an evaluation; the chart changes at once."""
        self._do_update()

    def callback_args(self) -> dict[str, Any]:
        """The keyword arguments of `Module.fit` that have it called."""
        return {"batch_end_callback": self.batch_cb, "eval_end_callback": self.eval_cb}


class _OwnNumbers(LiveBokehChart):
    """A chart that keeps its numbers itself and needs no tables."""

    def _logger(self, given: PandasLogger | None, batch_size: int, frequent: int) -> PandasLogger | None:
        return given

    def _line(self, **looks: Any) -> Any:
        """A new curve without points."""
        return self.fig.line([], [], **looks)

    fig: Any


class LiveTimeSeries(_OwnNumbers):
    """A curve of one number over time: `series.update_chart_data(value)` adds a point.

    Args:
        **fig_params: arguments of `bokeh.plotting.figure`.
    """

    def __init__(self, **fig_params: Any) -> None:
        plotting = _bokeh(type(self).__name__).plotting
        self.fig: Any = plotting.figure(x_axis_type="datetime", x_axis_label="Elapsed time", **fig_params)
        super().__init__(None, None)

    def setup_chart(self) -> Any:
        """Shows the empty chart."""
        self.start_time = datetime.now()
        self.x_axis_val: list[timedelta] = []
        self.y_axis_val: list[float] = []
        self._curve = self._line()
        return self._bokeh.plotting.show(self.fig, notebook_handle=True)

    def elapsed(self) -> timedelta:
        """The time since the chart was made."""
        return datetime.now() - self.start_time

    def update_chart_data(self, value: float | None = None) -> None:
        """Adds a point; without a value the chart stays as it is."""
        if value is None:
            return
        self.x_axis_val.append(self.elapsed())
        self.y_axis_val.append(value)
        self._curve.data_source.data = {"x": list(self.x_axis_val), "y": list(self.y_axis_val)}
        self._push_render()


class LiveLearningCurve(_OwnNumbers):
    """The curves of a metric in training and in evaluations.

    Args:
        metric_name: the metric.
        display_freq: seconds between changes of the chart.
        frequent: a point is added after so many batches of training.

    Example:
        >>> curve = mx.notebook.callback.LiveLearningCurve("accuracy", display_freq=2)
        >>> module.fit(data, eval_data=held_out, num_epoch=5, **mx.notebook.callback.args_wrapper(curve))
    """

    def __init__(self, metric_name: str, display_freq: float = 10, frequent: int = 50) -> None:
        self.frequent = frequent
        self.start_time = datetime.now()
        self._data: dict[str, dict[str, list[Any]]] = {"train": {"elapsed": []}, "eval": {"elapsed": []}}
        super().__init__(None, metric_name, display_freq, frequent=frequent)

    def setup_chart(self) -> Any:
        """Shows the empty chart."""
        self.fig: Any = self._bokeh.plotting.figure(x_axis_type="datetime", x_axis_label="Training time")
        self.train1: Any = self._line(line_dash="dotted", alpha=0.3, legend_label="train")
        self.train2: Any = self.fig.scatter([], [], size=3, line_alpha=0.3, fill_alpha=0.3, legend_label="train")
        self.train2.visible = False
        self.valid1: Any = self._line(line_color="green", line_width=2, legend_label="validation")
        self.valid2: Any = self.fig.scatter([], [], line_color="green", line_width=2)
        self.fig.legend.location = "bottom_right"
        self.fig.yaxis.axis_label = self.metric_name
        return self._bokeh.plotting.show(self.fig, notebook_handle=True)

    def batch_cb(self, param: Any) -> None:
        """To be called after each batch of training."""
        if param.nbatch % self.frequent == 0:
            self._process_batch(param, "train")
        super().batch_cb(param)

    def eval_cb(self, param: Any) -> None:
        """To be called after an evaluation; the chart changes at once."""
        self._process_batch(param, "eval")
        super().eval_cb(param)

    def _process_batch(self, param: Any, df_name: str) -> None:
        for key, value in {**_values(param), "elapsed": datetime.now() - self.start_time}.items():
            self._data[df_name].setdefault(key, []).append(value)

    def update_chart_data(self) -> None:
        """Gives the curves the points that came since."""
        for name, curves in (("train", (self.train1, self.train2)), ("eval", (self.valid1, self.valid2))):
            kept = self._data[name]
            y = kept.get(str(self.metric_name), [])
            points = {"x": kept["elapsed"][-len(y) :] if y else [], "y": list(y)}
            for curve in curves:
                curve.data_source.data = points
        is_long = len(self._data["train"]["elapsed"]) > _MANY_POINTS
        self.train1.visible, self.train2.visible = not is_long, is_long


def args_wrapper(*args: Any) -> dict[str, list[Any]]:
    """The keyword arguments of `Module.fit` that have several callbacks called.

    Args:
        args: objects with `callback_args`, such as PandasLogger and LiveLearningCurve.
    """
    found: dict[str, list[Any]] = defaultdict(list)
    for callback in args:
        for name, function in callback.callback_args().items():
            found[name].append(function)
    return dict(found)
