"""Stochastic variance reduced gradients (Johnson and Zhang, 2013), for modules."""

from . import svrg_module, svrg_optimizer
