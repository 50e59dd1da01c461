"""Networks as text and as pictures: `mx.viz`."""

from .network import plot_network
from .summary import print_summary

__all__ = ["plot_network", "print_summary"]
