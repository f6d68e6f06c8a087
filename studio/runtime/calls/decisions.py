"""What may be started or reached, told as a child step of whoever wants it, where it can be held.

Told as `policy_decided`, a child step of whoever wants it, and held before it takes effect.
"""

from studio.runtime.calls.child_steps import ChildSteps
from studio.trace.events import PolicyDecided
from studio.trace.events.calls import Decision


async def tell_decision(children: ChildSteps, decision: Decision, subject: str, rule: str) -> None:
    """Write down what was decided of `subject`, and by what; waits while it is held."""
    step = children.begin("policy")
    decided = PolicyDecided(decision, subject, rule)
    children.record(decided, step)
    gate = children.services.gate
    if not gate.is_open:
        with children.failures(step):
            await gate.decided(children.ref(step, "policy"), decided)
