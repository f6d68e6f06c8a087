"""What a screen reader says of nodes, ports and wires; the outline says the same."""

from PySide6.QtCore import QCoreApplication

from studio.flow.plain_text import excerpt
from studio.flow.ports import AFTER, THEN
from studio.flow.records import Flow, Socket, Wire, title_of
from studio.ids import NodeId, PortName
from studio.ui.canvas.cards.cards import Shown
from studio.ui.canvas.document import BreakpointMark, KindLook
from studio.ui.canvas.scene.geometry import Spot

translate = QCoreApplication.translate
SAID = 200
"""Characters of a value that are read out."""


def status_words(status: str) -> str:
    """The status of a step in words; empty for a node that no run has reached."""
    words = {
        "ready": translate("canvas", "ready"),
        "running": translate("canvas", "running"),
        "waiting": translate("canvas", "waiting for you"),
        "held": translate("canvas", "paused"),
        "done": translate("canvas", "done"),
        "failed": translate("canvas", "failed"),
        "skipped": translate("canvas", "skipped"),
        "stopped": translate("canvas", "stopped"),
        "in_python": translate("canvas", "in Python"),
    }
    return words.get(status, "")


def node_words(flow: Flow, node: NodeId, look: KindLook | None, shown: Shown) -> str:
    """What is to be known of a node beside its title: its kind, its state, its breakpoint, its problem."""
    record, state = flow.nodes[node], shown.state(node)
    said = [look.title if look is not None else translate("canvas", "unknown kind {0}").format(record.kind)]
    if record.run.state:
        muted, bypassed = translate("canvas", "muted"), translate("canvas", "bypassed")
        said.append(muted if record.run.state == "muted" else bypassed)
    said += [status_words(state.status), state.round, state.note]
    match shown.breakpoints.get(node):
        case None:
            pass
        case mark:
            said.append(break_words(mark))
    if node in shown.pins:
        said.append(translate("canvas", "pinned"))
    if node in shown.problems:
        said.append(translate("canvas", "problem: {0}").format(shown.problems[node]))
    return ", ".join(part for part in said if part)


def break_words(mark: BreakpointMark) -> str:
    """What a breakpoint's mark means."""
    words = {
        "on": translate("canvas", "breakpoint"),
        "off": translate("canvas", "breakpoint, disabled"),
        "condition": translate("canvas", "breakpoint with a condition"),
        "condition off": translate("canvas", "breakpoint with a condition, disabled"),
        "log": translate("canvas", "breakpoint that logs a line"),
        "log off": translate("canvas", "breakpoint that logs a line, disabled"),
        "catch": translate("canvas", "pauses on an event here"),
        "catch off": translate("canvas", "pauses on an event here, disabled"),
    }
    return words[mark]


def port_title(port: PortName, label: str = "") -> str:
    """What a port is called."""
    if port == AFTER:
        return translate("canvas", "after (order)")
    if port == THEN:
        return translate("canvas", "then (order)")
    return label or port.replace("_", " ")


def port_words(flow: Flow, node: NodeId, spot: Spot, mark: BreakpointMark | None = None) -> str:
    """What is to be known of a port: side, type, where its wires lead, a value typed there, a breakpoint."""
    side = translate("canvas", "output") if spot.is_output else translate("canvas", "input")
    said = [side] if spot.is_order else [side, str(spot.type)]
    wires = wires_of_port(flow, Socket(node, spot.port), is_output=spot.is_output)
    if len(wires) == 1:
        said.append(wire_end(flow, wires[0], is_output=spot.is_output))
    elif wires:
        said.append(translate("canvas", "{0} wires").format(len(wires)))
    elif not spot.is_output and spot.port in flow.nodes[node].inputs:
        value = excerpt(flow.nodes[node].inputs[spot.port], SAID)
        said.append(translate("canvas", "value {0}").format(value))
    else:
        said.append(translate("canvas", "not wired"))
    if not spot.is_known:
        said.append(translate("canvas", "this port no longer exists"))
    if mark is not None:
        said.append(break_words(mark))
    return ", ".join(said)


def wire_end(flow: Flow, wire: Wire, *, is_output: bool) -> str:
    """Where a wire leads, seen from its output or its input."""
    other = wire.target if is_output else wire.source
    said = translate("canvas", "to {0}") if is_output else translate("canvas", "from {0}")
    return said.format(socket_title(flow, other))


def wire_title(flow: Flow, wire: Wire) -> str:
    """What a wire is called: its two ends."""
    return translate("canvas", "Wire from {0} to {1}").format(
        socket_title(flow, wire.source), socket_title(flow, wire.target)
    )


def socket_title(flow: Flow, socket: Socket) -> str:
    """A port with its node: `Writer, reply`."""
    return f"{title_of(flow, socket.node)}, {port_title(socket.port)}"


def wires_of_port(flow: Flow, socket: Socket, *, is_output: bool) -> list[Wire]:
    """The wires that end at a port, in the order of a list input."""
    if is_output:
        return [wire for wire in flow.wires if wire.source == socket]
    found = [wire for wire in flow.wires if wire.target == socket]
    return sorted(found, key=lambda wire: (wire.index or 0, wire.sort_key))
