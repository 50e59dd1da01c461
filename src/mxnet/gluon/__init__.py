"""The imperative interface: blocks, parameters, layers, training."""

from . import contrib, data, loss, model_zoo, nn, rnn, utils
from ._parameter_dict import ParameterDict as ParameterDict
from .block import Block as Block
from .block import HybridBlock as HybridBlock
from .block import SymbolBlock as SymbolBlock
from .parameter import Constant as Constant
from .parameter import DeferredInitializationError as DeferredInitializationError
from .parameter import Parameter as Parameter
from .parameter import tensor_types as tensor_types
from .trainer import Trainer as Trainer
