"""What launchers tell a process."""

import os

import pytest

from mxnet.base import MXNetError
from regluon.distributed.environment import NotLaunchedError, launched, publish, require_launch

MEETING = {"MASTER_ADDR": "host", "MASTER_PORT": "29500"}
TORCHRUN = {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4", **MEETING}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, None),
        (MEETING, None),
        (TORCHRUN, (5, 8, 1, 4, "host", 29500)),
        ({"SLURM_PROCID": "2", "SLURM_NTASKS": "4", "SLURM_LOCALID": "0", **MEETING}, (2, 4, 0, 1, "host", 29500)),
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, None),
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", **MEETING}, (1, 2, 0, 1, "host", 29500)),
        (
            {
                "DMLC_WORKER_ID": "1",
                "DMLC_NUM_WORKER": "3",
                "DMLC_PS_ROOT_URI": "10.0.0.1",
                "DMLC_PS_ROOT_PORT": "9091",
            },
            (1, 3, 0, 1, "10.0.0.1", 9091),
        ),
    ],
)
def test_launchers(environ, expected):
    assert launched(environ) == expected


def test_nonsense_is_refused():
    with pytest.raises(MXNetError, match="RANK is 'x' in the environment; expected a number"):
        launched({**TORCHRUN, "RANK": "x"})
    with pytest.raises(MXNetError, match=r"RANK is 8 and WORLD_SIZE is 8 .* expected a rank from 0 to one less"):
        launched({**TORCHRUN, "RANK": "8"})


def test_a_process_that_was_not_launched_is_told_how(monkeypatch):
    for name in TORCHRUN:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NotLaunchedError, match=r"^\[kvstore\] this process is not .* `python -m mxnet.launch -n 4"):
        require_launch("kvstore")


def test_mxnets_variables_are_set(monkeypatch):
    for name in ("ROLE", "NUM_WORKER", "NUM_SERVER", "WORKER_ID", "PS_ROOT_URI", "PS_ROOT_PORT"):
        monkeypatch.setenv(f"DMLC_{name}", "")  # so that it is put back
        monkeypatch.delenv(f"DMLC_{name}")
    for name, value in TORCHRUN.items():
        monkeypatch.setenv(name, value)
    publish()
    found = {name: value for name, value in os.environ.items() if name.startswith("DMLC_")}
    assert found == {
        "DMLC_ROLE": "worker",
        "DMLC_NUM_WORKER": "8",
        "DMLC_NUM_SERVER": "8",
        "DMLC_WORKER_ID": "5",
        "DMLC_PS_ROOT_URI": "host",
        "DMLC_PS_ROOT_PORT": "29500",
    }
