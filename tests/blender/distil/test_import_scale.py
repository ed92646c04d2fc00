# SPDX-License-Identifier: GPL-3.0-or-later
"""The scale that a clip is imported with does not choose its keys."""

import warnings

import bpy
import numpy as np
import pytest


@pytest.mark.parametrize(("algorithm", "apart"), [("decimation", 0), ("salient", 0), ("saliency", 1)])
def test_a_clip_has_the_same_keys_at_every_scale(distil, mocap, tmp_path, algorithm, apart):
    """Saliency sees differences of two curves that are nearly the same: its peaks may be a frame apart."""
    mocap("02_01")
    [clip] = tmp_path.glob("*.bvh")
    found = []
    for scale in (1.0, 0.0254, 10.0):
        with warnings.catch_warnings():
            # Blender's importer leaves the closing of the file to the garbage collector.
            warnings.simplefilter("ignore", ResourceWarning)
            bpy.ops.import_anim.bvh(filepath=str(clip), global_scale=scale)
        rig = bpy.context.object
        rig.posewright.algorithm = algorithm
        bpy.ops.posewright.analyze()
        found.append(distil.reductions.get(rig).analysis().keys(41))
    assert np.abs(np.array(found) - found[0]).max() <= apart
