"""Agent: a model that works on a prompt with tools.

The agent is asked, runs the tools it calls, is shown their answers, and is asked again, until it answers
without calling a tool. Every question and every tool call is a step of its own in the trace.

`{{name}}` in the instructions makes an input. With fields under "Answer as", the answer is JSON with just
these; it leaves parsed at `data`, and each field at an output of its own. An answer that does not fit is sent
back with what is wrong with it, as often as *Repairs at most* says. What arrives at `history` was said
before; instructions in it are left out.

**Stopping.** It stops where the first of these holds: its turns are used up, or the tokens, dollars or
seconds that it may spend; it says one of the texts; one of the tools has answered, whose answer is then
the reply; or the rule holds, an expression over `turn`, `tokens`, `cost`, `seconds`, `text` (what it said
last), `tools` (all that it called) and `answers` (of the tools of this turn). `ended` says which:
`answered`, `turns`, `tokens`, `cost`, `time`, `text`, `tool` or `rule`. At a limit it fails, answers once
more without tools, or stops with what it said last.

**Window.** With a window of so many tokens, what is sent stays within it: older answers of tools are cut,
then the oldest messages left out, or summed up by the language model. The account of it stands in the
messages of each of its chats; `messages` has the whole conversation.

**Memory.** A conversation at `memory` is what was said before, and gets the prompt and the reply when the
step finishes. What other memories find for the prompt stands before it, told apart from instructions, and
the agent may look things up and remember by itself. Memories know the agent by the id of its node, and a
colleague by its name.

**Declared functions.** What arrives at `declared_functions` (a list with `name`, `description` and
`parameters`, a JSON Schema) it may call as well; the calls are recorded, and nothing is executed. With *Max.
turns* 1 and *At a limit* stop, it says which functions it would call.

**Handing over.** It may hand the conversation over to each agent at `colleagues`, and they to one another
and back. `speaker` says who spoke last.

```json
{
  "settings": {"instructions": "Answer in one word. Topic: {{topic}}"},
  "inputs": {"prompt": "What sang?", "topic": "birds"},
  "chat": ["Dunnock"],
  "outputs": {"reply": "Dunnock", "ended": "answered"}
}
```
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from nodes.llm.agent.declared_functions import declared_tools
from nodes.llm.agent.stop_conditions import Conditions
from studio.building_blocks.agents.handoffs import run_team
from studio.building_blocks.agents.tool_loop import AgentAnswer
from studio.building_blocks.memories.context_window import Window
from studio.building_blocks.settings.models import (
    AnswerFields,
    ChatProfile,
    MaxAnswerTokens,
    ReasoningEffort,
    Repairs,
    StructuredBy,
    SystemPrompt,
    Temperature,
)
from studio.building_blocks.settings.tools import AgentTools, AgentTurns
from studio.sdk import (
    Agent,
    Context,
    DynamicIn,
    Effect,
    In,
    Memory,
    Message,
    Port,
    PortName,
    Setting,
    dynamic_inputs,
    dynamic_outputs,
    node,
    parse_type,
    ports_named,
)
from studio.sdk.expressions import expression_over
from studio.sdk.schema_ports import schema_ports
from studio.sdk.templates import fill, placeholders

FACTS = ("turn", "tokens", "cost", "seconds", "text", "tools", "answers")


@node("llm.agent", title="Agent", effect=Effect.PAID_READ, keywords=("tool", "assistant", "role", "react"))
async def agent(
    context: Context,
    prompt: Annotated[str, In("The task for the agent")],
    history: Annotated[list[Message], In("Earlier messages")] = [],  # noqa: B006  # read, never written
    tools: AgentTools = (),
    colleagues: Annotated[Sequence[Agent], In("Agents it can hand the conversation over to")] = (),
    memory: Annotated[Sequence[Memory], In("Its memory")] = (),
    declared_functions: Annotated[
        Any, In("Functions it can call, which are recorded and not executed", type="json")
    ] = None,
    *,
    instructions: SystemPrompt = "",
    answer_schema: AnswerFields = None,
    turns: AgentTurns = 8,
    at_limit: Annotated[
        Literal["fail", "answer", "stop"],
        Setting("At a limit", help="Fail, answer once more without tools, or stop with its last message"),
    ] = "fail",
    temperature: Temperature = None,
    profile: ChatProfile = "",
    parallel: Annotated[
        bool, Setting("Parallel tool calls", help="Several in one turn, run at the same time")
    ] = True,
    window: Annotated[
        int | None,
        Setting(
            "Context window, tokens",
            editor="number",
            minimum=200,
            help="How much is sent at most; empty: everything",
        ),
    ] = None,
    summarise: Annotated[
        bool, Setting("Summarize what is cut", help="If there is a window: with an extra call")
    ] = False,
    stop_texts: Annotated[
        tuple[str, ...], Setting("Stop texts", help="Stop when it says one of these", editor="list")
    ] = (),
    stop_tools: Annotated[
        tuple[str, ...],
        Setting("Stop after tools", help="Tool names; the tool's result becomes the reply", editor="list"),
    ] = (),
    stop_when: Annotated[
        str,
        Setting("Stop when", editor="expression", help=f"Expression over {', '.join(FACTS)}; empty: never"),
        AfterValidator(expression_over(*FACTS, optional=True)),
    ] = "",
    tokens: MaxAnswerTokens = None,
    cost: Annotated[
        float | None,
        Setting("Max. cost, $", editor="number", minimum=0, help="Fails if prices are unknown"),
    ] = None,
    seconds: Annotated[
        float | None,
        Setting("Timeout, s", editor="number", minimum=0, help="Wall-clock time, pauses included"),
    ] = None,
    name: Annotated[
        str, Setting("Name", help="Name used by colleagues"), Field(pattern="^[a-zA-Z0-9_-]{1,48}$")
    ] = "front",
    hand_overs: Annotated[int, Setting("Max. hand-overs", minimum=1, maximum=100)] = 5,
    recalled: Annotated[
        int, Setting("Max. recalled", minimum=0, help="Items from each memory; 0: the memory's own limit")
    ] = 5,
    memory_tools: Annotated[
        bool, Setting("Memory tools", help="The agent can look things up and remember by itself")
    ] = True,
    schema_by: StructuredBy = "auto",
    repairs: Repairs = 1,
    effort: ReasoningEffort = "",
    **inputs: Annotated[object, DynamicIn("One for each placeholder of the instructions")],
) -> AgentAnswer:
    """Let the agent, and those it hands over to, work until it answers or is stopped."""
    stops = Conditions(context, stop_texts, stop_tools, tokens, cost, seconds, stop_when)
    instructions = fill(instructions, {"prompt": prompt, **inputs})
    tools = [*tools, *declared_tools(declared_functions)]
    answer = await run_team(
        context,
        first=Agent(name, "", instructions, tools, (), temperature, profile, memories=memory, effort=effort),
        colleagues=colleagues,
        prompt=prompt,
        hand_overs=hand_overs,
        history=history,
        turns=turns,
        at_limit=at_limit,
        parallel=parallel,
        answer_schema=answer_schema,
        schema_by=schema_by,
        repairs=repairs,
        chats=Window(context, window, summarise=summarise) if window else None,
        stops=stops.start(),
        recalled=recalled,
        memory_tools=memory_tools,
    )
    bounds = (window, stop_texts, stop_tools, stop_when, tokens, cost, seconds)
    is_plain = not (colleagues or memory) and all(one in {None, (), ""} for one in bounds)
    return replace(answer, speaker="") if is_plain else answer  # as recorded runs have it


@dynamic_inputs(agent)
def agent_inputs(*, instructions: str, **_: object) -> Sequence[Port]:
    """One input for each placeholder of the instructions."""
    return ports_named(name for name in placeholders(instructions) if name != "prompt")


@dynamic_outputs(agent)
def agent_outputs(*, answer_schema: Mapping[str, Any] | None, **_: object) -> Sequence[Port]:
    """The reply and the conversation, why it stopped; with a schema the answer and its fields."""
    ports = (
        Port(PortName("reply"), parse_type("text"), "reply", "The agent's final message"),
        Port(PortName("messages"), parse_type("messages"), "messages", "The whole conversation"),
        Port(PortName("ended"), parse_type("text"), "ended by", "Why it stopped: answered, turns, text, …"),
        Port(PortName("speaker"), parse_type("text"), "speaker", "Who spoke last, where it has colleagues"),
    )
    if answer_schema is None:
        return ports
    data = Port(PortName("data"), parse_type("json"), "data", "The answer as JSON")
    return (*ports, data, *schema_ports(answer_schema))
