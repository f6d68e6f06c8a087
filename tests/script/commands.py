"""Runs a script's command in this process."""

from pathlib import Path

from studio.script.command_line import run_command
from studio.script.script_file import flow_of


def run_script(path: Path, text: str, *arguments: str) -> int:
    """Write a script, and run it with these arguments; gives its exit code."""
    path.write_text(text, "utf-8")
    return run_command(flow_of(path), arguments)
