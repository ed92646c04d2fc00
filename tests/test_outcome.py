# SPDX-License-Identifier: GPL-3.0-or-later
"""The summary of `.ci/run` says what was skipped, and why."""

from __future__ import annotations

import pytest

from tools import outcome

pytest_plugins = ["pytester"]


def test_what_pytest_prints_is_understood(pytester: pytest.Pytester):
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("n", range(3))
        def test_skipped(n):
            pytest.skip("no clips: set CLIPS")

        @pytest.mark.skipif(True, reason="no slots")
        def test_skipped_by_mark(): ...

        def test_skipped_elsewhere():
            pytest.skip("no clips: set CLIPS")

        def test_passed(): ...
        def test_failed(): assert False
        """
    )
    output = pytester.runpytest_inprocess("-ra", "-p", "no:xdist", "-p", "no:pytest-blender").stdout.str()
    assert outcome.totals(output) == {"passed": 1, "failed": 1, "skipped": 5}
    assert outcome.reasons(output) == {"no clips: set CLIPS": 4, "no slots": 1}


def test_several_runs_are_added_up():
    output = "==== 3 passed, 1 skipped in 1.20s ====\n" * 2 + "12 passed in 100.00s (0:01:40)\n"
    assert outcome.totals(output) == {"passed": 18, "skipped": 2}


def test_coverage_is_reported_after_the_tests():
    said = ["coverage of core: 98.1 %, at least 95 %", "TOO LITTLE coverage of bridge: 7.0 %, at least 85 %"]
    output = "== 3 passed in 1.20s ==\n" + "".join(f"dev.py: {line}\n" for line in said)
    assert outcome.report(output).splitlines() == ["3 passed", *said]


def test_a_stage_without_tests_says_nothing():
    assert outcome.report("All checks passed!\n12 files in 3s\n") == ""


def test_a_crash_is_reported_though_all_passed_the_second_time():
    said = "Blender 4.2 CRASHED once, everything is run again: tests/test_files.py::test_writing"
    output = f"== 1 failed in 1.20s ==\ndev.py: {said}\n== 3 passed in 1.20s ==\n"
    assert outcome.report(output).splitlines() == ["1 failed, 3 passed", said]
