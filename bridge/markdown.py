# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages written in Markdown, as plain text that reads well in Blender's Text Editor."""

from __future__ import annotations

import re

_CODE = "    "
_PICTURE = re.compile(r"^\s*!\[[^\]]*\]\([^)]*\)\s*$")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_HEADING = re.compile(r"^(#+)\s+(.*)$")
_STARTS_ITSELF = re.compile(r"^\s*([-*]|\d+\.)\s|^\|")  # a line that is no more of the last one


def as_plain_text(page: str) -> str:
    """Paragraphs in one line each, for the editor to wrap; tables in columns; no pictures, links as words."""
    lines: list[str] = []
    fenced = False
    for line in page.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced:
            lines.append(f"{_CODE}{line}".rstrip())
        elif line.startswith(_CODE) and (not lines or not lines[-1] or lines[-1].startswith(_CODE)):
            lines.append(line)
        elif not _PICTURE.match(line):
            _add_prose(lines, line.rstrip())
    text = "\n".join(_with_columns(lines))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _add_prose(lines: list[str], line: str) -> None:
    line = _LINK.sub(r"\1", line).replace("**", "")
    heading = _HEADING.match(line)
    if heading:
        underline = "=" if len(heading[1]) == 1 else "-"
        lines += [heading[2], underline * len(heading[2]), ""]
    elif line and lines and lines[-1] and not lines[-1].startswith("|") and not _STARTS_ITSELF.match(line):
        lines[-1] = f"{lines[-1]} {line.strip()}"
    else:
        lines.append(line)


def _with_columns(lines: list[str]) -> list[str]:
    """The lines, with every table's cells padded to the width of their column."""
    spaced: list[str] = []
    table: list[list[str]] = []
    for line in [*lines, ""]:
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip("|").split("|")])
            continue
        spaced += _table(table)
        table = []
        spaced.append(line)
    return spaced


def _table(rows: list[list[str]]) -> list[str]:
    rows = [row for row in rows if any(cell.strip("-: ") for cell in row)]  # no rule, no empty heading
    widths = [max(map(len, column)) for column in zip(*rows, strict=False)]
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] for row in rows)
    return ["  ".join(row).rstrip() for row in padded]
