"""Flows that are values: made while a run goes on, by a language model say, and checked before they run.

Such a flow gets a name of its node and a hash of what it is, and runs as a flow of the project does, in the
call of a tool. It reaches only flows within the run's reach. Whatever changes something outside is refused,
since a replay could not look up what such a step is.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence

from studio.errors import FlowFileError, StepError, UsageError
from studio.flow.records import Flow, Json
from studio.sdk.flow_tool import flow_effect
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect

MEND = "Send it back to its author with this message."
SAID = 5
"""How many problems are said at once."""


class MadeFlows:
    """The flows that were made in one run, by names that say who made them."""

    def __init__(self, registry: Registry) -> None:
        """Make it; `registry` has the flows that they may call."""
        self._registry = registry
        self.flows: dict[str, Flow] = {}

    def add(self, maker: str, value: Mapping[str, Json]) -> str:
        """Take in a flow; gives its name, the same for the same flow.

        Raises `StepError` for what is no flow, does not pass `check`, or would change something outside: what
        nobody has seen before it runs may cost something, but not more; nor has it what the project keeps.
        """
        text = json.dumps(value, sort_keys=True)
        name = f"{maker}_{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
        if name not in self.flows:
            self.flows[name] = self._checked(text)
        return name

    def _checked(self, text: str) -> Flow:
        from studio.flow.checks.check import check, errors_of
        from studio.flow.files import codec  # late, as the check: few runs make flows

        try:
            flow = codec.loads(text).flow
        except FlowFileError as error:
            raise StepError(f"This is not a valid flow. {_listed(error.details)}", hint=MEND) from error
        problems = [one.message for one in errors_of(check(flow, self._registry))]
        if problems:
            raise StepError(f"The flow cannot run. {_listed(problems)}", hint=MEND)
        try:
            effect = flow_effect(flow, self._registry)
        except UsageError as error:
            raise StepError(error.message, hint=error.hint) from error
        if effect is Effect.SIDE_EFFECT:
            kinds = {one.kind: self._registry.get(one.kind) for one in flow.nodes.values()}
            named = [kind for kind, one in kinds.items() if one and one.effect is Effect.SIDE_EFFECT]
            reason = ", ".join(f"`{one}`" for one in named) or "a flow that it calls"
            raise StepError(f"The flow would have side effects: {reason}.", hint=MEND)
        kept = [f"`{name}`" for name, one in flow.nodes.items() if one.settings.get("keep") == "project"]
        if kept:
            raise StepError(f"The flow would use memories of the project: {', '.join(kept)}.", hint=MEND)
        return flow


def _listed(problems: Sequence[str]) -> str:
    said = [one.strip() for one in problems[:SAID]]
    return " ".join(one if one.endswith((".", "!")) else f"{one}." for one in said)
