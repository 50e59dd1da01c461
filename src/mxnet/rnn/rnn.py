"""Checkpoints of networks with recurrent cells: their files hold an array for each gate."""

import warnings
from collections.abc import Callable
from typing import Any

from regluon.symbol.checkpoint import Params, load_checkpoint, save_checkpoint

from ._base_cell import BaseRNNCell, symbol

__all__ = [
    "do_rnn_checkpoint",
    "load_checkpoint",
    "load_rnn_checkpoint",
    "rnn_unroll",
    "save_checkpoint",
    "save_rnn_checkpoint",
]


def rnn_unroll(
    cell: BaseRNNCell,
    length: int,
    inputs: Any = None,
    begin_state: Any = None,
    input_prefix: str = "",
    layout: str = "NTC",
) -> tuple[Any, list[Any]]:
    """`cell.unroll`, as old programs call it; without inputs it makes variables `<input_prefix>t0_data`, ..."""
    warnings.warn(
        "[rnn_unroll] is the old way; call cell.unroll(length, inputs) directly.", DeprecationWarning, stacklevel=2
    )
    if inputs is None:
        inputs = [symbol.Variable(f"{input_prefix}t{place}_data") for place in range(length)]
    return cell.unroll(length, inputs, begin_state=begin_state, layout=layout)


def _listed(cells: Any) -> list[BaseRNNCell]:
    return [cells] if isinstance(cells, BaseRNNCell) else list(cells)


def save_rnn_checkpoint(
    cells: Any, prefix: Any, epoch: int, symbol: Any, arg_params: Params, aux_params: Params
) -> None:
    """Saves a checkpoint with the weights of cells unpacked, so that fused and plain cells read each other's.

    Args:
        cells: a cell or a list of them.
        prefix: the beginning of the files' names.
        epoch: the number of the checkpoint.
        symbol: the network.
        arg_params: parameters by name.
        aux_params: auxiliary states by name.
    """
    for cell in _listed(cells):
        arg_params = cell.unpack_weights(arg_params)
    save_checkpoint(prefix, epoch, symbol, arg_params, aux_params)


def load_rnn_checkpoint(cells: Any, prefix: Any, epoch: int) -> tuple[Any, Params, Params]:
    """Loads network, parameters and states that `save_rnn_checkpoint` saved, packed for these cells."""
    network, arg_params, aux_params = load_checkpoint(prefix, epoch)
    for cell in _listed(cells):
        arg_params = cell.pack_weights(arg_params)
    return network, arg_params, aux_params


def do_rnn_checkpoint(cells: Any, prefix: Any, period: int = 1) -> Callable[..., None]:
    """A callback for `fit` that saves after epochs with `save_rnn_checkpoint`.

    Args:
        cells: a cell or a list of them.
        prefix: the beginning of the files' names.
        period: after how many epochs.
    """
    period = int(max(1, period))

    def save(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:
        if (iter_no + 1) % period == 0:
            save_rnn_checkpoint(cells, prefix, iter_no + 1, sym, arg, aux)

    return save
