"""`mx.AttrScope`: attributes that every symbol made in a block receives."""

from regluon.symbol.attribute_scope import AttrScope as AttrScope
from regluon.symbol.attribute_scope import current as current
