"""The texts and tables of a flow that stand at the top of a script, each under a name."""

from collections.abc import Mapping

from studio.export.python.literals import has_empty_part, is_long, literal, long_literal
from studio.export.python.names import Names


class Constants:
    """Gives values as literals; long ones get a name and stand apart."""

    def __init__(self, names: Names, flow: str = "") -> None:
        """Make them; where a name is taken, that of the `flow` stands before it."""
        self._names = names
        self._flow = flow
        self._made: dict[tuple[str, str], tuple[str, str, str]] = {}

    def value(self, wanted: str, value: object) -> str:
        """Write a value where it is used, or the name of the constant that it becomes."""
        return self.named(wanted, value) if is_long(value) else literal(value)

    def named(self, wanted: str, value: object, annotation: str = "") -> str:
        """Make a constant of a value, long or short; the same one whenever this value is asked for again.

        With an annotation it is of this type, not of the one that the value would have.
        """
        said = long_literal(value)
        if (wanted, said) not in self._made:
            name = wanted.upper()
            if name in self._names and self._flow:
                name = f"{self._flow.upper()}_{name}"
            kind = annotation or _kind(value)
            self._made[wanted, said] = (self._names.take(name), kind, said)
        return self._made[wanted, said][0]

    @property
    def lines(self) -> Mapping[str, str]:
        """Name and literal of each constant, in the order of their first use."""
        made = self._made.values()
        return {f"{name}: {kind}" if kind else name: literal for name, kind, literal in made}


def _kind(value: object) -> str:
    """Say the type of a value where an empty part of it leaves that open."""
    if not has_empty_part(value):
        return ""
    return "dict[str, Any]" if isinstance(value, Mapping) else "list[Any]"
