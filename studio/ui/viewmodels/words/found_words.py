"""What was found, in words: where it stands, and a few words around it."""

from PySide6.QtCore import QCoreApplication

from studio.app.documents.find_replace import Found
from studio.flow.records import Flow, title_of
from studio.ids import NodeId

translate = QCoreApplication.translate

BEFORE, AFTER = 12, 60
"""Characters that are shown on either side: what was found is to be in sight in a narrow column."""


def place_words(flow: Flow, hit: Found) -> str:
    """Where a hit stands, such as `Critic · instructions`."""
    place = hit.place
    field = " ".join(str(one).replace("_", " ") for one in (place.path[1:] or place.path))
    match place.owner:
        case "node":
            return f"{title_of(flow, NodeId(place.name))} · {field}"
        case "frame":
            return translate("found", "Frame · title")
        case "note":
            return translate("found", "Note")
        case "flow":
            return translate("found", "Flow · {field}").format(field=field)


def excerpt(hit: Found, instead: str | None = None) -> str:
    """The line around a hit; with `instead`, as it would be."""
    before, after = hit.text[: hit.start].rpartition("\n")[2], hit.text[hit.end :].partition("\n")[0]
    before = before if len(before) <= BEFORE else f"…{before[-BEFORE:]}"
    after = after if len(after) <= AFTER else f"{after[:AFTER]}…"
    middle = hit.text[hit.start : hit.end] if instead is None else instead
    return " ".join(f"{before}{middle}{after}".split())
