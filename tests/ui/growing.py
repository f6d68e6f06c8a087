"""A team whose run makes a plan as it goes, for tests of what shows that."""

from collections.abc import Sequence
from typing import Any

from studio.app.runs.live_run import LiveRun
from studio.flow.records import Flow
from studio.ids import RunId
from studio.trace.events import (
    ChatAnswered,
    ChatRequested,
    Entry,
    Event,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    ToolAnswered,
    ToolCalled,
)
from studio.trace.events.parts import PartTold
from studio.trace.events.values import Shown
from tests.documents import document
from tests.trace.builders import numbered

Happening = Event | tuple[str, Event] | tuple[str, str, Event]

NODES: dict[str, Any] = {
    "task": {"kind": "io.flow_input", "title": "Task", "settings": {"default": "What sang?"}},
    "ada": {"kind": "team.member", "title": "Ada", "settings": {"name": "ada"}},
    "ben": {"kind": "team.member", "title": "Ben", "settings": {"name": "ben"}},
    "team": {"kind": "team.round_robin", "title": "Team"},
    "out": {"kind": "io.flow_output", "title": "Answer"},
}
WIRES = [
    "task.value -> team.task",
    "ada.agent -> team.agents[0]",
    "ben.agent -> team.agents[1]",
    "team.reply -> out.value",
]
LAYOUT = {
    "nodes": {"task": [0, 0], "ada": [0, 176], "ben": [0, 376], "team": [320, 0], "out": [640, 0]},
}
FLOW: dict[str, Any] = document("Birds", NODES, *WIRES, layout=LAYOUT)
LOOK = {"instructions": "Look for birds."}
ASK = {"instructions": "Who sang among {{look}}?"}


def turn(number: int, who: str, task: str, reply: str, part: str = "", tokens: int = 120) -> list[Happening]:
    """A turn of a member: one chat within a call of the team."""
    call = f"team#tool.{number}"
    chat = f"{call}/{who}#chat.1"
    message = {"role": "assistant", "content": reply}
    request = {"messages": [{"role": "user", "content": task}], "speaker": who}
    return [
        (call, "team", ToolCalled(who, {"task": task}, part)),
        (chat, call, ChatRequested("scripted", request)),
        (chat, call, ChatAnswered(message, "stop", tokens, 20, 0, None)),
        (call, "team", ToolAnswered(who, reply, is_error=False)),
    ]


BEGINS: list[Happening] = [
    RunStarted("Birds", ""),
    ("task", StepStarted({})),
    ("task", StepFinished({"value": Shown("What sang?")})),
    ("team", StepStarted({"task": Shown("What sang?")})),
    ("team", PartTold("look", "Look for birds", "running", sort="llm.chat", settings=LOOK)),
    ("team", PartTold("ask", "Ask who sang", after=("look",), sort="llm.chat", settings=ASK)),
]
GOES_ON: list[Happening] = [
    *turn(1, "ada", "Look for birds.", "A dunnock and a wren.", "look"),
    ("team", PartTold("look", "Look for birds", "done", sort="llm.chat", settings=LOOK, text="A dunnock.")),
    (
        "team",
        PartTold(
            "guess",
            "Guess",
            "dropped",
            of="look",
            detail={"score": 0.12, "reason": "Guessing tells nothing."},
        ),
    ),
    ("team", PartTold("ask", "Ask who sang", "running", after=("look",), sort="llm.chat", settings=ASK)),
    *turn(2, "ben", "Who sang?", "The wren.", "ask"),
    ("team", PartTold("ask", "Ask who sang", "done", after=("look",), sort="llm.chat", settings=ASK)),
    *turn(3, "expert", "Is it so?", "It is.", tokens=40),
]
ENDS: list[Happening] = [
    ("team", StepFinished({"reply": Shown("The wren.")})),
    RunFinished({"out": Shown("The wren.")}),
]
RUN = "20261122-001500-0a1b2c3"


def entries(happenings: Sequence[Happening] = (*BEGINS, *GOES_ON, *ENDS)) -> list[Entry]:
    """The entries of a run, one second apart."""
    return numbered(*happenings, run=RUN)


def a_run(happenings: Sequence[Happening] = (*BEGINS, *GOES_ON, *ENDS)) -> LiveRun:
    """A run that has come as far as these."""
    live = LiveRun(RunId(RUN), Flow())
    live.take(entries(happenings))
    return live
