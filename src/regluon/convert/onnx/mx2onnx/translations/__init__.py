"""Translations by family; importing this package fills the table."""

from ..call import TRANSLATIONS as TRANSLATIONS
from . import elementwise, layers, matrix, shape
