# SPDX-License-Identifier: GPL-3.0-or-later
"""All clips of a run as a page for a browser: pictures beside figures, from disk, no scripts, no network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import ascii_letters, digits

from .corpus import Column, Row, last_row, name_of, shown, used_columns

# What links hold as it is; anything else is written as the numbers of its bytes.
_PLAIN = f"{ascii_letters}{digits}-._~/"

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .4rem .8rem; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap; }
th { position: sticky; top: 0; background: Canvas; }
th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; }
td.picture { width: 60%; text-align: left; }
td.picture img { max-width: 100%; height: auto; background: #fff; }
td.reason { text-align: left; white-space: normal; color: #c33; }
tfoot { font-weight: bold; }
"""


def page(title: str, rows: Sequence[Row], base: Path, folder: Path) -> str:
    """The page as it is to be saved in `folder`; clips are named from `base` on."""
    columns = used_columns(rows)
    heads = "".join(f"<th>{escape(column.head)}</th>" for column in columns)
    lines = "\n".join(_line(row, columns, base, folder) for row in rows)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style></head>
<body><h1>{escape(title)}</h1>
<table>
<thead><tr><th>clip</th>{heads}<th></th></tr></thead>
<tbody>
{lines}
</tbody>
<tfoot><tr><td>all {len(rows)}</td>{_figures(last_row(rows), columns)}<td></td></tr></tfoot>
</table></body></html>
"""


def _line(row: Row, columns: Sequence[Column], base: Path, folder: Path) -> str:
    name = escape(name_of(row, base))
    if row["status"] == "failed":
        reason = escape(row["reason"])
        return f'<tr><td>{name}</td><td class="reason" colspan="{len(columns) + 1}">{reason}</td></tr>'
    result = f'<a href="{_link(row["file"], folder)}">{name}</a>'
    return f"<tr><td>{result}</td>{_figures(row, columns)}{_picture(row, folder)}</tr>"


def _figures(row: Row, columns: Sequence[Column]) -> str:
    return "".join(f"<td>{shown(row, column)}</td>" for column in columns)


def _picture(row: Row, folder: Path) -> str:
    """The pose sheet of a reduced clip, or the plot of a comparison; as large as there is room."""
    picture = row.get("sheet") or row.get("picture")
    if not picture:
        return '<td class="picture"></td>'
    link = _link(picture, folder)
    shown_as = f'<img src="{link}" alt="" loading="lazy">'
    return f'<td class="picture"><a href="{link}">{shown_as}</a></td>'


def _link(file: str, folder: Path) -> str:
    """Relative, so that the folder can be moved or copied; whole where the file is on another drive."""
    try:
        path = Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:
        return escape(Path(file).as_uri())
    return "".join(chr(byte) if chr(byte) in _PLAIN else f"%{byte:02X}" for byte in os.fsencode(path))
