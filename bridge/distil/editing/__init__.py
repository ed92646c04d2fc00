# SPDX-License-Identifier: GPL-3.0-or-later
"""Editing: what the animator does to a reduced action, kept so that every number of keys carries it.

`capture`         what was done to the keys            `edits`       how that is kept
`target`          the motion that keys are fitted to   `changes`     whether something was changed since
`retiming`        poses at other times                 `echo`        an edit where it happens again
`stagger`         limbs some frames late               `offsets`     by how many
`shown_original`  the original for comparing, and what is done to it meanwhile
"""
