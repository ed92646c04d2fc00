#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything a developer runs, from any Python 3.8 or newer, with nothing installed beforehand.

Environments are made on first use in .envs (or in the folder that POSEWRIGHT_ENVS names) and kept.
What follows a command is handed on: `python3 dev.py test -k salient`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import blender, environments, stubs
from tools import site as pages
from tools.places import ARTEFACTS, CHECKOUT, Stop, say

VERSIONS = ("4.2", "4.3", "4.4", "4.5", "5.0")
NEWEST = VERSIONS[-1]
# Tests run beside each other, where more threads for small matrices wait for processors more than they work.
ALONE = {"OPENBLAS_NUM_THREADS": "1"}


def demo(rest: list[str]) -> int:
    """Distil a demo character, or your own .bvh, .fbx, .glb or .blend, into demo-output/."""
    return _run([_bpy(NEWEST), "-m", "demo", *rest])


def test(rest: list[str]) -> int:
    """Run the tests, in plain Python and in Blender as a module."""
    return _test(NEWEST, rest)


def coverage(rest: list[str]) -> int:
    """Say how much of the code the last `test --cov` ran, and whether that is enough."""
    return _run([_bpy(NEWEST), "-m", "tools.covered", *rest])


def matrix(rest: list[str]) -> int:
    """Run the tests on every supported Blender that there is a module of, or on those named."""
    named = [argument for argument in rest if argument in VERSIONS]
    others = [argument for argument in rest if argument not in VERSIONS]
    results = {version: _test(version, others) for version in named or VERSIONS}
    for version, code in results.items():
        say(f"Blender {version}: {'passed' if code == 0 else 'FAILED'}")
    return max(results.values())


def check(rest: list[str]) -> int:
    """Check style and types: ruff, and basedpyright with Blender's stubs."""
    return max(style(rest), types(rest))


def style(rest: list[str]) -> int:
    """Check the style alone, with ruff."""
    python = str(environments.prepare("check"))
    return max(
        _run([python, "-m", "ruff", *command, *rest]) for command in (["check"], ["format", "--check"])
    )


def types(rest: list[str]) -> int:
    """Check the types alone, with basedpyright and Blender's stubs."""
    environment = environments.prepare("check")
    stubs.change(environment, reinstall=lambda package: environments.reinstall("check", package))
    return _run([str(environment), "-m", "basedpyright", "--pythonpath", str(environment), *rest])


def real(rest: list[str]) -> int:
    """Run the tests inside a real Blender, with pytest-blender; all of them in two at once."""
    executable = blender.need_blender()
    version = blender.python_version(executable)
    packages = environments.prepare_folder(f"blender-python-{version}", version, "inside-blender")
    # Appended, so that what Blender brings itself (its numpy above all) is what gets tested.
    path = f"import sys; sys.path.append({str(packages)!r})"
    outside = [_bpy(NEWEST), "-m", "pytest", "-p", "pytest-blender", "--blender-executable", executable]
    outside += ["-W", "ignore:config.inicfg is deprecated"]  # pytest-blender's own
    inside = ["--", "--factory-startup", "--python-exit-code", "1", "--python-expr", path]
    command = [*outside, *_selected(rest), *inside]
    with tempfile.TemporaryDirectory(prefix="posewright-real-") as folder:
        parts = ("1/1",) if rest else ("1/2", "2/2")
        runs = [
            {"BLENDER_USER_RESOURCES": tempfile.mkdtemp(dir=folder), "POSEWRIGHT_PART": part, **ALONE}
            for part in parts
        ]
        return _run_beside_each_other(command, runs)


def gui(rest: list[str]) -> int:
    """Run the tests that need a window, in a real Blender on a virtual screen."""
    executable = blender.need_blender()
    ARTEFACTS.mkdir(exist_ok=True)
    return _run([_bpy(NEWEST), "-m", "pytest", "tests/gui", *rest], POSEWRIGHT_BLENDER=executable)


def older(rest: list[str]) -> int:
    """Run the tests that need a window in an older Blender, too, where there is one."""
    found = blender.find_older()
    if found is None:
        raise Stop("There is no older Blender: set POSEWRIGHT_OLDER_BLENDER to its executable.")
    executable, variables = found
    ARTEFACTS.mkdir(exist_ok=True)
    variables["POSEWRIGHT_BLENDER"] = executable
    return _run([_bpy(NEWEST), "-m", "pytest", "tests/gui", *rest], **variables)


def listing(rest: list[str]) -> int:
    """Make what the listing in docs/listing shows, in a real window."""
    executable = blender.need_blender()
    ARTEFACTS.mkdir(exist_ok=True)
    asked = {"POSEWRIGHT_BLENDER": executable, "POSEWRIGHT_LISTING": "1", "POSEWRIGHT_WINDOW_SECONDS": "1800"}
    if code := _run([_bpy(NEWEST), "-m", "pytest", "tests/gui/test_listing.py", *rest], **asked):
        return code
    return _run([_bpy(NEWEST), "-m", "tools.listing"])


def build(rest: list[str]) -> int:
    """Validate the extension and build its zip into dist/, with a real Blender."""
    executable = blender.need_blender()
    (CHECKOUT / "dist").mkdir(exist_ok=True)
    if _run([executable, "--command", "extension", "validate", "."]):
        return 1
    return _run([executable, "--command", "extension", "build", "--output-dir", "dist", *rest])


def site(rest: list[str]) -> int:
    """Make a site of the documentation in site/; dead links and fetching are errors."""
    with tempfile.TemporaryDirectory(prefix="posewright-site-") as folder:
        made = ["-f", str(pages.gather(Path(folder))), "--site-dir", str(CHECKOUT / "site"), *rest]
        command = [str(environments.prepare("site")), "-m", "mkdocs", "build", "-q", "--strict", *made]
        code = _run(command, NO_MKDOCS_2_WARNING="1")
    for url in pages.fetched(CHECKOUT / "site"):
        say(f"a page fetches {url}")
        code = 1
    return code


def bench(rest: list[str]) -> int:
    """Run one of the benchmarks, or list them."""
    if not rest:
        files = sorted((CHECKOUT / "benchmarks").glob("*.py"))
        names = [file.stem for file in files if "__main__" in file.read_text(encoding="utf-8")]
        say(f"choose a benchmark: {', '.join(names)}")
        return 0
    return _run([_bpy(NEWEST), "-m", f"benchmarks.{rest[0]}", *rest[1:]])


def messages(rest: list[str]) -> int:
    """Tell which sentences the languages in languages/ lack."""
    return _run([_bpy(NEWEST), "-m", "tools.messages", *rest])


CHECKS = (test, coverage, matrix, check, style, types, real, gui, older, messages)
COMMANDS = (demo, *CHECKS, listing, build, site, bench)


def _bpy(version: str) -> str:
    return str(environments.prepare(f"bpy-{version}"))


def _test(version: str, rest: list[str]) -> int:
    python = _bpy(version)
    say(f"testing with Blender {version}")
    # Workers are processes of their own: a crash in Blender is a failed test, and the exit code is pytest's.
    # One that crashed is not replaced: xdist may wait for ever for what it had been given.
    workers = ["-n", str(min(os.cpu_count() or 1, 4)), "--dist", "loadfile", "--max-worker-restart", "0"]
    command = [python, "-m", "pytest", *workers, *_selected(rest)]
    with tempfile.TemporaryDirectory(prefix="posewright-tests-") as folder:
        crashed = Path(folder) / "crashed.txt"
        code = _run(command, POSEWRIGHT_CRASHED=str(crashed), **ALONE)
        if not crashed.exists():
            return code
        # Old modules crash now and then in code of their own. What always crashes, crashes again.
        say(f"Blender {version} CRASHED once, everything is run again: {crashed.read_text().strip()}")
    return _run(command, **ALONE)


def _selected(rest: list[str]) -> list[str]:
    """The tests somebody named, or all that need no window."""
    named = any((CHECKOUT / argument.split("::")[0]).exists() for argument in rest if argument[:1] != "-")
    return rest if named else ["tests", "--ignore=tests/gui", *rest]


def _run(command: list[str], **variables: str) -> int:
    return _run_beside_each_other(command, [variables])


def _run_beside_each_other(command: list[str], runs: list[dict[str, str]]) -> int:
    """Run a command once with each set of variables; what the later ones print is shown at the end."""
    with contextlib.ExitStack() as files:
        logs = [None, *(files.enter_context(tempfile.TemporaryFile()) for _ in runs[1:])]
        processes = [
            subprocess.Popen(
                command,
                cwd=CHECKOUT,
                env=dict(os.environ, PYTHONNOUSERSITE="1", **variables),
                stdout=log,
                stderr=log and subprocess.STDOUT,
            )
            for variables, log in zip(runs, logs)
        ]
        codes = [process.wait() for process in processes]
        for log in logs[1:]:
            log.seek(0)
            sys.stdout.write(log.read().decode(errors="replace"))
    return max(code if code >= 0 else 128 - code for code in codes)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for function in COMMANDS:
        commands.add_parser(function.__name__, help=function.__doc__, add_help=False)
    chosen, rest = parser.parse_known_args()
    try:
        return next(function for function in COMMANDS if function.__name__ == chosen.command)(rest)
    except Stop as reason:
        say(str(reason))
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
