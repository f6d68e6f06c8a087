"""The step that is shown of nodes in loops and maps, and the way from round to round."""

from hypothesis import given
from hypothesis import strategies as st

from studio.flow.records import Flow, Node
from studio.ids import NodeId, Scope, StepId, step_id
from studio.trace.events import StepFinished, StepStarted
from studio.trace.events.values import Shown
from studio.ui.canvas.document import Steps
from studio.ui.viewmodels.run.node_states import NodeStates
from studio.ui.viewmodels.run.rounds import Rounds
from studio.ui.viewmodels.run.shown_run import ShownRun
from studio.ui.viewmodels.run.step_choice import neighbour
from studio.workspace.catalog import builtin_registry
from tests.ui.builders import a_flow, a_run

WRITER, CRITIC, ROUNDS = NodeId("writer"), NodeId("critic"), NodeId("rounds")


def _finished(step: str, text: str) -> list[tuple[object, ...]]:
    return [(step, "rounds", StepStarted()), (step, "rounds", StepFinished({"reply": Shown(text)}))]


def _three_rounds() -> tuple[ShownRun, NodeStates]:
    """Three rounds of a writer; the critic speaks in the first two."""
    shown = ShownRun()
    states = NodeStates(builtin_registry(), shown)
    shown.on_batch(lambda batch: states.touched(a_flow(), batch) and None)
    happened: list[tuple[object, ...]] = [("rounds", StepStarted())]
    for number in (1, 2, 3):
        happened += _finished(f"rounds.{number}/writer", f"draft {number}")
        if number < 3:
            happened += _finished(f"rounds.{number}/critic", f"verdict {number}")
    shown.show(a_run(*happened))
    shown.flush()
    return shown, states


def _steps(shown: ShownRun, node: NodeId, way: int) -> StepId | None:
    return neighbour(a_flow(), shown, node, shown.shown_step(node, shown.looked_at), way)


def test_a_card_says_which_round_of_how_many_it_shows_and_the_area_too() -> None:
    shown, states = _three_rounds()
    assert states.state_of(a_flow(), WRITER, None).steps == Steps("round 3/3", earlier=True, later=False)
    assert states.state_of(a_flow(), CRITIC, None).steps == Steps("round 2/3", earlier=True, later=False)
    assert states.state_of(a_flow(), ROUNDS, None).steps == Steps("3 of at most 4", earlier=True, later=False)
    assert _steps(shown, WRITER, -1) == "rounds.2/writer"
    assert _steps(shown, WRITER, 1) is None


def test_all_nodes_of_a_body_are_shown_in_the_round_that_was_chosen_for_one() -> None:
    shown, states = _three_rounds()
    shown.looked_at = StepId("rounds.1/writer")
    critic = states.state_of(a_flow(), CRITIC, shown.looked_at)
    rounds = states.state_of(a_flow(), ROUNDS, shown.looked_at)
    assert (critic.text, critic.steps) == ("verdict 1", Steps("round 1/3", earlier=False, later=True))
    assert rounds.note == "1 of at most 4"
    assert set(shown.around(shown.looked_at)) == {WRITER, CRITIC, ROUNDS}


def test_what_did_not_happen_in_that_round_says_nothing() -> None:
    shown, states = _three_rounds()
    shown.looked_at = StepId("rounds.3/writer")
    assert states.state_of(a_flow(), CRITIC, shown.looked_at).status == ""


def test_the_selector_of_an_area_goes_to_a_step_of_the_round_before() -> None:
    shown, _ = _three_rounds()
    assert _steps(shown, ROUNDS, -1) == "rounds.2/writer"
    shown.looked_at = StepId("rounds.2/critic")
    assert _steps(shown, ROUNDS, -1) == "rounds.1/critic"


def test_a_node_with_one_step_has_nothing_to_choose() -> None:
    shown = ShownRun()
    shown.show(a_run(*_finished("rounds.1/writer", "draft")))
    shown.flush()
    states = NodeStates(builtin_registry(), shown)
    assert states.state_of(a_flow(), WRITER, None).steps is None


def test_a_map_counts_its_items_from_one() -> None:
    flow = Flow("m", nodes={NodeId("each"): Node(kind="control.for_each"), WRITER: Node(kind="llm.chat")})
    shown = ShownRun()
    shown.show(a_run(*_finished("each.0/writer", "a"), *_finished("each.1/writer", "b"), flow=flow))
    shown.flush()
    found = NodeStates(builtin_registry(), shown).state_of(flow, WRITER, None)
    assert found.steps == Steps("item 2/2", earlier=True, later=False)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.randoms())
def test_the_way_through_nested_rounds_meets_every_step_once_in_order(
    inner: list[int], random: object
) -> None:
    rounds = Rounds()
    places = [
        Scope(f"outer.{one}/inner.{two}") for one, count in enumerate(inner, 1) for two in range(1, count + 1)
    ]
    steps = {place: step_id(place, WRITER) for place in places}
    shuffled = list(places)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for place in shuffled:
        rounds.add(place, steps[place])
    for way, order in ((1, places), (-1, places[::-1])):
        met = [order[0]]
        while (found := rounds.neighbour(met[-1], way, lambda _: 1, steps.get)) is not None:
            met.append(next(place for place in places if steps[place] == found))
        assert met == order
