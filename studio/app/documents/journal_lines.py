"""What happened to a history as lines of text, each with a sum that tells whether it is whole.

A change is written as what it takes away and what it puts in its place: two flows of just that, in the form
of flow files. So it has whatever those have, and is read as strictly.
"""

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from studio.app.documents.history import Done, History, Jumped, Move, Saved, Snapshot, Step
from studio.errors import FlowFileError
from studio.flow.change import Change, difference
from studio.flow.files.codec import digest_text, dumps, loads
from studio.flow.files.document_reader import Reader
from studio.flow.records import Flow

FORMAT = "stepwire.journal"
VERSION = 1
MOST_STEPS = 500
"""Steps that are kept when a journal is written anew; those before them can't be taken back any more."""
SUM = 8
"""Hexadecimal digits of a line's sum."""

Line = dict[str, object]


def move_line(move: Move) -> bytes:
    """Write down what happened; raises `FlowFileError` for a number that JSON cannot say."""
    match move:
        case Done(step, merged):
            return _line({"merge" if merged else "do": _step(step)})
        case Jumped(steps):
            return _line({"jump": steps})
        case Saved():
            return _line({"saved": True})


@dataclass(frozen=True, slots=True)
class SnapshotLines:
    """A history written down, with how many of the steps before and after its place are in it."""

    all: Sequence[bytes]
    past: int
    following: int


def snapshot_lines(snapshot: Snapshot, most_bytes: int) -> SnapshotLines:
    """Write down all that a history holds, without the farthest steps where there are too many."""
    lines = [_line({"format": FORMAT, "version": VERSION, "flow": dumps(snapshot.saved)})]
    past = _nearest("past", reversed(snapshot.done[-MOST_STEPS:]), most_bytes)
    most_bytes -= sum(map(len, past))
    following = _nearest("next", snapshot.undone[:MOST_STEPS], most_bytes)
    lines += [*reversed(past), *following]
    unsaved = difference(snapshot.saved, snapshot.flow, "")
    if not unsaved.is_empty:
        lines.append(_line({"unsaved": _change(unsaved)}))
    return SnapshotLines(lines, len(past), len(following))


def _nearest(key: str, steps: Iterable[Step], most_bytes: int) -> list[bytes]:
    """The lines of as many steps as there is room for."""
    lines: list[bytes] = []
    for step in steps:
        line = _line({key: _step(step)})
        most_bytes -= len(line)
        if most_bytes < 0:
            break
        lines.append(line)
    return lines


Known = tuple[str, Flow]
"""The text of a flow that was read already, and that flow."""


def read_lines(data: bytes, known: Known | None = None) -> tuple[Snapshot | None, bool]:
    """Give the history that was written down, and whether all of it could be read.

    A journal that begins with the `known` flow begins with that very value: to read a large one takes long.
    What follows a line that is not whole is left out, for it was done to what that line made. A last line
    that was cut off is no damage: it was being written when its window ended.
    """
    lines = data.split(b"\n")
    documents: list[Line] = []
    for line in lines[:-1]:
        document = _whole(line)
        if document is None:
            break
        documents.append(document)
    is_whole = len(documents) == len(lines) - 1
    try:
        history = _begun(documents, known)
    except (FlowFileError, ValueError, LookupError, TypeError, AttributeError):
        return None, is_whole and not data
    for document in documents:
        try:
            _repeat(history, document)
        except (FlowFileError, ValueError, LookupError, TypeError, AttributeError):
            return history.snapshot, False
    return history.snapshot, is_whole


def _begun(documents: Sequence[Line], known: Known | None) -> History:
    """The history as it stood when its journal was written anew."""
    head = documents[0] if documents else {}
    if head.get("format") != FORMAT or head.get("version") != VERSION:
        message = "this is not a journal"
        raise ValueError(message)
    text = cast("str", head["flow"])
    saved = known[1] if known is not None and known[0] == text else loads(text).flow
    flow = saved
    for document in documents:
        if "unsaved" in document:
            flow = _read_change(document["unsaved"], "").applied_to(saved)
    history = History(saved)
    done = tuple(_read_step(one["past"]) for one in documents if "past" in one)
    undone = tuple(_read_step(one["next"]) for one in documents if "next" in one)
    history.restore(Snapshot(flow, saved, done, undone))
    return history


def _repeat(history: History, document: Line) -> None:
    if "do" in document:
        history.repeat(Done(_read_step(document["do"])))
    elif "merge" in document:
        history.repeat(Done(_read_step(document["merge"]), merged=True))
    elif "jump" in document:
        jump = Jumped(int(cast("int", document["jump"])))
        if not 0 <= history.position + jump.steps <= len(history.steps):
            message = "a jump to an edit that does not exist"
            raise ValueError(message)
        history.repeat(jump)
    elif "saved" in document:
        history.repeat(Saved())


def _step(step: Step) -> Line:
    return {"label": step.change.label, "at": round(step.at, 3), **_change(step.change)}


def _read_step(value: object) -> Step:
    document = cast("Line", value)
    return Step(_read_change(document, str(document["label"])), float(cast("float", document["at"])))


def _change(change: Change) -> Line:
    nothing = Flow()
    sides = {"was": change.inverted().applied_to(nothing), "is": change.applied_to(nothing)}
    return {name: found for name, side in sides.items() if (found := _short(json.loads(digest_text(side))))}


def _read_change(value: object, label: str) -> Change:
    document = cast("Line", value)
    return difference(_part(document.get("was", {})), _part(document.get("is", {})), label)


def _short(document: Line) -> Line:
    """Leave out what is empty, and what every flow file says."""
    layout = cast("Line", document["layout"])
    document["layout"] = {name: value for name, value in layout.items() if value}
    return {name: value for name, value in document.items() if value and name not in {"format", "version"}}


def _part(value: object) -> Flow:
    reader = Reader(value)
    flow = reader.flow()
    if reader.problems:
        path, words = reader.problems[0]
        raise FlowFileError(f"{path}: {words}")
    return flow


def _line(document: Line) -> bytes:
    text = json.dumps(document, separators=(",", ":")).encode()
    return b"%s %s\n" % (_sum(text), text)


def _whole(line: bytes) -> Line | None:
    """What a line says; None where it is not as it was written."""
    text = line[SUM + 1 :]
    if line[: SUM + 1] != _sum(text) + b" ":
        return None
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("Line", found) if isinstance(found, dict) else None


def _sum(text: bytes) -> bytes:
    return b"%08x" % zlib.crc32(text)


def joined(lines: Iterable[bytes]) -> bytes:
    """The lines as a file has them."""
    return b"".join(lines)
