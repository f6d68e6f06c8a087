"""A run as one turn of a chat."""

from studio.flow.records import Flow
from studio.ids import NodeId
from studio.trace.events import (
    ApprovalAsked,
    ChatRequested,
    Event,
    RunFailed,
    RunFinished,
    RunStarted,
    StepFinished,
    StepHeld,
    StepReleased,
    StepStarted,
    TextStreamed,
    ToolAnswered,
    ToolCalled,
)
from studio.trace.events.calls import MADE_UP_LABEL
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunState, fold
from studio.ui.viewmodels.chat.chat_turns import TurnFold, TurnView, said_by, speakers
from studio.workspace.catalog import builtin_registry
from tests.app.chats.test_chat_places import TALK, WIRES, flow_of
from tests.trace.builders import answer, numbered

REGISTRY = builtin_registry()
FLOW = flow_of(TALK, *WIRES)
ASKED = ChatRequested("", {"messages": []})
BEGUN: tuple[object, ...] = (RunStarted("birds", "{}"), ("question", StepStarted()), ("guide", StepStarted()))


def state_of(*happenings: object) -> RunState:
    return fold(numbered(*happenings))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def view_of(*happenings: object, flow: Flow = FLOW) -> TurnView:
    return TurnFold(flow, REGISTRY).view(state_of(*happenings))


def finished(data: object, *labels: str) -> Event:
    return RunFinished({NodeId("answer"): Shown(data, labels)})  # type: ignore[dict-item]


def test_the_answer_is_shown_as_it_comes_and_then_as_it_was_given() -> None:
    streaming = (*BEGUN, ("guide#chat.1", "guide", ASKED), ("guide#chat.1", "guide", TextStreamed("A dun")))
    view = view_of(*streaming)
    assert (view.streamed, view.word, view.doing) == ("A dun", "Running", "Guide")
    assert not view.is_over
    said = ("guide#chat.1", "guide", answer("A dunnock."))
    done = view_of(*streaming, said, ("guide", StepFinished()), finished("A dunnock."))
    assert (done.streamed, done.answer, done.word, done.is_over) == ("", "A dunnock.", "Done", True)
    assert "s" in done.figures


def test_calls_of_tools_stand_on_a_line_each() -> None:
    fold_ = TurnFold(FLOW, REGISTRY)
    call = ("guide#tool.1", "guide", ToolCalled("search", {"query": "wren"}, "c1"))
    working = state_of(*BEGUN, call)
    (line,) = fold_.view(working).tools
    assert (line.tool, line.short, line.word, line.tone) == ("search", "wren", "running", "running")
    over = state_of(*BEGUN, call, ("guide#tool.1", "guide", ToolAnswered("search", "two")))
    (line,) = fold_.view(over).tools
    assert (line.answer, line.word, line.tone) == ("two", "", "done")
    failed = ("guide#tool.1", "guide", ToolAnswered("search", "no such folder", is_error=True))
    (line,) = view_of(*BEGUN, call, failed).tools
    assert (line.answer, line.word, line.tone) == ("no such folder", "refused", "failed")
    two = ToolCalled("search", {"query": "wren", "limit": 3}, "c1")
    (line,) = view_of(*BEGUN, ("guide#tool.1", "guide", two)).tools
    assert line.short == "query: wren, limit: 3"


def test_a_paused_run_says_where() -> None:
    held = (*BEGUN, ("guide#chat.1", "guide", StepHeld("before", "breakpoint")))
    view = view_of(*held)
    assert (view.word, view.tone) == ("Paused at Guide", "held")
    assert [one.step for one in view.held] == ["guide#chat.1"]
    assert not view_of(*held, ("guide#chat.1", "guide", StepReleased())).held


def test_a_question_waits_in_the_turn() -> None:
    asked = ApprovalAsked("May it be sent?", {"type": "object"})
    view = view_of(*BEGUN, ("guide#form.1", "guide", asked))
    assert view.word == "Waiting for you"
    assert [(one.title, one.asked) for one in view.asks] == [("Guide", asked)]


def test_what_an_ended_run_left_open_is_answered_elsewhere() -> None:
    for error in ("WaitingError", "InDoubtError"):
        view = view_of(*BEGUN, RunFailed(error, "It waits.", "", "guide"))
        assert (view.word, view.tone, view.is_left) == ("Waiting for you", "held", True)
        assert not view.error


def test_a_failure_names_the_step_and_says_what_to_do() -> None:
    failed = RunFailed("ChatError", "`guide` failed.", "Set a key.", "guide")
    view = view_of(*BEGUN, failed)
    assert view.error == "“guide” failed. Set a key."
    assert view.failed is not None
    assert view.failed.title == "Guide"
    assert view.answer is None


def test_made_up_answers_are_told() -> None:
    assert view_of(*BEGUN, finished("A dunnock.", MADE_UP_LABEL)).is_made_up
    assert not view_of(*BEGUN, finished("A dunnock.")).is_made_up


def test_a_run_that_is_being_stopped_says_so() -> None:
    view = TurnFold(FLOW, REGISTRY).view(state_of(*BEGUN), is_stopping=True)
    assert view.word == "Stopping…"


def test_only_nodes_whose_words_may_become_the_answer_speak_in_its_place() -> None:
    flow = flow_of(
        {**TALK, "critic": ("llm.agent", {"answer_schema": {"type": "object", "properties": {}}})},
        "question.value -> guide.prompt",
        "guide.reply -> critic.prompt",
        "guide.reply -> answer.value",
    )
    assert next(iter(speakers(flow, REGISTRY))) == "guide"
    assert "critic" not in list(speakers(flow, REGISTRY))


def test_a_judge_who_lets_the_answer_pass_does_not_speak_in_its_place() -> None:
    judge = ("check.judge", {"criteria": [{"label": "True", "when": "it is true"}]})
    flow = flow_of(
        {**TALK, "judge": judge}, WIRES[0], "guide.reply -> judge.value", "judge.passed -> answer.value"
    )
    asked = ChatRequested("", {"messages": [], "response_schema": {"type": "object"}})
    happened = (
        *BEGUN,
        ("guide#chat.1", "guide", ASKED),
        ("guide#chat.1", "guide", answer("A wren.")),
        ("guide", StepFinished()),
        ("judge", StepStarted()),
        ("judge#chat.1", "judge", asked),
        ("judge#chat.1", "judge", TextStreamed('{"ok":')),
    )
    assert list(speakers(flow, REGISTRY))[:2] == ["judge", "guide"]
    assert view_of(*happened, flow=flow).streamed == "A wren."
    over = state_of(*happened, ("judge", StepFinished()), finished("A wren."))
    step = TurnFold(flow, REGISTRY).answering(over)
    assert step is not None
    assert step.id == "guide"


def test_a_team_speaks_by_the_turn_of_one_of_its_agents() -> None:
    turn = (
        ("guide#turn.1", "guide", StepStarted()),
        ("guide#turn.1/chat", "guide#turn.1", ASKED),
        ("guide#turn.1/chat", "guide#turn.1", TextStreamed("A dun")),
    )
    assert view_of(*BEGUN, *turn).streamed == "A dun"


def test_the_step_that_answered_is_the_nearest_that_asked_a_language_model() -> None:
    happened = (*BEGUN, ("guide#chat.1", "guide", ASKED), ("guide#chat.1", "guide", answer("A wren.")))
    state = state_of(*happened, ("guide", StepFinished()), finished("A wren."))
    step = TurnFold(FLOW, REGISTRY).answering(state)
    assert step is not None
    assert step.id == "guide"


def test_a_conversation_is_said_by_what_was_said_last() -> None:
    messages = [{"role": "user", "content": "Which?"}, {"role": "assistant", "content": "A wren."}]
    assert said_by(messages) == "A wren."
    assert said_by({"role": "assistant", "content": "A wren."}) == "A wren."
    assert said_by("A wren.") == "A wren."
    assert "wren" in said_by({"bird": "wren"})
