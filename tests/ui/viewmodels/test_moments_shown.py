"""The run at an earlier moment, as the window shows it, while it goes on beneath."""

from collections.abc import Sequence

from studio.app.runs.live_run import LiveRun
from studio.errors import StoreError
from studio.ids import NodeId, Scope, StepId
from studio.trace.events import Entry, RunFinished, RunStarted, StepFinished, StepStarted
from studio.trace.events.values import Shown
from studio.trace.fold.steps import StepStatus
from studio.ui.viewmodels.run.node_states import NodeStates
from studio.ui.viewmodels.run.shown_run import Batch, ShownRun
from studio.workspace.catalog import builtin_registry
from tests.trace.builders import RUN, numbered
from tests.ui.builders import a_flow

WRITER, ROUNDS = NodeId("writer"), NodeId("rounds")


def _entries(rounds: int) -> list[Entry]:
    """A run that begins at second 1; writer and critic of round n work in the four seconds from 4n - 1 on."""
    happened: list[object] = [RunStarted("Draft", ""), ("rounds", StepStarted())]
    for number in range(1, rounds + 1):
        for node in ("writer", "critic"):
            step = f"rounds.{number}/{node}"
            happened.append((step, "rounds", StepStarted()))
            happened.append((step, "rounds", StepFinished({"reply": Shown(f"{node} {number}")})))
    return numbered(*happened, RunFinished())  # type: ignore[arg-type]


def _shown(entries: Sequence[Entry], known: int | None = None) -> tuple[ShownRun, LiveRun, list[Batch]]:
    """A shown run that has come so far, and the batches told of it from then on."""
    live = LiveRun(RUN, a_flow())
    live.take(entries[:known])
    shown = ShownRun(lambda _: entries[: live.state.entries_count])
    shown.show(live)
    shown.flush()
    batches: list[Batch] = []
    shown.on_batch(batches.append)
    return shown, live, batches


def test_the_run_is_shown_as_it_was_at_a_moment_and_again_as_it_is() -> None:
    shown, live, batches = _shown(_entries(3))
    shown.show_moment(3.5)  # the writer of round 1 has just given its draft
    shown.flush()
    assert shown.state is not None
    assert shown.state is not live.state
    assert shown.state.order == ["rounds", "rounds.1/writer"]
    assert shown.steps_of(WRITER) == ["rounds.1/writer"]
    assert batches[-1].is_moved
    assert "rounds.3/critic" in batches[-1].steps
    shown.show_moment(None)
    shown.flush()
    assert shown.state is live.state
    assert shown.moment is None
    assert batches[-1].is_moved
    assert len(shown.steps_of(WRITER)) == 3


def test_a_step_shows_what_it_was_doing_then() -> None:
    shown, _, _ = _shown(_entries(3))
    shown.show_moment(6.0)
    shown.flush()
    step = shown.shown_step(WRITER, None)
    assert step is not None
    assert (step.id, step.status) == ("rounds.2/writer", StepStatus.RUNNING)


def test_only_the_rounds_that_there_were_can_be_chosen() -> None:
    shown, _, _ = _shown(_entries(9))
    assert shown.rounds.last(Scope(""), ROUNDS) == 9
    shown.show_moment(15.0)
    shown.flush()
    assert shown.rounds.last(Scope(""), ROUNDS) == 4
    assert shown.rounds.first_step(Scope("rounds.5")) is None
    shown.show_moment(None)
    shown.flush()
    assert shown.rounds.last(Scope(""), ROUNDS) == 9


def test_the_cards_say_what_they_said_then() -> None:
    flow, (shown, _, batches) = a_flow(), _shown(_entries(3))
    states = NodeStates(builtin_registry(), shown)
    assert shown.state is not None
    states.touched(flow, Batch(dict.fromkeys(shown.state.order), is_fresh=True))
    shown.show_moment(9.0)
    shown.flush()
    assert {WRITER, ROUNDS, NodeId("critic")} <= states.moved(batches[-1])
    assert states.state_of(flow, WRITER, None).text == "writer 2"
    assert states.state_of(flow, ROUNDS, None).note == "2 of at most 4"
    shown.show_moment(1.0)
    shown.flush()
    assert states.state_of(flow, WRITER, None).status == ""


def test_a_run_goes_on_beneath_the_moment_that_is_shown() -> None:
    entries = _entries(3)
    shown, live, batches = _shown(entries, known=8)
    shown.show_moment(2.5)
    shown.flush()
    live.take(entries[8:])
    shown.flush()
    assert batches[-1].is_behind
    assert shown.state is not None
    assert shown.state.order == ["rounds", "rounds.1/writer"]
    shown.show_moment(100.0)
    shown.flush()
    assert shown.state.order == live.state.order
    assert shown.state.status is live.status


def test_what_came_while_the_entries_were_read_is_neither_lost_nor_told_twice() -> None:
    entries = _entries(3)
    shown, live, _ = _shown(entries, known=8)
    shown.show_moment(100.0)
    live.take(entries[8:10])  # the store has them by now as well
    shown.flush()
    live.take(entries[10:])
    shown.flush()
    shown.flush()
    assert shown.state == live.state


def test_one_goes_from_event_to_event_and_past_the_last_one_to_the_end() -> None:
    shown, live, _ = _shown(_entries(1))
    shown.step_moment(1)
    assert shown.moment is None, "there is nothing after the end"
    seen: list[float | None] = []
    for way in (-1, -1, 1, 1, 1):
        shown.step_moment(way)
        shown.flush()
        seen.append(shown.moment)
    assert seen == [5.0, 4.0, 5.0, 6.0, None]
    assert shown.state is live.state


def test_a_run_whose_file_is_gone_says_so_and_stays_at_its_end() -> None:
    live, told = LiveRun(RUN, a_flow()), list[str]()
    live.take(_entries(1))

    def gone(_: LiveRun) -> Sequence[Entry]:
        raise StoreError("It is not there.")

    shown = ShownRun(gone)
    shown.trouble.subscribe(told.append)
    shown.show(live)
    shown.flush()
    shown.show_moment(2.0)
    shown.flush()
    assert told == ["It is not there."]
    assert shown.moment is None
    assert shown.state is live.state


def test_another_run_is_shown_at_its_end() -> None:
    shown, live, _ = _shown(_entries(2))
    shown.show_moment(2.0)
    shown.flush()
    shown.show(live)
    shown.flush()
    assert shown.moment is None
    assert StepId("rounds.2/critic") in live.state.steps


def test_from_one_end_of_a_long_run_to_the_other_every_node_is_shown_anew() -> None:
    shown, _, batches = _shown(_entries(1_200))
    states = NodeStates(builtin_registry(), shown)
    shown.show_moment(0.0)
    for _ in range(200):  # it is read in slices
        if batches:
            break
        shown.flush()
    assert states.moved(batches[-1]) == {WRITER, ROUNDS, NodeId("critic")}
    assert states.state_of(a_flow(), WRITER, None).status == ""
