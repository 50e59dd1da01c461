"""Which names of a program stand for which names of MXNet, scope by scope."""

from collections.abc import Iterable
from dataclasses import dataclass, field

Paths = tuple[str, ...]  # what a name may stand for: several, where branches bind it differently

# What `F` is in `hybrid_forward(self, F, x)`: mx.nd or mx.sym. It keeps its own name in the report.
EITHER_FRONT_END = "F"


@dataclass
class Scope:
    """The names of a module, class, function or comprehension.

    Attributes:
        parent: the scope around it.
        is_class: names of a class body are not seen from its methods.
        names: what each name stands for; nothing, for one that the program defines itself.
        stars: for names that a star import brought.
    """

    parent: "Scope | None" = None
    is_class: bool = False
    names: dict[str, Paths] = field(default_factory=dict)
    stars: dict[str, Paths] = field(default_factory=dict)

    def find(self, name: str) -> Paths:
        """What a name stands for, seen from this scope."""
        scope: Scope | None = self
        while scope is not None:
            if scope is self or not scope.is_class:
                if name in scope.names:
                    return scope.names[name]
                if name in scope.stars:
                    return scope.stars[name]
            scope = scope.parent
        return ()

    def bind(self, name: str, paths: Iterable[str], is_certain: bool) -> None:
        """Binds a name. In a branch that may not be taken, what it stood for before stays possible."""
        known = () if is_certain else self.names.get(name, ())
        self.names[name] = tuple(dict.fromkeys((*known, *paths)))
