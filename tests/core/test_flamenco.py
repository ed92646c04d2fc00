# SPDX-License-Identifier: GPL-3.0-or-later
"""The Flamenco job type, compiled by a JavaScript engine against a stand-in for the Manager's own API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

quickjs = pytest.importorskip("quickjs", reason="no JavaScript engine: pip install quickjs")

JOB_TYPE = Path(__file__).resolve().parents[2] / "farm" / "posewright-reduce.js"

# What the Manager gives a job type: `author` makes tasks and commands, `job` collects tasks.
MANAGER = """
const author = {
    Task: (name, type) => ({ name, type, commands: [], addCommand(c) { this.commands.push(c); } }),
    Command: (name, parameters) => ({ name, parameters }),
};
function compiled(settings) {
    const job = { settings, tasks: [], addTask(task) { this.tasks.push(task); } };
    compileJob(job);
    return JSON.stringify(job.tasks);
}
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    context = quickjs.Context()
    context.eval(MANAGER + JOB_TYPE.read_text(encoding="utf-8"))
    return context


def compile_job(engine: Any, **changes: Any) -> list[dict[str, Any]]:
    settings = json.loads(engine.eval("JSON.stringify(JOB_TYPE.settings)"))
    values = {setting["key"]: setting.get("default") for setting in settings}
    values |= {"clips": "/farm/clips", "results": "/farm/results"} | changes
    return json.loads(engine.eval(f"compiled({json.dumps(values)})"))


def test_a_folder_is_cut_into_tasks_that_need_nothing_of_each_other(engine: Any) -> None:
    tasks = compile_job(engine, parts=3)
    assert [task["name"] for task in tasks] == ["reduce-1-of-3", "reduce-2-of-3", "reduce-3-of-3"]
    assert {task["type"] for task in tasks} == {"blender"}


def test_every_task_is_a_command_line_that_the_extension_understands(engine: Any, arguments: Any) -> None:
    for number, task in enumerate(compile_job(engine, parts=4, amount="--error", number=0.5), start=1):
        (command,) = task["commands"]
        assert command["name"] == "exec"
        assert command["parameters"]["exe"] == "{blender}"
        words = command["parameters"]["args"]
        assert words[:3] == ["--background", "--command", "posewright"]
        parsed = arguments.parser().parse_args(words[3:])
        assert parsed.verb == "reduce"
        assert parsed.shard == (number, 4)
        assert parsed.error == 0.5
        assert parsed.json == f"/farm/results/report-{number}.json"
        assert not parsed.overwrite


def test_key_counts_are_whole_numbers(engine: Any, arguments: Any) -> None:
    (task,) = compile_job(engine, parts=1, amount="--keys", number=12.0, overwrite=True)
    parsed = arguments.parser().parse_args(task["commands"][0]["parameters"]["args"][3:])
    assert parsed.keys == 12
    assert parsed.overwrite


def test_choices_match_the_extension(engine: Any, arguments: Any) -> None:
    settings = {s["key"]: s for s in json.loads(engine.eval("JSON.stringify(JOB_TYPE.settings)"))}
    assert set(settings["algorithm"]["choices"]) == set(arguments.ALGORITHMS)
