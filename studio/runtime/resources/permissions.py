"""What a run asks a person before it starts or reaches something; an allowance in a recording counts not."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol

from studio.errors import WaitingError
from studio.sdk.context import Form
from studio.servers.grants import Grant, Grants, difference
from studio.trace.events.calls import Decision

ALLOW = {
    "type": "object",
    "properties": {"allow": {"type": "boolean", "title": "Approve it"}},
    "required": ["allow"],
}
BEFOREHAND = "Or approve it with `stepwire grants FLOW --approve`, and run again."


class Asking(Protocol):
    """As much of a node's context as is needed here."""

    async def ask(self, form: Form, *, anew: bool = False) -> Mapping[str, object]:
        """Ask a person."""
        ...

    async def decided(self, decision: Decision, subject: str, rule: str) -> None:
        """Tell what was decided."""
        ...


class Permissions:
    """The permissions of one run; who wants the same at the same time asks once."""

    def __init__(self, grants: Grants | None) -> None:
        self._grants = grants
        self._here: set[str] = set()
        self._turns: dict[str, asyncio.Lock] = {}

    async def require(
        self,
        asking: Asking,
        look: Callable[[], Grant],
        question: Callable[[Grant], str],
        hint: str = BEFOREHAND,
    ) -> bool:
        """Tell whether what `look` sees is allowed; `question` is what a person is asked of it.

        It is looked at again after the answer, for it may have changed while the person thought.
        """
        seen = look()
        async with self._turns.setdefault(seen.key, asyncio.Lock()):
            while not self._has(seen):
                await asking.decided("ask", seen.subject, self._open_rule(seen))
                try:
                    form = Form(f"{question(seen)}{self._changes(seen)}", ALLOW)
                    answer = await asking.ask(form, anew=True)
                except WaitingError as error:
                    error.hint = f"{error.hint} {hint}"
                    raise
                if answer.get("allow") is not True:
                    await asking.decided("deny", seen.subject, "a person rejected it")
                    return False
                self._add(seen)
                seen = look()
            await asking.decided("allow", seen.subject, self._rule(seen))
            return True

    def trust_first(self, grant: Grant) -> bool:
        """Take what is seen for the first time as it is; tells whether it is allowed now."""
        if self._grants is not None and self._grants.before(grant) is None:
            self._add(grant)
        return self._grants is None or self._has(grant)

    def _has(self, grant: Grant) -> bool:
        return grant.fingerprint in self._here or (self._grants is not None and self._grants.has(grant))

    def _rule(self, grant: Grant) -> str:
        """By what it is allowed."""
        return "a person approved it in this run" if grant.fingerprint in self._here else "approved before"

    def _open_rule(self, grant: Grant) -> str:
        """Why it is not."""
        is_known = self._grants is not None and self._grants.before(grant) is not None
        return "it has changed since it was approved" if is_known else "it has not been approved yet"

    def _add(self, grant: Grant) -> None:
        self._here.add(grant.fingerprint)
        if self._grants is not None:
            self._grants.add(grant)

    def _changes(self, grant: Grant) -> str:
        before = None if self._grants is None else self._grants.before(grant)
        if before is None:
            return ""
        return f"\nIt was approved before, but has changed:\n{difference(before, grant.seen)}"
