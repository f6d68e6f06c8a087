"""Where a step stands: its loops, maps and callers, innermost first, like a call stack."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from studio.flow.records import Flow, title_of
from studio.ids import NodeId, StepId
from studio.trace.state import RunState
from studio.trace.steps import StepState, StepStatus
from studio.ui.viewmodels import wording

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """One level. `step` is empty for the run itself."""

    step: StepId
    title: str
    detail: str = ""
    status: StepStatus | None = None


def scopes_of(flow: Flow, state: RunState, step: StepState) -> list[ScopeRow]:
    """The step, what encloses it, and the run."""
    rows = [ScopeRow(step.id, title_of(flow, step.node), _detail(step), step.status)]
    segments = str(step.scope).split("/") if step.scope else []
    while segments:
        node, _, index = segments.pop().partition(".")
        outer = "/".join(segments)
        name = StepId(f"{outer}/{node}" if outer else node)
        found = state.steps.get(name)
        inside = wording.place(flow, StepId(f"{node}.{index}/x")) if index else ""
        rows.append(
            ScopeRow(
                name if found is not None else StepId(""),
                title_of(flow, NodeId(node)),
                inside,
                found.status if found else None,
            )
        )
    rows.append(ScopeRow(StepId(""), translate("scopes", "Run"), state.flow_name))
    return rows


def _detail(step: StepState) -> str:
    if step.call:
        return step.tool or translate("scopes", "chat")
    return ""
