from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from studio.ids import StepId
from studio.trace.events import (
    ApprovalAsked,
    ApprovalGiven,
    Entry,
    InputsEdited,
    LogWritten,
    RunContinued,
    RunFailed,
    RunFinished,
    RunStarted,
    StepFinished,
    StepHeld,
    StepReady,
    StepReleased,
    StepRetried,
    StepSkipped,
    StepStarted,
    TextStreamed,
    ToolAnswered,
    ToolCalled,
    entry_from_json,
    entry_to_json,
)
from studio.trace.events.values import Shown
from studio.trace.fold.state import THE_RUN, RunState, RunStatus, StepStatus, fold
from tests.trace.builders import RUN, answer, asked, histories, numbered


def picture(state: RunState) -> dict[str, object]:
    """Everything that a view could see of a run."""
    seen: dict[str, object] = {one.name: getattr(state, one.name) for one in fields(state)}
    seen["status"] = state.status
    seen["texts"] = [step.text for step in state.steps.values()]
    return seen


@given(histories(), st.data())
def test_a_run_watched_in_parts_is_the_run_watched_whole(entries: list[Entry], data: st.DataObject) -> None:
    state = RunState()
    for entry in entries:
        touched = state.apply(entry)
        assert touched in {THE_RUN, entry.step}
        if data.draw(st.booleans()) and touched:
            assert isinstance(state.steps[touched].text, str)  # to look at a run does not change it
    assert picture(state) == picture(fold(entries))


@given(histories())
def test_a_run_read_back_from_json_is_the_run(entries: list[Entry]) -> None:
    assert picture(fold(entry_from_json(entry_to_json(one)) for one in entries)) == picture(fold(entries))


@given(histories())
def test_no_order_of_entries_confuses_the_tree_of_steps(entries: list[Entry]) -> None:
    state = fold(entries)
    assert list(state.steps) == state.order
    for step in state.steps.values():
        assert len(list(state.ancestors(step))) < len(state.steps)
        for child in step.children:
            assert state.steps[child].parent == step.id
    roots = [step for step in state.steps.values() if not step.parent]
    assert state.tokens >= sum(step.tokens for step in roots)


def test_a_step_goes_from_ready_to_done_with_what_it_read_and_gave() -> None:
    read, gave = {"prompt": Shown("why", ("user",))}, {"reply": Shown("so", ("chat",))}
    entries = numbered(("writer", StepReady()), ("writer", StepStarted(read)), ("writer", StepFinished(gave)))
    step = fold(entries).steps["writer"]
    assert (step.status, step.inputs, step.outputs) == (StepStatus.DONE, read, gave)
    assert (step.started, step.ended, step.text) == (2.0, 3.0, "so")


def test_text_shows_while_it_streams_and_then_as_it_was_answered() -> None:
    entries = numbered(
        ("writer", StepStarted()),
        ("writer#chat.1", "writer", asked(("user", "why"))),
        ("writer#chat.1", "writer", TextStreamed("Beca")),
        ("writer#chat.1", "writer", TextStreamed("use")),
        ("writer#chat.1", "writer", answer("Because.")),
    )
    state = fold(entries[:4])
    assert state.steps["writer"].text == state.steps["writer#chat.1"].text == "Because"
    assert state.steps["writer#chat.1"].status is StepStatus.RUNNING
    state = fold(entries)
    assert state.steps["writer"].text == "Because."
    assert state.steps["writer#chat.1"].status is StepStatus.DONE
    assert state.steps["writer"].status is StepStatus.RUNNING


def test_an_answer_without_words_leaves_the_last_words_standing() -> None:
    entries = numbered(
        ("writer#chat.1", "writer", answer("Let me search.")),
        ("writer#chat.2", "writer", asked()),
        ("writer#chat.2", "writer", answer("", calls=["call_1"])),
    )
    assert fold(entries).steps["writer"].text == "Let me search."


def test_a_retry_forgets_what_the_failed_attempt_streamed() -> None:
    entries = numbered(
        ("writer", StepStarted()),
        ("writer#chat.1", "writer", TextStreamed("half an ans")),
        ("writer", StepRetried(1, "cut off")),
    )
    assert fold(entries).steps["writer"].text == ""
    assert fold(entries).steps["writer"].note == "cut off"


def test_tokens_and_cost_add_up_to_parents_and_run() -> None:
    entries = numbered(
        ("rounds.1/writer", "rounds", StepStarted()),
        ("rounds.1/writer#chat.1", "rounds.1/writer", answer("a", 10, 0.25)),
        ("rounds.1/writer#chat.2", "rounds.1/writer", answer("b", 5)),
        ("critic#chat.1", "critic", answer("c", 100, 1.0)),
    )
    state = fold(entries)
    assert {one.id: one.tokens for one in state.steps.values() if one.tokens} == {
        "rounds.1/writer": 15, "rounds": 15, "rounds.1/writer#chat.1": 10, "rounds.1/writer#chat.2": 5,
        "critic": 100, "critic#chat.1": 100,
    }  # fmt: skip
    assert (state.tokens, state.cost, state.steps["rounds"].cost) == (115, 1.25, 0.25)
    assert state.steps["rounds.1/writer"].children == ["rounds.1/writer#chat.1", "rounds.1/writer#chat.2"]


def test_a_parent_that_is_told_late_is_charged_all_the_same() -> None:
    entries = numbered(("writer#chat.1", answer("a", 10)), ("writer#chat.1", "writer", answer("b", 5)))
    assert fold(entries).steps["writer"].tokens == 15


def test_a_held_step_holds_the_run_until_it_is_released() -> None:
    read = {"draft": Shown("a draft")}
    entries = numbered(
        ("critic", StepReady()),
        ("critic", StepHeld("before", "breakpoint", read)),
        ("critic", InputsEdited({"draft": Shown("a better draft")})),
        ("critic", StepReleased()),
        ("critic", StepStarted({"draft": Shown("a better draft")})),
    )
    state = fold(entries[:2])
    step = state.steps["critic"]
    assert (state.status, step.status, step.held, step.held_phase) == (
        RunStatus.HELD, StepStatus.HELD, [(2.0, None)], "before"
    )  # fmt: skip
    assert step.inputs == read
    state = fold(entries[:4])
    assert (state.status, state.steps["critic"].status) == (RunStatus.RUNNING, StepStatus.READY)
    step = fold(entries).steps["critic"]
    assert (step.held, step.edited, step.inputs["draft"].data) == ([(2.0, 4.0)], True, "a better draft")


def test_a_node_shows_its_latest_step() -> None:
    entries = numbered(
        ("rounds.1/w", StepStarted()), ("rounds.2/w", StepReady()), ("rounds.1/w", StepFinished())
    )
    assert fold(entries).latest == {"w": "rounds.2/w"}


def test_a_question_waits_until_it_is_answered_or_its_step_ends() -> None:
    question = ApprovalAsked("May I?", {})
    asking = numbered(("ask#ask.1", "ask", question))
    assert fold(asking).waiting == {"ask#ask.1": question}
    assert fold(numbered(("ask#ask.1", question), ("ask#ask.1", ApprovalGiven({})))).waiting == {}
    assert fold(numbered(("ask#ask.1", question), RunFailed("E", "m"))).waiting == {}


def test_a_tool_call_shows_what_was_asked_and_said() -> None:
    entries = numbered(
        ("w#tool.1", "w", ToolCalled("search", {"query": "x"}, "call_1", "pure")),
        ("w#tool.1", "w", ToolAnswered("search", "nothing there", is_error=True)),
    )
    step = fold(entries).steps["w#tool.1"]
    assert (step.tool, step.arguments, step.text, step.is_error) == (
        "search",
        {"query": "x"},
        "nothing there",
        True,
    )
    assert step.status is StepStatus.DONE


def test_the_run_tells_how_it_began_and_ended() -> None:
    started = RunStarted("Notes", "{}", {"question": Shown("why")}, "scripted", "field_notes")
    state = fold(numbered(started, RunFinished({"answer": Shown("so")})))
    assert (state.run, state.flow_name, state.profile, state.project) == (
        RUN,
        "Notes",
        "scripted",
        "field_notes",
    )
    assert (state.status, state.started, state.ended, state.outputs["answer"].data) == (
        "finished",
        1.0,
        2.0,
        "so",
    )
    failed = fold(numbered(started, RunFailed("ToolError", "No.", step="w")))
    assert failed.status is RunStatus.FAILED
    assert failed.error is not None
    assert failed.error.message == "No."


def test_what_had_not_ended_when_its_process_died_counts_as_cancelled() -> None:
    state = fold(numbered(("a", StepFinished()), ("b", StepStarted()), ("c", StepSkipped("no input"))))
    state.interrupt()
    assert state.status is RunStatus.INTERRUPTED
    assert [one.status for one in state.steps.values()] == ["done", "cancelled", "skipped"]
    ended = fold(numbered(RunFinished()))
    ended.interrupt()
    assert ended.status is RunStatus.FINISHED


def test_lines_that_nodes_write_are_kept_in_order() -> None:
    state = fold(numbered(("w", LogWritten("one")), LogWritten("two")))
    assert state.log == [(1.0, "w", "one"), (2.0, "", "two")]


def test_a_line_written_by_what_lends_a_tool_makes_no_step() -> None:
    state = fold([Entry(RUN, 1, StepId("search"), THE_RUN, 1.0, LogWritten("182 passages"))])
    assert not state.steps
    assert [text for _, _, text in state.log] == ["182 passages"]


def test_the_time_that_a_run_lay_still_before_it_went_on_is_none_that_it_took() -> None:
    began = RunStarted("Trial", "{}", {}, "", "")
    told = [(began, 0.0), (StepReady(), 2.0), (RunContinued(), 1000.0), (RunFinished({}), 1003.0)]
    state = fold(
        Entry(RUN, number, StepId("a" if isinstance(event, StepReady) else ""), StepId(""), at, event)
        for number, (event, at) in enumerate(told, 1)
    )
    assert state.worked() == 5.0


def test_who_lends_works_from_its_first_call_on_until_the_run_is_over() -> None:
    call, lender = StepId("expert#tool.1"), StepId("expert")
    entries = [
        Entry(RUN, 1, call, lender, 1.0, ToolCalled("look", {}, "", "pure")),
        Entry(RUN, 2, call, lender, 2.0, ToolAnswered("look", "a wren")),
        Entry(RUN, 3, THE_RUN, THE_RUN, 3.0, RunFinished({})),
    ]
    assert fold(entries[:2]).steps[lender].status is StepStatus.RUNNING
    assert fold(entries).steps[lender].status is StepStatus.DONE
