# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages written in Markdown, as plain text that reads well in Blender's Text Editor."""

from __future__ import annotations

import re
import textwrap

WIDTH = 96  # characters of a line that is still easy to read
_CODE = "    "
_PICTURE = re.compile(r"^\s*!\[[^\]]*\]\([^)]*\)\s*$")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(?<![\w*])(\*\*?)(?=\S)([^*]+)(?<=\S)\1(?![\w*])")
_HEADING = re.compile(r"^(#+)\s+(.*)$")
_ITEM = re.compile(r"^\s*([-*]|\d+\.)\s+")


def as_plain_text(page: str) -> str:
    """Paragraphs wrapped anew, tables in columns, code as it is; no pictures, and links as their words."""
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
    text = "\n".join(_laid_out(lines))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _add_prose(lines: list[str], line: str) -> None:
    line = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", line))
    heading = _HEADING.match(line)
    if heading:
        underline = "=" if len(heading[1]) == 1 else "-"
        lines += [heading[2], underline * len(heading[2]), ""]
    elif line and lines and lines[-1] and not _ITEM.match(line) and "|" not in (line[0], lines[-1][0]):
        lines[-1] = f"{lines[-1]} {line.strip()}"
    else:
        lines.append(line)


def _wrapped(line: str) -> str:
    """Prose in lines of a readable length, items below their own beginning."""
    if line.startswith(_CODE):
        return line
    item = _ITEM.match(line)
    return textwrap.fill(line, WIDTH, subsequent_indent=" " * len(item[0]) if item else "")


def _laid_out(lines: list[str]) -> list[str]:
    """Prose is wrapped, and the cells of every table are padded to the width of their column."""
    finished: list[str] = []
    table: list[list[str]] = []
    for line in [*lines, ""]:
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip("|").split("|")])
            continue
        finished += _table(table)
        table = []
        finished.append(_wrapped(line))
    return finished


def _table(rows: list[list[str]]) -> list[str]:
    rows = [row for row in rows if any(cell.strip("-: ") for cell in row)]  # no rule, no empty heading
    widths = [max(map(len, column)) for column in zip(*rows, strict=False)]
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] for row in rows)
    return ["  ".join(row).rstrip() for row in padded]
