"""How each further process of the studio is started: a clean interpreter that knows nothing but the studio.

The folder in which the user is may be a project that somebody else made: no module is ever looked for there.
"""

import sys

from studio import places

_START = (
    "import sys; sys.path.append(sys.argv.pop(1)); module = sys.argv.pop(1); "
    "import importlib; sys.exit(importlib.import_module(module).main(sys.argv[1:]))"
)


def command(module: str, *arguments: str) -> list[str]:
    """Give the command that calls `main` of a module of ours; neither PYTHON* nor the folder counts."""
    return [sys.executable, "-I", "-c", _START, str(places.PACKAGE.parent), module, *arguments]
