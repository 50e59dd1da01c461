"""`python -m mxnet.launch`."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from regluon.distributed.launch.hosts import Host, HostsError, first_node, read_hosts, spread
from regluon.distributed.launch.main import main
from regluon.distributed.launch.options import read_options
from regluon.distributed.launch.remote import Command, run_all
from tests.distributed.ranks import _context

TIME = 120  # seconds after which a test has failed

# A stand-in for `ssh`: notes the words it was given, and runs the last one here.
SSH = """#!/bin/sh
echo "$@" | cut -c 1-60 >> "$SSH_LOG"
for last; do :; done
exec sh -c "$last"
"""

TELL = """
import os, sys
names = "ROLE NUM_WORKER NUM_SERVER WORKER_ID PS_ROOT_URI".split()
told = [os.environ["DMLC_" + name] for name in names]
assert os.environ["DMLC_PS_ROOT_PORT"] == os.environ["MASTER_PORT"]
line = [*told, os.environ["RANK"], os.environ["EXTRA"], os.environ["OMP_NUM_THREADS"], sys.argv[1:]]
os.write(1, (" ".join(map(str, line)) + chr(10)).encode())  # at once: workers share the pipe
"""

# Rank 1 fails, at its first attempt or always; the others wait until they are ended.
FAIL = """
import os, signal, sys, threading
attempt, rank = os.environ["TORCHELASTIC_RESTART_COUNT"], os.environ["RANK"]
os.write(1, f"attempt {attempt} rank {rank}{chr(10)}".encode())
if attempt == "0" or "always" in sys.argv:
    if rank == "1":
        os.kill(os.getpid(), signal.SIGKILL) if "killed" in sys.argv else sys.exit(3)
    threading.Event().wait(100)
"""

MEET = """
from regluon.distributed import world
group = world()
group.barrier()
os.write(1, f"met {group.rank} of {group.size}{chr(10)}".encode())
"""

WAIT = """
import os, sys, threading
with open(os.path.join(sys.argv[1], os.environ["RANK"]), "w") as stream:
    stream.write(str(os.getpid()))
os.rename(stream.name, stream.name + ".pid")
threading.Event().wait(100)
"""


class Launcher:
    """`python -m mxnet.launch` in a process that has imported mxnet already, with its output in files."""

    def __init__(self, folder, program, *options, arguments=(), **env):
        (folder / "program.py").write_text(program)
        words = [*options, sys.executable, "program.py", *arguments]
        self._folder = folder
        self.process = _context.Process(target=_launch, args=(str(folder), main, (words,), env))
        self.process.start()

    def finish(self):
        """Its exit code, the lines that workers wrote, and what it wrote itself."""
        self.process.join(TIME)
        assert self.process.exitcode is not None, "did not end in time"
        out, err = (self._folder / name for name in ("out", "err"))
        return self.process.exitcode, sorted(out.read_text().splitlines()), err.read_text()

    def workers(self, count):
        """The numbers of the workers' processes, once all of them run `WAIT`."""
        deadline = time.monotonic() + TIME
        while len(found := list(self._folder.glob("*.pid"))) < count:
            assert self.process.is_alive(), self.finish()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return [int(path.read_text()) for path in found]


def _launch(folder, function, arguments, env):
    os.chdir(folder)
    for name in [name for name in os.environ if name.startswith(("OMP_", "DMLC_", "TORCH"))]:
        del os.environ[name]
    os.environ.update(env)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(name, os.O_CREAT | os.O_WRONLY | os.O_APPEND), number)
    code = function(*arguments)
    sys.stderr.flush()
    os._exit(code)


@pytest.fixture
def remote(tmp_path):
    """Two "hosts" and an `ssh` that reaches them; what it takes to launch there."""
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(SSH)
    program.chmod(0o755)
    (tmp_path / "hosts").write_text("# two of them\nlocalhost:2222\n\n127.0.0.1 slots=1\n")
    return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "SSH_LOG": str(tmp_path / "log")}


def wait_for_end(numbers):
    deadline = time.monotonic() + TIME
    while any(is_alive(number) for number in numbers):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(number):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


ON_LINUX = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes as Linux shows them")


# -- here --------------------------------------------------------------------------------------------------------------


def test_workers_find_what_they_need_and_meet(tmp_path):
    (tmp_path / "program.py").write_text(TELL + MEET)
    options = ["-n", "2", "-s", "3", "--env-server", "A:1", "--env-worker", "EXTRA:a:b", "--timeout", "60"]
    command = [sys.executable, "-m", "mxnet.launch", *options, sys.executable, "program.py", "--lr", "0.1"]
    env = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    env["GLOO_SOCKET_IFNAME"] = "lo"
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=TIME, check=False)
    assert done.returncode == 0, done.stderr
    threads = max(1, len(os.sched_getaffinity(0)) // 2)
    assert sorted(done.stdout.splitlines()) == [
        *("met 0 of 2", "met 1 of 2"),
        *(f"worker 2 3 {rank} 127.0.0.1 {rank} a:b {threads} ['--lr', '0.1']" for rank in (0, 1)),
    ]
    assert done.stderr.splitlines() == [
        "[mxnet.launch] -s 3: no server is started; workers add up among themselves.",
        "[mxnet.launch] --env-server: no effect, since no server is started; --env-worker sets variables of workers.",
    ]


def test_a_worker_that_fails_is_brought_back(tmp_path):
    code, out, err = Launcher(tmp_path, FAIL, "-n", "2", "--max-restarts", "1").finish()
    assert code == 0, err
    assert out == [f"attempt {attempt} rank {rank}" for attempt in (0, 1) for rank in (0, 1)]


@pytest.mark.parametrize(
    ("how", "expected", "text"),
    [
        ("killed", 137, "[mxnet.launch] rank 1 of 2 failed first: killed by signal 9 (SIGKILL)."),
        ("exits", 3, "[mxnet.launch] rank 1 of 2 failed first: its program ended with exit code 3."),
    ],
)
def test_the_worker_that_failed_first_is_named(tmp_path, how, expected, text):
    code, _, err = Launcher(tmp_path, FAIL, "-n", "2", arguments=["always", how]).finish()
    assert (code, err.splitlines()[-1]) == (expected, text)
    assert "Root Cause (first observed failure)" in err


@ON_LINUX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_the_launcher(tmp_path, number):
    launcher = Launcher(tmp_path, WAIT, "-n", "2", arguments=[str(tmp_path)])
    workers = launcher.workers(2)
    os.kill(launcher.process.pid, number)
    code, _, err = launcher.finish()
    wait_for_end(workers)
    if number == signal.SIGKILL:
        assert code == -number
    else:
        assert code == 128 + number
        assert err.splitlines()[-1] == f"[mxnet.launch] stopped by {number.name}; all workers have ended."


def test_a_port_that_is_taken(tmp_path):
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        code, _, err = Launcher(tmp_path, TELL, "-n", "2", "--master-port", port).finish()
    assert code == 1
    assert "[mxnet.launch] no worker was started: " in err.splitlines()[-1]
    assert err.splitlines()[-1].endswith(" Choose another --master-port, or leave it out.")


# -- elsewhere ---------------------------------------------------------------------------------------------------------


def test_workers_on_hosts_are_brought_back(tmp_path, remote):
    options = ["-n", "3", "-H", "hosts", "--env", "EXTRA", "--max-restarts", "1"]
    program = TELL + FAIL
    code, out, err = Launcher(tmp_path, program, *options, arguments=["a b"], EXTRA="it's", **remote).finish()
    assert code == 0, err
    cores = os.cpu_count() or 1
    threads = [max(1, cores // 2), max(1, cores // 2), cores]
    assert out == sorted(
        [
            *(f"attempt {attempt} rank {rank}" for attempt in (0, 1) for rank in range(3)),
            *(f"worker 3 3 {rank} localhost {rank} it's {threads[rank]} ['a b']" for rank in range(3) for _ in (0, 1)),
        ]
    )
    assert "[mxnet.launch] localhost (ranks 0 to 1) failed first: exit code 1. All start again (1 of 1)." in err
    begins = sorted(Path(remote["SSH_LOG"]).read_text().splitlines())
    assert len(begins) == 4
    assert begins[0].startswith("-o BatchMode=yes -p 2222 localhost exec")
    assert begins[2].startswith("-o BatchMode=yes 127.0.0.1 exec")


@ON_LINUX
def test_no_worker_on_a_host_outlives_the_launcher(tmp_path, remote):
    launcher = Launcher(tmp_path, WAIT, "-n", "2", "-H", "hosts", arguments=[str(tmp_path)], **remote)
    workers = launcher.workers(2)
    launcher.process.kill()
    launcher.finish()
    wait_for_end(workers)


def shell(who, script, ends_with_input=True):
    return Command(who, ["sh", "-c", script], {}, [], ends_with_input)


def test_a_command_that_fails_ends_the_others(capfd):
    others = [shell("b", "cat > /dev/null"), shell("c", "exec sleep 100", ends_with_input=False)]
    assert run_all([[shell("a", "exit 3"), *others]]) == 3
    assert capfd.readouterr().err == "[mxnet.launch] a failed first: exit code 3.\n"
    assert run_all([[shell("a", "kill -9 $$"), *others]]) == 137
    assert run_all([[shell("a", "exit 3"), *others], [shell("a", "exit 0")]]) == 0
    assert "a failed first: exit code 3. All start again (1 of 1)." in capfd.readouterr().err


def test_a_copy_that_fails(capfd):
    command = shell("a", "exit 0")._replace(before=[["sh", "-c", "exit 4"]])
    assert run_all([[command]]) == 4
    assert capfd.readouterr().err == "[mxnet.launch] a: sh ended with exit code 4; no worker was started.\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_commands_end_with_the_launcher(tmp_path, number):
    attempts = [[shell("a", f"echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/0.pid; cat > /dev/null")]]
    launcher = Launcher.__new__(Launcher)
    launcher._folder = tmp_path
    launcher.process = _context.Process(target=_launch, args=(str(tmp_path), run_all, (attempts,), {}))
    launcher.process.start()
    (command,) = launcher.workers(1)
    os.kill(launcher.process.pid, number)
    code, _, err = launcher.finish()
    assert (code, err) == (128 + number, f"[mxnet.launch] stopped by {number.name}; all workers have ended.\n")
    assert not is_alive(command)


# -- what would be run -------------------------------------------------------------------------------------------------


def dry(capsys, *arguments):
    assert main([*arguments[:-1], "--dry-run", *shlex.split(arguments[-1])]) == 0
    return capsys.readouterr().out.splitlines()


def test_dry_run_here(capsys):
    (line,) = dry(capsys, "-n", "4", "--max-restarts", "2", "--master-port", "23456", "python train.py --lr 1")
    assert "-m torch.distributed.run --nnodes=1 --nproc-per-node=4 --max-restarts=2 --master-addr=127.0.0.1" in line
    assert " --master-port=23456 " in line
    assert line.endswith("python train.py --lr 1")


def test_dry_run_over_ssh(capsys, tmp_path):
    (tmp_path / "hosts").write_text("a\nb:2222\n")
    options = ["-n", "3", "-H", str(tmp_path / "hosts"), "--sync-dst-dir", "/data/my job", "--master-port", "23456"]
    lines = dry(capsys, *options, "--timeout", "9", "python train.py")
    assert lines[0] == "rsync -az --rsh 'ssh -o BatchMode=yes' ./ 'a:/data/my job/'"
    assert lines[2] == "rsync -az --rsh 'ssh -o BatchMode=yes -p 2222' ./ 'b:/data/my job/'"
    for place, (line, start) in enumerate(
        zip(lines[1::2], ["ssh -o BatchMode=yes a", "ssh -o BatchMode=yes -p 2222 b"])
    ):
        words = shlex.split(line)
        assert line.startswith(start)
        shell, flag, script = shlex.split(words[-1])[1:]
        assert (shell, flag) == ("sh", "-c")
        assert script.startswith("cd '/data/my job' || exit 1; export DMLC_ROLE=worker; export DMLC_NUM_WORKER=3;")
        assert "export MXNET_KVSTORE_TIMEOUT=9;" in script
        assert f"--nnodes=2 --nproc-per-node={2 - place} --node-rank={place} --master-addr=a" in script
        assert "--master-port=23456 --max-restarts=0 --no-python python -I -S" in script


def test_dry_run_with_slurm(capsys, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_NODELIST", "gpu[003-005],cpu1")
    (line,) = dry(capsys, "-n", "6", "--launcher", "slurm", "--master-port", "23456", "python train.py")
    assert "DMLC_NUM_WORKER=6" in line
    assert "MASTER_ADDR=gpu003 MASTER_PORT=23456 srun --ntasks=6 --kill-on-bad-exit=1" in line


def test_dry_run_with_mpi(capsys, tmp_path):
    (tmp_path / "hosts").write_text("a\nb slots=1\n")
    (line,) = dry(capsys, "-n", "3", "--launcher", "mpi", "-H", str(tmp_path / "hosts"), "python train.py")
    assert "MASTER_ADDR=a " in line
    assert " mpirun -np 3 --host a:2,b:1 -x DMLC_ROLE " in line
    assert " -x MASTER_ADDR -x MASTER_PORT " in line


# -- options -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("python x.py", "the following arguments are required: -n"),
        ("-n 2", "no command: write the program after the options, such as `python train.py`"),
        ("-n 0 python x.py", "--num-workers: received 0; expected at least 1"),
        ("-n 2 --max-restarts -1 python x.py", "--max-restarts: received -1; expected at least 0"),
        ("-n 2 --timeout 0 python x.py", "--timeout: received 0; expected a number of seconds above 0"),
        ("-n 2 --launcher ssh python x.py", "--launcher ssh: needs the machines; give a file that lists them with -H"),
        ("-n 2 --launcher local -H hosts python x.py", "--hostfile: works with the launchers ssh and mpi"),
        ("-n 2 -H /none python x.py", "--hostfile: /none cannot be read (No such file or directory)"),
        ("-n 2 --launcher sge python x.py", "--launcher sge: not available; expected one of local, ssh, slurm, mpi."),
        ("-n 2 --launcher yarn python x.py", "Instead, have YARN start `torchrun --nnodes"),
        ("-n 2 --launcher slurm python x.py", "there is no SLURM_JOB_NODELIST; run it in a job"),
        ("-n 2 --launcher mpi --max-restarts 1 python x.py", "--max-restarts: works with the launchers local and ssh"),
        ("-n 2 --sync-dst-dir /x python x.py", "--sync-dst-dir: works with the launcher ssh, not with local"),
        ("-n 2 --env NOT_THERE python x.py", "--env NOT_THERE: not set in this process; to set it, write --env-worker"),
        ("-n 2 --env-worker A=1 python x.py", "--env-worker: received 'A=1'; expected NAME:VALUE"),
        ("-n 2 ./not_there", "'./not_there' is no program that can be run; write `python train.py`"),
    ],
)
def test_options_that_are_refused(arguments, text, capsys, monkeypatch):
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(arguments))
    assert ended.value.code == 2
    assert text in capsys.readouterr().err.replace("\n", " ")


def test_a_command_in_one_word():
    assert read_options(["-n", "1", "sh -c 'exit 1'"]).command == ["sh", "-c", "exit 1"]
    assert read_options(["-n", "1", "--", "sh", "-x"]).command == ["sh", "-x"]


def test_a_program_that_is_not_installed(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["-n", "1", "--launcher", "mpi", "python", "x.py"]) == 1
    assert "there is no program 'mpirun' on this machine; install it" in capsys.readouterr().err


def test_hosts(tmp_path):
    path = tmp_path / "hosts"
    path.write_text("a  # the first\nb:22 slots=2\nc slots = 1\n")
    hosts = read_hosts(str(path))
    assert hosts == [Host("a"), Host("b", 22, 2), Host("c", 0, 1)]
    assert [count for _, count in spread(hosts, 7)] == [4, 2, 1]
    assert [host.name for host, _ in spread(hosts, 2)] == ["a", "b"]
    with pytest.raises(HostsError, match="3 slots for 4 workers; add hosts, or lower -n"):
        spread(hosts[1:], 4)
    path.write_text("a b c\n")
    with pytest.raises(HostsError, match="line 1: received 'a b c'; expected `host`, `host:port` or `host slots=4`"):
        read_hosts(str(path))
    path.write_text("# none\n")
    with pytest.raises(HostsError, match="names no host"):
        read_hosts(str(path))


@pytest.mark.parametrize(
    ("nodes", "first"),
    [("gpu[003-005,9],cpu1", "gpu003"), ("n1", "n1"), ("n1,n2", "n1"), ("rack[2]-ib,x", "rack2-ib"), ("a[7,9]", "a7")],
)
def test_lists_of_slurm(nodes, first):
    assert first_node(nodes) == first
