"""Which step of a node is shown where there are several, and which ones come before and after it."""

from PySide6.QtCore import QCoreApplication

from studio.flow.records import Flow
from studio.ids import NodeId, Scope, StepId, is_in_called_flow, own_scope, step_id, step_parts
from studio.trace.fold.steps import StepState
from studio.ui.canvas.document import Steps
from studio.ui.viewmodels.run.rounds import Base
from studio.ui.viewmodels.run.shown_run import ShownRun
from studio.ui.viewmodels.words import count_words

translate = QCoreApplication.translate


def steps_shown(flow: Flow, shown: ShownRun, node: NodeId, step: StepState | None) -> Steps | None:
    """What the selector of a node says; None where it has one step only, or none."""
    scope = scope_shown(shown, node, step)
    turn = shown.rounds.turn(scope, base_of(flow)) if scope else None
    if turn is None:
        return None
    earlier, later = (neighbour(flow, shown, node, step, way) is not None for way in (-1, 1))
    if not (earlier or later):
        return None
    said = count_words.place(flow, step_id(scope, node))
    return Steps(f"{said}/{turn.count}", earlier, later)


def neighbour(flow: Flow, shown: ShownRun, node: NodeId, step: StepState | None, way: int) -> StepId | None:
    """The step of a node, or of a loop's body, in the round before (-1) or after (1) the one shown."""
    state, scope = shown.state, scope_shown(shown, node, step)
    if state is None or not scope:
        return None
    is_owner = step is None or own_scope(step.scope) != scope
    chosen = step_parts(shown.looked_at)[1] if shown.looked_at is not None else None

    def find(other: Scope) -> StepId | None:
        if not is_owner:
            found = step_id(other, node)
            return found if found in state.steps else None
        same = step_id(other, chosen) if chosen is not None else None
        return same if same in state.steps else shown.rounds.first_step(other)

    return shown.rounds.neighbour(scope, way, base_of(flow), find)


def base_of(flow: Flow) -> Base:
    """The function that tells where the rounds of a loop, or the items of a map, begin to count."""
    return lambda owner: 0 if count_words.is_map(flow, owner) else 1


def scope_shown(shown: ShownRun, node: NodeId, step: StepState | None) -> Scope:
    """The scope whose rounds are chosen among: that of the step, or of a loop's own body."""
    if step is None or is_in_called_flow(step.scope):
        return Scope("")
    body = f"{step.scope}/{node}" if step.scope else str(node)
    looked = own_scope(step_parts(shown.looked_at)[0]) if shown.looked_at is not None else ""
    last = shown.rounds.last(step.scope, node)
    if last is None:
        return own_scope(step.scope)
    if looked.startswith(f"{body}."):
        return Scope(f"{body}.{looked[len(body) + 1 :].partition('/')[0]}")
    return Scope(f"{body}.{last}")
