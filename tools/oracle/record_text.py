"""Records what programs with `mxnet.contrib.text` do.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_text`.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tools.oracle.text_programs import PROGRAMS, run

FIXTURE = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "text" / "programs.json"


def recorded(name: str) -> Any:
    """The answer to keep: of warnings how many, of long answers their digest."""
    answer = run(name)
    if "raises" in answer:
        return {"raises": answer["raises"]}
    answer["warnings"] = len(answer["warnings"])
    return shortened(answer)


def shortened(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer with the digest of its result in place of one that is long."""
    written = json.dumps(answer["result"])
    if len(written) <= 4000:
        return answer
    return {**answer, "result": hashlib.sha256(written.encode()).hexdigest()}


def main() -> None:
    """Writes the fixture."""
    FIXTURE.parent.mkdir(parents=True, exist_ok=True)
    answers = {name: recorded(name) for name in PROGRAMS}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers.items())
    FIXTURE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    print(f"programs: {len(answers)}")


if __name__ == "__main__":
    main()
