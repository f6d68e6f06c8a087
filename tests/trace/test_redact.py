import pytest

from studio.trace.events import ChatRequested, Event, Shown, StepFailed, StepFinished, ToolAnswered
from studio.trace.redact import HIDDEN, redactor

KEY = 'sk-"very\\secret'


@pytest.mark.parametrize(
    "event",
    [
        StepFailed("ChatRefusedError", f"Wrong key {KEY}.", KEY),
        StepFinished({"reply": Shown({"text": [f"a {KEY} b", {KEY: 1}]}, ("chat",))}),
        ChatRequested("openai", {"messages": [{"role": "user", "content": f"my key is {KEY}"}]}),
        ToolAnswered("search", KEY, labels=("tool:search",)),
    ],
)
def test_a_key_stands_nowhere_in_an_event(event: Event) -> None:
    cleaned = redactor([KEY])(event)
    assert type(cleaned) is type(event)
    assert KEY not in repr(cleaned).replace("\\\\", "\\")
    assert HIDDEN in repr(cleaned)


def test_other_events_pass_as_they_are() -> None:
    event = StepFailed("ToolError", "Nothing secret.")
    assert redactor([KEY])(event) is event
    assert redactor([])(event) is event


def test_what_is_too_short_to_be_a_key_is_no_reason_to_hide_text() -> None:
    event = StepFailed("ToolError", "none of it")
    assert redactor(["none"])(event) is event
