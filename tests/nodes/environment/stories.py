"""A story that a flow tells: it judges what somebody tries, and says what each observes."""

from typing import Any

from studio.flow.records import Flow
from tests.runtime.bench import flow_of

ACT = flow_of(
    {
        "actor": "io.flow_input",
        "action": "io.flow_input",
        "before": ("value.state_get", {"name": "events", "default": []}),
        "prompt": ("text.template", {"template": "So far: {{before}}\n{{actor}} tries: {{action}}"}),
        "master": ("llm.chat", {"instructions": "You are the game master."}),
        "keep": ("value.state_set", {"name": "events", "how": "append"}),
        "event": "io.flow_output",
    },
    [
        "before.value -> prompt.before",
        "actor.value -> prompt.actor",
        "action.value -> prompt.action",
        "prompt.text -> master.prompt",
        "master.reply -> keep.value",
        "keep.value -> event.value",
    ],
)
OBSERVE = flow_of(
    {
        "actor": "io.flow_input",
        "before": ("value.state_get", {"name": "events", "default": []}),
        "tell": ("text.template", {"template": "{{actor}} knows of {{before}}"}),
        "seen": "io.flow_output",
    },
    ["actor.value -> tell.actor", "before.value -> tell.before", "tell.text -> seen.value"],
)
FLOWS = {"act.json": ACT, "observe.json": OBSERVE}

RULES = r"""
rules:
  - when: {instructions: game master, asked: '\[\]\nAda tries: (?P<what>.+)'}
    reply: "Ada does it: {{ match.what }}."
  - when: {instructions: game master, asked: 'Ada does.*\n(?P<who>\w+) tries: '}
    reply: "{{ match.who }} is too late."
  - when: {instructions: You are, asked: It is tick 1}
    reply: {say: "", to: [], do: act, using: take the lamp}
  - when: {instructions: You are}
    reply: {say: "", to: [], do: nothing, using: ""}
"""


def story(**caller: Any) -> Flow:
    """Two people in a world of two flows, which are told at `actor` who acts and observes."""
    lent = {"caller": "actor", **caller}
    nodes: dict[str, Any] = {
        "people": ("value.json", {"value": [{"name": "Ada"}, {"name": "Ben"}]}),
        "player": "team.member",
        "act": ("tools.flow_as_tool", {"flow": "act.json", "name": "act", "description": "Try it.", **lent}),
        "observe": ("tools.flow_as_tool", {"flow": "observe.json", "name": "observe", **lent}),
        "town": ("environment.population", {"ticks": 2, "observes": "observe"}),
        "log": "io.flow_output",
    }
    wires = ["people.value -> town.people", "player.agent -> town.agents[0]", "town.log -> log.value"]
    return flow_of(nodes, [*wires, "act.tool -> town.world[0]", "observe.tool -> town.world[1]"])
