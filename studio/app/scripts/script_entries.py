"""What a script told with `--trace FILE`, one entry a line, as far as it is sound; other lines are counted.

A trace is a file that anybody may have written. Lines of scripts that were exported before these ran on the
engine leave out a good deal (`old_script_lines.py`).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from studio.app.scripts.old_script_lines import event_of, put_right
from studio.errors import UsageError
from studio.ids import RunId, StepId, step_parts
from studio.trace import events
from studio.trace.events import Entry, event_from_plain

LONGEST = 256 * 2**20
"""How many bytes a trace may have."""

RUN = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{7}")
"""What runs are called."""

DEEPEST = 100
"""How deep what is told may be nested, as in a flow."""

LATEST = 2.0**34
"""A time after that of every trace that there will be; calendars have no room for any time at all."""


@dataclass(slots=True)
class ScriptTrace:
    """One run of a script; with `is_old`, the versions of flows stand in the place of their texts."""

    run: RunId
    entries: list[Entry] = field(default_factory=list[Entry])
    broken: int = 0
    """How many lines could not be read."""
    is_old: bool = False

    @property
    def started(self) -> events.RunStarted:
        """How it began; raises `UsageError` where that is not told."""
        first = self.entries[0].event if self.entries else None
        if not isinstance(first, events.RunStarted):
            raise UsageError(f"The trace does not say how the run {self.run} started.")
        return first


def read_traces(path: Path) -> list[ScriptTrace]:
    """Read the runs of a file, in the order in which they began; raises `UsageError`."""
    try:
        if path.stat().st_size > LONGEST:
            raise UsageError(f"`{path}` is larger than {LONGEST >> 20} MiB.")
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"`{path}` cannot be read: {error.strerror or error}.") from error
    found: dict[str, ScriptTrace] = {}
    last: ScriptTrace | None = None
    for line in text.split("\n"):
        if not line.strip():
            continue
        entry, is_old = _entry(line)
        if entry is not None and not (entry.run in found and isinstance(entry.event, events.RunStarted)):
            last = found.setdefault(entry.run, ScriptTrace(entry.run, is_old=is_old))
            last.entries.append(entry)
        elif last is not None:
            last.broken += 1
    if not found:
        raise UsageError(
            f"`{path}` is not a trace of a script.", hint="Scripts write one with `--trace FILE`."
        )
    return [replace(one, entries=[*put_right(one.entries)]) if one.is_old else one for one in found.values()]


def _entry(line: str) -> tuple[Entry | None, bool]:
    """Read a line; also tells whether it is an old one, which does not say inside what it happened."""
    is_old = False
    try:
        told: Any = json.loads(line)
        run, step, number, when = (told[name] for name in ("run", "step", "number", "time"))
        is_old = "parent" not in told
        if is_old:
            event, parent = event_of(told["event"], step)
        else:
            event, parent = event_from_plain(told["event"]), StepId(told["parent"])
        step_parts(step)
        step_parts(parent)
        # What cannot be written down, with a name that is half a surrogate pair, could not be kept.
        _require_flat(told["event"])
        f"{step}{parent}{getattr(event, 'flow_name', '')}".encode()
        seconds = float(when)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return None, is_old
    is_sound = isinstance(run, str) and RUN.fullmatch(run) and isinstance(number, int)
    if not is_sound or not 0 <= seconds < LATEST:
        return None, is_old
    return Entry(RunId(run), number, StepId(step), parent, seconds, event), is_old


def _require_flat(value: Any) -> None:
    """Raise `ValueError` for what is nested too deep to be kept."""
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        parts: list[Any] = []
        for one in level:
            if isinstance(one, Mapping):
                parts += cast("Mapping[str, Any]", one).values()
            elif isinstance(one, list):
                parts += cast("list[Any]", one)
        level = parts
        if not level:
            return
    message = f"nested deeper than {DEEPEST} levels"
    raise ValueError(message)
