# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command line asks for, before any Blender starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.bvh", "a.fbx", "deep/c.BVH", "notes.txt", "old_reduced.bvh", ".half.partial.bvh"):
        path = tmp_path / "clips" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("motion")
    return tmp_path / "clips"


def jobs_for(cli: Any, *words: object) -> list[Any]:
    return cli.plan.plan(cli.arguments.parser().parse_args([str(word) for word in words]))


def test_a_folder_gives_its_clips_and_not_its_results(cli: Any, folder: Path) -> None:
    jobs = jobs_for(cli, "reduce", folder)
    assert [Path(job.input).name for job in jobs] == ["a.fbx", "b.bvh", "c.BVH"]


def test_results_lie_beside_their_inputs(cli: Any, folder: Path) -> None:
    jobs = jobs_for(cli, "reduce", folder / "b.bvh")
    assert Path(jobs[0].output) == folder / "b_reduced.bvh"


def test_an_output_folder_keeps_sub_folders_and_takes_the_format(
    cli: Any, folder: Path, tmp_path: Path
) -> None:
    jobs = jobs_for(cli, "reduce", folder, "-o", tmp_path / "out", "--format", "blend")
    names = [str(Path(job.output).relative_to(tmp_path / "out")) for job in jobs]
    assert names == ["a_reduced.blend", "b_reduced.blend", str(Path("deep", "c_reduced.blend"))]


def test_shards_share_the_files_out_without_loss_or_double(cli: Any, folder: Path) -> None:
    parts = [jobs_for(cli, "reduce", folder, "--shard", f"{part}/2") for part in (1, 2)]
    inputs = [job.input for part in parts for job in part]
    assert sorted(inputs) == sorted(job.input for job in jobs_for(cli, "reduce", folder))


def test_two_clips_never_share_a_result(cli: Any, folder: Path) -> None:
    (folder / "b.fbx").write_text("motion")
    for words in (["reduce", folder, "--format", "blend"], ["sheet", folder]):
        with pytest.raises(
            cli.InputError, match=r"b\.bvh and b\.fbx would both .* two runs with different folders"
        ):
            jobs_for(cli, *words)


def test_an_empty_folder_is_named(cli: Any, tmp_path: Path) -> None:
    with pytest.raises(cli.InputError, match="No clip was found in"):
        jobs_for(cli, "reduce", tmp_path)


def test_without_an_amount_a_twentieth_of_the_frames_become_keys(cli: Any, folder: Path) -> None:
    assert jobs_for(cli, "reduce", folder)[0].settings["share"] == 5.0
    assert jobs_for(cli, "reduce", folder, "--keys", 9)[0].settings["share"] is None
    assert jobs_for(cli, "reduce", folder, "--suggested")[0].settings["share"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reduce", "x.bvh", "--keys", "1"], "1 is not a whole number from 2 on"),
        (["reduce", "x.bvh", "--share", "0"], "0 is not a percentage"),
        (["reduce", "x.bvh", "--range", "9,3"], "9,3 is not a first and a later last frame"),
        (["reduce", "x.bvh", "--fixed", "a"], "a is not a list of frames"),
        (["reduce", "x.bvh", "--range", "nan,60"], "nan,60 is not a list of frames"),
        (["reduce", "x.bvh", "--shard", "3/2"], "3/2 is not a part"),
        (["compare", "x.bvh", "--algorithms", "magic"], "there is no algorithm magic"),
        (["reduce", "x.bvh", "--keys", "9", "--share", "5"], "not allowed with argument"),
    ],
)
def test_wrong_words_are_named(
    cli: Any, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words) == 2
    assert said in capsys.readouterr().err


def test_help_shows_examples(cli: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    assert "posewright reduce walk.bvh --share 5" in capsys.readouterr().out


class TestJournal:
    @pytest.fixture
    def job(self, cli: Any, folder: Path) -> Any:
        return jobs_for(cli, "reduce", folder / "b.bvh")[0]

    def test_remembers_what_is_finished(self, cli: Any, job: Any, tmp_path: Path) -> None:
        Path(job.output).write_text("done")
        journal = cli.journal.Journal(tmp_path, "reduce")
        journal.start(job)
        journal.finish(job, {"status": "done"})
        assert cli.journal.Journal(tmp_path, "reduce").result(job) == {"status": "done"}

    def test_forgets_it_when_the_input_the_settings_or_the_result_change(
        self, cli: Any, job: Any, folder: Path, tmp_path: Path
    ) -> None:
        Path(job.output).write_text("done")
        journal = cli.journal.Journal(tmp_path, "reduce")
        journal.start(job)
        journal.finish(job, {"status": "done"})
        again = cli.journal.Journal(tmp_path, "reduce")
        assert again.result(jobs_for(cli, "reduce", folder / "b.bvh", "--keys", 9)[0]) is None
        Path(job.output).unlink()
        assert again.result(job) is None
        Path(job.output).write_text("done")
        Path(job.input).write_text("another motion")
        assert again.result(job) is None

    def test_forgets_it_when_another_job_has_written_the_same_file(
        self, cli: Any, job: Any, folder: Path, tmp_path: Path
    ) -> None:
        Path(job.output).write_text("done")
        journal = cli.journal.Journal(tmp_path, "reduce")
        other = jobs_for(cli, "reduce", folder / "b.bvh", "--keys", 9)[0]
        for each in (job, other):
            journal.start(each)
            journal.finish(each, {"status": "done", "keys": each.settings["keys"]})
        again = cli.journal.Journal(tmp_path, "reduce")
        assert again.result(job) is None, "the file holds nine keys by now"
        assert not again.was_started(job), "nor may it be replaced"
        assert again.result(other) == {"status": "done", "keys": 9}

    def test_forgets_it_when_one_of_several_files_is_gone(self, cli: Any, job: Any, tmp_path: Path) -> None:
        table = tmp_path / "table.csv"
        for file in (Path(job.output), table):
            file.write_text("done")
        journal = cli.journal.Journal(tmp_path, "reduce")
        journal.start(job)
        journal.finish(job, {"status": "done", "clips": [{"picture": job.output, "table": str(table)}]})
        assert cli.journal.Journal(tmp_path, "reduce").result(job) is not None
        table.unlink()
        assert cli.journal.Journal(tmp_path, "reduce").result(job) is None

    def test_an_input_that_changes_meanwhile_is_done_again(self, cli: Any, job: Any, tmp_path: Path) -> None:
        Path(job.output).write_text("done")
        journal = cli.journal.Journal(tmp_path, "reduce")
        journal.start(job)
        Path(job.input).write_text("another motion")
        journal.finish(job, {"status": "done"})
        assert cli.journal.Journal(tmp_path, "reduce").result(job) is None

    def test_survives_a_line_cut_off_by_a_kill(self, cli: Any, job: Any, tmp_path: Path) -> None:
        journal = cli.journal.Journal(tmp_path, "reduce")
        journal.start(job)
        with (tmp_path / "posewright-reduce.jsonl").open("a") as file:
            file.write('{"job": "abc", "resu')
        again = cli.journal.Journal(tmp_path, "reduce")
        assert again.was_started(job)

    def test_what_comes_after_a_cut_off_line_is_kept(self, cli: Any, job: Any, tmp_path: Path) -> None:
        (tmp_path / "posewright-reduce.jsonl").write_text('{"job": "cut o')
        cli.journal.Journal(tmp_path, "reduce").start(job)
        assert cli.journal.Journal(tmp_path, "reduce").was_started(job)
