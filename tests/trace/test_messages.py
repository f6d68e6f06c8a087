from hypothesis import given

from studio.ids import StepId
from studio.trace.conversations.accounts import Account
from studio.trace.conversations.messages import Called, Spoken, conversation
from studio.trace.events import (
    ChatRequested,
    Entry,
    Event,
    StepCancelled,
    StepFailed,
    StepStarted,
    TextStreamed,
    ToolAnswered,
    ToolCalled,
)
from studio.trace.fold.state import fold
from tests.trace.builders import answer, asked, histories, numbered

QUESTION = ("user", "Which birds?")
CHAT, CHAT_2, TOOL = "w#chat.1", "w#chat.2", "w#tool.1"


def spoken(*happenings: Event | tuple[str, str, Event], of: str = "w") -> list[Spoken]:
    return conversation(fold(numbered(*happenings)), StepId(of))


def call(call_id: str) -> Called:
    return Called("search", '{"query": "x"}', call_id)


def test_the_question_stands_before_the_answer() -> None:
    assert spoken((CHAT, "w", asked(("system", "Be brief."), QUESTION)), (CHAT, "w", answer("A wren."))) == [
        Spoken("system", "Be brief."),
        Spoken("user", "Which birds?"),
        Spoken("assistant", "A wren.", step=StepId(CHAT)),
    ]


def test_an_answer_is_seen_as_it_streams() -> None:
    begun = (CHAT, "w", asked(QUESTION))
    assert spoken(begun)[1:] == [Spoken("assistant", "", streaming=True, step=StepId(CHAT))]
    pieces = [(CHAT, "w", TextStreamed("A w")), (CHAT, "w", TextStreamed("ren"))]
    assert spoken(begun, *pieces)[1:] == [Spoken("assistant", "A wren", streaming=True, step=StepId(CHAT))]
    assert not spoken(begun, *pieces, (CHAT, "w", StepCancelled()))[1].streaming


def test_an_answer_that_never_came_says_why() -> None:
    failed = StepFailed("ChatIncompleteError", "The answer was cut off.")
    assert spoken((CHAT, "w", asked(QUESTION)), (CHAT, "w", TextStreamed("A w")), (CHAT, "w", failed))[
        1:
    ] == [
        Spoken("assistant", "A w", step=StepId(CHAT)),
        Spoken("assistant", "The answer was cut off.", is_error=True, step=StepId(CHAT)),
    ]


def test_a_tool_answers_beside_its_call_before_the_next_chat_is_asked() -> None:
    begun = (
        (CHAT, "w", asked(QUESTION)),
        (CHAT, "w", answer("", calls=["1", "2"])),
        ("w#tool.2", "w", ToolCalled("search", {}, "2")),
        (TOOL, "w", ToolCalled("search", {}, "1")),
        (TOOL, "w", ToolAnswered("search", "not found", is_error=True)),
    )
    assert spoken(*begun)[1:] == [
        Spoken("assistant", "", (call("1"), call("2")), step=StepId(CHAT)),
        Spoken("tool", "not found", tool="search", is_error=True, step=StepId(TOOL)),
        Spoken("tool", "", tool="search", streaming=True, step=StepId("w#tool.2")),
    ]


def test_the_next_chat_continues_the_conversation_and_says_nothing_twice() -> None:
    request = ChatRequested(
        "scripted",
        {
            "messages": [
                {"role": "user", "content": "Which birds?"},
                answer("", calls=["1", "2"]).message,
                {"role": "tool", "content": "two", "tool_call_id": "2"},
                {"role": "tool", "content": "one", "tool_call_id": "1"},
            ]
        },
    )
    messages = spoken(
        (TOOL, "w", ToolCalled("search", {}, "1")),
        (TOOL, "w", ToolAnswered("search", "one")),
        (CHAT_2, "w", request),
        (CHAT_2, "w", answer("A wren.")),
    )
    assert [(one.role, one.text, one.step) for one in messages] == [
        ("user", "Which birds?", ""),
        ("assistant", "", ""),
        ("tool", "one", TOOL),
        ("tool", "two", ""),
        ("assistant", "A wren.", CHAT_2),
    ]
    assert messages[3].tool == "search"


def test_a_chosen_chat_shows_the_conversation_up_to_it() -> None:
    happenings = (
        (CHAT, "w", asked(QUESTION)),
        (CHAT, "w", answer("First.")),
        (CHAT_2, "w", asked(("user", "Again?"))),
        (CHAT_2, "w", answer("Second.")),
        (TOOL, "w", ToolCalled("search", {}, "1")),
    )
    assert [one.text for one in spoken(*happenings, of=CHAT)] == ["Which birds?", "First."]
    assert [one.text for one in spoken(*happenings, of="w")] == ["Again?", "Second."]
    assert spoken(*happenings, of=TOOL) == spoken(*happenings, of="w")


def test_what_a_window_left_out_stands_behind_the_instructions_and_who_speaks_is_named() -> None:
    question = asked(("system", "Be brief."), QUESTION)
    window = {"tokens": 500, "taken": 20, "dropped": ["user: hello"], "shortened": 1, "summary": "They met."}
    request = {**question.request, "window": window, "speaker": "expert"}
    assert spoken((CHAT, "w", ChatRequested("", request)), (CHAT, "w", answer("A wren."))) == [
        Spoken("system", "Be brief."),
        Spoken("window", window=Account(500, 20, ("user: hello",), 1, is_summed_up=True)),
        Spoken("user", "Which birds?"),
        Spoken("assistant", "A wren.", step=StepId(CHAT), speaker="expert"),
    ]


def test_a_step_that_never_asked_a_language_model_has_no_conversation() -> None:
    assert spoken(("w", "", StepStarted())) == []
    assert spoken(("w", "", StepStarted()), of="unknown") == []


@given(histories())
def test_no_step_is_too_odd_to_be_read(entries: list[Entry]) -> None:
    state = fold(entries)
    for step in state.order:
        assert all(isinstance(one.text, str) for one in conversation(state, step))


def test_a_turn_has_its_own_conversation_also_where_the_step_that_gave_it_asks_for_itself() -> None:
    state = fold(
        [
            *numbered(
                ("team", StepStarted()),
                ("team#chat.1", "team", asked(("user", "Who is next?"))),
                ("team#chat.1", "team", answer("Ada.")),
                ("team#tool.1", "team", ToolCalled("ada", {"task": "Look."}, "look")),
                ("team#tool.1/one#chat.1", "team#tool.1", asked(("user", "Look."))),
                ("team#tool.1/one#chat.1", "team#tool.1", answer("A wren.")),
            )
        ]
    )
    said = {one: [spoken.text for spoken in conversation(state, StepId(one))] for one in state.order}
    assert said[StepId("team#tool.1")] == ["Look.", "A wren."]
    assert said[StepId("team")] == said[StepId("team#chat.1")] == ["Who is next?", "Ada."]
