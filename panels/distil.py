# SPDX-License-Identifier: GPL-3.0-or-later
"""The Distil panel: analyse, slide, compare, keep."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_

from ..bridge.distil import lone_strip, measuring, reductions
from ..bridge.distil.baked_first import what_plays
from ..bridge.distil.editing import changes, stagger
from ..bridge.distil.feet import stances
from ..bridge.distil.reductions import Reduction
from ..bridge.distil.solving import extremes
from ..bridge.distil.ways import WAYS
from ..bridge.editable import LINKED, is_linked_instance
from ..bridge.lengths import length
from ..bridge.spoken import spoken
from ..core import InputError
from ..drawing import plot_preview
from ..handlers import background_measuring
from ..operators import background_job
from ..operators.armature_operator import active_armature, what_is_missing
from ..properties import slider
from .help_link import HelpLink
from .progress_bar import draw_progress
from .room import draw_choice, fit_in_a_row, is_roomy, names_beside, side_by_side, width_units
from .scene_end import draw_scene_end
from .sentence import draw_sentence
from .sidebar import SidebarPanel

BAKED_FIRST = n_(
    "What strips of the NLA, constraints or drivers make of it is baked into a new action, which is "
    "distilled. They are muted meanwhile, and Restore brings them back."
)
LONE_STRIP = n_("It plays no action: Analyze gives it the only one that is in its NLA.")
CHANGED_SOURCE = n_("The source action was changed since it was analyzed.")
CHANGING_SOURCE = n_(
    "You changed the original, not your keys. Undo that with Ctrl Z and turn off Show Original first; or, if "
    "you mean it, press Analyze Again."
)
HOW_TO_EDIT = n_(
    "Pose, insert, remove and move these keys as you like: the slider, Keyed As and Detail go on from what "
    "you made of them."
)
MOST_LISTED = 12  # edited keys
CONTACTS_TO_COME = n_("Contacts are found as soon as what plays is measured, or feet are held.")
FIRST_POSE = n_("The clip begins with a pose, such as a T-pose, that is no part of its motion.")
NO_CONTACTS = n_(
    "No foot or hand stands still in the original; in a walk on the spot, for one, all feet slide. Mark what "
    "shall stand."
)
VALUE_UNITS = 4.2  # room for a length with its unit
PLOT_UNITS = (6.0, 11.0)  # the smallest and the largest plot, in interface units
WITHIN_SHARE = 0.55  # of the row, for a button with a long name beside a short number
STRIP_PARTS = 4  # pictures side by side that the strip of contacts is made of

NO_BONES = n_(
    "There is no armature in this file: Posewright distils the motion of bones, not of objects or shape keys "
    "alone. Import or build a character that has bones."
)


def _draw_what_is_missing(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Why there is no armature to distil."""
    chosen = context.object
    if is_linked_instance(chosen):
        draw_sentence(layout, context, iface_(LINKED).format(armature=chosen.name), icon="LINKED")
    elif chosen is not None and not bpy.data.armatures:
        draw_sentence(layout, context, NO_BONES)
    else:
        draw_sentence(layout, context, "Select an armature that has an action, then press Analyze.")


class DistilPanel(HelpLink):
    """From dense animation to a few poses, in whatever editor."""

    bl_label = "Distil"
    help_page = "tour"

    def draw(self, context: bpy.types.Context) -> None:
        layout: bpy.types.UILayout = self.layout  # type: ignore[attr-defined]
        armature = active_armature(context)
        job = background_job.running()
        if job is not None:
            draw_progress(layout, job)
            layout = layout.column()
            layout.enabled = False
        if armature is None:
            _draw_what_is_missing(layout, context)
            return
        reduction = reductions.find(armature)
        if reduction is None:
            _draw_start(layout, context, armature)
            return
        try:
            reduction.analysis()
        except InputError as problem:
            box = draw_sentence(layout, context, spoken(problem), icon="ERROR", alert=True)
            if reduction.state.source is not None:
                box.operator("posewright.analyze", text="Analyze Again", icon="FILE_REFRESH")
        else:
            _draw_warnings(layout, context, reduction)
            draw_scene_end(layout, context, reduction.action)
            _draw_first_pose(layout, context, reduction)
            _draw_slider(layout, context, reduction)
            _draw_options(layout, context, armature)
        _draw_ends(layout, context)


class POSEWRIGHT_PT_distil(DistilPanel, SidebarPanel, bpy.types.Panel):
    """From dense animation to a few poses"""

    bl_order = 10


def _draw_start(layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    if armature.posewright.problem:
        draw_sentence(layout, context, armature.posewright.problem, icon="ERROR", alert=True)
    missing, strip = what_is_missing(armature), lone_strip.find(armature)
    if what_plays.is_baked_first(armature):
        draw_sentence(layout, context, BAKED_FIRST, icon="NLA")
    elif strip is not None:
        layout.label(text=strip.action.name, icon="ACTION", translate=False)
        draw_sentence(layout, context, LONE_STRIP, icon="NLA")
    elif missing:
        draw_sentence(layout, context, missing)
    else:
        layout.label(text=armature.animation_data.action.name, icon="ACTION", translate=False)
        draw_scene_end(layout, context, armature.animation_data.action)
    column = layout.column()
    column.scale_y = 1.8
    column.operator("posewright.analyze", icon="KEYFRAME_HLT")
    last = armature.posewright.last_reduced
    if last is not None and reductions.is_reduced(last):
        layout.operator("posewright.back_to_keys", text=last.name, icon="LOOP_BACK", translate=False)


def _draw_warnings(layout: bpy.types.UILayout, context: bpy.types.Context, reduction: Reduction) -> None:
    asked = reduction.armature.posewright
    if asked.problem:
        draw_sentence(layout, context, asked.problem, icon="ERROR", alert=True)
    if changes.is_stale(reduction):
        text = CHANGING_SOURCE if reduction.shows_original else CHANGED_SOURCE
        box = draw_sentence(layout, context, text, icon="ERROR", alert=True)
        box.operator("posewright.analyze", text="Analyze Again", icon="FILE_REFRESH")


def _draw_first_pose(layout: bpy.types.UILayout, context: bpy.types.Context, reduction: Reduction) -> None:
    """What the analysis found before the motion, and the way to be rid of it."""
    if reduction.state.rows_before_motion and not reduction.armature.posewright.leave_out_first_pose:
        box = draw_sentence(layout, context, FIRST_POSE, icon="OUTLINER_OB_ARMATURE")
        box.operator("posewright.leave_out_first_pose", icon="X")


def _draw_slider(layout: bpy.types.UILayout, context: bpy.types.Context, reduction: Reduction) -> None:
    asked = reduction.armature.posewright
    column = layout.column(align=True)
    row = column.row(align=True)
    row.scale_y = 1.4
    row.prop(asked, slider.name_for(*reduction.analysis().offered), slider=True)
    row = side_by_side(column, context)
    row.operator("posewright.sweet_spot", text="Sweet Spot", icon="TRIA_LEFT").direction = "PREVIOUS"
    row.operator("posewright.sweet_spot", text="Sweet Spot", icon="TRIA_RIGHT").direction = "NEXT"
    _draw_figures(layout, context, reduction)
    units = min(max(width_units(context) - 1.5, PLOT_UNITS[0]), PLOT_UNITS[1])
    # The plot is of fitted keys, whatever is chosen: with others it would contradict the figures above.
    layout.label(text="Error over Keys" if WAYS[reduction.state.interpolation].fit else "Error if Fitted")
    layout.template_icon(icon_value=plot_preview.error_icon(context, reduction, units), scale=units)


def _draw_figures(layout: bpy.types.UILayout, context: bpy.types.Context, reduction: Reduction) -> None:
    """Measured where that was done for what plays now, otherwise estimated where an estimate holds."""
    state = reduction.state
    figures = measuring.estimated(reduction)
    measured = changes.is_measured(reduction)
    if measured:
        figures = replace(figures, mean=state.measured_mean, largest=state.measured_largest)
    known = measured or measuring.estimate_holds(reduction)
    missing = "" if measured else _to_come(reduction)
    roomy = is_roomy(context)  # a unit that is cut off would be misleading
    about = "" if measured else "\N{ALMOST EQUAL TO} "
    row = layout.row(align=True)
    names, values = row.column(align=True), row.column(align=True)
    names.alignment, values.alignment = "LEFT", "RIGHT"
    values.ui_units_x = VALUE_UNITS  # however long the names are: a unit is never cut off
    names.scale_y = values.scale_y = 0.8
    for name, error, share in (
        (n_("Mean Error"), figures.mean, figures.mean_share),
        (n_("Largest Error"), figures.largest, figures.largest_share),
    ):
        names.label(text=name)
        if known:
            relative = f"  {measuring.percent(share)}" if roomy else ""
            values.label(text=f"{about}{length(context, error)}{relative}", translate=False)
        else:
            values.label(text=missing)
    if stances.stands(reduction):
        names.label(text="Feet Slide")
        slide = changes.measured_quality(reduction).slide
        values.label(text=length(context, slide) if measured else _to_come(reduction), translate=not measured)
    names.label(text="Compression")
    relative = f"  {figures.compression:.1%}" if roomy else ""
    values.label(text=f"{figures.frames} \N{RIGHTWARDS ARROW} {figures.keys}{relative}", translate=False)
    loop = reduction.analysis().seam
    if loop is not None:
        names.label(text="Loop")
        values.label(text=iface_("{count} frames").format(count=f"{loop[1] - loop[0]:g}"), translate=False)
    if not measured and not reduction.shows_original and not background_measuring.ask(reduction):
        layout.operator("posewright.measure")  # which may let the armature itself play the original


def _to_come(reduction: Reduction) -> str:
    """What stands where nothing is known yet; what is shown is measured as soon as the slider rests."""
    return n_("measuring") if background_measuring.ask(reduction) else n_("not measured")


def _draw_options(layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    asked = armature.posewright
    row = side_by_side(layout, context, WITHIN_SHARE)
    row.operator("posewright.keys_below", text="Fewest Keys Within")
    row = row.row(align=True)
    row.prop(asked, "wanted_slide" if asked.wanted_what == "SLIDE" else "wanted_error", text="")
    row.prop(asked, "wanted_what", text="", icon_only=True)
    suggested = reductions.get(armature).analysis().solutions.own_count
    if suggested is not None:
        text = iface_("Use Suggested Keys ({count})").format(count=suggested)
        layout.operator("posewright.suggested_keys", text=text)
    column = layout.column()
    names_beside(column, context)
    draw_choice(column, context, asked, "interpolation")
    column.prop(asked, "detail", slider=True)
    draw_choice(column, context, asked, "hold")
    text = "Showing the Original" if asked.show_original else "Show Original"
    layout.prop(asked, "show_original", text=text, toggle=True, icon="ARROW_LEFTRIGHT")


def _draw_ends(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    row = side_by_side(layout, context)
    row.scale_y = 1.2
    row.operator("posewright.restore", icon="LOOP_BACK")
    row.operator("posewright.apply", icon="CHECKMARK")


class BelowDistil(SidebarPanel):
    """For panels about the reduction that plays, closed until someone needs them."""

    bl_parent_id = "POSEWRIGHT_PT_distil"
    bl_options: ClassVar[set[str]] = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        armature = active_armature(context)
        return armature is not None and reductions.find(armature) is not None


class POSEWRIGHT_PT_distil_edits(BelowDistil, bpy.types.Panel):
    """What you changed on the keys, which every number of keys carries"""

    bl_label = "Edits"

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        """Whether there are any, where it can be seen while the panel is closed and moves nothing."""
        self.layout.label(text=_edits_in_short(reductions.get(active_armature(context))), translate=False)

    def draw(self, context: bpy.types.Context) -> None:
        reduction = reductions.get(active_armature(context))
        try:
            edits = reduction.edits
        except InputError:
            return  # the main panel says so
        if edits.is_none:
            draw_sentence(self.layout, context, HOW_TO_EDIT)
        column = self.layout.column(align=True)
        for frame in edits.keyed_frames[:MOST_LISTED]:
            text = iface_("Frame {frame}").format(frame=f"{frame:g}")
            _draw_release(column, text, "KEYFRAME_HLT", what="KEY", frame=float(frame))
        if len(edits.keyed) > MOST_LISTED:
            more = iface_("and {count} more").format(count=len(edits.keyed) - MOST_LISTED)
            column.label(text=more, icon="BLANK1", translate=False)
        if not edits.warp.is_none:
            _draw_release(column, iface_("Timing"), "TIME", what="TIMING")
        self.layout.operator("posewright.echo_edit", icon="MOD_ARRAY")
        self.layout.operator("posewright.release_edits", text="Release All", icon="X").what = "ALL"


def _draw_release(layout: bpy.types.UILayout, text: str, icon: str, **options: Any) -> None:
    row = layout.row(align=True)
    row.label(text=text, icon=icon, translate=False)
    release = row.operator("posewright.release_edits", text="", icon="X", emboss=False)
    for name, value in options.items():
        setattr(release, name, value)


def _edits_in_short(reduction: Reduction) -> str:
    """For a line that is always there; work may let the action play something else for a while."""
    if background_job.running() is None and changes.is_edited(reduction):
        return iface_("new")
    try:
        edits = reduction.edits
    except InputError:
        return ""
    if edits.is_none:
        return iface_("none")
    if not len(edits.keyed):
        return iface_("timing")
    return iface_("1 key") if len(edits.keyed) == 1 else iface_("{count} keys").format(count=len(edits.keyed))


class POSEWRIGHT_PT_distil_contacts(BelowDistil, bpy.types.Panel):
    """When feet and hands stand, as it was found in the original or marked by you"""

    bl_label = "Contacts"

    def draw(self, context: bpy.types.Context) -> None:
        reduction = reductions.get(active_armature(context))
        found = stances.frames_of(reduction)
        if found is None:
            draw_sentence(self.layout, context, CONTACTS_TO_COME)
        else:
            if not any(found.values()):
                draw_sentence(self.layout, context, NO_CONTACTS)
            if found:
                self._draw_strip(context, reduction, found)
        row = side_by_side(self.layout, context)
        row.operator("posewright.mark_contact", text="Stands", icon="ADD").stands = True
        row.operator("posewright.mark_contact", text="Does Not Stand", icon="REMOVE").stands = False

    def _draw_strip(self, context: bpy.types.Context, reduction: Reduction, found: stances.Stretches) -> None:
        """Who stands now, in the order of the lanes below, and the lanes."""
        frame = context.scene.frame_current_final
        column = self.layout.column(align=True)
        called = {bone: bone.rpartition(":")[2] for bone in found}  # without the namespace of exporters
        longest = max(called.values(), key=len)
        columns = 2 if fit_in_a_row(context, [longest] * 2, icons=True) else 1
        names = column.grid_flow(row_major=True, columns=columns, even_columns=True, align=True)
        names.scale_y = 0.8
        sides = stances.sides_of(reduction.armature, found)
        for side, (bone, stretches) in zip(sides, found.items(), strict=True):
            stands = any(first <= frame <= last for first, last in stretches)
            mark = plot_preview.stance_icon(context, side, stands)
            names.label(text=called[bone], icon_value=mark, translate=False)
        units = (width_units(context) - 1.5) / STRIP_PARTS
        row = column.row(align=True)
        for icon in plot_preview.contact_icons(context, reduction, units, STRIP_PARTS):
            row.template_icon(icon_value=icon, scale=units)


class POSEWRIGHT_PT_distil_quality(BelowDistil, bpy.types.Panel):
    """What people see of a reduced motion besides its error: feet, flights, roughness and turns"""

    bl_label = "Quality"

    def draw(self, context: bpy.types.Context) -> None:
        reduction = reductions.get(active_armature(context))
        measured, quality = changes.is_measured(reduction), changes.measured_quality(reduction)
        rows: list[tuple[str, float | None, str]] = []
        if stances.stands(reduction):
            rows += [(n_("Slides Farthest"), quality.worst_slide, ""), (n_("Sinks"), quality.sinking, "")]
        if quality.flight_error:
            rows.append((n_("Speed Off in the Air"), quality.flight_error, "/s"))
        half, most, nearly_all = quality.beside
        rows += [
            (n_("Added Jerk"), quality.added_jerk, "/s\N{SUPERSCRIPT THREE}"),
            (n_("Points Beside Bones"), None, ""),
            (n_("50% Within"), half, ""),
            (n_("95% Within"), most, ""),
            (n_("99% Within"), nearly_all, ""),
        ]
        column = self.layout.column(align=True)
        column.scale_y = 0.8
        for name, value, unit in rows:
            row = column.row()
            row.label(text=name)
            if value is None:  # what the rows below it are about
                continue
            value_part = row.row()
            value_part.alignment = "RIGHT"
            known = f"{length(context, value)}{unit}"
            value_part.label(text=known if measured else _to_come(reduction), translate=not measured)


class POSEWRIGHT_PT_distil_stagger(BelowDistil, bpy.types.Panel):
    """Overlapping action: keys of limbs some frames after their poses, or before"""

    bl_label = "Stagger"

    def draw(self, context: bpy.types.Context) -> None:
        reduction = reductions.get(active_armature(context))
        row = side_by_side(self.layout, context)
        row.prop(reduction.armature.posewright, "stagger_part", text="")
        row.prop(reduction.armature.posewright, "stagger", text="Frames")
        column = self.layout.column(align=True)
        late = stagger.described(reduction.armature, reduction.action)
        for part, frames in late[:MOST_LISTED]:
            column.label(text=f"{part}  {frames:+d}", icon="DOT", translate=False)
        if len(late) > MOST_LISTED:
            more = iface_("and {count} more").format(count=len(late) - MOST_LISTED)
            column.label(text=more, icon="BLANK1", translate=False)


class POSEWRIGHT_PT_distil_tiers(BelowDistil, bpy.types.Panel):
    """Extremes first, then breakdowns between them"""

    bl_label = "Extremes and Breakdowns"

    def draw(self, context: bpy.types.Context) -> None:
        reduction = reductions.get(active_armature(context))
        if extremes.are_locked(reduction):
            count = len(reduction.state.extremes.split())
            added = reduction.state.key_count - count
            tiers_now = iface_("{extremes} extremes, {breakdowns} breakdowns")
            text = tiers_now.format(extremes=count, breakdowns=added)
            self.layout.label(text=text, icon="LOCKED", translate=False)
            self.layout.operator("posewright.unlock_extremes", icon="UNLOCKED")
        else:
            draw_sentence(
                self.layout, context, "Slide to the extremes, lock them, then add breakdowns with the slider."
            )
            self.layout.operator("posewright.lock_extremes", icon="LOCKED")


CLASSES: tuple[type, ...] = (
    POSEWRIGHT_PT_distil,
    POSEWRIGHT_PT_distil_edits,
    POSEWRIGHT_PT_distil_contacts,
    POSEWRIGHT_PT_distil_quality,
    POSEWRIGHT_PT_distil_stagger,
    POSEWRIGHT_PT_distil_tiers,
)
