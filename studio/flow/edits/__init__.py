"""Every edit of a flow, as a function that gives the change. Nothing is changed until it is applied.

The edits that stand here by name are the ones that all others are made of, as `splices` and `bodies` are.
"""

from studio.flow.edits.fragments import fragment, names_in, paste
from studio.flow.edits.new_names import describe, rename_node, rename_outputs
from studio.flow.edits.nodes import (
    REMOVE,
    Remove,
    add_node,
    move,
    remove,
    set_input,
    set_run,
    set_setting,
    set_settings,
    set_title,
    unset_setting,
)
from studio.flow.edits.wires import bend, connect, disconnect, renumber, wires_into

__all__ = [
    "REMOVE",
    "Remove",
    "add_node",
    "bend",
    "connect",
    "describe",
    "disconnect",
    "fragment",
    "move",
    "names_in",
    "paste",
    "remove",
    "rename_node",
    "rename_outputs",
    "renumber",
    "set_input",
    "set_run",
    "set_setting",
    "set_settings",
    "set_title",
    "unset_setting",
    "wires_into",
]
