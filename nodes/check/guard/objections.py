"""What stands against a text: patterns that are forbidden, a rule, a schema."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from studio.bounds.patterns import is_found, replacements_of
from studio.bounds.schemas import mismatch
from studio.bounds.weights import refuse_larger
from studio.sdk import Out
from studio.sdk.expressions import holds


@dataclass(frozen=True, slots=True)
class Guarded:
    """The text at the port that says what became of it, and at `allowed` where it may go on."""

    passed: Annotated[str | None, Out("passed", "The text, if there is no objection")]
    rewritten: Annotated[str | None, Out("rewritten", "The rewritten text, if it passes")]
    blocked: Annotated[str | None, Out("blocked", "The text, if it is blocked")]
    allowed: Annotated[str | None, Out("allowed", "The passed or rewritten text; absent if blocked")]
    ok: Annotated[bool, Out("ok", "Whether it passed")]
    reason: Annotated[str, Out("reason", "The objection; empty if there is none")]


@dataclass(frozen=True, slots=True)
class Rules:
    """What is looked at without asking anybody."""

    forbidden: Sequence[str] = ()
    rule: str = ""
    schema: Mapping[str, Any] | None = None
    facts: Any = None

    def objection(self, text: str) -> str:
        """Say what stands against a text; empty where nothing does."""
        for pattern in self.forbidden:
            if is_found(pattern, text):
                return f"It has something that is forbidden: {pattern}"
        if self.rule and not holds(self.rule, {"value": text, "facts": self.facts}):
            return "The rule does not hold for it."
        if self.schema:
            return unfit(text, self.schema)
        return ""


def unfit(text: str, schema: Mapping[str, Any]) -> str:
    """Say how the JSON of a text departs from a schema; empty where it does not."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"The text is not JSON: {error}."
    problem = mismatch(value, schema, "the JSON")
    return problem[:1].upper() + problem[1:]


def masked(text: str, patterns: Sequence[str], instead: str) -> str:
    """The text with `instead` in the place of all that the patterns find."""
    for pattern in patterns:
        found = replacements_of(pattern, text, None)
        refuse_larger(len(text) + len(found) * len(instead))
        pieces, last = list[str](), 0
        for start, end, _ in found:
            pieces += [text[last:start], instead]
            last = end
        text = "".join(pieces) + text[last:]
    return text


def guarded(came: str, text: str, reason: str, against: str) -> Guarded:
    """Say what became of a text: `against` is what still stands against it, `reason` what did at first."""
    if against:
        return Guarded(None, None, came, None, ok=False, reason=against)
    if text == came and not reason:
        return Guarded(came, None, None, came, ok=True, reason="")
    return Guarded(None, text, None, text, ok=True, reason=reason)
