# SPDX-License-Identifier: GPL-3.0-or-later
"""Posewright: distil motion capture into a few poses, and perform poses placed in space.

Importing this package imports no Blender module, so `core` can be used in plain Python.
"""


def _parts():
    """The parts that hold something in Blender, in the order in which they need each other."""
    from . import cli, drawing, handlers, languages, operators, panels, properties

    return (languages, properties, handlers, drawing, operators, panels, cli)


def register() -> None:
    for part in _parts():
        part.register()


def unregister() -> None:
    for part in reversed(_parts()):
        part.unregister()


def __getattr__(name: str):
    """What Blender's glTF exporter looks for here."""
    if name == "glTF2ExportUserExtension":
        from .handlers.gltf_export import GltfExport

        return GltfExport
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
