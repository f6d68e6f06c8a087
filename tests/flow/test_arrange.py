from itertools import combinations

from hypothesis import given, settings

from studio.flow.arrange import NODE_SIZE, arrange
from studio.flow.edits import bend
from studio.flow.records import Flow, Point
from studio.ids import NodeId
from tests.flow.builders import LIBRARY, flow, review, wire
from tests.flow.strategies import flows


def tidy(some: Flow) -> Flow:
    return arrange(some, LIBRARY).applied_to(some)


def at(some: Flow, name: str) -> Point:
    return some.layout.nodes[NodeId(name)]


def test_steps_stand_from_left_to_right_in_the_order_they_run() -> None:
    some = tidy(review())
    order = ["question", "rounds", "writer", "critic", "verdict", "answer"]
    assert [at(some, name).x for name in order] == sorted({at(some, name).x for name in order})


def test_what_is_lent_stands_beneath_its_borrower() -> None:
    some = tidy(review())
    assert at(some, "files").y >= at(some, "writer").y + NODE_SIZE[1]
    assert at(some, "files").x == at(some, "writer").x


def test_a_source_stands_right_before_the_first_that_needs_it() -> None:
    some = tidy(
        flow(
            {"a": "text.text", "b": "text.upper", "c": "text.upper", "late": "text.text", "d": "text.pair"},
            "a.text -> b.text",
            "b.text -> c.text",
            "c.text -> d.one",
            "late.text -> d.two",
        )
    )
    assert at(some, "late").x == at(some, "c").x


@settings(max_examples=50, deadline=None)
@given(flows())
def test_nothing_overlaps_and_tidying_twice_changes_nothing(some: Flow) -> None:
    once = tidy(some)
    assert arrange(once, LIBRARY).is_empty
    assert once.layout.nodes.keys() >= once.nodes.keys()
    for one, other in combinations(once.nodes, 2):
        a, b = at(once, one), at(once, other)
        assert abs(a.x - b.x) >= NODE_SIZE[0] or abs(a.y - b.y) >= NODE_SIZE[1]


def test_tidying_a_selection_leaves_the_others_and_the_corner_where_they_are() -> None:
    some = review()
    change = arrange(some, LIBRARY, [NodeId("writer"), NodeId("critic")])
    assert change.label == "Tidy selection"
    assert change.places.keys() <= {"writer", "critic"}
    after = change.applied_to(some)
    assert at(after, "writer") == at(some, "writer")
    assert at(after, "critic").x > at(after, "writer").x


def test_larger_nodes_get_more_room() -> None:
    some = flow({"a": "text.text", "b": "text.upper"}, "a.text -> b.text")
    after = arrange(some, LIBRARY, sizes={NodeId("a"): (600, 100)}).applied_to(some)
    assert at(after, "b").x >= at(after, "a").x + 600


def test_bends_of_wires_that_move_go_and_come_back_with_undo() -> None:
    before = bend(review(), wire("critic.reply -> verdict.value"), [Point(5, 5)]).applied_to(review())
    change = arrange(before, LIBRARY)
    after = change.applied_to(before)
    assert not after.layout.bends
    assert change.inverted().applied_to(after) == before
    assert not change.touches_logic
