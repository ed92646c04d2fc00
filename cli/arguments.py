# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the command line."""

from __future__ import annotations

import argparse
import math
from functools import partial
from pathlib import Path
from typing import Any

from ..core import ALGORITHMS
from ..core.selection import Option

INTERPOLATIONS = ("smooth", "everywhere", "free", "auto", "linear", "stepped")
FORMATS = ("blend", "bvh", "fbx", "glb")
LOOPS = ("auto", "on", "off")
BONES = ("auto", "all", "deform")
SPACES = ("world", "armature", "root", "parent")
WEIGHTS = ("equal", "hand", "foot", "nine-joints", "hierarchy")
OTHER_WORDS = {"largest_gap": ("--gap",)}  # shorter ones

_EXAMPLES = """\
examples:
  posewright reduce walk.bvh --share 5            5 % of the frames become keys, walk_reduced.bvh
  posewright reduce clips/ --error 0.5 -o out/    as few keys as stay below 0.5 % of the character's height
  posewright reduce clips/ -o out/ --keys 12 --format blend --json report.json
  posewright sheet walk.bvh --keys 8              walk_sheet.png, eight poses side by side
  posewright compare walk.bvh -o out/             every algorithm's error over compression, as PNG and CSV
  posewright index clips/                         posewright-poses.npz, the poses of all clips, for Find Pose
  posewright library clips/ -o motions/           a folder for the Asset Browser, with thumbnails

Start it inside Blender as `blender -b --command posewright ...`, or with the bpy package as
`python path/to/checkout ...`. A folder is searched with its sub-folders.
"""


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="posewright",
        description="Distil motion capture into a few poses, one file or a whole folder at a time.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = top.add_subparsers(
        dest="verb", required=True, metavar="reduce | sheet | compare | index | library"
    )
    _add_reduce(verbs)
    _add_sheet(verbs)
    _add_compare(verbs)
    _add_index(verbs)
    _add_library(verbs)
    return top


def _add_verb(verbs, name: str, text: str) -> argparse.ArgumentParser:
    verb = verbs.add_parser(
        name,
        help=text,
        description=text,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("inputs", nargs="*", type=Path, help="files or folders; the open .blend if left out")
    verb.add_argument(
        "-o", "--output", type=Path, help="folder for the results; beside the input if left out"
    )
    verb.add_argument(
        "--action",
        nargs="+",
        default=(),
        metavar="NAME",
        help="only the actions of these names, or `active` for what plays; every action if left out",
    )
    verb.add_argument("--overwrite", action="store_true", help="replace results that are already there")
    verb.add_argument("--jobs", type=_positive, help="how many Blenders work at once; one a core if left out")
    verb.add_argument(
        "--shard",
        type=_shard,
        default=(1, 1),
        metavar="I/N",
        help="only the I-th of N equal parts of the files, for spreading a folder over machines",
    )
    verb.add_argument(
        "--json",
        nargs="?",
        const="-",
        metavar="FILE",
        help="report as JSON; on the terminal without FILE",
    )
    return verb


def _add_reduce(verbs) -> None:
    verb = _add_verb(verbs, "reduce", "Turn dense actions into a few keys.")
    amount = verb.add_mutually_exclusive_group()
    amount.add_argument("--keys", type=_key_count, help="how many keys, the first and the last included")
    amount.add_argument("--share", type=_percent, help="keys in percent of the frames (default 5)")
    amount.add_argument(
        "--error", type=_percent, help="fewest keys whose mean error stays below this percent of the height"
    )
    amount.add_argument(
        "--slide",
        type=_percent,
        help="fewest keys with which no foot slides farther than in the input by more than this percent of "
        "the height",
    )
    amount.add_argument(
        "--suggested", action="store_true", help="as many keys as the algorithm finds (saliency only)"
    )
    _add_selection(verb)
    verb.add_argument(
        "--keyed-as",
        "--interpolation",
        dest="interpolation",
        choices=INTERPOLATIONS,
        default="smooth",
        help="how the motion runs between keys (default smooth)",
    )
    verb.add_argument("--fixed", type=_numbers, default=(), help="frames that must be keys: 10,24,31.5")
    verb.add_argument(
        "--detail", type=_percent, help="percent of what the keys lost that plays on top, as a layer"
    )
    verb.add_argument("--hold-feet", action="store_true", help="keep feet that stand where they stood")
    verb.add_argument("--format", choices=FORMATS, help="format of the result; the input's if left out")
    verb.add_argument(
        "--no-read-back",
        dest="read_back",
        action="store_false",
        help="keep results without opening and measuring them first: faster",
    )


def _add_sheet(verbs) -> None:
    verb = _add_verb(verbs, "sheet", "Draw the key poses side by side as a PNG.")
    verb.add_argument("--keys", type=_key_count, default=8, help="how many poses (default 8)")
    _add_selection(verb)


def _add_compare(verbs) -> None:
    verb = _add_verb(verbs, "compare", "Plot every algorithm's error over compression, as PNG and CSV.")
    verb.add_argument(
        "--algorithms",
        type=_algorithms,
        default=tuple(ALGORITHMS),
        metavar="A,B,...",
        help="which ones; all if left out",
    )


def _add_index(verbs) -> None:
    _add_verb(verbs, "index", "Gather the poses of all clips in one file, which Find Pose searches.")


def _add_library(verbs) -> None:
    _add_verb(verbs, "library", "Make an asset library: every clip as an action with a thumbnail.")


def _add_selection(verb: argparse.ArgumentParser) -> None:
    salient = ALGORITHMS["salient"]
    verb.add_argument(
        "--algorithm",
        choices=tuple(ALGORITHMS),
        default="salient",
        help="how keys are chosen (default salient)",
    )
    verb.add_argument(
        "--objective",
        choices=("automatic", *salient.objectives),
        default="automatic",
        help="what salient makes smallest; automatic goes with --keyed-as (default automatic)",
    )
    verb.add_argument("--range", type=_range, metavar="FIRST,LAST", help="only these frames")
    verb.add_argument(
        "--sub-frames", action="store_true", help="let keys be between frames where the input has keys there"
    )
    verb.add_argument(
        "--no-t-pose",
        dest="leave_out_first_pose",
        action="store_true",
        help="begin after the T-pose, or another pose that the motion jumps away from",
    )
    verb.add_argument(
        "--loop", choices=LOOPS, help="whether actions go round: what the file says, or what is found (auto)"
    )
    verb.add_argument("--bones", choices=BONES, help="whose movement counts")
    verb.add_argument("--weights", choices=WEIGHTS, help="how much bones count")
    verb.add_argument("--space", choices=SPACES, help="from where poses are compared")
    _add_options(verb)


def _add_options(verb: argparse.ArgumentParser) -> None:
    """The algorithms' own; where several have one of the same name, it is one word."""
    for name in dict.fromkeys(name for algorithm in ALGORITHMS.values() for name in algorithm.options):
        owners = [each for each in ALGORITHMS.values() if name in each.options]
        about = f"{owners[0].options[name].description} ({', '.join(each.name for each in owners)})"
        words = [option_word(name), *OTHER_WORDS.get(name, ())]
        verb.add_argument(
            *words,
            dest=f"option_{name}",
            help=about.replace("%", "%%"),
            **_option_type(owners[0].options[name]),
        )


def option_word(name: str) -> str:
    """What an option of an algorithm is called on the command line."""
    return "--" + name.replace("_", "-")


def _option_type(option: Option) -> dict[str, Any]:
    if option.choices:
        return {"choices": option.choices}
    if isinstance(option.default, bool):
        return {"action": argparse.BooleanOptionalAction}
    return {"type": partial(_number, option=option), "metavar": "NUMBER"}


def _number(text: str, option: Option) -> float:
    whole = option.whole or isinstance(option.default, int)
    least = -math.inf if option.minimum is None else option.minimum
    most = math.inf if option.maximum is None else option.maximum
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= most or math.isinf(value):
        kind = "whole number" if whole else "number"
        limits = f" from {least:g}" * math.isfinite(least) + f" to {most:g}" * math.isfinite(most)
        raise argparse.ArgumentTypeError(f"{text} is not a {kind}{limits}")
    return value


def _positive(text: str) -> int:
    return _whole(text, 1)


def _key_count(text: str) -> int:
    return _whole(text, 2)


def _whole(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from {least} on")
    return value


def _percent(text: str) -> float:
    try:
        value = float(text.rstrip("%"))
    except ValueError:
        value = -1.0
    if not 0.0 < value <= 100.0:
        raise argparse.ArgumentTypeError(f"{text} is not a percentage above 0 and up to 100")
    return value


def _numbers(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(word) for word in text.split(","))
    except ValueError:
        found = (math.nan,)
    if not all(map(math.isfinite, found)):
        raise argparse.ArgumentTypeError(f"{text} is not a list of frames such as 10,24,31.5")
    return found


def _range(text: str) -> tuple[float, float]:
    ends = _numbers(text)
    if len(ends) != 2 or ends[0] >= ends[1]:
        raise argparse.ArgumentTypeError(f"{text} is not a first and a later last frame such as 1,120")
    return ends[0], ends[1]


def _shard(text: str) -> tuple[int, int]:
    part, slash, count = text.partition("/")
    if not slash or not part.isdigit() or not count.isdigit() or not 1 <= int(part) <= int(count):
        raise argparse.ArgumentTypeError(f"{text} is not a part such as 2/16")
    return int(part), int(count)


def _algorithms(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in ALGORITHMS]
    if unknown:
        known = ", ".join(ALGORITHMS)
        raise argparse.ArgumentTypeError(f"there is no algorithm {unknown[0]}; there are: {known}")
    return names
