# SPDX-License-Identifier: GPL-3.0-or-later
"""Files get their name once they are complete, and troubles with the disk are told in sentences."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2]


def test_a_file_has_its_name_only_once_it_is_complete(whole_files: Any, tmp_path: Path) -> None:
    path = tmp_path / "walk_reduced.bvh"
    with whole_files.written_whole(path) as partial:
        partial.write_text("half")
        assert not path.exists()
        assert partial.suffix == ".bvh"
        assert partial.name.startswith(".")
        partial.write_text("whole")
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_left_of_what_failed_and_what_was_there_stays(whole_files: Any, tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    path.write_text("before")

    def fail() -> None:
        with whole_files.written_whole(path) as partial:
            partial.write_text("half")
            raise KeyError("a fault of an exporter")

    with pytest.raises(KeyError):
        fail()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_without_leave_nothing_that_has_appeared_meanwhile_is_replaced(
    whole_files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    for with_links in (True, False):
        path = tmp_path / f"{with_links}.bvh"
        if not with_links:
            monkeypatch.setattr(os, "link", no_links)
        with whole_files.written_whole(path, replace=False) as partial:
            partial.write_text("mine")
        assert path.read_text() == "mine"

        def write_again(path: Path = path) -> None:
            with whole_files.written_whole(path, replace=False) as partial:
                partial.write_text("mine too")

        with pytest.raises(FileExistsError):
            write_again()
        assert path.read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 2


def test_two_processes_never_share_a_name(whole_files: Any, tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    code = (
        "import runpy, sys; runpy.run_path(sys.argv[1])['load_package']();"
        "from posewright.bridge.whole_files import partial_path; from pathlib import Path;"
        "print(partial_path(Path(sys.argv[2])))"
    )
    words = [sys.executable, "-c", code, str(FOLDER / "tools" / "package.py"), str(path)]
    theirs = Path(subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip())
    assert theirs.parent == path.parent
    assert theirs != whole_files.partial_path(path)


def test_leftovers_of_one_file_are_removed_and_of_no_other(whole_files: Any, tmp_path: Path) -> None:
    path, other = tmp_path / "walk.bvh", tmp_path / "walk.v2.bvh"
    for file in (path, other, tmp_path / "mine.txt"):
        file.write_text("whole")
    for file in (path, other):
        whole_files.partial_path(file).write_text("half")
    whole_files.remove_leftovers(path)
    assert not whole_files.partial_path(path).exists()
    assert whole_files.partial_path(other).exists()
    assert path.exists()


@pytest.mark.parametrize("stem", ["x" * 251, "歩" * 80])
def test_a_name_as_long_as_the_disk_allows_is_no_trouble(whole_files: Any, tmp_path: Path, stem: str) -> None:
    path = tmp_path / f"{stem}.bvh"
    with whole_files.written_whole(path) as partial:
        partial.write_text("whole")
    assert path.read_text() == "whole"


@pytest.mark.parametrize("quoted", [False, True], ids=["raised", "quoted by Blender"])
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "is full: free some space"),
        (errno.EDQUOT, "is used up"),
        (errno.EROFS, "can only be read"),
        (errno.EACCES, "You may not write"),
    ],
)
def test_troubles_with_the_disk_are_sentences(
    cli: Any, whole_files: Any, tmp_path: Path, code: int, words: str, quoted: bool
) -> None:
    said = os.strerror(code)
    error = RuntimeError(f"Error: Python: Traceback ...\nOSError: [Errno {code}] {said}\n")

    def fail() -> None:
        with whole_files.written_whole(tmp_path / "walk.bvh") as partial:
            partial.write_text("half")
            raise error if quoted else OSError(code, said)

    with pytest.raises(cli.InputError, match=words) as told:
        fail()
    assert str(tmp_path) in str(told.value)
    assert "\n" not in str(told.value)
    assert not list(tmp_path.iterdir())


def test_a_folder_in_the_way_is_told(cli: Any, whole_files: Any, tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    path.mkdir()

    def write() -> None:
        with whole_files.written_whole(path) as partial:
            partial.write_text("whole")

    with pytest.raises(cli.InputError, match="is a folder: move it away"):
        write()
    assert list(tmp_path.iterdir()) == [path]
