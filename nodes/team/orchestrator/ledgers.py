"""The ledgers of an orchestrator: what is known of a task, the plan, and how the work on it goes.

After Fourney et al., Magentic-One: a generalist multi-agent system (arXiv 2411.04468): a task ledger with
facts, guesses and a plan, and a progress ledger that is asked for before each turn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.building_blocks.teams.transcript import roster
from studio.sdk import Agent, Json

LEAD = (
    "You lead a team that solves a task. You do none of the work yourself: you plan, say who does what, look "
    "whether it gets anywhere, and plan anew where it does not."
)
FACTS_ASKED = (
    "Before anybody begins, survey the task. Say what it gives, what has to be looked up and where, what has "
    "to be worked out, and what you only guess."
)
FACTS_AGAIN = (
    "The work is stuck. Put the survey right: move up to what is known what was found, take out what proved "
    "wrong, and make at least one new guess. Say why."
)
PLAN_ASKED = (
    "Make a plan: a few steps, one after the other, and who of the team does each. Not everybody is needed."
)
PLAN_AGAIN = (
    "Say what went wrong, and make a new plan that does not run into it again: a few steps, and who of the "
    "team does each."
)
PROGRESS_ASKED = (
    "Look at where the work stands. Is the task solved? Is the same done again and again? Does the work get "
    "on? Which steps of the plan are done (by number)? Then say who does something next, what exactly, and "
    "for which step of the plan (0: for none)."
)
ANSWER_ASKED = (
    "The work is over. Answer the task, from what was found, for the one who gave it. Say what is still a "
    "guess."
)


@dataclass(frozen=True, slots=True)
class Survey:
    """What is known of a task, and what not."""

    given: Sequence[str] = ()
    look_up: Sequence[str] = ()
    derive: Sequence[str] = ()
    guesses: Sequence[str] = ()

    @property
    def text(self) -> str:
        """The survey under its four headings."""
        parts = (
            ("Known", self.given),
            ("To look up", self.look_up),
            ("To work out", self.derive),
            ("Guessed", self.guesses),
        )
        return "\n".join(
            "\n".join([f"{name}:", *(f"- {one}" for one in some)]) for name, some in parts if some
        )

    @property
    def plain(self) -> dict[str, Json]:
        """The survey as JSON."""
        return {
            "given": [*self.given],
            "look_up": [*self.look_up],
            "derive": [*self.derive],
            "guesses": [*self.guesses],
        }


@dataclass(frozen=True, slots=True)
class Planned:
    """A step of a plan: what is done, and by whom."""

    title: str
    who: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How the work goes, and who does what next; `step` and `done` are numbers of steps, from 1."""

    reason: str
    satisfied: bool
    in_loop: bool
    progressing: bool
    done: Sequence[int]
    step: int
    speaker: str
    instruction: str


def survey_schema() -> dict[str, Json]:
    """The form of a survey."""
    texts: dict[str, Json] = {"type": "array", "items": {"type": "string"}}
    return form_of(
        {"reason": {"type": "string"}, "given": texts, "look_up": texts, "derive": texts, "guesses": texts}
    )


def plan_schema(team: Sequence[Agent]) -> dict[str, Json]:
    """The form of a plan whose steps are done by members."""
    step = form_of(
        {"title": {"type": "string"}, "who": {"type": "string", "enum": [one.name for one in team]}}
    )
    return form_of({"reason": {"type": "string"}, "steps": {"type": "array", "items": step, "minItems": 1}})


def progress_schema(team: Sequence[Agent]) -> dict[str, Json]:
    """The form of a look at the progress."""
    flag: dict[str, Json] = {"type": "boolean"}
    return form_of(
        {
            "reason": {"type": "string"},
            "satisfied": flag,
            "in_loop": flag,
            "progressing": flag,
            "done": {"type": "array", "items": {"type": "integer"}},
            "step": {"type": "integer"},
            "next_speaker": {"type": "string", "enum": [one.name for one in team]},
            "instruction": {"type": "string"},
        }
    )


def form_of(fields: Mapping[str, Json]) -> dict[str, Json]:
    """An object that has all these fields and no others."""
    return {
        "type": "object",
        "properties": {**fields},
        "required": [*fields],
        "additionalProperties": False,
    }


def survey_from(data: Mapping[str, Any]) -> Survey:
    """Read a survey that fits its form."""
    return Survey(data["given"], data["look_up"], data["derive"], data["guesses"])


def progress_from(data: Mapping[str, Any]) -> Progress:
    """Read a look at the progress that fits its form."""
    return Progress(
        data["reason"],
        data["satisfied"],
        data["in_loop"],
        data["progressing"],
        data["done"],
        data["step"],
        data["next_speaker"],
        data["instruction"],
    )


def ledger(task: str, team: Sequence[Agent], survey: Survey, plan: Sequence[Planned]) -> str:
    """The task ledger, as everybody reads it."""
    steps = "\n".join(f"{number}. {one.title} ({one.who})" for number, one in enumerate(plan, 1))
    parts = ("We work on this task:", task, f"The team:\n{roster(team)}", survey.text, f"The plan:\n{steps}")
    return "\n\n".join(one for one in parts if one)
