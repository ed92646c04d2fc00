# SPDX-License-Identifier: GPL-3.0-or-later
"""Sides from names, views, and pictures of poses checked by where their ink is."""

from itertools import pairwise

import numpy as np
import pytest

from core import InputError, Motion
from core.picture import (
    SPACINGS,
    THEMES,
    VIEWS,
    Poses,
    SheetStyle,
    SynopsisStyle,
    View,
    draw_sheet,
    draw_synopsis,
    sheet,
)
from core.picture.drawn_poses import CENTRE, LEFT, RIGHT, side_of
from core.picture.figure import Figures
from core.picture.views import direction

NAMES = ("spine", "head", "arm.L", "arm.R", "leg.L", "leg.R")
HEADS = np.array([[0, 0, 1], [0, 0, 1.5], [0.2, 0, 1.4], [-0.2, 0, 1.4], [0.1, 0, 1], [-0.1, 0, 1]], float)
TAILS = np.array(
    [[0, 0, 1.5], [0, 0, 1.8], [0.8, 0, 1.4], [-0.8, 0, 1.4], [0.15, 0, 0], [-0.15, 0, 0]], float
)


def star(count=4, *, travel=(0.0, 0.0, 0.0), frames=None):
    """A figure that faces the front (-Y), its arms stretched out, at `count` places."""
    shifts = np.arange(count)[:, None, None] * np.asarray(travel, float)
    frames = np.arange(count) * 10 + 1 if frames is None else frames
    return Poses.of(HEADS[None] + shifts, TAILS[None] + shifts, frames, NAMES)


def turned(poses, degrees):
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    return Poses.of(poses.heads @ matrix.T, poses.tails @ matrix.T, poses.frames, poses.names)


def near(picture, colour, tolerance=0.12):
    """Where a picture shows a colour."""
    return np.abs(picture[..., :3] - np.array(colour[:3])).max(axis=2) < tolerance


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("LeftUpLeg", LEFT), ("RightHand", RIGHT), ("arm.L", LEFT), ("arm_r", RIGHT), ("L_foot", LEFT),
        ("foot.R.001", RIGHT), ("mixamorig:LeftArm", LEFT), ("LHipJoint", LEFT), ("RThumb", RIGHT),
        ("Hips", CENTRE), ("Spine1", CENTRE), ("LowerBack", CENTRE), ("Root", CENTRE), ("roll", CENTRE),
        ("upper_arm.l", LEFT), ("DEF-thigh.R", RIGHT), ("lip", CENTRE), ("tail", CENTRE), ("rib", CENTRE),
    ],
)  # fmt: skip
def test_sides_are_read_from_names(name, side):
    assert side_of(name) == side


def test_named_views_look_from_where_blender_does():
    right, up, towards = View.named("front", star()).axes
    assert np.allclose([right, up, towards], [[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    assert np.allclose(View.named("right", star()).axes, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert np.allclose(View.named("top", star()).axes, np.eye(3))


@pytest.mark.parametrize("turn", [0.0, 33.0, 90.0, 217.0])
@pytest.mark.parametrize("height", [0.0, 20.0, 90.0])
def test_axes_are_right_handed_and_orthonormal(turn, height):
    axes = direction(turn, height)
    assert np.allclose(axes @ axes.T, np.eye(3))
    assert np.linalg.det(axes) == pytest.approx(1.0)


@pytest.mark.parametrize("degrees", [0.0, 50.0, 120.0, 200.0, 310.0])
def test_the_best_view_sees_stretched_arms_from_the_front_however_the_figure_is_turned(degrees):
    poses = turned(star(), degrees)
    towards = View.named("best", poses).axes[2]
    facing = np.array([np.sin(np.radians(degrees)), -np.cos(np.radians(degrees)), 0.0])
    assert facing @ towards > np.cos(np.radians(12.0))


def test_the_best_view_of_travel_shows_it_from_left_to_right():
    poses = star(6, travel=(0.0, -1.5, 0.0))
    right = View.named("best", poses).axes[0]
    assert right @ [0.0, -1.0, 0.0] > 0.5


def test_a_camera_sees_what_its_matrix_says():
    matrix = np.eye(4)
    matrix[:3, :3] = direction(0.0, 0.0).T
    matrix[:3, 3] = [0.0, -10.0, 1.0]
    poses = star(2)
    parallel = View.camera(np.stack([matrix] * 2), perspective=False).seen(poses.ends)
    assert np.allclose(parallel, View.named("front", poses).seen(poses.ends))
    # The figure is flat and 10 away, so perspective changes nothing but the centre.
    seen = View.camera(np.stack([matrix] * 2), perspective=True).seen(poses.ends)
    assert np.allclose(seen[..., 0], parallel[..., 0])
    assert np.allclose(seen[..., 1], parallel[..., 1] - 1.0)


def test_a_camera_that_the_character_passes_is_refused_with_a_sentence():
    matrix = np.eye(4)
    matrix[:3, :3] = direction(0.0, 0.0).T
    view = View.camera(np.stack([matrix] * 3), perspective=True)
    with pytest.raises(InputError, match="behind the camera"):
        draw_sheet(star(3, travel=(0.0, 5.0, 0.0)), view)


def expected_ink(figures, row, ground, scale):
    """Pixels on the axis of every bone of a pose."""
    points = []
    for share in np.linspace(0.0, 1.0, 9):
        place = figures.heads[row, :, :2] * (1.0 - share) + figures.tails[row, :, :2] * share
        points.append(place * [scale, -scale] + ground)
    return np.concatenate(points).astype(int)


def placed(style, poses, view):
    """Where a sheet puts each pose."""
    figures = sheet._levelled(Figures.of(poses, view))
    layout = sheet._fitting_layout(figures, style)
    grounds = np.empty((len(poses), 2))
    for row, members in enumerate(layout.rows):
        for pose in members:
            grounds[pose] = layout.centres[pose], layout.top + row * layout.row_height + layout.above
    return figures, layout.scale, grounds, layout


@pytest.mark.parametrize("view_name", VIEWS)
@pytest.mark.parametrize("spacing", SPACINGS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_sheet_has_ink_on_every_bone_and_none_at_its_border(view_name, spacing, theme):
    poses = star(11, travel=(0.3, 0.2, 0.0), frames=np.array([1, 2, 3, 5, 8, 40, 41, 42, 60, 61, 99]))
    view = View.named(view_name, poses)
    style = SheetStyle(width=700, pose_height=120, spacing=spacing, theme=theme)
    canvas = draw_sheet(poses, view, style)
    picture = canvas.straight()
    inked = np.abs(picture[..., :3] - np.array(THEMES[theme].background[:3])).max(axis=2) > 0.1
    border = np.ones(inked.shape, bool)
    border[6:-6, 6:-6] = False
    assert not inked[border].any(), "nothing is cut off"
    assert canvas.width <= 700
    figures, scale, grounds, layout = placed(style, poses, view)
    assert len(layout.rows) > 1 or view_name in ("left", "right")
    for row in range(len(poses)):
        x, y = expected_ink(figures, row, grounds[row], scale).T
        assert inked[y, x].all(), "a bone is missing"


@pytest.mark.parametrize("spacing", SPACINGS)
def test_poses_of_a_sheet_keep_apart(spacing):
    poses = star(9, frames=np.array([1, 2, 3, 4, 50, 51, 52, 90, 300]))
    style = SheetStyle(width=900, pose_height=100, spacing=spacing)
    figures, scale, grounds, layout = placed(style, poses, View.named("front", poses))
    for members in layout.rows:
        for one, other in pairwise(members):
            right = grounds[one, 0] + figures.high[one, 0] * scale
            left = grounds[other, 0] + figures.low[other, 0] * scale
            assert right < left


def test_gaps_follow_time():
    frames = np.array([1.0, 11.0, 21.0, 81.0, 91.0])
    style = SheetStyle(width=4000, spacing="time")
    _, _, grounds, layout = placed(style, star(5, frames=frames), View.named("front", star()))
    assert len(layout.rows) == 1
    steps = np.diff(grounds[:, 0])
    assert steps[0] == pytest.approx(steps[1])
    assert steps[3] == pytest.approx(steps[0])
    assert steps[2] > 2.0 * steps[0]


def test_left_is_blue_and_right_is_orange_on_the_side_where_they_are():
    poses = star(1)
    picture = draw_sheet(poses, View.named("front", poses), SheetStyle(pose_height=300)).straight()
    body = picture[70:]
    theme = THEMES["light"]
    left, right = np.nonzero(near(body, theme.left))[1], np.nonzero(near(body, theme.right))[1]
    assert len(left) > 200
    assert len(right) > 200
    # Seen from the front, the character's left is at the right of the picture.
    assert left.mean() > right.mean()


def test_near_limbs_hide_far_ones():
    heads = np.array([[[0, -1, 0], [0, 1, 0]]], float)
    tails = np.array([[[0, -1, 1], [0.001, 1, 1]]], float)
    poses = Poses.of(heads, tails, [1], ["near.L", "far.R"])
    picture = draw_sheet(poses, View.named("front", poses), SheetStyle(pose_height=300)).straight()[70:250]
    assert near(picture, THEMES["light"].left).any()
    assert not near(picture, THEMES["light"].right, 0.05).any()


def test_a_jump_is_seen_above_the_ground():
    poses = star(3)
    heads, tails = poses.heads.copy(), poses.tails.copy()
    heads[1, :, 2] += 0.5
    tails[1, :, 2] += 0.5
    jump = Poses.of(heads, tails, poses.frames, NAMES)
    figures, _, _, _ = placed(SheetStyle(), jump, View.named("front", jump))
    assert figures.low[1, 1] - figures.low[0, 1] == pytest.approx(0.5)


def test_a_long_climb_does_not_leave_the_sheet_empty():
    poses = star(5, travel=(0.0, 0.0, 30.0))
    canvas = draw_sheet(poses, View.named("front", poses), SheetStyle(pose_height=100))
    assert canvas.height < 300


def test_very_many_poses_give_smaller_figures_and_not_an_error():
    poses = star(3000)
    _, _, _, layout = placed(SheetStyle(pose_height=600, width=8000), poses, View.named("front", poses))
    assert layout.width * layout.height <= 64_000_000
    assert layout.width * layout.height > 40_000_000


@pytest.mark.parametrize("travel", [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (-2.0, 0.0, 0.0), (0.01, 3.0, 0.0)])
@pytest.mark.parametrize("size", [(256, 256), (1024, 300)])
def test_a_synopsis_fills_its_picture_without_touching_the_border(travel, size):
    poses = star(5, travel=travel)
    canvas = draw_synopsis(
        poses,
        View.named("front", poses),
        SynopsisStyle(width=size[0], height=size[1], theme="transparent", labels=False),
    )
    alpha = canvas.pixels[..., 3]
    assert alpha.shape == size[::-1]
    assert not alpha[[0, -1]].any()
    assert not alpha[:, [0, -1]].any()
    rows, columns = np.nonzero(alpha > 0.1)
    assert max(np.ptp(rows) / size[1], np.ptp(columns) / size[0]) > 0.85


def test_a_synopsis_grows_more_opaque_with_time():
    poses = star(4, travel=(5.0, 0.0, 0.0))
    canvas = draw_synopsis(
        poses,
        View.named("front", poses),
        SynopsisStyle(width=900, height=200, theme="transparent", labels=False),
    )
    columns = np.array_split(canvas.pixels[..., 3].max(axis=0), 4)
    strength = [part.max() for part in columns]
    assert strength[0] < 0.5
    assert strength[-1] == pytest.approx(1.0)
    assert all(earlier < later + 1e-3 for earlier, later in pairwise(strength))


def test_a_synopsis_of_motion_in_place_spreads_the_poses_out():
    poses = star(4)
    canvas = draw_synopsis(
        poses,
        View.named("front", poses),
        SynopsisStyle(width=1600, height=200, theme="transparent", labels=False, trim=True),
    )
    heads = canvas.pixels[: canvas.height // 6, :, 3].max(axis=0) > 0.1
    assert np.count_nonzero(np.diff(heads.astype(int)) == 1) == 4


def test_poses_of_a_motion_join_each_joint_to_its_parent():
    positions = np.arange(24, dtype=float).reshape(2, 4, 3)
    motion = Motion(positions, parents=[-1, 0, 1, 0], names=["root", "a", "b", "c"], frames=[5, 9])
    poses = Poses.from_motion(motion, [1])
    assert poses.names == ("a", "b", "c")
    assert np.array_equal(poses.heads[0], positions[1][[0, 1, 0]])
    assert np.array_equal(poses.tails[0], positions[1][[1, 2, 3]])
    assert poses.frames.tolist() == [9.0]


def test_a_single_joint_is_a_dot():
    poses = Poses.from_motion(Motion(np.zeros((3, 1, 3))), [0, 2])
    canvas = draw_sheet(poses, View.named("best", poses), SheetStyle(pose_height=40))
    assert (canvas.straight()[..., 0] < 0.6).any()


@pytest.mark.parametrize(
    "broken",
    [
        lambda: Poses.of(np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), [], ["a", "b", "c"]),
        lambda: Poses.of(np.zeros((1, 2, 3)), np.zeros((1, 3, 3)), [1], ["a", "b"]),
        lambda: Poses.of(np.full((1, 1, 3), np.nan), np.zeros((1, 1, 3)), [1], ["a"]),
        lambda: View.named("sideways", star()),
        lambda: draw_sheet(star(), View.named("front", star()), SheetStyle(spacing="wild")),
    ],
)
def test_bad_input_gets_a_sentence(broken):
    with pytest.raises(InputError, match=r"[A-Z].* .*\.$"):
        broken()
