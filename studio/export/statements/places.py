"""Where variables of a function are set and where they are read: what must be set before, or handed over.

A function is written with marks in the places of what only its end tells: variables that begin as `nothing`,
since the arm that sets them may not be taken, and what lanes, being functions of their own, return.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

NOTHING = "nothing"
MARK = "\x1e"
_MARKS = re.compile(f"{MARK}([itrn])([0-9]+){MARK}")

Kind = Literal["arm", "lane", "knot", "loop", "past", "function"]


@dataclass(frozen=True, slots=True)
class Token:
    """What stands around statements: an arm of a chain of `if`, a lane, a loop, what follows its exit."""

    kind: Kind
    number: int
    """Of arms, that of their chain; of what follows the exit of a loop, that of the loop."""
    arm: int = 0
    """Which arm; of a loop that may have no rounds, or of a lane in a knot, what stands before it."""


Place = tuple[Token, ...]


@dataclass(slots=True)
class Places:
    """Notes where each variable is set and read, and settles what follows from it."""

    here: Place = ()
    _count: int = 0
    _sets: dict[str, list[Place]] = field(default_factory=dict[str, list[Place]])
    _reads: list[tuple[str, Place]] = field(default_factory=list[tuple[str, Place]])
    _covered: set[str] = field(default_factory=set[str])
    _inits: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    _handed: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    """What each lane hands over; a lane in a knot sets it where the others find it."""

    def number(self) -> int:
        """A number for something that opens."""
        self._count += 1
        return self._count

    @contextmanager
    def inside(self, kind: Kind, number: int, arm: int = 0) -> Generator[None]:
        """Have what is written in the block stand inside something."""
        before = self.here
        self.here = (*before, Token(kind, number, arm))
        try:
            yield
        finally:
            self.here = before

    def set(self, name: str, *, covered: bool = False) -> None:
        """Note that a variable is set here; one that is `covered` is set in all arms that there are."""
        self._sets.setdefault(name, []).append(self.here)
        if covered:
            self._covered.add(name)

    def read(self, name: str) -> str:
        """Note that a variable is read here, and give it."""
        self._reads.append((name, self.here))
        return name

    def start(self, number: int) -> str:
        """The line before a chain of `if`, or at the top of a loop, where variables begin."""
        return f"{MARK}i{number}{MARK}"

    def returned(self, number: int) -> str:
        """The line that ends a lane."""
        return f"{MARK}r{number}{MARK}"

    def shared(self, number: int) -> str:
        """The line at the top of a lane in a knot."""
        return f"{MARK}n{number}{MARK}"

    def targets(self, number: int) -> str:
        """What a lane's result is assigned to."""
        return f"{MARK}t{number}{MARK}"

    def settle(self, lines: list[str]) -> list[str]:
        """The lines without marks."""
        for name, place in self._reads:
            chains = [self._bring(name, found, place) for found in self._sets.get(name, ())]
            # Begun before the first of them, lest another one begins it again.
            first = min((chain for chain in chains if chain is not None), default=None)
            if first is not None:
                self._begin(first, name)
        settled: list[str] = []
        for line in lines:
            plain = line.strip(" ")
            found = _MARKS.fullmatch(plain)
            if found is None:
                settled.append(_MARKS.sub(lambda one: self._targets(int(one[2])), line))
                continue
            indent = line[: len(line) - len(line.lstrip(" "))]
            said = self._line(found[1], int(found[2]))
            if said:
                settled.append(f"{indent}{said}")
        return settled

    @property
    def begun(self) -> frozenset[str]:
        """The variables that begin as `nothing`; known once all is settled."""
        return frozenset(name for names in self._inits.values() for name in names)

    def _bring(self, name: str, where: Place, reader: Place) -> int | None:
        """See to it that a variable set somewhere can be read elsewhere; gives where it is to begin."""
        at = list(where)
        chain: int | None = None
        while tuple(at) != reader[: len(at)]:
            token = at.pop()
            if token.kind == "arm":
                chain = token.number if not self._is_covered(name) else chain
            elif token.kind == "past":
                chain = token.number
            elif token.kind == "loop":
                if chain is not None and token.arm:
                    self._begin(token.number, name)
                chain = token.arm
            elif token.kind == "lane":
                if chain is not None:
                    self._begin(chain, name)
                    chain = None
                self._hand(token.number, name)
            elif token.kind == "knot":
                self._hand(token.number, name)
                chain = token.arm
        return chain

    def _is_covered(self, name: str) -> bool:
        """Whether a variable is set in all arms of one chain."""
        arms = [[one.number for one in place if one.kind == "arm"] for place in self._sets[name]]
        return name in self._covered and len({found[-1] for found in arms if found}) == 1

    def _begin(self, number: int, name: str) -> None:
        names = self._inits.setdefault(number, [])
        if name not in names:
            names.append(name)

    def _hand(self, number: int, name: str) -> None:
        names = self._handed.setdefault(number, [])
        if name not in names:
            names.append(name)

    def _line(self, kind: str, number: int) -> str:
        if kind == "n":
            names = self._handed.get(number, [])
            return f"nonlocal {', '.join(names)}" if names else ""
        if kind == "r":
            names = self._handed.get(number, [])
            return f"return {', '.join(names)}" if names else ""
        names = self._inits.get(number, [])
        return f"{' = '.join([*names, NOTHING])}" if names else ""

    def _targets(self, number: int) -> str:
        names = self._handed.get(number, [])
        return "_" if not names else names[0] if len(names) == 1 else f"({', '.join(names)})"
