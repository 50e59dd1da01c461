"""The optimizers that tests of all of them go through."""

from mxnet.optimizer import Optimizer

# Those with an underscore are no optimizers of their own: they hand on to others. Tests register classes as well.
NAMES = sorted(
    name
    for name, klass in Optimizer.opt_registry.items()
    if not name.startswith("_") and klass.__module__.startswith("mxnet.")
)
