"""Which line of a script something comes from: a step that is called, or an error.

`file` is the script, or the folder of a package.
"""

import inspect
from functools import lru_cache
from pathlib import Path
from types import FrameType


def line_here(file: Path) -> int:
    """The line of the script that is at work just now, furthest in; 0 where the script is not."""
    frame = inspect.currentframe()
    while frame is not None:
        if is_in(frame, file):
            return frame.f_lineno
        frame = frame.f_back
    return 0


def line_of(error: BaseException, file: Path) -> int:
    """The line of the script that an error went through last on its way in; 0 where it did not."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if is_in(trace.tb_frame, file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def is_in(frame: FrameType, file: Path) -> bool:
    """Whether it is the script's own code that a frame executes."""
    return _is_same(frame.f_code.co_filename, file)


@lru_cache(4096)
def _is_same(name: str, file: Path) -> bool:
    return not name.startswith("<") and Path(name).resolve().is_relative_to(file)
