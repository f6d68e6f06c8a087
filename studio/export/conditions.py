"""When something happens: conditions over which way each branch went, simple enough to be written as `if`.

A condition is a disjunction of terms; a term says for some variables which of their ways it allows. A
variable is anything that goes one of a few ways: a branch that chose a case, a step that may have failed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Way:
    """A variable of a script that goes one of several ways, with the Python that tells each."""

    name: str
    tests: Mapping[str, str] = field(hash=False, compare=False)
    """For each way the Python expression that holds when it was taken; the ways exclude each other."""
    place: int = 0
    """Where it is decided: tests are written in this order, so that none is read before it is set."""

    @property
    def all(self) -> frozenset[str]:
        """Every way there is."""
        return frozenset(self.tests)


Term: TypeAlias = frozenset[tuple[Way, frozenset[str]]]


@dataclass(frozen=True, slots=True)
class Condition:
    """Holds when one of its terms does; with no term never, with an empty term always."""

    terms: frozenset[Term]

    def __and__(self, other: "Condition") -> "Condition":
        return _made(_both(one, two) for one in self.terms for two in other.terms)

    def __or__(self, other: "Condition") -> "Condition":
        return _made([*self.terms, *other.terms])

    def __invert__(self) -> "Condition":
        return reduce(lambda made, term: made & _not(term), self.terms, ALWAYS)

    def implies(self, other: "Condition") -> bool:
        """Whether `other` holds whenever this does."""
        return (self & ~other) == NEVER

    def excludes(self, other: "Condition") -> bool:
        """Whether the two never hold together."""
        return (self & other) == NEVER

    def given(self, known: "Condition") -> "Condition":
        """The same condition, less what is certain where `known` holds."""
        if known.implies(self):
            return ALWAYS
        if known.excludes(self):
            return NEVER
        terms = [
            _given(term, known) for term in self.terms if not known.excludes(Condition(frozenset({term})))
        ]
        return _made(terms)

    def test(self) -> str:
        """The condition as a Python expression."""
        if self == ALWAYS:
            return "True"
        if self == NEVER:
            return "False"
        shown = sorted(
            (_sorted(term) for term in self.terms), key=lambda term: [(w.place, w.name) for w, _ in term]
        )
        parts = [
            " and ".join(_literal(way, ways, alone=len(term) == 1) for way, ways in term) for term in shown
        ]
        if len(parts) == 1:
            return parts[0]
        return " or ".join(f"({part})" if " and " in part else part for part in parts)


def when(way: Way, name: str) -> Condition:
    """Holds when `way` went the way called `name`."""
    return Condition(frozenset({frozenset({(way, frozenset({name}))})}))


ALWAYS = Condition(frozenset({frozenset()}))
NEVER = Condition(frozenset())


def any_of(conditions: Iterable[Condition]) -> Condition:
    """Hold when one of them does."""
    return reduce(Condition.__or__, conditions, NEVER)


def all_of(conditions: Iterable[Condition]) -> Condition:
    """Hold when all of them do."""
    return reduce(Condition.__and__, conditions, ALWAYS)


def _sorted(term: Term) -> list[tuple[Way, frozenset[str]]]:
    return sorted(term, key=lambda one: (one[0].place, one[0].name))


def _literal(way: Way, allowed: frozenset[str], *, alone: bool) -> str:
    tests = [test for name, test in way.tests.items() if name in allowed]
    others = [test for name, test in way.tests.items() if name not in allowed]
    if len(others) == 1 and len(tests) > 1:
        return f"not {others[0]}" if " " not in others[0] else f"not ({others[0]})"
    if len(tests) == 1:
        return tests[0]
    joined = " or ".join(tests)
    return joined if alone else f"({joined})"


def _both(one: Term, other: Term) -> Term | None:
    ways = dict(one)
    for way, allowed in other:
        ways[way] = ways.get(way, way.all) & allowed
        if not ways[way]:
            return None
    return frozenset(ways.items())


def _not(term: Term) -> Condition:
    return _made(frozenset({(way, way.all - allowed)}) for way, allowed in term)


def _given(term: Term, known: Condition) -> Term:
    """Leave out of a term what every term of `known` says already."""
    return frozenset(
        (way, allowed)
        for way, allowed in term
        if not known.implies(Condition(frozenset({frozenset({(way, allowed)})})))
    )


def _made(terms: Iterable[Term | None]) -> Condition:
    """Bring terms into their shortest form: absorbed where another says less, joined where one differs."""
    found = {_whole(term) for term in terms if term is not None}
    while True:
        joined = _join_one(found)
        if joined is None:
            break
        found = joined
    return Condition(frozenset(one for one in found if not any(_weaker(two, one) for two in found - {one})))


def _whole(term: Term) -> Term:
    return frozenset((way, allowed) for way, allowed in term if allowed != way.all)


def _weaker(one: Term, other: Term) -> bool:
    """Whether `one` holds whenever `other` does."""
    narrow = dict(other)
    return all(way in narrow and narrow[way] <= allowed for way, allowed in one)


def _join_one(terms: set[Term]) -> set[Term] | None:
    for one in terms:
        for other in terms:
            if one == other:
                continue
            mine, theirs = dict(one), dict(other)
            if mine.keys() != theirs.keys():
                continue
            differing = [way for way in mine if mine[way] != theirs[way]]
            if len(differing) == 1:
                way = differing[0]
                both = _whole(frozenset({**mine, way: mine[way] | theirs[way]}.items()))
                return (terms - {one, other}) | {both}
    return None
