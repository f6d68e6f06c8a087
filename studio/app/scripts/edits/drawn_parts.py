"""The part of a script that is given as a flow in JSON: its nodes, as calls of the script."""

import json
from collections.abc import Iterator, Mapping

from studio.app.scripts.edits.constants import Written
from studio.app.scripts.edits.script import NodeCall
from studio.errors import FlowFileError
from studio.export.spans import NODE
from studio.flow.files import codec
from studio.flow.records import Flow, Json, Node
from studio.ids import NodeId

ENDS = frozenset({"io.flow_input", "io.flow_output"})
"""What stands in such a part for the script around it."""


def calls_in(given: Written, scope: tuple[NodeId, ...]) -> list[NodeCall] | None:
    """The nodes of a flow that a constant is; None for a constant that is none."""
    value = given.value
    text = json.dumps(value) if isinstance(value, dict) else value
    if not isinstance(text, str) or not text.lstrip().startswith("{"):
        return None
    try:
        flow = codec.loads(text).flow
    except FlowFileError:
        return None
    lines = dict(_lines(text)) if isinstance(value, str) else {}
    return list(_calls(flow, given.line, lines, scope))


def _calls(flow: Flow, first: int, lines: Mapping[str, int], scope: tuple[NodeId, ...]) -> Iterator[NodeCall]:
    for name, node in flow.nodes.items():
        if node.kind in ENDS:
            continue
        line = first + lines.get(name, 0)
        said = {**node.settings, **{str(port): value for port, value in node.inputs.items()}}
        keywords = {key: Written(line, value) for key, value in said.items()}
        wired = {str(wire.target.port) for wire in flow.wires if wire.target.node == name}
        keywords |= {port: Written(line, is_constant=False) for port in wired}
        yield NodeCall("drawn", node.kind, name, line, scope, keywords=keywords, run=_run(node, line))


def _run(node: Node, line: int) -> dict[str, Written]:
    said: Mapping[str, Json] = node.run.model_dump(mode="json", exclude_defaults=True)
    return {name: Written(line, value) for name, value in said.items()}


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """How many lines below the first one each node begins, as far as the text is laid out as flows are."""
    for number, line in enumerate(text.split("\n")):
        if found := NODE.match(line):
            yield found[1], number
