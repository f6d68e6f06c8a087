"""Imports after Qt cost what they cost without it."""

import builtins


def import_plainly() -> None:
    """Take PySide's own import away again, as soon as PySide is imported.

    It reads the source of each module that is imported after it, to learn whether that module wants Qt's
    methods by other names. No module of the studio does; to read all of them takes a sixth of the start, and
    some 30 MB in which the lines are kept.
    """
    plain = getattr(builtins, "__orig_import__", None)
    if plain is not None:
        builtins.__import__ = plain
