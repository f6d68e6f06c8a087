"""Flows that published tasks run on: function calling, and a dialogue with a user over a database."""

from collections.abc import Mapping, Sequence
from typing import Any

Nodes = Mapping[str, Any]

OUTPUT: Nodes = {"kind": "io.flow_output"}

SHOP = '''class Shop:
    """Orders that can be cancelled while they are pending."""

    def load(self, data: dict) -> str:
        """Begin with these orders."""
        self.orders = data["orders"]
        return "Loaded."

    def get_order(self, order: str) -> dict:
        """Look up an order."""
        return self.orders[order]

    def cancel(self, order: str, reason: str) -> str:
        """Cancel a pending order."""
        if self.orders[order]["status"] != "pending":
            raise ValueError("only pending orders can be cancelled")
        self.orders[order].update(status="cancelled", reason=reason)
        return f"{self.orders[order]['price']} come back."

    def end_state(self) -> dict:
        """Tell all that there is."""
        return {"orders": self.orders}

    def replay(self, actions: list) -> dict:
        """Do what is expected; what fails leaves all as it was."""
        for one in actions:
            try:
                getattr(self, one["name"])(**one["arguments"])
            except Exception as error:
                print(error)
        return self.end_state()
'''

USER = """You are a user who talks to an agent.

Instruction: {{instruction}}

- Write one line, the user's next message.
- Tell only what is needed now, and nothing that the instruction does not say.
- Once the goal is reached, write ###STOP### and nothing else."""

TALK = """\
{% for one in talk if one.role in ("user", "assistant") and one.content -%}
{{ "You" if one.role == "user" else "Agent" }}: {{ one.content }}
{% endfor %}"""

REWARD = '''def reward(state: object, expected: object, outputs: object, messages: object) -> dict:
    """1 where the database is as it has to be, and all was said that has to be."""
    said = [one["content"].lower().replace(",", "") for one in messages if one["role"] == "assistant"]
    missing = [one for one in outputs or [] if not any(one.lower() in text for text in said)]
    reason = "The database is not as expected. " if state != expected else ""
    reason += f"It did not say {', '.join(missing)}." if missing else ""
    return {"score": float(not reason), "reason": reason.strip()}
'''


def flow(name: str, nodes: Nodes, wires: Sequence[str]) -> Nodes:
    document = {"format": "stepwire.flow", "version": 1, "name": name}
    return {**document, "nodes": nodes, "wires": sorted(wires)}


def given(type: str = "text", **more: Any) -> Nodes:  # noqa: A002  # the setting's name
    return {"kind": "io.flow_input", "settings": {"type": type, **more}}


def shop(title: str, *actions: str) -> Nodes:
    settings = {"code": SHOP, "name": "shop", "actions": [*actions]}
    return {"kind": "environment.environment", "title": title, "settings": settings}


def called(tool: str, *fields: str) -> Nodes:
    settings = {"tool_name": tool, "fields": [*fields]}
    return {"kind": "control.call_tool", "title": tool, "settings": settings}


FUNCTION_CALLING = flow(
    "Which functions are called",
    {
        "question": given(),
        "functions": given("json"),
        "system": given(default=""),
        "history": given("messages", default=[]),
        "caller": {
            "kind": "llm.agent",
            "settings": {"instructions": "{{system}}", "turns": 1, "at_limit": "stop"},
        },
        "messages": OUTPUT,
    },
    [
        "question.value -> caller.prompt",
        "functions.value -> caller.declared_functions",
        "system.value -> caller.system",
        "history.value -> caller.history",
        "caller.messages -> messages.value",
    ],
)
"""Its columns have the names of its inputs: a dataset `{"file": "…", "as": "bfcl"}` is all that it needs."""

HELLO = [{"role": "assistant", "content": "Hi! How can I help you today?"}]

DIALOGUE = flow(
    "A user and an agent over a database",
    {
        "instruction": given(),
        "policy": given(default=""),
        "initial": given("json"),
        "shop": shop("Shop", "get_order", "cancel"),
        "office": shop("Office", "load", "end_state"),
        "begin": called("load", "data"),
        "hello": {"kind": "value.json", "settings": {"value": HELLO}},
        "rounds": {"kind": "control.loop", "settings": {"max_rounds": 30}},
        "said": {"kind": "text.template", "settings": {"template": TALK, "language": "jinja"}},
        "user": {"kind": "llm.chat", "settings": {"instructions": USER}},
        "goes_on": {
            "kind": "control.branch",
            "settings": {"cases": [{"label": "Stop", "when": '"###STOP###" in value'}, {"label": "Goes on"}]},
        },
        "agent": {"kind": "llm.agent", "settings": {"instructions": "{{policy}}"}},
        "ledger": called("end_state"),
        "messages": OUTPUT,
        "state": OUTPUT,
    },
    [
        "initial.value -> begin.data",
        "office.tool -> begin.tool[0]",
        "office.tool -> ledger.tool[0]",
        "begin.then -> rounds.after[0]",
        "hello.value -> rounds.start",
        "rounds.value -> said.talk",
        "said.text -> user.prompt",
        "instruction.value -> user.instruction",
        "user.reply -> goes_on.value",
        "goes_on.goes_on -> agent.prompt",
        "policy.value -> agent.policy",
        "rounds.value -> agent.history",
        "shop.tool -> agent.tools[0]",
        "agent.messages -> rounds.again",
        "rounds.result -> messages.value",
        "rounds.result -> ledger.after[0]",
        "ledger.json -> state.value",
    ],
)
"""The user is a chat that sees what was said; the agent has tools on a world that is begun by each row."""

END_STATE = flow(
    "End state and outputs",
    {
        "initial": given("json"),
        "actions": given("json"),
        "outputs": given("json", default=[]),
        "state": given("json"),
        "messages": given("json"),
        "office": shop("Office", "load", "replay"),
        "begin": called("load", "data"),
        "expected": called("replay", "actions"),
        "reward": {"kind": "control.python", "settings": {"code": REWARD}},
        "its_score": {"kind": "value.pick", "settings": {"path": "score"}},
        "its_reason": {"kind": "value.pick", "settings": {"path": "reason"}},
        "score": OUTPUT,
        "reason": OUTPUT,
    },
    [
        "initial.value -> begin.data",
        "office.tool -> begin.tool[0]",
        "office.tool -> expected.tool[0]",
        "begin.then -> expected.after[0]",
        "actions.value -> expected.actions",
        "expected.json -> reward.expected",
        "state.value -> reward.state",
        "outputs.value -> reward.outputs",
        "messages.value -> reward.messages",
        "reward.result -> its_score.value",
        "reward.result -> its_reason.value",
        "its_score.value -> score.value",
        "its_reason.value -> reason.value",
    ],
)
"""Replays the expected actions on a world begun anew, as tau-bench does, and compares."""
