"""Networks that lose packets, and networks that are silent."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_slow_and_silent_networks():
    tools = [shutil.which(name) for name in ("unshare", "tc", "ip")]
    if None in tools or subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to make a network namespace, and the programs tc and ip")
    command = ["unshare", "-n", sys.executable, "-m", "tests.distributed.network_cases"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout.splitlines()[-1])
    assert [type(result) for result in results] == [list, list], results
    for rank, (total, seconds, text) in enumerate(results):
        assert total == 2  # the sum came through, slowly
        assert seconds < 60
        assert text.startswith(f"[Trainer] failed on rank {rank} of 2: ")
        assert "cannot be reached" in text
