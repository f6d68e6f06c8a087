"""When something happens: conditions over which way each branch went, simple enough to be written as `if`.

A variable is anything that goes one of a few ways: a branch that chose a case, a step that may have failed.
A condition is a decision diagram over such variables: each node asks for one of them, in the order in which
they are decided, and no two nodes ask the same. So equal conditions are the same diagram, and their size
stays bearable where many steps may fail. Only to be written, a condition becomes a disjunction.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias
from weakref import WeakValueDictionary

OPPOSITES: Mapping[type[ast.cmpop], str] = {ast.Eq: "!=", ast.Is: "is not", ast.In: "not in"}
"""How it is said of a comparison that it does not hold."""


@dataclass(frozen=True, slots=True)
class Way:
    """A variable of a script that goes one of several ways, with the Python that tells each."""

    name: str
    tests: Mapping[str, str] = field(hash=False)
    """For each way the Python expression that holds when it was taken; the ways exclude each other."""
    place: int = 0
    """Where it is decided: tests are written in this order, so that none is read before it is set."""

    @property
    def all(self) -> frozenset[str]:
        """Every way there is."""
        return frozenset(self.tests)


Term: TypeAlias = Mapping[Way, frozenset[str]]
"""A conjunction: which of its ways each variable may have gone."""


class _Diagram:
    """A decision: which variable is asked, and what holds for each of its ways; or True or False, without."""

    __slots__ = ("__weakref__", "arms", "way")

    def __init__(self, way: Way | None, arms: tuple["_Diagram", ...]) -> None:
        self.way = way
        self.arms = arms

    @property
    def order(self) -> tuple[int, str]:
        """Where the variable stands among all."""
        return (self.way.place, self.way.name) if self.way is not None else (_LAST, "")

    def arms_at(self, way: Way) -> tuple["_Diagram", ...]:
        """What holds for each way of a variable that is not asked before this one."""
        return self.arms if self.way == way else (self,) * len(way.tests)


_diagrams: WeakValueDictionary[tuple[Way, tuple[_Diagram, ...]], _Diagram] = WeakValueDictionary()
"""Every diagram there is, so that equal ones are the same."""

_LAST = 1 << 60
_TRUE, _FALSE = _Diagram(None, ()), _Diagram(None, ())


def _decide(way: Way, arms: tuple[_Diagram, ...]) -> _Diagram:
    """The one diagram that asks `way`; where the answer is no matter, it is not asked."""
    if all(arm is arms[0] for arm in arms):
        return arms[0]
    found = _diagrams.get((way, arms))
    if found is None:
        found = _diagrams[way, arms] = _Diagram(way, arms)
    return found


def _joined(
    one: _Diagram,
    other: _Diagram,
    ends: Callable[[_Diagram, _Diagram], _Diagram | None],
    known: dict[tuple[_Diagram, _Diagram], _Diagram],
) -> _Diagram:
    """Put two diagrams together arm by arm, until `ends` knows what comes out."""
    end = ends(one, other)
    if end is not None:
        return end
    key = (one, other)
    if key not in known:
        way = min(one, other, key=lambda each: each.order).way
        if way is None:
            message = "two ends that are not known"
            raise AssertionError(message)
        arms = zip(one.arms_at(way), other.arms_at(way), strict=True)
        known[key] = _decide(way, tuple(_joined(mine, theirs, ends, known) for mine, theirs in arms))
    return known[key]


def _both(one: _Diagram, other: _Diagram) -> _Diagram | None:
    if one is _FALSE or other is _FALSE:
        return _FALSE
    return other if one is _TRUE or one is other else one if other is _TRUE else None


def _either(one: _Diagram, other: _Diagram) -> _Diagram | None:
    if one is _TRUE or other is _TRUE:
        return _TRUE
    return other if one is _FALSE or one is other else one if other is _FALSE else None


def _less(one: _Diagram, other: _Diagram) -> _Diagram | None:
    """One, but not the other."""
    if one is _FALSE or other is _TRUE or one is other:
        return _FALSE
    return one if other is _FALSE else None


def _simplified(one: _Diagram, care: _Diagram, known: dict[tuple[_Diagram, _Diagram], _Diagram]) -> _Diagram:
    """A diagram that says the same wherever `care` holds, and elsewhere whatever makes it small."""
    if care is _TRUE or one.way is None or care.way is None:
        return one
    key = (one, care)
    if key in known:
        return known[key]
    if care.order < one.order:
        whole = reduce(lambda mine, theirs: _joined(mine, theirs, _either, {}), care.arms)
        found = _simplified(one, whole, known)
    else:
        cared = care.arms_at(one.way)
        arms = [
            None if theirs is _FALSE else _simplified(mine, theirs, known)
            for mine, theirs in zip(one.arms, cared, strict=True)
        ]
        live = [arm for arm in arms if arm is not None]
        found = _decide(one.way, tuple(live[0] if arm is None else arm for arm in arms))
    known[key] = found
    return found


@dataclass(frozen=True, slots=True)
class Condition:
    """Holds or not, by the ways that things went."""

    diagram: _Diagram

    def __and__(self, other: "Condition") -> "Condition":
        return Condition(_joined(self.diagram, other.diagram, _both, {}))

    def __or__(self, other: "Condition") -> "Condition":
        return Condition(_joined(self.diagram, other.diagram, _either, {}))

    def __invert__(self) -> "Condition":
        return Condition(_joined(_TRUE, self.diagram, _less, {}))

    def implies(self, other: "Condition") -> bool:
        """Whether `other` holds whenever this does."""
        return _joined(self.diagram, other.diagram, _less, {}) is _FALSE

    def excludes(self, other: "Condition") -> bool:
        """Whether the two never hold together."""
        return (self & other) == NEVER

    def given(self, known: "Condition") -> "Condition":
        """The same condition, less what is certain where `known` holds."""
        if known.implies(self):
            return ALWAYS
        if known.excludes(self):
            return NEVER
        return Condition(_simplified(self.diagram, known.diagram, {}))

    def test(self) -> str:
        """The condition as a Python expression."""
        if self == ALWAYS:
            return "True"
        if self == NEVER:
            return "False"
        shown = [list(term.items()) for term in _cover(self)]
        parts = [
            " and ".join(_literal(way, ways, alone=len(term) == 1) for way, ways in term) for term in shown
        ]
        if len(parts) == 1:
            return parts[0]
        return " or ".join(f"({part})" if " and " in part else part for part in parts)


def when(way: Way, name: str) -> Condition:
    """Holds when `way` went the way called `name`."""
    return _when_any(way, frozenset({name}))


ALWAYS = Condition(_TRUE)
NEVER = Condition(_FALSE)


def any_of(conditions: Iterable[Condition]) -> Condition:
    """Hold when one of them does."""
    return reduce(Condition.__or__, conditions, NEVER)


def all_of(conditions: Iterable[Condition]) -> Condition:
    """Hold when all of them do."""
    return reduce(Condition.__and__, conditions, ALWAYS)


def _when_any(way: Way, names: frozenset[str]) -> Condition:
    return Condition(_decide(way, tuple(_TRUE if name in names else _FALSE for name in way.tests)))


def _holds(term: Term) -> Condition:
    return all_of(_when_any(way, names) for way, names in term.items())


def _cover(condition: Condition) -> list[Term]:
    """Terms that together say the condition, to be asked one after the other, and left where one holds.

    A variable may not be set unless those before it in its term went as they say; so a term leaves out
    only what is certain by then, and says as little as may be of its last variable.
    """
    terms: list[Term] = []
    left = ALWAYS
    for path in _paths(condition.diagram):
        known = left
        term: dict[Way, frozenset[str]] = {}
        for way, names in path.items():
            if not known.implies(_when_any(way, names)):
                term[way] = names
            known &= _when_any(way, names)
        if known == NEVER:
            continue
        last = next(reversed(term), None)
        for name in last.tests if last is not None else ():
            wider = {**term, last: term[last] | {name}} if last is not None else term
            if (left & _holds(wider)).implies(condition):
                term = wider
        terms.append(term)
        left &= ~_holds(term)
    return terms


def _paths(diagram: _Diagram) -> Iterator[Term]:
    if diagram is _TRUE:
        yield {}
    if diagram.way is None:
        return
    way = diagram.way
    for arm in dict.fromkeys(diagram.arms):
        names = frozenset(name for name, one in zip(way.tests, diagram.arms, strict=True) if one is arm)
        for path in _paths(arm):
            yield {way: names, **path}


def _literal(way: Way, allowed: frozenset[str], *, alone: bool) -> str:
    tests = [test for name, test in way.tests.items() if name in allowed]
    others = [test for name, test in way.tests.items() if name not in allowed]
    if len(others) == 1 and len(tests) > 1:
        return _negated(others[0])
    if len(tests) == 1:
        return tests[0]
    joined = " or ".join(tests)
    return joined if alone else f"({joined})"


def _negated(test: str) -> str:
    """That a test fails; said of a comparison by its opposite."""
    tree = ast.parse(test, mode="eval").body
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        for operator, opposite in OPPOSITES.items():
            if isinstance(tree.ops[0], operator):
                left, right = (ast.get_source_segment(test, one) for one in (tree.left, *tree.comparators))
                return f"{left} {opposite} {right}"
    return f"not ({test})" if " " in test else f"not {test}"
