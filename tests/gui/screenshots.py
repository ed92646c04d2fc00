# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the virtual screen.

Blender's own screenshot operator reads a buffer that software rendering leaves black, so the picture is
taken from the screen itself: Xvfb keeps it in a file, in the X window dump format.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def read_screen(dump: Path) -> NDArray[np.uint8]:
    """(height, width, 3) colours of an X window dump with 32 bits a pixel."""
    data = dump.read_bytes()
    header = struct.unpack(">20I", data[:80])
    size, width, height, bits, line, colours = (header[n] for n in (0, 4, 5, 11, 12, 19))
    assert bits == 32, f"a screen with {bits} bits a pixel"
    pixels = np.frombuffer(data, np.uint8, line * height, size + 12 * colours)
    return pixels.reshape(height, line // 4, 4)[:, :width, 2::-1]


def write_png(path: Path, colours: NDArray[np.uint8]) -> None:
    height, width = colours.shape[:2]
    rows = np.hstack([np.zeros((height, 1), np.uint8), colours.reshape(height, width * 3)])

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), 6)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    )
