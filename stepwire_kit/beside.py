"""The engine in this folder, as it lies beside exported scripts: where there is one, no other is used."""

import importlib
import sys
from os import path

ENGINE = path.join(path.dirname(path.abspath(__file__)), "_engine")  # noqa: PTH100, PTH118, PTH120  # quick
"""Holds `studio` and `nodes` in a copy of the kit that a script brings along; not in an installed kit."""


def use_engine() -> None:
    """Import `studio` and `nodes` from this folder, if they are there; `stepwire_kit` does so first.

    The folder does not stay on the path: what else lies there is nobody's to import. Raises `ImportError`
    where another copy of them was imported before, for two versions do not go together.
    """
    if not path.isdir(ENGINE):  # noqa: PTH112
        return
    for name in ("studio", "nodes"):
        _refuse_another(name)
    sys.path.insert(0, ENGINE)
    try:
        for name in ("studio", "nodes"):
            importlib.import_module(name)
    finally:
        sys.path.remove(ENGINE)


def _refuse_another(name: str) -> None:
    loaded = sys.modules.get(name)
    if loaded is None or list(getattr(loaded, "__path__", [])) == [path.join(ENGINE, name)]:  # noqa: PTH118
        return
    place = getattr(loaded, "__file__", None) or "elsewhere"
    message = (
        f"`{path.dirname(ENGINE)}` has its own copy of `{name}`, but `{place}` was imported before. "  # noqa: PTH120
        "Run the script in a process of its own."
    )
    raise ImportError(message, name=name)
