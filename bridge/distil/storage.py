# SPDX-License-Identifier: GPL-3.0-or-later
"""Solutions as a text that fits in a file: saved with the armature, undone with it, read without pickle."""

from __future__ import annotations

import base64
import io

import numpy as np

from ...core import Solutions
from ...core.motion import FloatArray, IntArray


def pack(solutions: Solutions, arrays: dict[str, FloatArray]) -> str:
    """The solutions and some more arrays as text."""
    rows = _rows(solutions)
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        names=np.array([solutions.algorithm, solutions.objective]),
        nested=np.array(solutions.ranking is not None),
        counts=solutions.counts.astype(np.uint32),
        errors=solutions.errors,
        own_count=np.array(solutions.own_count or 0),
        rows=rows.astype(np.uint16 if rows.max(initial=0) < 2**16 else np.uint32),
        **{f"extra_{name}": array for name, array in arrays.items()},
    )
    return base64.b64encode(buffer.getvalue()).decode()


def _rows(solutions: Solutions) -> IntArray:
    """The ranking of nested solutions; for others the gaps between keys, which compress well."""
    if solutions.ranking is not None:
        return solutions.ranking[: solutions.counts[-1]]
    return np.concatenate([np.diff(solutions.keys(int(count)), prepend=0) for count in solutions.counts])


def unpack(text: str) -> tuple[Solutions, dict[str, FloatArray]]:
    with np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False) as stored:
        counts, rows = stored["counts"].astype(np.int64), stored["rows"].astype(np.int64)
        algorithm, objective = (str(name) for name in stored["names"])
        own_count = int(stored["own_count"]) or None
        extra = {name[6:]: stored[name] for name in stored.files if name.startswith("extra_")}
        if stored["nested"]:
            solutions = Solutions.from_ranking(
                algorithm, objective, rows, stored["errors"], fewest=int(counts[0]), own_count=own_count
            )
        else:
            keys = [np.cumsum(gaps) for gaps in np.split(rows, np.cumsum(counts)[:-1])]
            solutions = Solutions(algorithm, objective, keys, stored["errors"], own_count=own_count)
    return solutions, extra
