# SPDX-License-Identifier: GPL-3.0-or-later
"""A small stroke font, drawn for Posewright, so that pictures need no font file and no Blender.

A glyph is a row of strokes separated by spaces. A stroke is a chain of points, two digits each: x from
the left edge and y upwards, with the baseline at 2, small letters up to 6 and capitals up to 8. A stroke
that begins with `~` is rounded by cutting its corners, one that begins with `o` is a rounded loop.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

Strokes = NDArray[np.float32]  # (S, 2, 2): start and end of straight pieces

_GLYPHS = {
    "0": "o02424808",
    "1": "062822",
    "2": "~070848450202 0242",
    "3": "~0708484525 ~2545420203",
    "4": "3238043444",
    "5": "480805 ~0506464202",
    "6": "o02424606 ~38180604",
    "7": "084812",
    "8": "o05454808 o02424505",
    "9": "o04444808 ~46442212",
    "A": "022842 1434",
    "B": "0208 ~08484505 ~05454202",
    "C": "~474808024243",
    "D": "0208 ~08484202",
    "E": "48080242 0535",
    "F": "480802 0535",
    "G": "~4748080242424525",
    "H": "0208 4248 0545",
    "I": "0208",
    "J": "~38320203",
    "K": "0208 4805 1642",
    "L": "080232",
    "M": "0208254842",
    "N": "02084248",
    "O": "o02525808",
    "P": "0208 ~08484404",
    "Q": "o02525808 3451",
    "R": "0208 ~08484404 2442",
    "S": "~4748080545420203",
    "T": "0848 2822",
    "U": "~0803024243 4348",
    "V": "082248",
    "W": "0812385268",
    "X": "0248 0842",
    "Y": "082548 2522",
    "Z": "08480242",
    "a": "o02323606 3632",
    "b": "0802 o02323606",
    "c": "~353606023233",
    "d": "3832 o02323606",
    "e": "0434 ~3436060232 ",
    "f": "~28181812 0626",
    "g": "o02323606 ~36303000",
    "h": "0802 ~04063632",
    "i": "0602 0808",
    "j": "~16101000 1818",
    "k": "0802 3604 1532",
    "l": "~08030212",
    "m": "0602 ~04062622 ~24264642",
    "n": "0602 ~04063632",
    "o": "o02323606",
    "p": "0600 o02323606",
    "q": "3630 o02323606",
    "r": "0602 ~040626",
    "s": "~3536060434320203",
    "t": "~18121222 0626",
    "u": "~06023234 3632",
    "v": "062246",
    "w": "0612355266",
    "x": "0632 0236",
    "y": "0622 4610",
    "z": "06360232",
    ".": "0202",
    ",": "1200",
    ":": "0202 0606",
    ";": "1200 1616",
    "-": "0525",
    "+": "0545 2327",
    "=": "0434 0636",
    "_": "0242",
    "/": "0138",
    "\\": "0831",
    "|": "0108",
    "(": "~18050511",
    ")": "~08151501",
    "[": "18080111",
    "]": "08181101",
    "<": "370533",
    ">": "073503",
    "%": "o06161808 o32424434 0248",
    "#": "1218 3238 0444 0646",
    "*": "2428 0646",
    "'": "0806",
    '"': "0806 1816",
    "!": "0804 0202",
    "?": "~0708484524 2222",
    "&": "~421608184604020242",
    "@": "o02424808 o14343616",
}
_UNKNOWN = "0202080848484202"
_HEIGHT = 6.0  # of capitals, in glyph units
_SPACE = 2.5
_BETWEEN = 1.7


def weight(size: float) -> float:
    """Radius of the pen for capitals `size` pixels high."""
    return max(size * 0.065, 0.55)


def width(string: str, size: float) -> float:
    """How many pixels `string` takes, without the space after it."""
    units = sum(_advance(letter) for letter in _plain(string)) - _BETWEEN
    return max(units, 0.0) * size / _HEIGHT


def has(letter: str) -> bool:
    """Whether a letter has a shape of its own."""
    return letter in _GLYPHS


def strokes(string: str, size: float) -> list[Strokes]:
    """One array of straight pieces a letter, baseline at y = 0 and y down, for a pen that starts at x = 0."""
    scale = np.float32(size / _HEIGHT)
    at, letters = 0.0, []
    for letter in _plain(string):
        if letter != " ":
            letters.append((_pieces(letter) + np.array([at, 0.0], np.float32)) * scale)
        at += _advance(letter)
    return letters


def _plain(string: str) -> str:
    """Without accents: letters that have a glyph stay, others keep their place."""
    return "".join(c for c in unicodedata.normalize("NFKD", string) if not unicodedata.combining(c))


def _advance(letter: str) -> float:
    if letter == " ":
        return _SPACE + _BETWEEN
    return float(_pieces(letter)[..., 0].max()) + _BETWEEN


@cache
def _pieces(letter: str) -> Strokes:
    chains = [_chain(stroke) for stroke in _GLYPHS.get(letter, _UNKNOWN).split()]
    return np.concatenate([np.stack([chain[:-1], chain[1:]], axis=1) for chain in chains]).astype(np.float32)


def _chain(stroke: str) -> NDArray[np.float64]:
    digits = stroke.lstrip("~o")
    points = np.array([[int(digits[at]), 2 - int(digits[at + 1])] for at in range(0, len(digits), 2)], float)
    if stroke[0] == "o":
        return _cut_corners(np.vstack([points, points[:1]]), closed=True)
    if stroke[0] == "~":
        return _cut_corners(points, closed=False)
    return points


def _cut_corners(points: NDArray[np.float64], *, closed: bool, rounds: int = 3) -> NDArray[np.float64]:
    """Chaikin's scheme: each round replaces a corner by two points at a quarter of its edges."""
    for _ in range(rounds):
        near = 0.75 * points[:-1] + 0.25 * points[1:]
        far = 0.25 * points[:-1] + 0.75 * points[1:]
        cut = np.stack([near, far], axis=1).reshape(-1, 2)
        points = np.vstack([cut, cut[:1]]) if closed else np.vstack([points[:1], cut, points[-1:]])
    return points
