# SPDX-License-Identifier: GPL-3.0-or-later
"""What bone names say: which side a bone is on, what its counterpart is called and which part it is.

Names are a hint. They are in many conventions and in many languages, so nothing relies on them alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence

LEFT, CENTRE, RIGHT = -1, 0, 1

# Left or right anywhere; a lone letter set off by anything but letters (".L", "_r", "l_", "L1"); a capital
# before a capitalised word ("LHipJoint") or after a small letter ("HandL"); a small one before a capital, as
# in "lShin".
_SIDE = re.compile(
    r"(?i:left|right)|左|右"
    r"|(?<![A-Za-z0-9])[LRlr](?![A-Za-z])"
    r"|(?<![A-Za-z0-9])[LR](?=[A-Z][a-z])"
    r"|(?<=[a-z])[LR](?![A-Za-z])"
    r"|(?<![A-Za-z0-9])[lr](?=[A-Z])"
)
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l", "左": "右", "右": "左"}
_NUMBER = re.compile(r"[._ -]\d+$")  # such as exporters add to make names distinct

# Ordered: "LeftHandThumb1" is a finger and no hand. Matched against the words of a name, see `words`.
_PARTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (part, re.compile(pattern))
    for part, pattern in (
        (
            "loose",
            r"\b(skirt|dress|cape|coat|cloth|cloak|hair|tail|wing|breast|boob|ear|eye|belt|strap|weapon"
            r"|antenna|feeler|whisker|mandible|horn|tusk|fins?\b)",
        ),
        ("finger", r"\b(finger|thumb|index|middle|ring|pinky|little|digit|metacarpal|carpal)"),
        ("toe", r"\b(toes?|ball|ball ?joint|toe ?base)\b|\b(big|small) ?toe"),
        ("foot", r"\b((fore|hind|front|back|rear)?(foot|feet|paw|hoof)|ankle)\b|足首"),
        ("hand", r"\b(hand|wrist|palm|fist)\b|手首"),
        ("thigh", r"\b(up|upper) ?leg|\bthigh|\bfemur"),
        ("shin", r"\b(low|lower) ?leg|\b(shin|calf|knee|tibia)|ひざ"),
        ("forearm", r"\b(fore|low|lower) ?arm|\b(elbow|ulna)|ひじ"),
        ("upper arm", r"\b(up|upper) ?arm|\b(shldr|bicep|humerus)"),
        ("clavicle", r"\b(clavicle|collar|shoulder|scapula)|肩"),
        ("leg", r"\b(fore|hind|front|back|rear)?leg\b|足"),
        ("arm", r"\barm\b|腕"),
        ("head", r"\b(head|skull)\b|頭"),
        ("neck", r"\bneck|首"),
        ("hips", r"\b(hips?|pelvis)\b|センター"),
    )
)
LEG_PARTS = frozenset({"thigh", "shin", "leg", "foot", "toe"})
ARM_PARTS = frozenset({"clavicle", "upper arm", "forearm", "arm", "hand", "finger"})

_MECHANISM = {"ik", "pole", "target", "mch", "org", "ctrl", "control", "helper", "wgt", "vis", "roll"}
_ENDS = {"end", "nub", "tip", "top", "leaf"}
_TWISTS = {"roll", "share", "adj", "bulge", "corrective", "correctiveroot", "volume"}


def words(name: str) -> tuple[str, ...]:
    """The words of a name in small letters, without numbers: LeftForeArm_02 has left, fore and arm.

    So has lefthand two, where no capital tells it.
    """
    plain = unicodedata.normalize("NFKC", name)  # Japanese names have wide letters
    capitals, sides = (
        r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])",
        r"(?i:(?=left|right)|(?<=left)|(?<=right))",
    )
    apart = re.sub(f"{capitals}|{sides}", " ", plain)
    return tuple(word.lower() for word in re.findall(r"[A-Za-z]+|[^\W\d_A-Za-z]+", apart))


def side_of(name: str) -> int:
    """LEFT, RIGHT or CENTRE, from how a bone is called."""
    found = _SIDE.search(name)
    if found is None:
        return CENTRE
    return LEFT if found.group()[0] in "lL左" else RIGHT


def part_of(name: str) -> str | None:
    """The part of the body that a bone is called after, such as "shin"; None if the name does not say."""
    text = " ".join(words(name))
    return next((part for part, pattern in _PARTS if pattern.search(text)), None)


def is_mechanism(name: str) -> bool:
    """Whether a bone is called after what it does in a rig, and not after a part of a body."""
    return not _MECHANISM.isdisjoint(words(name))


def is_end(name: str) -> bool:
    """Whether a bone only marks where the one above it ends."""
    return not _ENDS.isdisjoint(words(name))


def is_twist(name: str) -> bool:
    """Whether a bone only helps a mesh turn or bend: also where its name is one word, as thightwist1."""
    return any(word in _TWISTS or word.endswith("twist") for word in words(name))


def pairs_by_name(names: Sequence[str]) -> dict[int, int]:
    """Row of the counterpart of every bone whose name has one, both ways.

    Where exporters number all bones (b_LeftArm_09 and b_RightArm_06), names are compared without numbers.
    """
    rows = {name: row for row, name in enumerate(names)}
    partners: dict[int, int] = {}
    for row, name in enumerate(names):
        flipped = next((rows[other] for other in _flipped(name) if other in rows), None)
        if flipped is not None:
            partners[row] = flipped
    plain: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(names):
        if row not in partners:
            plain[_NUMBER.sub("", name)].append(row)
    for name, same in plain.items():
        others = next((plain[other] for other in _flipped(name) if other in plain), [])
        if len(same) == len(others) == 1:
            partners[same[0]] = others[0]
    return {row: other for row, other in partners.items() if partners.get(other) == row}


def _flipped(name: str) -> Iterator[str]:
    """What the counterpart may be called: one sign of a side exchanged, or all of them."""
    found = list(_SIDE.finditer(name))
    for match in found:
        yield name[: match.start()] + _other(match.group()) + name[match.end() :]
    if len(found) > 1:
        yield _SIDE.sub(lambda match: _other(match.group()), name)


def _other(side: str) -> str:
    other = _OTHER[side.lower()]
    if side.isupper():
        return other.upper()
    return other.capitalize() if side[0].isupper() else other
