"""Flows that are lent as tools, for tests."""

from collections.abc import Mapping
from typing import Any

from studio.flow.records import Flow
from tests.runtime.bench import flow_of
from tests.runtime.called import OUT, UPPER, bound

LOOK = flow_of(
    {
        "bird": ("io.flow_input", {"label": "Bird", "help": "Which one.", "example": "wren"}),
        "often": ("io.flow_input", {"type": "number", "default": 1}),
        "prompt": ("text.template", {"template": "{{bird}} {{often}}"}),
        "scout": "llm.chat",
        "seen": OUT,
    },
    [
        "bird.value -> prompt.bird",
        "often.value -> prompt.often",
        "prompt.text -> scout.prompt",
        "scout.reply -> seen.value",
    ],
)
"""Asks a language model where a bird was seen."""

BROKEN = flow_of(
    {"path": "io.flow_input", "read": "io.read_file", "text": OUT},
    ["path.value -> read.path", "read.text -> text.value"],
)
"""Fails where there is no such file."""

NOTE = flow_of(
    {
        "text": "io.flow_input",
        "scout": "llm.chat",
        "write": ("io.append_row", {"file": "notes.jsonl"}),
        "path": OUT,
    },
    ["text.value -> scout.prompt", "scout.reply -> write.row", "write.file -> path.value"],
)
"""Writes down what a language model says."""

AGAIN = flow_of(
    {
        "left": ("io.flow_input", {"type": "number"}),
        "prompt": ("text.template", {"template": "{{left}}"}),
        "agent": ("llm.agent", {"instructions": "again", "turns": 2}),
        "self": ("tools.flow_as_tool", {"flow": "again.json", "name": "again", "max_depth": 3}),
        "said": OUT,
    },
    [
        "left.value -> prompt.left",
        "prompt.text -> agent.prompt",
        "self.tool -> agent.tools[0]",
        "agent.reply -> said.value",
    ],
)
"""Its agent calls it again, without an end."""

FLOWS: Mapping[str, Flow] = {
    "look.json": LOOK,
    "loud.json": UPPER,
    "broken.json": BROKEN,
    "note.json": NOTE,
    "again.json": AGAIN,
}
REGISTRY = bound(FLOWS)

SCRIPT = """
rules:
  - when: {node: agent, has_tool: [again]}
    tool_calls: [{name: again, arguments: {left: 1}}]
  - when: {node: agent, turn: 0, has_tool: [look]}
    tool_calls:
      - {name: look, arguments: {bird: owl}}
      - {name: look, arguments: {bird: tit, often: 2}}
  - when: {node: agent, turn: 0, has_tool: [expert]}
    tool_calls:
      - {name: expert, arguments: {task: owl}}
      - {name: expert, arguments: {task: tit}}
  - when: {node: agent, turn: 0, has_tool: [note]}
    tool_calls: [{name: note, arguments: {text: owl}}]
  - when: {node: agent, turn: 1, has_tool: [note]}
    tool_calls: [{name: note, arguments: {text: tit}}]
  - when: {node: [agent, expert]}
    reply: "{{ tool_results | map(attribute='text') | join('; ') }}"
  - when: {node: scout}
    reply: "saw {{ last }}"
"""


def lends(called: str, run: Mapping[str, Any] | None = None, **settings: Any) -> Any:
    """A node that lends a flow, for `flow_of`."""
    return ("tools.flow_as_tool", {"flow": called, **settings}, {}, dict(run or {}))


def calling_tool(called: str, arguments: Mapping[str, Any], **settings: Any) -> Flow:
    """A flow that does no more than call another one by a tool."""
    return flow_of(
        {
            "call": ("control.call_tool", {}, {"arguments": dict(arguments)}),
            "lender": lends(called, **settings),
            "out": OUT,
        },
        ["lender.tool -> call.tool[0]", "call.text -> out.value"],
    )


def with_agent(
    name: str, run: Mapping[str, Any] | None = None, lender: Mapping[str, Any] | None = None
) -> Flow:
    """A flow whose agent is lent another flow."""
    return flow_of(
        {
            "ask": ("text.text", {"text": "Which birds?"}),
            "agent": ("llm.agent", {}, {}, dict(run or {})),
            "lender": lends(name, lender, name=name.removesuffix(".json")),
            "out": OUT,
        },
        ["ask.text -> agent.prompt", "lender.tool -> agent.tools[0]", "agent.reply -> out.value"],
    )
