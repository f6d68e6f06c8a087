"""A text changed in the editor that a person has chosen for terminals."""

import asyncio
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from studio.terminal.output import say


async def edited(text: str, ending: str) -> str | None:
    """Have a text edited by `VISUAL` or `EDITOR`; None where there is no such program, or it failed.

    The break that editors put at the end is not the person's.
    """
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not command or not sys.stdin.isatty():
        return None
    with tempfile.TemporaryDirectory(prefix="stepwire-") as folder:
        file = Path(folder) / f"value{ending}"
        file.write_text(text, "utf-8")
        try:
            ended = await asyncio.to_thread(subprocess.run, [*command, str(file)], check=False)
            changed = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            say(f"  The editor `{command[0]}` could not be used: {error}.")
            return None
    if ended.returncode:
        say(f"  The editor `{command[0]}` ended with {ended.returncode}; nothing was changed.")
        return None
    return changed if text.endswith("\n") else changed.removesuffix("\n")
