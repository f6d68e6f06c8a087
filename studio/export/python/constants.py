"""The texts and tables of a flow that stand at the top of a script, each under a name."""

from collections.abc import Mapping

from studio.export.python.literals import has_empty_part, is_long, literal, long_literal
from studio.export.python.names import Names


class Constants:
    """Gives values as literals; long ones get a name and stand apart."""

    def __init__(self, names: Names, fields_word: str) -> None:
        """Make those of the flow that is exported; `fields_word` is what the kit's `fields` is called."""
        self._names = names
        self._fields_word = fields_word
        self._flow = ""
        self.has_fields = False
        """Whether any of them is said by `fields`."""
        self.lines: dict[str, str] = {}
        """Name and literal of each, in the order of their first use."""
        self._made: dict[tuple[str, str], str] = {}

    def called(self, flow: str) -> "Constants":
        """Make those of a flow that is called: where a name is taken, that of the `flow` stands before it.

        What both say alike of a node that is called alike is one constant, of that which says it first.
        """
        made = Constants(self._names, self._fields_word)
        made._flow, made._made = flow, self._made
        return made

    def value(self, wanted: str, value: object) -> str:
        """Write a value where it is used, or the name of the constant that it becomes."""
        return self.named(wanted, value) if is_long(value) else literal(value)

    def named(self, wanted: str, value: object, annotation: str = "") -> str:
        """Make a constant of a value, long or short; the same one whenever this value is asked for again.

        With an annotation it is of this type, not of the one that the value would have.
        """
        said = long_literal(value, self._use_fields)
        if (wanted, said) not in self._made:
            name = wanted.upper()
            if name in self._names and self._flow:
                name = f"{self._flow.upper()}_{name}"
            name = self._made[wanted, said] = self._names.take(name)
            kind = annotation or _kind(value)
            self.lines[f"{name}: {kind}" if kind else name] = said
        return self._made[wanted, said]

    def _use_fields(self) -> str:
        self.has_fields = True
        return self._fields_word


def _kind(value: object) -> str:
    """Say the type of a value where an empty part of it leaves that open."""
    if not has_empty_part(value):
        return ""
    return "dict[str, Any]" if isinstance(value, Mapping) else "list[Any]"
