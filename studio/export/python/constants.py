"""The texts and tables of a flow that stand at the top of a script, each under a name."""

from collections.abc import Mapping

from studio.export.python.lifter import Lifter
from studio.export.python.literals import has_empty_part, is_long, literal, long_literal
from studio.export.python.names import Names


class Constants:
    """Gives values as literals; long ones get a name and stand apart."""

    def __init__(self, names: Names, lifter: Lifter, flow: str = "") -> None:
        """Make them; where a name is taken, that of the `flow` stands before it."""
        self._names = names
        self._flow = flow
        self._lifter = lifter
        self._made: dict[str, tuple[str, str, str]] = {}

    def value(self, wanted: str, value: object) -> str:
        """Write a value where it is used, or the name of the constant that it becomes."""
        if not is_long(value):
            return literal(value, self._lifter.use)
        return self.named(wanted, value)

    def named(self, wanted: str, value: object, annotation: str = "") -> str:
        """Make a constant of a value, long or short; the same one whenever it is asked for again.

        With an annotation it is of this type, not of the one that the value would have.
        """
        if wanted not in self._made:
            name = wanted.upper()
            if name in self._names and self._flow:
                name = f"{self._flow.upper()}_{name}"
            kind = annotation or self._kind(value)
            self._made[wanted] = (self._names.take(name), kind, long_literal(value))
        return self._made[wanted][0]

    def _kind(self, value: object) -> str:
        """Say the type of a value where an empty part of it leaves that open."""
        if not has_empty_part(value):
            return ""
        anything = self._lifter.use("typing", "Any")
        return f"dict[str, {anything}]" if isinstance(value, Mapping) else f"list[{anything}]"

    @property
    def lines(self) -> Mapping[str, str]:
        """Name and literal of each constant, in the order of their first use."""
        made = self._made.values()
        return {f"{name}: {kind}" if kind else name: literal for name, kind, literal in made}
