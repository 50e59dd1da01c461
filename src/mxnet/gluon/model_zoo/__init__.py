"""Networks that are defined already, with published parameters for them."""

from . import model_store, vision
