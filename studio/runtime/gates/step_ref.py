"""Which step, or which call of one, stands at the gate."""

from typing import Literal, NamedTuple

from studio.flow.ports import Structure
from studio.ids import NodeId, Scope, StepId, step_id
from studio.runtime.plans.plan import PlannedNode
from studio.runtime.state.frame import Frame
from studio.sdk.node_type import NodeType
from studio.trace.events.values import Plain

Phase = Literal["before", "after"]


class StepRef(NamedTuple):
    """A step at the gate; where it has a `call`, a chat or a call of a tool by the step `parent`."""

    step: StepId
    node: NodeId
    scope: Scope
    parent: StepId
    lane: str = ""
    """The scope without its rounds: what stands in one lane happens one after the other."""
    flow: str = ""
    """The called flow that the step belongs to, by name; empty for steps of the run's own."""
    call: str = ""
    """What kind of call it is: `chat` or `tool`; empty for a node's own step."""
    calls: tuple[str, ...] = ()
    """What kinds of calls the step may make."""
    is_around: bool = False
    """Whether other steps happen inside it: a loop, a map, a step that calls a flow."""
    tool: str = ""
    """The name of the tool that is called."""
    lender: str = ""
    """The node that lends it."""
    schema: Plain = None
    """The JSON Schema of the arguments that it takes."""

    @property
    def place(self) -> str:
        """As breakpoints name it: `critic`, `critic#tool`, or `summary.json:critic` in a called flow."""
        place = f"{self.node}#{self.call}" if self.call else str(self.node)
        return f"{self.flow}:{place}" if self.flow else place

    @property
    def node_place(self) -> str:
        """The node, as breakpoints name it."""
        return f"{self.flow}:{self.node}" if self.flow else str(self.node)

    @property
    def lending_place(self) -> str:
        """The node whose tool is called, as breakpoints name it; empty where none is."""
        return f"{self.flow}:{self.lender}" if self.flow and self.lender else self.lender


def ref_of(node: PlannedNode, frame: Frame) -> StepRef:
    """Name the step of a node in a frame."""
    step = step_id(frame.scope, node.id)
    calls, is_around = calls_of(node.type), node.type.structure in _AROUND
    return StepRef(step, node.id, frame.scope, frame.step, frame.lane, calls=calls, is_around=is_around)


_AROUND = frozenset({Structure.LOOP, Structure.FOR_EACH, Structure.SUBFLOW})


def calls_of(kind: NodeType) -> tuple[str, ...]:
    """The kinds of calls that steps of a kind of node may make: `chat`, `tool`."""
    chats = ("chat",) if any(setting.editor == "profile" for setting in kind.settings) else ()
    return (*chats, "tool") if any(port.type.base == "tool" for port in kind.inputs) else chats
