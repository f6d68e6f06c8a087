"""With which other steps the messages of a step can be compared, the likeliest first."""

from studio.ids import StepId, own_step, step_parts
from studio.trace.conversations.context_use import shown_chat
from studio.trace.fold.state import RunState

MOST = 60
"""Steps that are offered, at most."""


def comparable_steps(state: RunState, step: StepId) -> list[StepId]:
    """Other steps that said something: chats of the same step, its node in other rounds, other nodes.

    Of rounds and items, the one before comes first.
    """
    chosen = state.steps.get(step)
    if chosen is None:
        return []
    own = own_step(step)
    node = step_parts(own)[1]
    speaking = [
        name
        for name in state.order
        if not state.steps[name].call and name != own and shown_chat(state, name) is not None
    ]
    same = [name for name in speaking if step_parts(name)[1] == node]
    order = {name: at for at, name in enumerate(state.order)}
    here = order.get(own, 0)
    same.sort(key=lambda name: (order[name] > here, abs(order[name] - here)))
    owner = state.steps.get(own)
    shown = shown_chat(state, step)
    chats = [
        name
        for name in (owner.children if owner is not None else ())
        if state.steps[name].request is not None and shown is not None and name != shown.id
    ]
    others = [name for name in speaking if step_parts(name)[1] != node]
    return [*same, *reversed(chats), *others][:MOST]


def same_step(state: RunState, step: StepId) -> StepId | None:
    """The step of another run that a step is to be compared with: of the same name, or its node's last."""
    if step in state.steps:
        return step
    own = own_step(step)
    if own in state.steps:
        return own
    found = state.latest.get(step_parts(own)[1])
    return found if found is not None and shown_chat(state, found) is not None else None
