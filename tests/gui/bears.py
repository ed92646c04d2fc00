# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's own bear for scenarios: plain, or with its sets."""

import importlib

PACKAGE = "bl_ext.user_default.posewright"

acting = importlib.import_module(f"{PACKAGE}.bridge.ready.bear_acting")
add_bear, posed, KEYS, MIRRORED = acting.add_bear, acting.posed, acting.KEYS, acting.MIRRORED
build_bear = importlib.import_module(f"{PACKAGE}.bridge.ready.bear").build_bear
apply_pose = importlib.import_module(f"{PACKAGE}.bridge.spatial.posing.poses").apply_pose
