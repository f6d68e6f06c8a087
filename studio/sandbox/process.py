"""How each further process of the studio is started: a clean interpreter that knows nothing but the studio.

The folder in which the user is may be a project that somebody else made: no module is ever looked for there.
"""

import sys

from studio import places

_START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); import studio; sys.path.append(sys.path.pop(0)); "
    "module = sys.argv.pop(1); "
    "import importlib; sys.exit(importlib.import_module(module).main(sys.argv[1:]))"
)
"""Another Stepwire may be installed; all else that stands beside this one counts last."""


def command(module: str, *arguments: str) -> list[str]:
    """Give the command that calls `main` of a module of ours; neither PYTHON* nor the folder counts."""
    return [sys.executable, "-I", "-c", _START, str(places.PACKAGE.parent), module, *arguments]
