"""The kit that this package brings along: it is imported from here, under the name that scripts have for it.

Exported packages have this as `_kit/__init__.py`.
"""

import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
KIT = "stepwire_kit"


def use_kit() -> None:
    """Import the kit from this folder; the package does so before anything else.

    Raises `ImportError` where another copy was imported before, for two versions do not go together.
    """
    loaded = sys.modules.get(KIT)
    if loaded is not None:
        place = Path(loaded.__file__ or "").resolve().parent
        if place != FOLDER / KIT:
            message = (
                f"`{FOLDER.parent.name}` has its own copy of `{KIT}`, but `{place}` was imported before. "
                "Import it in a process of its own."
            )
            raise ImportError(message, name=KIT)
        return
    sys.path.insert(0, str(FOLDER))
    try:
        importlib.import_module(KIT)
    finally:
        sys.path.remove(str(FOLDER))
