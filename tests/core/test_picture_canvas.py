# SPDX-License-Identifier: GPL-3.0-or-later
"""Ink where something was drawn and none elsewhere."""

import struct
import zlib

import numpy as np
import pytest

from core import InputError
from core.picture import Canvas, font, png

RED = (1.0, 0.0, 0.0, 1.0)
WHITE = (1.0, 1.0, 1.0, 1.0)


def distance_to_segment(shape, start, end):
    """A second way to measure: the nearest of many points along the segment."""
    y, x = np.mgrid[: shape[0], : shape[1]] + 0.5
    along = np.linspace(0.0, 1.0, 400)
    points = np.asarray(start) + along[:, None] * (np.asarray(end) - start)
    return np.sqrt((x[..., None] - points[:, 0]) ** 2 + (y[..., None] - points[:, 1]) ** 2).min(axis=2)


@pytest.mark.parametrize(
    ("start", "end"), [((10, 12), (50, 30)), ((30, 5), (30, 35)), ((8, 20), (55, 20)), ((20, 20), (20, 20))]
)
def test_a_capsule_inks_exactly_its_neighbourhood(start, end):
    canvas = Canvas(64, 40)
    canvas.capsule(start, end, 4.0, RED)
    distance = distance_to_segment((40, 64), start, end)
    alpha = canvas.pixels[..., 3]
    assert np.all(alpha[distance < 3.4] == 1.0)
    assert np.all(alpha[distance > 4.6] == 0.0)
    edge = alpha[np.abs(distance - 4.0) < 0.3]
    assert edge.min() > 0.15
    assert edge.max() < 0.85


def test_ink_adds_up_to_the_area():
    canvas = Canvas(100, 60)
    canvas.capsule((20, 30), (80, 30), 7.5, RED)
    assert canvas.pixels[..., 3].sum() == pytest.approx(60 * 15 + np.pi * 7.5**2, rel=0.005)


def test_radii_may_differ_at_the_ends():
    canvas = Canvas(100, 60)
    canvas.capsule((20, 30), (80, 30), (10.0, 2.0), RED)
    heights = (canvas.pixels[..., 3] > 0.5).sum(axis=0)
    assert heights[20] == pytest.approx(20, abs=1)
    assert heights[79] == pytest.approx(4, abs=1)


def test_what_lies_outside_is_left_out_quietly():
    canvas = Canvas(20, 10, WHITE)
    canvas.capsule((-100, -100), (-50, -50), 3.0, RED)
    canvas.capsule((15, 5), (400, 5), 3.0, RED)
    canvas.rectangle(-5, -5, -1, -1, RED)
    assert canvas.pixels[5, 19, 1] == 0.0
    assert np.all(canvas.pixels[:, :10, 1] == 1.0)


def test_half_transparent_over_white_mixes():
    canvas = Canvas(10, 10, WHITE)
    canvas.rectangle(0, 0, 10, 10, (0.0, 0.0, 0.0, 0.5))
    assert np.allclose(canvas.straight(), [0.5, 0.5, 0.5, 1.0])


def test_a_layer_pasted_with_opacity_keeps_its_colour():
    layer, canvas = Canvas(8, 8, RED), Canvas(10, 10)
    canvas.paste(layer, 4, -3, opacity=0.25)
    assert np.allclose(canvas.straight()[:5, 4:], [1.0, 0.0, 0.0, 0.25])
    assert not canvas.pixels[5:].any()
    assert not canvas.pixels[:, :4].any()


def test_a_gap_erases_the_middle_and_leaves_the_ends():
    canvas = Canvas(40, 20, WHITE)
    canvas.gap((10, 10), (30, 10), 3.0)
    assert canvas.pixels[10, 20, 3] == 0.0
    assert canvas.pixels[10, 8, 3] == canvas.pixels[10, 32, 3] == 1.0


def test_text_stays_in_its_box_and_aligns():
    for align in (0.0, 0.5, 1.0):
        canvas = Canvas(200, 60)
        canvas.text((100, 40), "1280", 20.0, RED, align=align)
        rows, columns = np.nonzero(canvas.pixels[..., 3] > 0.3)
        wide = font.width("1280", 20.0)
        assert columns.min() == pytest.approx(100 - align * wide, abs=2.5)
        assert columns.max() == pytest.approx(100 + (1.0 - align) * wide, abs=2.5)
        assert rows.min() == pytest.approx(20, abs=2.5)
        assert rows.max() == pytest.approx(40, abs=2.5)


def test_every_printable_letter_has_ink_and_looks_like_no_other():
    shapes = {}
    for letter in map(chr, range(33, 127)):
        canvas = Canvas(60, 60)
        canvas.text((10, 40), letter, 28.0, RED)
        ink = canvas.bytes().tobytes()
        assert any(ink), letter
        if font.has(letter):
            assert ink not in shapes, f"{letter} looks like {shapes.get(ink)}"
            shapes[ink] = letter
    assert set("0123456789.-+%()/:,") <= set(shapes.values())


def test_accents_are_dropped_and_unknown_letters_keep_their_place():
    assert font.width("Ärm", 10.0) == font.width("Arm", 10.0)
    assert font.width("歩く", 10.0) > 0.0


def test_png_holds_the_pixels():
    pixels = np.random.default_rng(3).integers(0, 256, (7, 5, 4), dtype=np.uint8)
    data = png(pixels)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    assert struct.unpack(">IIBB", chunks[b"IHDR"][:10]) == (5, 7, 8, 6)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(7, 21)
    assert np.all(rows[:, 0] == 2)
    assert np.array_equal(np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(7, 5, 4), pixels)


def test_an_absurd_size_is_refused_with_a_sentence():
    with pytest.raises(InputError, match="make it smaller"):
        Canvas(1_000_000, 1_000_000)
