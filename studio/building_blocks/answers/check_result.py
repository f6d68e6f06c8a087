"""What a check gives: the value one way or the other, how good it is, and why."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from studio.sdk import Out, StepError

AtFault = Literal["go on", "fail"]


@dataclass(frozen=True, slots=True)
class Checked:
    """The value at one of two ports, so that it ends a loop or begins another round, and the verdict."""

    passed: Annotated[Any | None, Out("passed", "The value if it passes; otherwise absent", type="T")]
    failed: Annotated[Any | None, Out("failed", "The value if it fails", type="T")]
    ok: Annotated[bool, Out("ok", "Whether it passes")]
    score: Annotated[float, Out("score", "Score from 0 to 1")]
    reason: Annotated[str, Out("reason", "The reason; can be empty")]


def checked(
    value: Any, score: float, reason: str, *, least: float = 1.0, at_fault: AtFault = "go on"
) -> Checked:
    """Let `value` pass where its score is `least` or more; raises `StepError` where it may not fail."""
    score = round(score, 6)
    is_passed = score >= least
    if not is_passed and at_fault == "fail":
        raise StepError(
            reason or "It does not pass.", hint="Fix the step that returns it, or change the check."
        )
    return Checked(value if is_passed else None, None if is_passed else value, is_passed, score, reason)
