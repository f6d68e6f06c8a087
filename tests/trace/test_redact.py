import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.trace.events import (
    ChatRequested,
    Event,
    RunFinished,
    Shown,
    StepFailed,
    StepFinished,
    StepStarted,
    ToolAnswered,
)
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


@pytest.mark.parametrize("key", ["sk-proj-AbCdEfGh1234567890_x", "ghp_" + "a1" * 18, "AKIA" + "A1B2" * 4])
def test_what_looks_like_a_key_is_hidden_though_nobody_knows_it(key: str) -> None:
    cleaned = redactor([])(ToolAnswered("files", f'token="{key}", and more'))
    assert cleaned == ToolAnswered("files", f'token="{HIDDEN}", and more')


def test_words_that_begin_like_a_key_stay() -> None:
    event = ToolAnswered(
        "files", "task-management-and-more, sk-learn, a desk-2, sk-of-words-without-any-number"
    )
    assert redactor([])(event) is event


def test_a_key_in_the_arguments_of_a_tool_call_is_hidden() -> None:
    request = {"messages": [{"tool_calls": [{"arguments": json.dumps({"text": f"use {KEY}"})}]}]}
    cleaned = redactor([KEY])(ChatRequested("openai", request))
    assert isinstance(cleaned, ChatRequested)
    assert json.loads(cleaned.request["messages"][0]["tool_calls"][0]["arguments"]) == {
        "text": f"use {HIDDEN}"
    }


def test_text_that_no_file_could_hold_is_searched_too() -> None:
    cleaned = redactor([KEY])(ToolAnswered("files", f"\ud800 {KEY} {10**30}"))
    assert cleaned == ToolAnswered("files", f"\ud800 {HIDDEN} {10**30}")


TEXTS = st.sampled_from(["", "word", KEY, f"a {KEY} b", "sk-proj-AbCdEfGh1234567890_x", "sk-learn"])
SHOWN = st.builds(
    Shown,
    st.one_of(TEXTS, st.integers(), st.none(), st.booleans(), st.lists(TEXTS)),
    st.lists(TEXTS, max_size=2).map(tuple),
)


@given(values=st.dictionaries(TEXTS, SHOWN, max_size=3))
def test_in_simple_values_and_their_names_as_little_is_left_as_anywhere_else(
    values: dict[str, Shown],
) -> None:
    redact = redactor([KEY])
    elsewhere = redact(RunFinished(values))
    assert isinstance(elsewhere, RunFinished)
    for _ in range(2):
        assert redact(StepStarted(values)) == StepStarted(elsewhere.outputs)
        assert redact(StepFinished(values)) == StepFinished(elsewhere.outputs)
