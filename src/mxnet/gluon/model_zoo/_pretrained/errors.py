"""Why weights cannot be had, or cannot be used."""

from ....base import MXNetError

__all__ = ["MissingWeightsError", "PretrainedError"]


class PretrainedError(MXNetError, ValueError):
    """The weights are of another kind, or of another network, than the one that is built."""


class MissingWeightsError(MXNetError, FileNotFoundError):
    """No file of weights is where it should be."""
