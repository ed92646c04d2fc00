# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line's parts through a real scheduler: a node is lost in the middle, and the job finishes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.blender import slurm_cluster
from tests.blender.test_cli import make_clip
from tests.blender.test_cli_together import CLIPS, check_results, statuses

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[slurm_cluster.Cluster]:
    if bpy.app.binary_path:
        pytest.skip("tested with Blender as a module")
    if reason := slurm_cluster.missing():
        pytest.skip(reason)
    folder = tmp_path / "cluster"
    folder.mkdir()
    with slurm_cluster.running(folder) as cluster:
        yield cluster


def test_a_node_is_lost_and_the_job_finishes(
    posewright: Any, cluster: slurm_cluster.Cluster, tmp_path: Path
) -> None:
    clips, out, record = tmp_path / "clips", tmp_path / "out", tmp_path / "out" / "posewright-reduce.jsonl"
    clips.mkdir()
    for number in range(CLIPS):
        make_clip(posewright, clips / f"c{number}.bvh", 30)
    reduce = f"'{sys.executable}' '{CHECKOUT}' reduce '{clips}' -o '{out}' --keys 6 --jobs 1"
    part = f"--shard $SLURM_ARRAY_TASK_ID/2 --json '{tmp_path}'/report-$SLURM_ARRAY_TASK_ID.json"
    cluster.ask("sbatch", "--array=1-2", "--requeue", "-o", "/dev/null", "--wrap", f"{reduce} {part}")

    second = {str(out / f"c{number}_reduced.bvh") for number in (1, 3)}
    slurm_cluster.wait_for(lambda: bool(second & finished(record)))
    cluster.kill(cluster.node_of(task=2))
    assert len(second & finished(record)) == 1, "it is lost in the middle of its part"

    slurm_cluster.wait_for(lambda: not cluster.ask("squeue", "-h").strip())
    check_results(posewright, out, parts=("-1-of-2", "-2-of-2"))
    assert statuses((tmp_path / "report-1.json").read_text()) == {"done": 2}
    assert statuses((tmp_path / "report-2.json").read_text()) == {"kept": 1, "done": 1}
    assert "requeue job" in cluster.log, cluster.log


def finished(record: Path) -> set[str]:
    """The results that the batches' record tells of."""
    entries = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    return {entry["output"] for entry in entries if "result" in entry}
