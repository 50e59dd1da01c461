"""Machines to run on: the file that lists them, and how many workers each gets."""

import re
from pathlib import Path
from typing import NamedTuple

from ...base import MXNetError

_LINE = re.compile(r"(?P<name>[^\s:]+)(?::(?P<port>\d+))?(?:\s+slots\s*=\s*(?P<slots>\d+))?")
_NODES = re.compile(r"(?P<before>[^\[,]*)(?:\[(?P<first>[^\],-]+)[^\]]*\](?P<after>[^,\[]*))?")


class HostsError(MXNetError, ValueError):
    """A list of hosts cannot be read, or has no room for all workers."""


class Host(NamedTuple):
    """A machine.

    Attributes:
        name: its name or address.
        port: where its SSH server listens; 0 for the usual port.
        slots: how many workers it takes at most; 0 for any number.
    """

    name: str
    port: int = 0
    slots: int = 0


def read_hosts(path: str) -> list[Host]:
    """The machines of a file with lines such as `host`, `host:2222` or `host slots=4`; `#` begins a comment."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise HostsError(f"--hostfile: {path} cannot be read ({error.strerror})") from error
    hosts = []
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        found = _LINE.fullmatch(text)
        if found:
            hosts.append(Host(found["name"], int(found["port"] or 0), int(found["slots"] or 0)))
        elif text:
            raise HostsError(
                f"--hostfile: {path}, line {number}: received {text!r}; expected `host`, `host:port` or `host slots=4`"
            )
    if not hosts:
        raise HostsError(f"--hostfile: {path} names no host; expected one in a line")
    return hosts


def spread(hosts: list[Host], num_workers: int) -> list[tuple[Host, int]]:
    """Workers for each machine, as evenly as the slots allow; machines that get none are left out."""
    counts = [0] * len(hosts)
    while sum(counts) < num_workers:
        free = [place for place, host in enumerate(hosts) if not host.slots or counts[place] < host.slots]
        if not free:
            raise HostsError(f"--hostfile: {sum(counts)} slots for {num_workers} workers; add hosts, or lower -n")
        for place in free[: num_workers - sum(counts)]:
            counts[place] += 1
    return [(host, count) for host, count in zip(hosts, counts, strict=True) if count]


def first_node(nodes: str) -> str:
    """The first machine of a list as Slurm writes it: `gpu[003-005,9],cpu1` begins with `gpu003`."""
    found = _NODES.match(nodes)
    assert found is not None  # the pattern takes any text
    return found["before"] + (found["first"] or "") + (found["after"] or "")
