"""`python -m tools.fuzz`: feeds damaged files to every reader and prints what was found.

python -m tools.fuzz --seconds 60                    all readers, a minute in all
python -m tools.fuzz --count 1000000                 a million inputs, dealt out by the readers' shares
python -m tools.fuzz --readers params,image --count 50000
"""

import argparse
import sys
import time
from pathlib import Path

from .readers import READERS
from .running import run, save
from .seeds import FIXTURES


def main() -> int:
    """Returns 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--readers", default=",".join(READERS), help="names between commas")
    parser.add_argument("--count", type=int, default=0, help="inputs in all")
    parser.add_argument("--seconds", type=float, default=0.0, help="time in all")
    parser.add_argument("--seed", type=int, default=None, help="another seed gives other inputs; by default the time")
    parser.add_argument("--save", type=Path, default=FIXTURES / "fuzz", help="where inputs with findings are put")
    args = parser.parse_args()
    seed = int(time.time()) if args.seed is None else args.seed
    names = args.readers.split(",")
    shares = sum(READERS[name].share for name in names)
    print(f"seed {seed}\n{'reader':<14}{'inputs':>12}{'accepted':>12}{'per second':>12}{'findings':>10}", flush=True)
    total = found = 0
    for name in names:
        count = -(-args.count * READERS[name].share // shares) if args.count else 1 << 60
        tally, findings = run(name, seed, count, args.seconds / len(names) if args.seconds else float("inf"))
        speed = tally.inputs / tally.seconds if tally.seconds else 0
        print(f"{name:<14}{tally.inputs:>12}{tally.accepted:>12}{speed:>12.0f}{len(findings):>10}", flush=True)
        for each in findings:
            path = save(each, seed, args.save)
            print(f"    {each.kind} at {each.where or '?'}: {each.detail!r}\n      {path}", flush=True)
        total, found = total + tally.inputs, found + len(findings)
    print(f"{'in all':<14}{total:>12}{'':>24}{found:>10}")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
