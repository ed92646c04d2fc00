# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures 2, 3, 6, 8, 9 and 10 of Igarashi, Moscovich and Hughes 2005, done again with our characters.

python -m benchmarks.spatial_figures        with a Python that has bpy and matplotlib
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

from benchmarks import character_files, drawing
from benchmarks.extension import bpy, part

bear_acting, set_making = part("bridge.ready.bear_acting"), part("bridge.spatial.making.set_making")
sets, mapping_cache = part("bridge.spatial.sets"), part("bridge.spatial.blending.mapping_cache")
sample_skin = part("bridge.pictures.meshes").sample_skin
Ring = part("core.spatial").Ring

YELLOW, RED, FUR = "#f2c200", "#e02020", np.array([0.72, 0.5, 0.34])
FRONT, SIDE = 0.3, 1.3  # how far the eye is turned from the front, in radians
ABOVE = 0.15  # and how far it looks down

# Bones turned about the world's axes in degrees, and where the hips go; see bear_acting.
Pose = tuple[dict[str, tuple[float, float, float]], tuple[float, float, float]]


def seen(places: Any, turn: float) -> np.ndarray:
    """(n, 3) places as an eye sees them that is turned about the vertical: right, up and away."""
    right = np.array([np.cos(turn), np.sin(turn), 0.0])
    away = np.array([-np.sin(turn) * np.cos(ABOVE), np.cos(turn) * np.cos(ABOVE), -np.sin(ABOVE)])
    axes = np.stack([right, np.cross(right, away), away])
    return np.asarray(places, dtype=np.float64).reshape(-1, 3) @ axes.T


def draw(panel: Any, skin: Any, turn: float) -> None:
    """A skin, its farthest faces first."""
    corners, shades, faces = skin
    flat = seen(corners, turn)
    order = np.argsort(-flat[faces, 2].mean(axis=1))
    light = shades.reshape(len(corners), -1)[faces, 0].mean(axis=1)
    light = 0.45 + 0.75 * (light - light.min()) / max(float(np.ptp(light)), 1e-9)
    colours = np.clip(light[order, None] * FUR, 0.0, 1.0)
    panel.add_collection(PolyCollection(flat[faces[order], :2], facecolors=colours, edgecolors=colours))


def mark(panel: Any, places: Any, colour: str, turn: float, size: float = 60.0) -> None:
    x, y, _ = seen(places, turn).T
    panel.scatter(x, y, size, color=colour, edgecolors="black", linewidths=0.6, zorder=3)


def frame(panel: Any, skins: Sequence[Any], places: Any, turn: float) -> None:
    """So much of a view as holds all skins and places."""
    everything = seen(np.concatenate([np.reshape(places, (-1, 3)), *(skin[0] for skin in skins)]), turn)
    (left, low, _), (right, high, _) = everything.min(axis=0), everything.max(axis=0)
    edge = 0.06 * max(right - left, high - low)
    panel.set(xlim=(left - edge, right + edge), ylim=(low - edge, high + edge), aspect="equal")
    panel.set_axis_off()


def quietly(work: Any, *arguments: Any, **options: Any) -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        return work(*arguments, **options)


def bear_with(keys: dict[tuple[float, float, float], Pose]) -> Any:
    """A bear with one set of whole poses at places."""
    quietly(bpy.ops.wm.read_homefile, use_factory_startup=True, use_empty=True)
    rig = part("bridge.ready.bear").build_bear()
    bpy.context.view_layer.update()
    data = [
        set_making.KeyData(f"key {n}", np.array(place), bear_acting.posed(rig, *pose), whole_body=True)
        for n, (place, pose) in enumerate(keys.items(), start=1)
    ]
    set_making.make_set(rig, "Set", data)
    return rig


def performed(rig: Any, places: np.ndarray) -> list[Any]:
    """The skin at each of some places of the cursor, as a take plays it."""
    path = [{"name": "", "frame": n, "place": tuple(place)} for n, place in enumerate(places, start=1)]
    quietly(bpy.ops.posewright.bake_cursor, path=path)
    return sample_skin(rig, np.arange(1.0, len(places) + 1.0))


def keys_and_performance(
    name: str, rig: Any, keys: np.ndarray, cursor: np.ndarray, turn: float = FRONT
) -> None:
    """The key poses above, each with its marker, and what the cursor makes of them below."""
    skins = performed(rig, np.concatenate([keys, cursor]))
    columns = max(len(keys), len(cursor))
    figure, panels = plt.subplots(2, columns, figsize=(1.35 * columns, 3.9), layout="constrained")
    for panel in panels.flat:
        frame(panel, skins, keys, turn)
    for n, place in enumerate(keys):
        draw(panels[0, n], skins[n], turn)
        mark(panels[0, n], keys, "#d8d8d8", turn, 14)
        mark(panels[0, n], place, YELLOW, turn)
    for n, place in enumerate(cursor):
        draw(panels[1, n], skins[len(keys) + n], turn)
        mark(panels[1, n], keys, YELLOW, turn, 14)
        mark(panels[1, n], place, RED, turn)
    drawing.save(figure, name)


def along(places: np.ndarray, count: int) -> np.ndarray:
    """(count, 3) places on the way from one to the next."""
    times = np.linspace(0.0, len(places) - 1.0, count)
    return np.stack([np.interp(times, np.arange(len(places)), axis) for axis in places.T], axis=1)


def three_keys() -> None:
    """Figure 2: three keys move the whole body, and where it stands."""
    lean: dict[str, Any] = {"spine": (0, 28, 0), "head": (0, 18, -30), "upper_arm.L": (0, -70, 0)}
    other = {
        "spine": (0, -28, 0),
        "head": (0, -18, 30),
        "upper_arm.R": (0, 70, 0),
        "upper_arm.L": (0, -20, 0),
    }
    keys: dict[Any, Pose] = {
        (-0.9, -0.6, 1.0): (lean, (-0.12, 0, -0.03)),
        (0.9, -0.6, 1.0): (other, (0.12, 0, -0.03)),
        (0.0, -0.6, 1.9): (
            {"head": (-25, 0, 0), "upper_arm.L": (0, -80, 0), "upper_arm.R": (0, 80, 0)},
            (0, 0, 0.1),
        ),
    }
    places = np.array(list(keys))
    way = np.concatenate([along(places, 4), places.mean(axis=0)[None]])
    way[0] = (places[0] + places[1]) / 2 - [0, 0, 0.25]
    keys_and_performance("paper-002-figure-2", bear_with(keys), places, way)


def juggling() -> None:
    """Figure 3: nine keys in a square; the hands are where the cursor is."""
    keys: dict[Any, Pose] = {}
    for x in (-1.0, 0.0, 1.0):
        for z in (-1.0, 0.0, 1.0):
            left, right = 45.0 * (z + x), 45.0 * (z - x)
            turns = {
                "head": (-18.0 * z, 0.0, 25.0 * x),
                "spine": (8.0 - 8.0 * z, -8.0 * x, 12.0 * x),
                "upper_arm.L": (0.0, 15.0 - left, 0.0),
                "forearm.L": (-40.0, -20.0, 0.0),
                "upper_arm.R": (0.0, right - 15.0, 0.0),
                "forearm.R": (-40.0, 20.0, 0.0),
            }
            keys[(0.8 * x, -0.8, 1.1 + 0.6 * z)] = (turns, (0.06 * x, 0.0, 0.04 * z))
    places = np.array(list(keys))
    around = np.linspace(0.0, 2.0 * np.pi, 9)
    eight = np.stack([0.7 * np.sin(around), -0.8 + 0 * around, 1.1 + 0.5 * np.sin(2.0 * around)], axis=1)
    keys_and_performance("paper-002-figure-3", bear_with(keys), places, eight)


def angles() -> None:
    """Figure 6: between 270 degrees and 0, blended matrices find the way that blended angles do not."""
    degrees = np.array([0.0, 30.0, 180.0, 270.0])
    ring = [(np.sin(np.radians(each)), -np.cos(np.radians(each)), 0.9) for each in degrees]
    turned: list[Pose] = [({"hips": (0, 0, each)}, (0, 0, 0)) for each in degrees]
    rig = bear_with(dict(zip(ring, turned, strict=True)))
    places, cursor = np.array(ring), np.array([-np.sqrt(0.5), -np.sqrt(0.5), 0.9])
    mapping = mapping_cache.mapping_of(rig, sets.active_set(rig))
    blended = float(mapping.weights(cursor) @ degrees)
    skins = performed(rig, np.concatenate([places, cursor[None]]))
    by_angle = bear_with({(0, 0, 0): ({"hips": (0, 0, blended)}, (0, 0, 0))})
    skins += performed(by_angle, np.zeros((1, 3)))
    figure, panels = plt.subplots(1, 6, figsize=(9.5, 2.2), layout="constrained")
    titles = [f"{each:.0f}\N{DEGREE SIGN}" for each in degrees]
    titles += ["matrices", f"angles: {blended:.0f}\N{DEGREE SIGN}"]
    for n, (panel, title) in enumerate(zip(panels, titles, strict=True)):
        frame(panel, skins, places, FRONT)
        draw(panel, skins[n], FRONT)
        mark(panel, places, "#d8d8d8" if n < 4 else YELLOW, FRONT, 14)
        mark(panel, places[n] if n < 4 else cursor, YELLOW if n < 4 else RED, FRONT)
        panel.set_title(title, fontsize=9)
    drawing.save(figure, "paper-002-figure-6")


def nods() -> None:
    """Figure 10: six keys, and a head that shakes, nods a little and nods deeply in one stroke."""
    keys: dict[Any, Pose] = {
        (0.0, -0.8, 1.2): ({}, (0, 0, 0)),
        (0.8, -0.8, 1.2): ({"head": (0, 0, 45), "spine": (0, 0, 8)}, (0, 0, 0)),
        (-0.8, -0.8, 1.2): ({"head": (0, 0, -45), "spine": (0, 0, -8)}, (0, 0, 0)),
        (0.0, -0.8, 0.85): ({"head": (25, 0, 0)}, (0, 0, 0)),
        (0.0, -0.8, 0.35): (
            {"head": (35, 0, 0), "spine": (45, 0, 0), "upper_arm.L": (20, 0, 0), "upper_arm.R": (20, 0, 0)},
            (0, 0.06, -0.04),
        ),
        (0.0, -0.8, 1.9): ({"head": (-30, 0, 0), "spine": (-10, 0, 0)}, (0, 0, 0.05)),
    }
    places = np.array(list(keys))
    way = places[[0, 1, 2, 0, 3, 0, 5, 4]]
    way[[1, 2]] = 0.75 * way[[1, 2]] + 0.25 * places[0]
    keys_and_performance("paper-002-figure-10", bear_with(keys), places, way)


def travelling(name: str, rig: Any, rounds: float, count: int, shown: int) -> None:
    """The keys of a walk above, and below how it travels when the cursor goes around them."""
    settings, active = sets.settings_of(rig), sets.active_set(rig)
    keys = mapping_cache.mapping_of(rig, active).places
    settings.use_locomotion = False
    posed = performed(rig, keys)
    rig.animation_data_clear()
    settings.use_locomotion = True
    ring, start = Ring(keys), np.array(rig.location)
    ways = {}
    for sense in (1.0, -1.0):  # one of them goes forward
        rig.animation_data_clear()
        rig.location = start
        skins = performed(rig, ring.at(sense * np.linspace(0.0, rounds, count)))
        middles = np.array([skin[0].mean(axis=0) for skin in skins])
        ways[sense] = float((middles[-1] - middles[0]) @ part("bridge.character").shown(rig).front), skins
    forward = max(ways, key=lambda sense: ways[sense][0])
    far, skins = ways[forward]
    skins = skins[:: (count - 1) // (shown - 1)]
    extent = np.ptp(np.concatenate([skin[0] for skin in posed]), axis=0)
    size = extent.max()
    markers = keys @ np.array(rig.matrix_world)[:3, :3].T + start
    tall = 1.0 + 2.0 * extent[2] / size
    figure, panels = plt.subplots(2, shown, figsize=(1.6 * shown, 1.3 * tall), layout="constrained")
    for n, panel in enumerate(panels[0]):
        frame(panel, posed, markers, SIDE)
        if n < len(keys):
            draw(panel, posed[n], SIDE)
            mark(panel, markers, "#d8d8d8", SIDE, 14)
            mark(panel, markers[n], YELLOW, SIDE)
    low = min(float(skin[0][:, 2].min()) for skin in skins)
    for skin, panel in zip(skins, panels[1], strict=True):
        _on_ground(panel, skin, low, size)
        panel.set_ylim(low - 0.1 * size, low + 1.1 * extent[2])
    drawing.save(figure, name)
    print(f"{name}: {far / part('bridge.character').height_of(rig):.2f} heights in {rounds:.0f} round")


def _on_ground(panel: Any, skin: Any, low: float, size: float) -> None:
    """A skin from the side, on ground that has marks which stay where they are."""
    right = seen(skin[0], np.pi / 2)[:, 0]
    middle = 0.5 * (right.min() + right.max())
    apart = 0.25 * size
    marks = np.arange(np.floor((middle - size) / apart), np.ceil((middle + size) / apart) + 1.0)
    x, y, _ = seen([(0.0, each * apart, low) for each in marks], np.pi / 2).T
    frame(panel, [skin], np.empty((0, 3)), np.pi / 2)
    panel.set_xlim(middle - 0.62 * size, middle + 0.62 * size)
    panel.plot(x, y, color="#777777", linewidth=1.0, zorder=0)
    colours = np.where(marks % 4 == 0, RED, "#777777")
    panel.scatter(x, y - 0.03 * size, 18, color=colours, marker="^", zorder=0)
    draw(panel, skin, np.pi / 2)


def walking() -> None:
    """Figure 8: a walk of four keys."""
    rig = _imported("Soldier.glb")
    if rig is not None:
        rig.animation_data_clear()
        quietly(bpy.ops.posewright.spatial_set_ready, kind="WALK")
        travelling("paper-002-figure-8", rig, 1.0, 25, 7)


def _imported(name: str) -> Any | None:
    folder = character_files.character_folder()
    if folder is None:
        print(character_files.MISSING)
        return None
    return quietly(character_files.import_character, folder / name)


def galloping() -> None:
    """Figure 9: three poses of the Fox's own run, gone around."""
    rig = _imported("Fox.glb")
    if rig is None:
        return
    run = next(action for action in bpy.data.actions if "Run" in action.name)
    part("bridge.actions").assign(rig, run, part("bridge.versions").slots_in(run)[0])
    first, last = run.frame_range
    height = part("bridge.character").height_of(rig)
    quietly(bpy.ops.posewright.spatial_set_add, name="Gallop")
    for n in range(3):
        bpy.context.scene.frame_set(round(first + n * (last - first) / 3.0))
        angle = 2.0 * np.pi * n / 3.0
        place = 0.4 * height * np.array([np.cos(angle), 0.0, np.sin(angle)]) + [0.0, 0.0, height]
        part("bridge.spatial.making.empties").move_to(rig, sets.active_set(rig).cursor, place)
        bpy.context.view_layer.update()
        quietly(bpy.ops.posewright.spatial_key_add)
    rig.animation_data_clear()
    travelling("paper-002-figure-9", rig, 1.0, 25, 7)


def main() -> None:
    for figure in (three_keys, juggling, angles, walking, galloping, nods):
        figure()


if __name__ == "__main__":
    main()
