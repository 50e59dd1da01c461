"""What a run was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

COMPILED = "torch compiled"


@dataclass
class Options:
    """What a run was asked for.

    Args:
        rounds: how many samples of everything.
        chosen: works to measure; all if empty.
        sides: sides to measure networks on, besides ours hybridized; all if empty.
        compile: whether torch.compile is measured too.
        plots: filled by groups: of each work, by library, our ratio and what was sought.
        curves: filled by groups: of each work, by side, seconds.
    """

    rounds: int
    chosen: Sequence[str] = ()
    sides: Sequence[str] = ()
    compile: bool = True
    plots: dict[str, dict[str, Any]] = field(default_factory=dict)
    curves: dict[str, dict[str, float]] = field(default_factory=dict)

    def works(self, names: Sequence[str]) -> list[str]:
        """Those of a group that were asked for."""
        return [name for name in names if not self.chosen or name in self.chosen]

    def modes(self, names: Sequence[str], needed: Sequence[str]) -> list[str]:
        """The sides that were asked for, and those that a report cannot do without."""
        wanted = [name for name in names if not self.sides or name in self.sides or name in needed]
        return [name for name in wanted if self.compile or name != COMPILED]

    def fewer(self, divisor: int, least: int = 3) -> int:
        """Rounds of a workload whose samples take long."""
        return min(self.rounds, max(least, self.rounds // divisor))
