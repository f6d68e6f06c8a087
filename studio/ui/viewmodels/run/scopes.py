"""Where a step stands: its loops, maps and callers, innermost first, like a call stack."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from studio.flow.records import CallingLibrary, Flow, title_of
from studio.ids import NodeId, Scope, StepId, is_called, segment_node
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState, StepStatus
from studio.ui.viewmodels.words import count_words

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """One level. `step` is empty for the run itself."""

    step: StepId
    title: str
    detail: str = ""
    status: StepStatus | None = None


def scopes_of(
    flow: Flow, state: RunState, step: StepState, library: CallingLibrary | None = None
) -> list[ScopeRow]:
    """The step, what encloses it, and the run."""
    rows = [ScopeRow(step.id, _title(flow, library, step.scope, step.node), _detail(step), step.status)]
    segments = str(step.scope).split("/") if step.scope else []
    while segments:
        segment = segments.pop()
        node, _, index = segment.partition(".")
        outer = "/".join(segments)
        if is_called(segment):
            node, index = segment_node(segment), ""
        own = segment if "#" in segment else node  # the call of a tool is a step as well
        name = StepId(f"{outer}/{own}" if outer else own)
        found = state.steps.get(name)
        where = StepId(f"{outer}/{node}.{index}/x" if outer else f"{node}.{index}/x")
        inside = count_words.place(flow, where, library).rpartition(", ")[2] if index else ""
        rows.append(
            ScopeRow(
                name if found is not None else StepId(""),
                _title(flow, library, Scope(outer), NodeId(node)),
                inside or (_detail(found) if found is not None else ""),
                found.status if found else None,
            )
        )
    rows.append(ScopeRow(StepId(""), translate("scopes", "Run"), state.flow_name))
    return rows


def _title(flow: Flow, library: CallingLibrary | None, scope: Scope, node: NodeId) -> str:
    around = count_words.flow_around(flow, library, scope)
    return title_of(around, node) if around is not None else str(node)


def _detail(step: StepState) -> str:
    if step.call:
        return step.tool or translate("scopes", "chat")
    return ""
