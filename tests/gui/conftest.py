# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Blender window on a virtual screen, with the extension installed from its zip as a user does it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tools.blender import HOW, find_blender

CHECKOUT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("driver.py")
TRACEBACK = "Traceback (most recent call last)"
# After which a window that does not finish its scenario is closed.
SECONDS = int(os.environ.get("POSEWRIGHT_WINDOW_SECONDS") or 480)


class Screen(NamedTuple):
    display: str
    picture: Path  # the file that Xvfb keeps what is on the screen in


@pytest.fixture(scope="session")
def real_blender() -> str:
    found = find_blender()
    if found is None:
        pytest.skip(f"no real Blender: {HOW}")
    return found


@pytest.fixture(scope="session")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """A virtual screen of our own; Xvfb itself picks a number that nobody uses."""
    if shutil.which("Xvfb") is None:
        pytest.skip("no virtual screen: install Xvfb")
    folder = tmp_path_factory.mktemp("screen")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-fbdir", str(folder), "-nolisten", "tcp"]
    # Without a pointer: scenarios move another one, and this one would be in the pictures they compare.
    command += ["-screen", "0", "1600x1000x24", "-nocursor"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        number = pipe.readline().strip()
    assert number, "Xvfb did not start"
    yield Screen(f":{number}", folder / "Xvfb_screen0")
    server.terminate()
    server.wait()


@pytest.fixture(scope="session")
def blender_command(
    real_blender: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`blender_command(user_folder, "--command", ...)` runs Blender without a window, for its output."""
    home = tmp_path_factory.mktemp("home")

    def run(user: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [real_blender, *arguments],
            cwd=CHECKOUT,
            env=_environment(user, home),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
        )

    return run


@pytest.fixture(scope="session")
def extension_zip(
    blender_command: Callable[..., subprocess.CompletedProcess[str]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("zip")
    user = tmp_path_factory.mktemp("user")
    made = folder / "posewright.zip"
    done = blender_command(user, "--command", "extension", "build", "--output-filepath", str(made))
    assert made.is_file(), done.stdout
    return made


@pytest.fixture(scope="session")
def installed(
    extension_zip: Path,
    blender_command: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A Blender user folder in which the zip is installed and enabled."""
    user = tmp_path_factory.mktemp("installed")
    command = ["--command", "extension", "install-file", "-r", "user_default", "--enable", str(extension_zip)]
    done = blender_command(user, *command)
    assert (user / "extensions" / "user_default" / "posewright" / "blender_manifest.toml").is_file(), (
        done.stdout
    )
    return user


@pytest.fixture
def run_scenario(
    real_blender: str, screen: Screen, installed: Path, mocap_or_none: Path | None, tmp_path: Path
) -> Callable[[Path], None]:
    """Plays one scenario in a fresh window and fails with what went wrong inside."""

    def run(scenario: Path) -> None:
        artefacts = CHECKOUT / "test-artefacts"
        artefacts.mkdir(exist_ok=True)
        user = tmp_path / "user"
        shutil.copytree(installed, user)
        task = {
            "scenario": str(scenario),
            "report": str(tmp_path / "report.json"),
            "screen": str(screen.picture),
            "screenshots": str(artefacts),
            "mocap": str(mocap_or_none) if mocap_or_none else None,
            "temporary": str(tmp_path),
        }
        (tmp_path / "task.json").write_text(json.dumps(task))
        output = _play(real_blender, screen.display, user, tmp_path)
        report = tmp_path / "report.json"
        assert report.is_file(), f"Blender ended before the scenario did:\n{output[-4000:]}"
        result: dict[str, Any] = json.loads(report.read_text())
        if result["skipped"]:
            pytest.skip(result["skipped"])
        assert result["passed"], f"{result['error']}\nBlender's output:\n{output[-4000:]}"
        # What fails in a panel, a handler or a timer reaches nobody else: Blender prints it and goes on.
        printed = output.find(TRACEBACK)
        assert printed < 0, f"Blender printed a traceback:\n{output[max(printed - 500, 0) :][:4000]}"

    return run


@pytest.fixture(scope="session")
def mocap_or_none() -> Path | None:
    folder = Path(os.environ.get("POSEWRIGHT_MOCAP") or CHECKOUT.parent / "shared" / "mocap")
    return folder if folder.is_dir() else None


def _play(blender: str, display: str, user: Path, folder: Path) -> str:
    command = [blender, "--enable-event-simulate", "--window-geometry", "0", "0", "1600", "1000"]
    command += ["--python-exit-code", "1", "--python", str(DRIVER), "--", str(folder / "task.json")]
    environment = _environment(user, folder) | {"DISPLAY": display}
    with (folder / "output.txt").open("w") as output:
        process = subprocess.Popen(command, cwd=CHECKOUT, env=environment, stdout=output, stderr=output)
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            output.write(f"\nThe window was closed after {SECONDS} seconds.")
    return (folder / "output.txt").read_text(errors="replace")


def _environment(user: Path, home: Path) -> dict[str, str]:
    """Nothing of whoever runs the tests is read or written, also where Blender is started in a chroot."""
    private = {"BLENDER_USER_RESOURCES": str(user), "HOME": str(home), "REAL_BLENDER_USER": str(home)}
    if "REAL_BLENDER_HOME" not in os.environ and "XDG_CACHE_HOME" not in os.environ:
        private["XDG_CACHE_HOME"] = str(Path.home() / ".cache")
    return dict(os.environ, **private)
