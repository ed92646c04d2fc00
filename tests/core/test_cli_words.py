# SPDX-License-Identifier: GPL-3.0-or-later
"""The words for what the panel can do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core import ALGORITHMS
from tests.core.test_cli_plan import jobs_for


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    (tmp_path / "walk.bvh").write_text("motion")
    return tmp_path / "walk.bvh"


OPTIONS = [(algorithm.name, name) for algorithm in ALGORITHMS.values() for name in algorithm.options]


@pytest.mark.parametrize(("algorithm", "name"), OPTIONS)
def test_every_option_of_every_algorithm_has_a_word(cli: Any, clip: Path, algorithm: str, name: str) -> None:
    option = ALGORITHMS[algorithm].options[name]
    word = "--" + name.replace("_", "-")
    if option.choices:
        words, value = [word, option.choices[-1]], option.choices[-1]
    elif isinstance(option.default, bool):
        words, value = [f"--no-{word[2:]}" if option.default else word], not option.default
    else:
        value = option.minimum if option.minimum is not None else 3
        words = [word, f"{value:g}"]
    for verb in ("reduce", "sheet"):
        [job] = jobs_for(cli, verb, clip, "--algorithm", algorithm, *words)
        assert job.settings["options"] == {name: value}


def test_options_that_were_not_given_are_left_to_the_file(cli: Any, clip: Path) -> None:
    [job] = jobs_for(cli, "reduce", clip)
    assert job.settings["options"] == {}
    assert (job.settings["bones"], job.settings["weights"], job.settings["space"]) == (None, None, None)


def test_an_option_of_another_algorithm_is_said(cli: Any, clip: Path) -> None:
    with pytest.raises(cli.InputError, match=r"--sigma is for --algorithm saliency, not for salient"):
        jobs_for(cli, "reduce", clip, "--sigma", 4)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--largest-gap", "0"], "0 is not a number from 1"),
        (["--k", "2.5"], "2.5 is not a whole number"),
        (["--root-weight", "-1"], "-1 is not a number from 0"),
        (["--sigma", "inf"], "inf is not a number"),
        (["--detail", "120"], "120 is not a percentage"),
        (["--bones", "some"], "invalid choice: 'some'"),
    ],
)
def test_wrong_values_are_told(
    cli: Any, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    with pytest.raises(SystemExit):
        cli.arguments.parser().parse_args(["reduce", "x.bvh", *words])
    assert said in capsys.readouterr().err


def test_the_older_words_still_work(cli: Any, clip: Path) -> None:
    [job] = jobs_for(cli, "reduce", clip, "--gap", 12, "--interpolation", "linear")
    assert job.settings["options"] == {"largest_gap": 12}
    assert job.settings["interpolation"] == "linear"


def test_actions_are_named_one_after_another(cli: Any, clip: Path) -> None:
    [job] = jobs_for(cli, "reduce", clip, "--action", "walk", "run fast", "-o", clip.parent)
    assert job.settings["action"] == ["walk", "run fast"]
