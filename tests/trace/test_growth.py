"""The tree of what grew in a run."""

from collections.abc import Sequence

from studio.ids import StepId
from studio.trace.events import Event, RunStarted, StepStarted, ToolAnswered, ToolCalled
from studio.trace.events.parts import PartTold
from studio.trace.fold.moments import Moments
from studio.trace.fold.state import fold
from studio.trace.growth import Grown, Growth, part_key
from tests.trace.builders import answer, asked, numbered

Happening = Event | tuple[str, Event] | tuple[str, str, Event]
TEAM: list[Happening] = [
    RunStarted("f", ""),
    ("team", StepStarted({})),
    ("team", PartTold("a", "Look", "running")),
    ("team", PartTold("b", "Tell", after=("a",))),
    ("team#tool.1", "team", ToolCalled("ada", {"task": "look"}, "a")),
    ("team#tool.1/one#chat.1", "team#tool.1", asked(("user", "look"))),
    ("team#tool.1/one#chat.1", "team#tool.1", answer("seen")),
    ("team#tool.1", "team", ToolAnswered("ada", "seen", is_error=False)),
    ("team", PartTold("a", "Look", "done")),
    ("team#tool.2", "team", ToolCalled("ben", {"task": "tell"})),
    ("team#tool.2/two#chat.1", "team#tool.2", asked(("user", "tell"))),
]


def grown(happenings: Sequence[Happening]) -> Sequence[Grown]:
    state = fold(numbered(*happenings))
    growth = Growth()
    growth.update(state, state.order)
    return growth.rows(state)


def tree(happenings: Sequence[Happening]) -> list[tuple[str, str]]:
    return [(row.key.replace("\n", ":"), row.above.replace("\n", ":")) for row in grown(happenings)]


def test_parts_stand_beneath_their_step_with_the_calls_that_work_on_them() -> None:
    rows = grown(TEAM)
    assert [(one.key, one.sort) for one in rows] == [
        ("team", "step"),
        (part_key(StepId("team"), "a"), "part"),
        (part_key(StepId("team"), "b"), "part"),
        ("team#tool.2", "turn"),
    ]
    assert rows[1].place == "team#tool.1"
    assert rows[1].told is not None
    assert rows[1].told.status == "done"
    assert rows[2].place == "team", "nobody works on it yet"


def test_a_part_stands_beneath_the_one_it_grew_out_of() -> None:
    happenings: list[Happening] = [
        ("find", PartTold("root", "Root")),
        ("find", PartTold("left", "Left", of="root")),
        ("find", PartTold("leaf", "Leaf", of="left")),
        ("find", PartTold("lost", "Lost", of="nobody")),
    ]
    assert tree(happenings) == [
        ("find", ""),
        ("find:root", "find"),
        ("find:left", "find:root"),
        ("find:leaf", "find:left"),
        ("find:lost", "find"),
    ]


def test_parts_that_grew_out_of_one_another_are_all_there() -> None:
    happenings: list[Happening] = [
        ("find", PartTold("a", "A", of="b")),
        ("find", PartTold("b", "B", of="a")),
        ("find", PartTold("c", "C", of="b")),
    ]
    assert {key for key, _ in tree(happenings)} == {"find", "find:a", "find:b", "find:c"}


def test_what_grows_in_a_flow_that_works_on_a_part_stands_beneath_that_part() -> None:
    happenings: list[Happening] = [
        ("plan", PartTold("a", "Dig")),
        ("plan#tool.1", "plan", ToolCalled("dig", {}, "a")),
        ("plan#tool.1/inner", "plan#tool.1", StepStarted({})),
        ("plan#tool.1/inner", "plan#tool.1", PartTold("x", "Deeper")),
    ]
    assert tree(happenings) == [
        ("plan", ""),
        ("plan:a", "plan"),
        ("plan#tool.1/inner", "plan:a"),
        ("plan#tool.1/inner:x", "plan#tool.1/inner"),
    ]


def test_a_flow_that_calls_itself_is_a_tree_of_its_calls() -> None:
    happenings: list[Happening] = [
        ("seek", StepStarted({})),
        ("seek/seek", "seek", StepStarted({})),
        ("seek/seek/say", "seek/seek", StepStarted({})),
        ("seek/again", "seek", StepStarted({})),
        ("seek/again/say", "seek/again", StepStarted({})),
    ]
    assert tree(happenings) == [("seek", ""), ("seek/seek", "seek"), ("seek/again", "seek")]


def test_a_flow_that_is_called_once_and_makes_nothing_is_no_tree() -> None:
    assert not grown([("call", StepStarted({})), ("call/join", "call", StepStarted({}))])


def test_at_an_earlier_moment_the_tree_is_as_it_was() -> None:
    entries = numbered(*TEAM)
    state, moments, growth = fold(entries), Moments(), Growth()
    moments.add(entries)
    growth.update(state, state.order)
    then = growth.rows(moments.state(4))
    assert [(one.told.part, one.told.status) for one in then if one.told] == [
        ("a", "running"),
        ("b", "waiting"),
    ]
    assert not growth.rows(moments.state(2))


def test_only_what_concerns_the_tree_makes_it_another_one() -> None:
    state, growth = fold(numbered(*TEAM, ("other", StepStarted({})))), Growth()
    assert growth.update(state, state.order)
    assert not growth.update(state, [StepId("other")])
    assert growth.update(state, [StepId("team")])
