"""The `stepwire` command: a subcommand without a window, or the window."""

import gc
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from studio.errors import StepwireError, UsageError
from studio.extras import missing_library
from studio.supervisor import Supervised, supervise

INTERRUPTED = 130
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
"""Each of these tells Qt on Linux where to draw."""
SUPERVISED = frozenset({"run", "resume", "replay", "measure", "gallery", "export"})
"""The subcommands that execute runs; a process above each ends it when it does not end by itself."""
WINDOWS = UsageError("Stepwire does not run on Windows yet.", hint="Install it in WSL, where it does.")
QT = "PySide6-Essentials>=6.8,<6.12"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, or open the window on the given path; gives the exit code."""
    try:
        above = supervise() if argv is None and set(sys.argv[1:2]) & SUPERVISED else None
        return _dispatch(list(sys.argv[1:] if argv is None else argv), above)
    except KeyboardInterrupt:  # while modules are imported, too
        return INTERRUPTED
    finally:
        if argv is None and "PySide6" not in sys.modules:
            gc.freeze()  # or Python looks through all modules for garbage as it ends, which takes a while


def _dispatch(arguments: list[str], above: Supervised | None) -> int:
    from studio.cli.main import COMMANDS, Command
    from studio.cli.main import main as run_command
    from studio.terminal.output import prepare_streams, say_error, say_unexpected

    prepare_streams()
    commands = {
        **COMMANDS,
        "picture": Command(
            "studio.ui.picture_command", "Draw flows as pictures, SVG or PNG, without a display."
        ),
    }
    if sys.platform == "win32" and not set(arguments) & {"--version", "-h", "--help"}:
        say_error(WINDOWS)
        return WINDOWS.exit_code
    wants_window = all(not one.startswith("-") or one == "--debug" for one in arguments)
    if not wants_window or (arguments and arguments[0] in commands):
        return run_command(arguments, commands, above)
    paths = [one for one in arguments if one != "--debug"]
    if len(paths) > 1:
        return run_command(arguments, commands)  # which says what is wrong with them
    try:
        return _open_window(Path(paths[0]) if paths else None)
    except StepwireError as error:
        say_error(error)
        return error.exit_code
    except Exception as error:  # noqa: BLE001  # the last door: whoever called sees a sentence
        say_unexpected(error, debug="--debug" in arguments)
        return 1


def refuse_bad_qt(python: tuple[int, ...], qt: str) -> None:
    """Raise `UsageError` for the one pair that is known to die while it works.

    PySide6 6.12.0 on Python 3.11 loses a reference to `None` on every call that returns nothing.
    """
    if tuple(python[:2]) == (3, 11) and qt.startswith("6.12.0"):
        raise UsageError(
            "PySide6 6.12.0 crashes Python 3.11.",
            hint=f'Install another version: pip install "{QT}"',
        )


def refuse_no_display(platform: str, environ: Mapping[str, str]) -> None:
    """Raise `UsageError` where Qt would end the process because there is nothing to draw on."""
    if platform != "linux" or any(environ.get(name) for name in DISPLAYS):
        return
    raise UsageError(
        "The window needs a display, and there is none.",
        hint="Set DISPLAY or WAYLAND_DISPLAY. The subcommands work without it: `stepwire --help`.",
    )


def _open_window(path: Path | None) -> int:
    if path is not None and not path.exists():
        raise UsageError(
            f"`{path}` does not exist, and there is no subcommand of that name.",
            hint="Pass a project or a flow; `stepwire --help` lists the subcommands.",
        )
    qt = importlib.util.find_spec("PySide6")
    if qt is None:
        raise UsageError(
            "The window needs PySide6, which is not installed.",
            hint=f"{missing_library('PySide6-Essentials', 'qasync')}\nThe subcommands work without it: "
            "`stepwire --help`.",
        )
    refuse_bad_qt(sys.version_info[:3], _installed_qt())
    refuse_no_display(sys.platform, os.environ)
    if sys.platform == "linux" and qt.origin is not None:
        from studio.ui.system_libraries import refuse_missing_libraries

        refuse_missing_libraries(Path(qt.origin).parent / "Qt", os.environ)
    from studio.ui import start

    return start.main(path)


def _installed_qt() -> str:
    import importlib.metadata

    for name in ("PySide6-Essentials", "PySide6"):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""


if __name__ == "__main__":
    sys.exit(main())
