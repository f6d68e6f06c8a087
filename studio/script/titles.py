"""What people call the nodes of an exported script: as the flow that it is from, if found, has them."""

from collections.abc import Iterator

from studio.errors import StepwireError
from studio.flow.files import codec
from studio.flow.records import Flow as Document
from studio.ids import NodeId
from studio.script.head import drawn_file, head_in
from studio.script.written_flow import WrittenFlow


def titles_of(flow: WrittenFlow) -> dict[NodeId, str]:
    """Titles by id, of the drawn flow and those that it calls; none where these say different things.

    Asked when a run has failed, and not before: it reads their files.
    """
    found: dict[NodeId, str] = {}
    unclear = set[NodeId]()
    for drawn in _drawn(flow):
        for name, node in drawn.nodes.items():
            if node.title and found.setdefault(name, node.title) != node.title:
                unclear.add(name)
    return {name: title for name, title in found.items() if name not in unclear}


def _drawn(flow: WrittenFlow) -> Iterator[Document]:
    head = head_in(flow.source.text)
    if head is None:
        return
    for name in head.versions:
        path = drawn_file(flow.file, head, name)
        try:
            if path is not None:
                yield codec.loads(path.read_text("utf-8")).flow
        except (StepwireError, OSError, ValueError):
            continue  # ids will do
