"""Subflows of an open flow: their files are written here, the calls are edits like all others.

A file that was made stays when the call is undone, so that redo finds it, today or after a restart; made
anew from the same nodes, it is used again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from studio.app.documents.session import Session
from studio.flow.files import codec
from studio.flow.records import title_of
from studio.flow.subflows.extraction import Extracted, extract
from studio.flow.subflows.inline_calls import dissolve
from studio.flow.subflows.selections import find_selection
from studio.ids import NodeId, slug
from studio.workspace.files import save_flow


@dataclass(frozen=True, slots=True)
class MadeSubflow:
    """Where a new flow is, and the node that calls it."""

    path: Path
    name: str
    call: NodeId


def suggest_title(session: Session, nodes: Iterable[NodeId]) -> str:
    """What a subflow of these nodes might be called: as its last step.

    Raises `EditRefusedError` where they cannot become one.
    """
    chosen = frozenset(nodes)
    found = find_selection(session.flow, chosen, session.registry)
    places = session.flow.layout.nodes
    last = max(found.last or found.steps, key=lambda one: (places[one].x if one in places else 0, one))
    title = title_of(session.flow, last)
    _extracted(session, chosen, title, slug(title))
    return title


def make_subflow(session: Session, nodes: Iterable[NodeId], title: str) -> MadeSubflow:
    """Move nodes into a flow of their own, in a file beside this flow's, and call it instead.

    Raises `EditRefusedError` where that would not mean the same, and `SaveError`.
    """
    chosen = frozenset(nodes)
    stem = slug(title)
    for number in count(1):
        path = session.path.parent / f"{stem if number == 1 else f'{stem}_{number}'}.json"
        name = session.project.name_of(path)
        found = _extracted(session, chosen, title, name)
        if not path.exists():
            save_flow(path, found.made)
        elif not _says(path, found):
            continue
        session.look_at_called_flows()
        session.history.do(found.change)
        session.selection.select([found.call])
        return MadeSubflow(path, name, found.call)
    raise AssertionError  # it counts for ever


def dissolve_call(session: Session, call: NodeId) -> frozenset[NodeId]:
    """Put the nodes of a called flow in the place of the call; its file stays, for others may call it.

    Raises `EditRefusedError` where that would not mean the same.
    """
    found = dissolve(session.flow, call, session.registry, session.name)
    session.history.do(found.change)
    session.selection.select(found.nodes)
    return found.nodes


def _extracted(session: Session, nodes: frozenset[NodeId], title: str, name: str) -> Extracted:
    return extract(session.flow, nodes, title, name, session.registry, session.name)


def _says(path: Path, found: Extracted) -> bool:
    """Whether a file is what would be written, left by a change that was undone."""
    try:
        return path.read_bytes() == codec.dumps(found.made).encode("utf-8")
    except OSError:
        return False
