"""ONNX files as blocks."""

from os import PathLike

from ....context import Context
from ....gluon.block import SymbolBlock
from ....symbol import var
from .import_model import get_model_metadata, import_model


def import_to_gluon(model_file: str | PathLike[str], ctx: Context | list[Context]) -> SymbolBlock:
    """The network in an ONNX file as a SymbolBlock.

    Args:
        model_file: the file.
        ctx: where to put its parameters.
    """
    symbol, arguments, states = import_model(model_file)
    names = [name for name, _ in get_model_metadata(model_file)["input_tensor_data"]]
    block = SymbolBlock(symbol, [var(name) for name in names])
    for name, value in {**arguments, **states}.items():
        block.collect_params()[name]._load_init(value, ctx, True, "saved")
    return block
