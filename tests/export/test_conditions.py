from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from studio.export.structure.conditions import ALWAYS, NEVER, Condition, Way, when

WAYS = [
    Way(name, {way: f"{name} == {way!r}" for way in ways}, place)
    for place, (name, ways) in enumerate({"a": "xy", "b": "xyz", "c": "xy"}.items())
]
WORLDS = [
    dict(zip((way.name for way in WAYS), found, strict=True))
    for found in product(*(way.tests for way in WAYS))
]

conditions = st.recursive(
    st.sampled_from([ALWAYS, NEVER, *(when(way, one) for way in WAYS for one in way.tests)]),
    lambda inner: (
        st.builds(lambda a, b: a & b, inner, inner)
        | st.builds(lambda a, b: a | b, inner, inner)
        | st.builds(lambda a: ~a, inner)
    ),
    max_leaves=8,
)


def holds(condition: Condition, world: dict[str, str]) -> bool:
    """Whether the test, as Python reads it, holds."""
    return bool(eval(condition.test(), {}, world))  # noqa: S307  # the claim is about Python


@given(conditions, conditions)
def test_and_or_not_mean_what_they_say(one: Condition, other: Condition) -> None:
    for world in WORLDS:
        assert holds(one & other, world) is (holds(one, world) and holds(other, world))
        assert holds(one | other, world) is (holds(one, world) or holds(other, world))
        assert holds(~one, world) is not holds(one, world)


@given(conditions, conditions)
def test_what_is_known_is_left_out_and_nothing_else(one: Condition, known: Condition) -> None:
    shorter = one.given(known)
    assert all(holds(shorter, world) is holds(one, world) for world in WORLDS if holds(known, world))


@given(conditions, conditions)
def test_it_knows_what_follows_and_what_excludes(one: Condition, other: Condition) -> None:
    both = [(holds(one, world), holds(other, world)) for world in WORLDS]
    assert one.implies(other) is all(there for here, there in both if here)
    assert one.excludes(other) is not any(here and there for here, there in both)


def test_what_covers_every_way_is_certain() -> None:
    way = WAYS[1]
    assert when(way, "x") | when(way, "y") | when(way, "z") == ALWAYS
