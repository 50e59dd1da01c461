"""Networks as text and as pictures: `mx.viz`."""

from ._drawing import plot_network
from ._summary import print_summary

__all__ = ["plot_network", "print_summary"]
