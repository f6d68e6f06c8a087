"""What the pieces of a script give one another, and what nobody gives: that is left out of what is lifted.

A parameter that a function only hands on counts as given where the function is given it. What is left out
takes its default, which therefore has to be the same all along the way.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from studio.export.python.pieces import Definition, Parameter, Passed, Piece


@dataclass(slots=True)
class Wanted:
    """What all lifted pieces together ask for, and give."""

    attributes: set[str] = field(default_factory=set[str])
    keywords: set[str] = field(default_factory=set[str])
    positional: dict[str, int] = field(default_factory=dict[str, int])
    referred: set[str] = field(default_factory=set[str])
    handed: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Under which parameters functions are given what they only hand on, by the name they hand it on as."""
    defaults: dict[tuple[str, str], set[str]] = field(default_factory=dict[tuple[str, str], set[str]])
    """What parameters are without a value (required: empty), by what is called and their name."""
    placed: set[str] = field(default_factory=set[str])
    """The fields and parameters that are given something by position."""
    called: dict[str, list[Definition]] = field(default_factory=dict[str, list[Definition]])
    """What was seen that may be given something by position, by name."""

    def size(self) -> int:
        """A measure that stays the same only when nothing was added."""
        sets = (*self.handed.values(), *self.defaults.values())
        names = len(self.attributes) + len(self.keywords) + len(self.referred)
        return names + sum(self.positional.values()) + sum(len(one) for one in sets)

    def note(self, piece: Piece) -> None:
        """Add what a piece asks for."""
        self.attributes |= piece.attributes
        self.keywords |= piece.keywords
        self.referred |= piece.referred
        for passed in piece.passed:
            self.handed.setdefault(passed.keyword, set()).add(passed.parameter)
        for parameter in piece.parameters:
            self.defaults.setdefault((piece.name, parameter.name), set()).add(parameter.default)
        for name in piece.required:
            self.defaults.setdefault((piece.name, name), set()).add("")
        for name, count in piece.positional.items():
            self.note_positional(name, count)

    def see(self, definition: Definition) -> None:
        """Add what a definition is given by position, now and later."""
        name = definition.origin.name
        self.called.setdefault(name, []).append(definition)
        self.placed.update(definition.fields[: self.positional.get(name, 0)])

    def note_fields(self, definition: Definition) -> None:
        """Add what the fields of a class are without a value."""
        for one, value in definition.values.items():
            for called in (definition.origin.name, "replace"):
                self.defaults.setdefault((called, one), set()).add(value)

    def note_positional(self, name: str, count: int) -> None:
        """Add that what has this name is given so many arguments by position."""
        if count > self.positional.get(name, 0):
            self.positional[name] = count
            for one in self.called.get(name, ()):
                self.placed.update(one.fields[:count])

    def is_given(self, name: str, before: frozenset[str] = frozenset()) -> bool:
        """Whether anybody gives a field or parameter another value than it has by itself."""
        if ", " in name:
            return any(self.is_given(one) for one in name.split(", "))
        if name.startswith("."):
            return name[1:] in self.attributes
        if name in self.keywords or name in self.placed:
            return True
        others = self.handed.get(name, set()) - before - {name}
        return any(self.is_given(one, before | {name}) for one in others)

    def is_idle(self, passed: Passed) -> bool:
        """Whether an argument only hands on what nobody gave, to what would take the same without it."""
        if self.is_given(passed.keyword) or self.is_given(passed.parameter):
            return False
        return self.defaults.get((passed.called, passed.keyword), set()) <= {passed.default}

    def is_known(self, passed: Passed) -> bool:
        """Whether what an argument is handed to was seen."""
        return (passed.called, passed.keyword) in self.defaults

    def left_out(self, definition: Definition, piece: Piece) -> list[tuple[int, int]]:
        """Where the arguments and parameters stand that nobody gives anything."""
        cuts = [(one.start, one.end) for one in piece.passed if self.is_idle(one)]
        parts = list(_all_parts(piece))
        unused = [(one.start, one.end) for one in parts if not self.is_given(one.needs)]
        unused += [(one.start, one.end) for part in parts for one in part.passed if self.is_idle(one)]
        is_seen = piece.node is definition.node and piece.name not in self.referred
        idle = [
            one
            for one in piece.parameters
            if (is_seen or one.name in piece.by_name) and self._is_idle(one, [*cuts, *unused])
        ]
        cuts += [(one.start, one.end) for one in idle]
        if piece.star is not None and piece.by_name <= {one.name for one in idle}:
            cuts.append(piece.star)
        return cuts

    def _is_idle(self, one: Parameter, unused: Sequence[tuple[int, int]]) -> bool:
        """Whether nobody gives a parameter, and nothing that stays reads it."""
        if self.is_given(one.name):
            return False
        return all(any(start <= use[0] and use[1] <= end for start, end in unused) for use in one.uses)


def _all_parts(piece: Piece) -> Iterable[Piece]:
    for part in piece.parts:
        yield part
        yield from _all_parts(part)
