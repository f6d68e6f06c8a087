"""An agent whose tool is filtered, and flows that mask, block and sum up what it gives."""

from typing import Any

from studio.flow.records import Flow
from tests.runtime.bench import flow_of

OUT = "io.flow_output"
LOOK = flow_of(
    {"text": ("text.text", {"text": "The door opens with 4711."}), "seen": OUT}, ["text.text -> seen.value"]
)


def guarding(**settings: Any) -> Flow:
    """Let pass what a guard lets pass, and refuse the rest with its reason."""
    return flow_of(
        {
            "result": "io.flow_input",
            "guard": ("check.guard", {"forbidden": [r"\d{4}"], **settings}),
            "why": ("text.template", {"template": "{{reason}}"}),
            "passes": OUT,
            "refuse": OUT,
        },
        [
            "result.value -> guard.value",
            "guard.allowed -> passes.value",
            "guard.reason -> why.reason",
            "guard.blocked -> why.after",
            "why.text -> refuse.value",
        ],
    )


SUM_UP = flow_of(
    {
        "result": "io.flow_input",
        "tool": "io.flow_input",
        "prompt": ("text.template", {"template": "{{tool}}: {{result}}"}),
        "chat": ("llm.chat", {"instructions": "Sum it up."}),
        "gist": OUT,
    },
    [
        "result.value -> prompt.result",
        "tool.value -> prompt.tool",
        "prompt.text -> chat.prompt",
        "chat.reply -> gist.value",
    ],
)
FLOWS = {
    "look.json": LOOK,
    "mask.json": guarding(instead="[number]"),
    "block.json": guarding(),
    "sum_up.json": SUM_UP,
}
RULES = """
rules:
  - when: {instructions: Sum it up}
    reply: "look: a door"
  - when: {turn: 0, has_tool: look}
    tool_calls: [{name: look, arguments: {}}]
  - reply: "{{ tool_results[-1].text }}"
"""


def reading(**settings: Any) -> Flow:
    """An agent that looks, and says what it read."""
    nodes: dict[str, Any] = {
        "lend": ("tools.flow_as_tool", {"flow": "look.json", "name": "look"}),
        "filter": ("tools.result_filter", settings),
        "agent": ("llm.agent", {}, {"prompt": "How does the door open?"}),
        "out": OUT,
    }
    wires = ["lend.tool -> filter.tools[0]", "filter.tool -> agent.tools[0]", "agent.reply -> out.value"]
    return flow_of(nodes, wires)
