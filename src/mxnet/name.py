"""Automatic names of symbols and blocks."""

from regluon.symbol.name_scope import NameManager as NameManager
from regluon.symbol.name_scope import Prefix as Prefix
from regluon.symbol.name_scope import current as current
from regluon.symbol.name_scope import managers as managers
