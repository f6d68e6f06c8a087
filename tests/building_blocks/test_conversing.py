"""What each member of a team sees of what is said, and when a team is done."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.building_blocks.teams.termination import Ending
from studio.building_blocks.teams.transcript import (
    Conversation,
    heard_or_failed,
    let_speak,
    member_named,
    roster,
    taken_up,
    team_of,
)
from studio.errors import ExpressionError
from studio.llm.client import Message
from studio.sdk import Agent, Said, StepError, Turn
from studio.sdk.testing import NOON, ScriptedContext

NAMES = ("ada", "ben", "cy")


def speaking(name: str, say: Callable[[Turn], str]) -> Agent:
    """An agent without a language model."""

    async def work(turn: Turn) -> Said:
        return Said(say(turn), tokens=3)

    return Agent(name, work=work)


def test_to_a_member_its_own_words_are_its_own_and_those_of_others_have_names() -> None:
    talk = Conversation("Name a bird.")
    assert talk.seen_by("ada") == ([], "Name a bird.")
    talk.add("ada", "A swan.")
    talk.add("ben", "No.")
    talk.add("cy", "Why not?")
    history, prompt = talk.seen_by("ada")
    assert history == [Message("user", "Name a bird."), Message("assistant", "A swan.")]
    assert prompt == "ben: No.\n\ncy: Why not?"
    assert talk.seen_by("dan") == ([], "Name a bird.\n\nada: A swan.\n\nben: No.\n\ncy: Why not?")


def test_who_speaks_twice_in_a_row_is_told_to_go_on() -> None:
    talk = Conversation("Count.")
    talk.add("ada", "One.")
    assert talk.seen_by("ada")[1] == "Go on."


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(["", " ", "yes", "no"]))))
def test_history_and_prompt_are_together_all_that_was_said(said: list[tuple[str, str]]) -> None:
    talk = Conversation("Task.")
    for name, text in said:
        talk.add(name, text)
    spoken = [(name, text) for name, text in said if text.strip()]
    for one in NAMES:
        history, prompt = talk.seen_by(one)
        own = [message.content for message in history if message.role == "assistant"]
        assert own == [text for name, text in spoken if name == one]
        assert prompt
        whole = [message.content.removeprefix(f"{one}: ") for message in talk.messages]
        seen = [message.content for message in history]
        assert [text.removeprefix(f"{one}: ") for text in whole[: len(seen)]] == seen
        assert prompt == ("\n\n".join(whole[len(seen) :]) or "Go on.")


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(["yes", "no: not so", "ben: no"]))))
def test_a_transcript_is_taken_up_as_it_was_said(said: list[tuple[str, str]]) -> None:
    talk = Conversation("Task.")
    for name, text in said:
        talk.add(name, text)
    again = taken_up("And now?", talk.messages, NAMES)
    assert [(one.speaker, one.text) for one in again.remarks] == [("", "Task."), *said, ("", "And now?")]
    assert taken_up("Task.", [], NAMES) == Conversation("Task.")


async def test_what_a_member_says_is_kept_under_its_name() -> None:
    talk = Conversation("Say who you are.")
    two = team_of([speaking("ada", lambda turn: turn.speaker), speaking("ada", lambda turn: turn.speaker)])
    for one in two:
        await let_speak(ScriptedContext(), one, talk)
    assert [(one.speaker, one.text) for one in talk.said] == [("ada", "ada"), ("ada_2", "ada_2")]


def test_members_of_one_name_are_told_apart_without_taking_anybody_elses() -> None:
    names = [Agent(name) for name in ("ada", "ada", "ada_2", "ada")]
    assert [one.name for one in team_of(names)] == ["ada", "ada_3", "ada_2", "ada_4"]


def test_a_team_of_nobody_is_refused() -> None:
    with pytest.raises(StepError, match="No agents are attached"):
        team_of([])


async def test_the_failure_of_a_member_is_the_teams_or_what_it_said() -> None:
    def fail(_: Turn) -> str:
        raise StepError("I am tired.")

    with pytest.raises(StepError, match="tired"):
        await heard_or_failed(ScriptedContext(), speaking("ada", fail), Turn("Go."))
    said = await heard_or_failed(ScriptedContext(), speaking("ada", fail), Turn("Go."), at_fault="go on")
    assert said.ended == "failed"
    assert "I am tired." in said.reply


def test_a_member_is_found_however_its_name_is_written() -> None:
    team = [Agent("Ada", "counts"), Agent("ben")]
    for written in ("ada", " ADA ", "`Ada`", '"ada".', "@ada"):
        assert member_named(team, written) is team[0]
    assert member_named(team, "nobody") is None
    assert roster(team) == "- Ada: counts\n- ben"


SAID = Said("All APPROVED.", tokens=40)


@pytest.mark.parametrize(
    ("rule", "over"),
    [
        ("", [False, False]),
        ("turns >= 2", [False, True]),
        ("tokens > 60", [False, True]),
        ('"APPROVED" in text and speaker == "ben"', [False, True]),
        ('"APPROVED" in text and not speaker == "ben"', [True, False]),
        ('rounds > 0 or handed_over == "user"', [False, True]),
        ('speakers == ["ada", "ben"]', [False, True]),
    ],
)
def test_a_rule_is_asked_after_each_turn(rule: str, over: list[bool]) -> None:
    ending = Ending(ScriptedContext(), rule).start()
    assert [ending.after("ada", SAID), ending.after("ben", SAID, handed_over="user")] == over


def test_seconds_are_those_of_work_since_it_began() -> None:
    class Clocked(ScriptedContext):
        times = iter([NOON, NOON + timedelta(seconds=4), NOON + timedelta(seconds=9)])

        def now(self, *, working: bool = False) -> datetime:
            assert working
            return next(self.times)

    ending = Ending(Clocked(), "seconds > 5").start()
    assert [ending.after("ada", SAID), ending.after("ada", SAID)] == [False, True]


def test_a_kind_of_team_may_have_facts_of_its_own() -> None:
    with pytest.raises(ExpressionError):
        Ending(ScriptedContext(), "agreed").after("ada", SAID)
    assert Ending(ScriptedContext(), "agreed").after("ada", replace(SAID, reply=""), agreed=True)
