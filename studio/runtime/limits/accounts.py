"""What a run has spent, on whose accounts; added up from its events for one that goes on."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from studio.flow.records import CallingLibrary, Flow
from studio.flow.subflows.calls import flow_at
from studio.ids import NodeId, Scope, StepId, is_called, segment_node, step_parts
from studio.runtime.resources.tool_server import LISTED
from studio.trace import events
from studio.trace.events import Entry


@dataclass(slots=True)
class Spent:
    """What was spent so far, by a run or a node of it."""

    tokens: float = 0
    cost: float = 0
    seconds: float = 0
    steps: float = 0
    calls: float = 0


@dataclass(slots=True)
class Ledger:
    """What a run has spent, in all and node by node."""

    run: Spent = field(default_factory=Spent)
    nodes: dict[NodeId, Spent] = field(default_factory=lambda: defaultdict(Spent))

    def of(self, *names: NodeId) -> tuple[Spent, ...]:
        """The account of the run, and those of some of its nodes."""
        return self.run, *(self.nodes[name] for name in names)


def account_name(flow: str, node: NodeId) -> NodeId:
    """How a node's account is called: `critic`, or `summary.json:critic` in a flow that is called."""
    return NodeId(f"{flow}:{node}") if flow else node


def accounts_at(flow: Flow, library: CallingLibrary, step: StepId) -> Iterable[NodeId]:
    """Whose accounts a step of a run of `flow` is on: its node's, and its callers'."""
    names: list[NodeId] = []
    *segments, _ = step.split("/")
    around: list[str] = []
    name = ""
    for segment in (*segments, step):
        if segment is step or is_called(segment):
            node = step_parts(step)[1] if segment is step else segment_node(segment)
            names.append(account_name(name, node))
            found = flow_at(flow, library, Scope("/".join(around)))
            record = found.nodes.get(node) if found is not None else None
            if "#" not in segment:  # a tool belongs to the flow of the node that calls it
                name = library.called_name(record) if record is not None else ""
        around.append(segment)
    return dict.fromkeys(names)


def ledger_of(
    entries: Iterable[Entry],
    names_of: Callable[[StepId], Iterable[NodeId]] = lambda step: (step_parts(step)[1],),
) -> Ledger:
    """Add up what a run has spent; what was reused costs nothing, nor does the time it lay still.

    `names_of` tells whose accounts a step is on, where there are called flows.
    """
    ledger = Ledger()
    reused: set[str] = set()
    around: set[str] = set()
    """Steps inside which something happened."""
    free: set[str] = set()
    """Calls that no limit counts."""
    held: set[tuple[str, str]] = set()
    last: float | None = None
    for entry in entries:
        event = entry.event
        if last is not None and not held and not isinstance(event, events.RunContinued):
            ledger.run.seconds += entry.time - last
        last = entry.time
        _note_hold(held, entry)
        around.add(entry.parent)
        if not entry.step:
            continue
        is_call = step_parts(entry.step)[2] != ""
        if is_call and _is_free(entry):
            free.add(entry.step)
        calls = _calls(entry, around) if is_call and entry.step not in free else 0
        for account in ledger.of(*names_of(entry.step)):
            account.calls += calls
            if isinstance(event, events.StepStarted):
                account.steps += 1
            elif isinstance(event, events.ChatAnswered | events.EmbedAnswered) and entry.step not in reused:
                account.tokens += event.tokens
                account.cost += event.cost or 0.0
        if isinstance(event, events.AnswerReused):
            reused.add(entry.step)
    return ledger


def _calls(entry: Entry, around: Collection[str]) -> int:
    """How many calls were made by what this tells of a call; -1 where it turns out that it was not made."""
    match entry.event:
        case events.ChatRequested() | events.EmbedRequested() | events.ToolCalled():
            return 1
        case events.AnswerReused():
            return -1
        case events.StepFailed(error="LimitReachedError") if entry.step not in around:
            return -1  # it was refused
        case _:
            return 0


def _is_free(entry: Entry) -> bool:
    """Whether this tells of a call that a person answered, of code in the box, or of tools being listed."""
    match entry.event:
        case events.InputsEdited():
            return "answer" in entry.event.values
        case events.ToolCalled():
            return entry.event.tool == LISTED or step_parts(entry.step)[2].startswith("code.")
        case _:
            return False


def _note_hold(held: set[tuple[str, str]], entry: Entry) -> None:
    """Keep `held`, what holds the run, up to date."""
    match entry.event:
        case events.StepHeld():
            held.add((entry.step, ""))
        case events.BudgetReached() as reached:
            held.add((reached.node, reached.limit))
        case events.BudgetRaised() | events.BudgetLeft() as over:
            held.discard((over.node, over.limit))
        case events.RunContinued():
            held.clear()
        case events.StepReleased() | events.StepCancelled() | events.StepFailed():
            held.discard((entry.step, ""))
        case _:
            pass
