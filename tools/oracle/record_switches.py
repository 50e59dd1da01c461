"""Records how NumPy shapes and arrays are switched in every order.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_switches`.
"""

from __future__ import annotations

import json
from pathlib import Path

from tools.oracle.switch_programs import programs, run

FIXTURE = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "switches" / "orders.json"


def main() -> None:
    """Writes the fixture."""
    FIXTURE.parent.mkdir(parents=True, exist_ok=True)
    answers = {name: run(*steps) for name, steps in programs().items()}
    FIXTURE.write_text(json.dumps(answers, indent=0) + "\n", encoding="utf-8")
    print(f"orders: {len(answers)}")


if __name__ == "__main__":
    main()
