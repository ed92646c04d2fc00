# SPDX-License-Identifier: GPL-3.0-or-later
"""What is stored with a file comes back as it was, or is refused with a sentence."""

from __future__ import annotations

import base64
import importlib
import io
from collections.abc import Callable
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def storage(posewright: ModuleType) -> Any:
    return importlib.import_module(f"{posewright.__name__}.bridge.distil.storage")


def solved(posewright: Any, algorithm: str) -> Any:
    positions = np.random.default_rng(3).normal(size=(40, 2, 3)).cumsum(axis=0)
    return posewright.core.select(positions, algorithm, max_keys=9)


def extra_of(solutions: Any) -> Arrays:
    return {
        "frames": np.arange(1.0, 41.0),
        "estimated_errors": np.stack([solutions.errors, 2.0 * solutions.errors]).astype(np.float32),
        "seen_errors": solutions.errors,
        "influence": np.ones(5),
        "whole": np.array(True),
        "loop": np.array([1.0, 39.6]),
        "holds": np.array([3, 9, 20, 26]),
        "height": np.array(1.7),
    }


def packed(posewright: Any, storage: Any, algorithm: str) -> str:
    solutions = solved(posewright, algorithm)
    return storage.pack(solutions, extra_of(solutions))


@pytest.mark.parametrize("algorithm", ["salient", "greedy", "saliency"])
def test_it_comes_back_as_it_was(posewright: Any, storage: Any, algorithm: str) -> None:
    solutions = solved(posewright, algorithm)
    again, extra = storage.unpack(storage.pack(solutions, extra_of(solutions)))
    assert again.counts.tolist() == solutions.counts.tolist()
    assert (again.algorithm, again.objective, again.own_count) == (
        solutions.algorithm, solutions.objective, solutions.own_count,
    )  # fmt: skip
    for count in solutions.counts.tolist():
        np.testing.assert_array_equal(again.keys(count), solutions.keys(count))
        assert again.error(count) == solutions.error(count)
    assert set(extra) == set(extra_of(solutions))


def changed(text: str, change: Callable[[Arrays], Any]) -> str:
    """The same text with other arrays in it."""
    with np.load(io.BytesIO(base64.b64decode(text))) as stored:
        arrays = {name: stored[name] for name in stored.files}
    arrays = change(arrays) or arrays
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return base64.b64encode(buffer.getvalue()).decode()


def other(**arrays: Any) -> Callable[[str], str]:
    """Some arrays replaced by others, or by what a function makes of them."""

    def replace(text: str) -> str:
        def change(stored: Arrays) -> Arrays:
            made = {
                name: np.asarray(value(stored[name]) if callable(value) else value)
                for name, value in arrays.items()
            }
            return stored | made

        return changed(text, change)

    return replace


def without(name: str) -> Callable[[str], str]:
    return lambda text: changed(text, lambda stored: {key: stored[key] for key in stored if key != name})


def with_flipped_bytes(text: str) -> str:
    content = bytearray(base64.b64decode(text))
    content[60:90] = bytes(255 - byte for byte in content[60:90])
    return base64.b64encode(bytes(content)).decode()


DAMAGE: dict[str, Callable[[str], str]] = {
    "words": lambda _: "what a lovely day",
    "not ASCII": lambda text: text[:40] + "歩" + text[41:],
    "a lone surrogate": lambda text: text[:40] + "\ud800" + text[41:],
    "zeros": lambda _: "AAAA" * 100,
    "half of it": lambda text: text[: len(text) // 2],
    "half of it, evenly": lambda text: text[: len(text) // 8 * 4],
    "the end missing": lambda text: text[:-4],
    "bytes flipped": with_flipped_bytes,
    "one array": lambda _: base64.b64encode(_array_file()).decode(),
    "counts that fall": other(counts=lambda counts: counts[::-1]),
    "counts from zero": other(counts=lambda counts: counts - counts[0]),
    "no counts": other(counts=np.zeros(0, np.uint32)),
    "counts as words": other(counts=np.array(["two", "three"])),
    "counts in rows": other(counts=lambda counts: counts[None]),
    "too few rows": other(rows=lambda rows: rows[:-1]),
    "too many rows": other(rows=lambda rows: np.append(rows, 1)),
    "rows beyond the frames": other(rows=lambda rows: rows + np.uint16(1000)),
    "rows with fractions": other(rows=lambda rows: rows + 0.5),
    "too few errors": other(errors=lambda errors: errors[:-1]),
    "errors that are not numbers": other(errors=lambda errors: errors * np.nan),
    "complex errors": other(errors=lambda errors: errors * 1j),
    "one name": other(names=np.array(["salient"])),
    "several own counts": other(own_count=np.array([1, 2])),
    "frames that fall": other(extra_frames=lambda frames: frames[::-1]),
    "fewer frames than keys": other(extra_frames=np.arange(3.0)),
    "frames that are not numbers": other(extra_frames=lambda frames: frames * np.nan),
    "frames in rows": other(extra_frames=lambda frames: frames[:, None]),
    "too few estimates": other(extra_estimated_errors=lambda errors: errors[:, 1:]),
    "estimates of one kind": other(extra_estimated_errors=lambda errors: errors[:1]),
    "too many seen errors": other(extra_seen_errors=lambda errors: np.append(errors, 1.0)),
    "influence in rows": other(extra_influence=np.ones((2, 2))),
    "influence as words": other(extra_influence=np.array(["much"])),
    "a loop of three ends": other(extra_loop=np.arange(3.0)),
    "a loop that ends too soon": other(extra_loop=np.array([1.0, 30.0])),
    "a height below zero": other(extra_height=np.array(-1.7)),
    "several heights": other(extra_height=np.array([1.7, 1.8])),
    "a hold without an end": other(extra_holds=np.array([3, 9, 20])),
    "a hold that ends before it begins": other(extra_holds=np.array([9, 3])),
    "a hold beyond the frames": other(extra_holds=np.array([3, 40])),
    "holds with fractions": other(extra_holds=np.array([3.5, 9.0])),
    "several wholes": other(extra_whole=np.array([True, False])),
    "a version that is none": other(version=np.array("newest")),
    "several versions": other(version=np.array([1, 2])),
    **{
        f"without {name}": without(name)
        for name in ("names", "nested", "counts", "errors", "own_count", "rows", "extra_frames",
                     "extra_whole", "extra_influence", "extra_seen_errors", "extra_estimated_errors")
    },
}  # fmt: skip


def _array_file() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(3))
    return buffer.getvalue()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("algorithm", ["salient", "greedy"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_a_sentence(posewright: Any, storage: Any, algorithm: str, damage: str) -> None:
    text = DAMAGE[damage](packed(posewright, storage, algorithm))
    with pytest.raises(posewright.core.InputError, match="damaged: analyse it again"):
        storage.unpack(text)


def test_rows_that_repeat_are_damage(posewright: Any, storage: Any) -> None:
    for algorithm in ("salient", "greedy"):
        text = other(rows=np.zeros_like)(packed(posewright, storage, algorithm))
        with pytest.raises(posewright.core.InputError, match="damaged"):
            storage.unpack(text)


@pytest.mark.parametrize("seed", range(30))
def test_any_bytes_changed_are_the_same_or_a_sentence(posewright: Any, storage: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = packed(posewright, storage, "greedy")
    content = bytearray(base64.b64decode(text))
    for place in rng.integers(0, len(content), 1 + seed % 5):
        content[place] = int(rng.integers(256))
    if rng.random() < 0.3:
        del content[int(rng.integers(len(content))) :]
    try:
        solutions, extra = storage.unpack(base64.b64encode(bytes(content)).decode())
    except posewright.core.InputError:
        return
    assert len(solutions.keys(int(solutions.counts[-1]))) == solutions.counts[-1]
    assert len(extra["frames"]) == 40


@pytest.mark.parametrize("later", [{}, {"rows": np.ones((2, 2))}], ids=["the same", "with another meaning"])
def test_a_later_version_is_told_as_such(posewright: Any, storage: Any, later: Arrays) -> None:
    text = other(version=np.array(storage.VERSION + 1), **later)(packed(posewright, storage, "greedy"))
    with pytest.raises(posewright.core.InputError, match="later version of Posewright: update"):
        storage.unpack(text)


def test_what_was_stored_before_there_were_versions_is_read(posewright: Any, storage: Any) -> None:
    solutions, _ = storage.unpack(without("version")(packed(posewright, storage, "salient")))
    assert solutions.counts[0] == 2


def test_a_file_from_before_there_were_slots_goes_on(swinging: Any, distil: Any) -> None:
    """Such a file has 0 where a slot's number is; Blender gives each of its actions one slot."""
    bpy.ops.posewright.analyze()
    distil.reductions.get(swinging).state.source_slots = "0"
    for count in (5, 9):
        swinging.posewright.key_count = count
        assert max(len(curve.keyframe_points) for curve in distil.playing(swinging)) == count
    swinging.posewright.detail = 1.0
    assert distil.measuring.measure(swinging).mean_share < 1e-5
    reduced = swinging.posewright.reduced
    swinging.posewright.show_original = True
    assert swinging.posewright.reduced == reduced, "it is found from its source, too"
    assert bpy.ops.posewright.restore() == {"FINISHED"}
