# SPDX-License-Identifier: GPL-3.0-or-later
"""The layer of detail: what the keys lost, played on top of them.

`detail`          the layer and its strength           `residuals`   what it has to play
`layer_keys`      the keys that it plays               `unkeyed`     what the NLA changes as well
`detail_gate`     what lets it play with its own action and with no other
"""
