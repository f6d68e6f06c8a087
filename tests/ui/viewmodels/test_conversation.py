from dataclasses import replace
from math import log

from studio.ids import StepId
from studio.trace.events import ChatRequested, StepStarted, TextStreamed, ToolAnswered, ToolCalled
from studio.ui.viewmodels.messages.conversation import as_json, words_of
from tests.trace.builders import answer
from tests.ui.builders import a_run

REQUEST = {
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which birds?"}]
}


def test_roles_calls_and_tool_answers_stand_in_order() -> None:
    run = a_run(
        ("writer", StepStarted()),
        ("writer#chat.1", "writer", ChatRequested("", REQUEST)),
        ("writer#chat.1", "writer", answer("", calls=["c1"])),
        ("writer#tool.1", "writer", ToolCalled("search", {"query": "birds"}, "c1")),
        ("writer#tool.1", "writer", ToolAnswered("search", "a dunnock")),
    )
    said = [(one.heading, one.body) for one in words_of(run.state, StepId("writer"))]
    assert [heading for heading, _ in said] == ["instructions", "user", "calls search", "search result"]
    assert said[-1][1] == "a dunnock"


def test_a_stream_is_shown_while_it_comes() -> None:
    run = a_run(
        ("writer", StepStarted()),
        ("writer#chat.1", "writer", ChatRequested("", REQUEST)),
        ("writer#chat.1", "writer", TextStreamed("Three ")),
        ("writer#chat.1", "writer", TextStreamed("species")),
    )
    last = words_of(run.state, StepId("writer"))[-1]
    assert (last.heading, last.body) == ("assistant, streaming", "Three species")


def test_it_is_told_what_a_window_left_out_and_who_of_several_speaks() -> None:
    window = {"tokens": 2000, "taken": 1830, "dropped": ["user: hello", "assistant: hi"], "shortened": 3}
    run = a_run(
        ("writer", StepStarted()),
        ("writer#chat.1", "writer", ChatRequested("", {**REQUEST, "window": window, "speaker": "expert"})),
        ("writer#chat.1", "writer", answer("A dunnock.")),
    )
    said = words_of(run.state, StepId("writer"))
    assert [one.heading for one in said] == ["instructions", "window", "user", "assistant · expert"]
    assert said[1].body.splitlines() == [
        "About 1,830 of 2,000 tokens.",
        "Truncated tool results: 3.",
        "Omitted messages: 2.",
        "  user: hello",
        "  assistant: hi",
    ]


def test_only_objects_and_lists_are_shown_as_json() -> None:
    assert as_json('{"a":1}') == '{\n  "a": 1\n}'
    assert as_json("12") is None
    assert as_json("{not json") is None


def test_an_answer_says_how_sure_the_model_was_and_of_which_tokens_least() -> None:
    told = [["a ", log(0.9)], ["wren", log(0.05), [["wren", log(0.05)], ["robin", log(0.9)]]]]
    run = a_run(
        ("writer", StepStarted()),
        ("writer#chat.1", "writer", ChatRequested("", REQUEST)),
        ("writer#chat.1", "writer", replace(answer("a wren"), log_probabilities=(told,))),
    )
    last = words_of(run.state, StepId("writer"))[-1]
    assert last.heading == "assistant · token confidence 21 %"
    assert last.about.splitlines() == [
        "Least likely tokens:",
        "“wren” 5.0 % (instead of “robin” 90 %)",
        "“a” 90 %",
    ]
