"""What may stand in the fields of a breakpoint while one types, and what is wrong with what stands there."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from studio.app.documents.breakpoints import Breakpoint
from studio.errors import ExpressionError
from studio.flow.records import CallingLibrary, Flow
from studio.runtime.gates.condition_names import Fault, faults_of, names_at
from studio.runtime.gates.log_line import pieces
from studio.sdk.expressions import Completion, completions

Field: TypeAlias = Literal["condition", "log"]


class Advice:
    """Advises on one breakpoint of a flow."""

    def __init__(self, one: Breakpoint, flow: Flow, library: CallingLibrary) -> None:
        self._one, self._flow, self._library = one, flow, library
        self._names = names_at(one, flow, library)

    def in_condition(self, text: str, column: int) -> list[Completion]:
        """What may stand before a column of the condition, from 1."""
        found = completions(text, column, list(self._names))
        return [one if one.kind != "name" else replace(one, help=self._names[one.text].help) for one in found]

    def in_log(self, text: str, column: int) -> list[Completion]:
        """The same for the line: within its braces."""
        before = text[: max(0, column - 1)]
        last = next(iter(pieces(before)[-1:]), None)
        if before.endswith("{") and not before.endswith("{{"):
            return [replace(one, start=column) for one in self.in_condition("", 1)]
        if last is None or not last.is_expression or last.start + len(last.text) != len(before):
            return []
        found = self.in_condition(last.text, len(last.text) + 1)
        return [replace(one, start=one.start + last.start) for one in found]

    def condition(self, text: str) -> ExpressionError | None:
        """What is wrong with a condition."""
        return self._wrong(replace(self._one, condition=text), "condition")

    def log(self, text: str) -> ExpressionError | None:
        """What is wrong with a line."""
        return self._wrong(replace(self._one, log=text), "log")

    def text(self, text: str, is_pattern: bool) -> str:  # noqa: FBT001  # as it is typed: what, and how it is meant
        """What is wrong with a text to look for; empty when nothing is."""
        faults = self._faults(replace(self._one, text=text, is_pattern=is_pattern))
        return next((fault.message for fault in faults if fault.field == "text"), "")

    def _wrong(self, one: Breakpoint, field: Field) -> ExpressionError | None:
        found = next((fault for fault in self._faults(one) if fault.field == field), None)
        return None if found is None else ExpressionError(found.message, found.column, hint=found.remedy)

    def _faults(self, one: Breakpoint) -> Sequence[Fault]:
        return faults_of(one, self._flow, self._library)
