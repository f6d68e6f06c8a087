"""What the window imports before it stands: the rest is imported by whoever first needs it."""

import subprocess
import sys
from pathlib import Path

IMPORT = """
import linecache, sys
import studio.ui.start
import PySide6.QtWidgets
from studio.ui.plain_imports import import_plainly
import_plainly()
before = len(linecache.cache)
import studio.ui.window.main_window
print(*sorted({name.partition(".")[0] for name in sys.modules}))
print(len(linecache.cache) - before)
"""


def test_the_window_is_imported_without_what_an_export_a_run_or_a_key_needs() -> None:
    command = [sys.executable, "-c", IMPORT]
    told = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True)  # noqa: S603
    packages, sources_read = told.stdout.splitlines()
    assert not {"black", "pathspec", "networkx", "openai", "mcp", "keyring", "wordllama"} & set(
        packages.split()
    )
    assert "PySide6" in packages.split()
    assert int(sources_read) == 0
