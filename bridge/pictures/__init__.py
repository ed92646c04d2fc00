# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures in Blender: poses out of a scene, canvases into images, previews and files.

`sampled_poses`  poses to draw                         `meshes`             a skin as triangles
`viewport`       poses as the viewport shows them      `ghosts`             poses for the viewport
`images`         canvases as images                    `show`               ... in a window
`previews`       thumbnails of actions                 `clip_library`       a folder of clips as assets
`catalogues`     where assets are listed               `pose_search`        frames with a pose like this
`folder_index`   an index of a folder                  `file_postures`      what is indexed of a file
`comparison`     algorithms side by side               `tables`             ... as plot and text
`attention`      where a motion stands out             `transitions`        which part leads
"""
