# SPDX-License-Identifier: GPL-3.0-or-later
"""A Slurm cluster of two nodes on this machine, as Debian packages it: for a test, and gone after it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "unshare")
NODES = ("one", "two")
SECONDS = 240  # after which waiting is given up

# Nobody but this machine can reach it, so it needs no keys; a lost node is noticed after ten seconds, and
# what ran there may begin anew as soon as its credentials have expired.
CONFIGURATION = """
ClusterName=posewright
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller}
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SlurmdTimeout=10
PartitionName=farm Nodes=ALL Default=YES State=UP
"""
NODE = "NodeName={name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=1 State=UNKNOWN\n"


def missing() -> str:
    """Why there can be no cluster here; nothing if there can."""
    programs = [name for name in PROGRAMS if shutil.which(name) is None]
    if programs:
        return f"no Slurm here ({', '.join(programs)}): on Debian, install slurmctld, slurmd and slurm-client"
    return "" if os.geteuid() == 0 else "Slurm's nodes are started by root"


class Cluster:
    def __init__(self, folder: Path, nodes: dict[str, subprocess.Popen[bytes]]) -> None:
        self._folder = folder
        self._nodes = nodes

    @property
    def log(self) -> str:
        """What the scheduler wrote."""
        return (self._folder / "slurmctld.log").read_text()

    def ask(self, *words: object) -> str:
        """The answer of one of Slurm's own commands."""
        return subprocess.run(
            [str(word) for word in words],
            env=self._environment,
            check=True,
            text=True,
            stdout=subprocess.PIPE,
        ).stdout

    def node_of(self, task: int) -> str:
        """The node that works on a task of the array."""
        return (
            self.ask("squeue", "-h", "-r", "-t", "R", "-o", "%K %N").partition(f"{task} ")[2].split("\n")[0]
        )

    def kill(self, name: str) -> None:
        """As a power cut does: the node's daemon and everything that it runs are gone at once."""
        self._nodes[name].send_signal(signal.SIGKILL)
        self._nodes[name].wait()

    @property
    def _environment(self) -> dict[str, str]:
        return dict(os.environ, SLURM_CONF=str(self._folder / "slurm.conf"))


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    controller, *ports = _free_ports(1 + len(NODES))
    nodes = "".join(NODE.format(name=name, port=port) for name, port in zip(NODES, ports, strict=True))
    (folder / "slurm.conf").write_text(nodes + CONFIGURATION.format(folder=folder, controller=controller))
    (folder / "state").mkdir()
    with ExitStack() as stack:
        stack.enter_context(_daemon(folder, "slurmctld"))
        daemons = {name: stack.enter_context(_daemon(folder, "slurmd", "-N", name)) for name in NODES}
        cluster = Cluster(folder, daemons)
        wait_for(lambda: cluster.ask("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == str(len(NODES)))
        yield cluster


def wait_for(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < end, f"waited {SECONDS} seconds in vain"
        time.sleep(0.2)


@contextmanager
def _daemon(folder: Path, program: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon and all it starts among processes of their own: what ends it ends them all."""
    alone = ["unshare", "--pid", "--mount-proc", "--kill-child"]
    command = [*alone, program, "-D", "-f", str(folder / "slurm.conf"), *words]
    environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
