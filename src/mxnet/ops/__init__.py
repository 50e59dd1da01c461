"""Every operator, declared once. Importing this package fills the registry."""

from . import arithmetic, creation, fully_connected, registry, shape, unary

__all__ = ["arithmetic", "creation", "fully_connected", "registry", "shape", "unary"]
