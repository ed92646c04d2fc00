# SPDX-License-Identifier: GPL-3.0-or-later
"""`Character`: what is known of an armature, found by the places of its bones with their names as a hint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..checks import FloatArray


@dataclass(frozen=True)
class Limb:
    """A leg or an arm, by the names of its bones.

    Attributes:
        side: "left" or "right".
        bones: from where it leaves the body to the toes or the hand.
        upper: thigh or upper arm. lower: shin or forearm; the same bone where a limb is one bone.
        end: foot or hand; None where the limb ends with its lower half.
        tip: toes, if there are any.
    """

    side: str
    bones: tuple[str, ...]
    upper: str
    lower: str
    end: str | None
    tip: str | None

    @property
    def sole(self) -> str:
        """The bone at whose end it stands: the foot or the hand, the last piece of one that is in pieces."""
        if self.end is None or self.tip not in self.bones:
            return self.end or self.lower
        before = self.bones[self.bones.index(self.end) : self.bones.index(self.tip)]
        return before[-1] if before else self.end

    @property
    def bends(self) -> bool:
        """Whether it has a knee or an elbow."""
        return self.upper != self.lower


@dataclass(frozen=True, eq=False)
class Character:
    """An armature understood. Vectors are in axes of the world; parts that there are none of are empty.

    Attributes:
        height: how high it is when it stands, in units of the world; of what has no legs, its largest extent.
        up, front: unit vectors in the pose that was looked at; `front` is None where nothing tells it.
        ground: how far along `up` from the origin of the armature its soles are in that pose.
        sole: how far the lowest joint of its legs is above the ground.
        hips: the bone that carries the whole body.
        head: the bone that the head is.
        spine: the bones between them.
        legs, arms: pairs, left before right; on all fours the hind legs come first.
        pairs: left and right bones. unpaired: bones of the body on one side that have no counterpart.
        left_is_left: whether what is called left is on the left of the front; on a stage it may be the other.
        body: the bones that make it up, without controls, mechanism and helpers.
        carriers: those of them above the hips, such as a root on the ground.
        deform: those that move a mesh. controls: those that an animator handles. mechanism: those that
            neither is seen nor moves a mesh.
        tails_tell: whether bones end at their tails; importers put them anywhere.
        stands: whether the pose that was looked at is one that such a body can stand in.
        said_ground: the height of the ground in the world where the user has said it.
        looks_aside: by which angle, against the clock, it looks aside of where its limbs say it does.
    """

    height: float
    up: FloatArray
    front: FloatArray | None
    ground: float
    sole: float
    hips: str | None
    head: str | None
    spine: tuple[str, ...]
    legs: tuple[Limb, ...]
    arms: tuple[Limb, ...]
    pairs: tuple[tuple[str, str], ...]
    unpaired: tuple[str, ...]
    left_is_left: bool
    body: tuple[str, ...]
    carriers: tuple[str, ...]
    deform: tuple[str, ...]
    controls: tuple[str, ...]
    mechanism: tuple[str, ...]
    tails_tell: bool
    stands: bool
    said_ground: float | None = None
    looks_aside: float = 0.0

    @property
    def feet(self) -> tuple[str, ...]:
        """The foot of each leg; where there is none, what the leg ends with."""
        return tuple(leg.end or leg.lower for leg in self.legs)

    @property
    def toes(self) -> tuple[str, ...]:
        return tuple(leg.tip for leg in self.legs if leg.tip is not None)

    @property
    def hands(self) -> tuple[str, ...]:
        return tuple(arm.end or arm.lower for arm in self.arms)

    @property
    def limbs_by_name(self) -> dict[str, Limb]:
        """Every leg and arm by what it is called: "left leg", and of a second pair "left leg 2"."""
        return {
            f"{limb.side} {kind}{'' if place < 2 else f' {place // 2 + 1}'}": limb
            for kind, group in (("leg", self.legs), ("arm", self.arms))
            for place, limb in enumerate(group)
        }

    @property
    def figure(self) -> tuple[str, ...]:
        """The bones to draw it with."""
        return tuple(bone for bone in self.body if bone not in self.carriers)

    @cached_property
    def _partners(self) -> dict[str, str]:
        return {a: b for left, right in self.pairs for a, b in ((left, right), (right, left))}

    def mirror_of(self, bone: str) -> str | None:
        """The counterpart of a bone on the other side; None for bones in the middle."""
        return self._partners.get(bone)
