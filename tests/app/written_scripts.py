"""Scripts in the form in which flows are exported, written by hand, with the flows that they are from."""

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.flow.files.codec import dumps, loads
from studio.flow.records import Flow
from studio.flow.subflows.calls import GivenFlows
from studio.places import projects
from studio.sdk.registry import Registry
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow

REGISTRY = builtin_registry()


@dataclass(frozen=True, repr=False)
class Subject:
    """A script with its flow, the flows that this calls, and which constant says what."""

    script: str
    flow: Flow
    flows: Mapping[str, Flow] = field(default_factory=dict[str, Flow])
    constants: Mapping[str, str] = field(default_factory=dict[str, str])
    """FLOW:NODE.NAME of each constant; for a run setting, NODE.NAME!."""

    @property
    def registry(self) -> Registry:
        """The node types, bound to the flows."""
        return REGISTRY.with_flows(GivenFlows(self.flows))


def with_constant(script: str, name: str, expression: str) -> str:
    """Give a script in which a constant is another expression."""
    lines = script.split("\n")
    for one in ast.parse(script).body:
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == name:
            assert one.end_lineno is not None
            lines[one.lineno - 1 : one.end_lineno] = [f"{name} = {expression}"]
            return "\n".join(lines)
    raise KeyError(name)


def project_flow(project: str, name: str = "flow.json") -> Flow:
    """A flow of the gallery."""
    return read_flow(projects() / project / name).flow


def flow_of(nodes: Mapping[str, object], wires: list[str], **header: str) -> Flow:
    """A flow as its file has it."""
    document = {"format": "stepwire.flow", "version": 1, **header, "nodes": nodes, "wires": wires}
    return loads(json.dumps(document)).flow


NOTES = Subject(
    '''
"""Answer a question from notes.

A writer searches a year of field notes and drafts an answer with citations; a critic accepts it
or sends it back.

Exported by Stepwire 0.1.0 from flow.json (flow 8e150c163e9b).

Run it with `uv run FILE`.
"""

from typing import Any

from stepwire_kit import Flow, rounds
from stepwire_kit.nodes import agent, template, text_search, write_file

# --- The flow's texts and values ---

QUESTION = "Which birds were seen in the morning?"
FOLDER = "data/notes"
MOST = 4
WRITER_INSTRUCTIONS = """\\
You answer a question from field notes, and from nothing else.
Look up its words with text_search before you write.
Cite every claim as [file:line]. When the notes say nothing, say so.
When you are shown a draft of yours and an objection, meet the objection.
Question: {{question}}"""
CRITIC_INSTRUCTIONS = (
    "You are strict. Accept only what the notes say.\\n"
    "Question: {{question}}\\n"
    "Every claim needs a citation such as [may.txt:7], and the day it was seen.\\n"
    "Object in one sentence to what is missing."
)
CRITIC_ANSWER_SCHEMA = {
    "type": "object",
    "properties": {"accepted": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["accepted", "reason"],
    "additionalProperties": False,
}
REVISION_TEMPLATE = """\\
{{draft}}

Not accepted yet: {{verdict.reason}}"""
PATH = "out/answer.md"

# --- The flow ---

flow = Flow("Answer a question from notes")


@flow
async def answer_a_question_from_notes(question: str = QUESTION) -> dict[str, Any]:
    notes = text_search("text_search", folder=FOLDER)
    draft = question
    result = None
    for _ in rounds("rounds", MOST):
        writer = await agent(
            "writer", draft, tools=[notes], instructions=WRITER_INSTRUCTIONS, question=question
        )
        critic = await agent(
            "critic",
            writer.reply,
            instructions=CRITIC_INSTRUCTIONS,
            answer_schema=CRITIC_ANSWER_SCHEMA,
            question=question,
        )
        if critic.data["accepted"]:
            result = writer.reply
            break
        draft = await template(
            "revision", template=REVISION_TEMPLATE, draft=writer.reply, verdict=critic.data
        )
    else:
        result = draft
    await write_file("save", result, path=PATH)
    return {"answer": result}


if __name__ == "__main__":
    flow.main()
'''.lstrip(),
    project_flow("field_notes"),
    constants={
        "QUESTION": ":question.default",
        "FOLDER": ":text_search.folder",
        "MOST": ":rounds.max_rounds",
        "WRITER_INSTRUCTIONS": ":writer.instructions",
        "CRITIC_INSTRUCTIONS": ":critic.instructions",
        "REVISION_TEMPLATE": ":revision.template",
        "PATH": ":save.path",
    },
)
"""A loop, and a tool."""

CHAPTERS = Subject(
    '''
"""Summarise a document by chapters.

Every chapter is handed to a flow of its own, four at once; their summaries are put together.

Exported by Stepwire 0.1.0 from flow.json (flow 8e150c163e9b).
It calls summary.json (flow 8e150c163e9c).
"""

import stepwire_kit as kit
from stepwire_kit import call, each
from stepwire_kit import nodes

DOCUMENT = "data/pond.md"
WORDS = 30
AT_ONCE = 4
PATH = "out/summary.md"
SECTION = "{{heading}}\\n\\n{{summary}}\\n\\n*Drafts: {{drafts}}*"
LONGEST = 30
ROUNDS = 3
WRITER = (
    "You summarise one chapter in {{words}} words at most.\\n"
    "Keep to what it says. When you are shown a draft of yours and an objection, meet the objection."
)
CRITIC = """\\
You are strict about length, and about nothing else.
Accept a summary in {{words}} words at most."""
VERDICT = {
    "type": "object",
    "properties": {"accepted": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["accepted", "reason"],
    "additionalProperties": False,
}

flow = kit.Flow("Summarise a document by chapters")


@flow
async def summarise(document=DOCUMENT, words=WORDS):
    text = await nodes.read_file("read", document)
    chapters = await nodes.split("chapters", text, by="headings", depth=1)

    async def section(chapter):
        lines = await nodes.split("lines", chapter)
        heading = lines[0]
        summary = await call("summarise", summary_of_a_chapter, chapter, words=words)
        return await nodes.template(
            "section",
            template=SECTION,
            heading=heading,
            summary=summary["summary"],
            drafts=summary["drafts"],
        )

    sections = await each("each", section, chapters, at_once=AT_ONCE, collected="all")
    report = await nodes.join("report", sections, separator="\\n\\n")
    await nodes.write_file("save", report, path=PATH)
    return {"summary": report}


async def summary_of_a_chapter(chapter, words=LONGEST):
    draft = chapter
    for number in kit.rounds("rounds", ROUNDS):
        written = await nodes.agent("writer", draft, instructions=WRITER, words=words)
        verdict = await nodes.agent(
            "critic", written.reply, instructions=CRITIC, answer_schema=VERDICT, words=words
        )
        if verdict.data["accepted"]:
            break
        draft = await nodes.template(
            "revision",
            template="{{draft}}\\n\\nNot accepted yet: {{verdict.reason}}",
            draft=written.reply,
            verdict=verdict.data,
        )
    return {"summary": written.reply, "drafts": number}


if __name__ == "__main__":
    flow.main()
'''.lstrip(),
    project_flow("chapters"),
    {"summary.json": project_flow("chapters", "summary.json")},
    {
        "DOCUMENT": ":document.default",
        "WORDS": ":words.default",
        "AT_ONCE": ":each.at_once",
        "PATH": ":save.path",
        "SECTION": ":section.template",
        "LONGEST": "summary.json:words.default",
        "ROUNDS": "summary.json:rounds.max_rounds",
        "WRITER": "summary.json:writer.instructions",
        "CRITIC": "summary.json:critic.instructions",
    },
)
"""A map, and a flow that is called in it, with a loop."""

DRAWN = flow_of(
    {
        "word": {"kind": "io.flow_input"},
        "fast": {"kind": "llm.chat", "title": "Fast", "settings": {"instructions": "Be fast."}},
        "slow": {"kind": "llm.chat", "title": "Slow", "settings": {"instructions": "Be slow."}},
        "first": {"kind": "control.race"},
        "said": {"kind": "io.flow_output"},
    },
    [
        "fast.reply -> first.lanes[0]",
        "first.value -> said.value",
        "slow.reply -> first.lanes[1]",
        "word.value -> fast.prompt",
        "word.value -> slow.prompt",
    ],
)
JUDGED = flow_of(
    {
        "word": {"kind": "io.flow_input", "title": "Word", "settings": {"default": "wren"}},
        "fast": {"kind": "llm.chat", "title": "Fast", "settings": {"instructions": "Be fast."}},
        "slow": {"kind": "llm.chat", "title": "Slow", "settings": {"instructions": "Be slow."}},
        "first": {"kind": "control.race"},
        "greeting": {
            "kind": "text.template",
            "title": "Greeting",
            "settings": {"template": "{{name}}, {{text}}"},
            "inputs": {"name": "Ada"},
        },
        "judge": {
            "kind": "check.judge",
            "title": "Judge",
            "settings": {
                "criteria": [
                    {"label": "Whole", "when": "answers all", "port": "whole"},
                    {"label": "Plain", "when": "is plain"},
                ],
                "enough": 0.8,
            },
            "run": {"retries": 2, "time_limit": 30},
        },
        "out": {"kind": "io.flow_output"},
    },
    [
        "fast.reply -> first.lanes[0]",
        "first.value -> greeting.text",
        "greeting.text -> judge.value",
        "judge.passed -> out.value",
        "slow.reply -> first.lanes[1]",
        "word.value -> fast.prompt",
        "word.value -> slow.prompt",
    ],
    name="Two at once",
)
JUDGE = Subject(
    f'''
from stepwire_kit import Case, Flow, region
from stepwire_kit.nodes import judge as is_good, template

WORD = "wren"
NAME = "Ada"
ENOUGH = 0.8
RETRIES = 2
LIMIT = 30
CRITERIA = (Case("Whole", "answers all", "whole"), Case("Plain", when="is plain"))
BOTH = r"""{dumps(DRAWN)}"""

flow = Flow("Two at once")


@flow
async def two_at_once(word: str = WORD):
    first = await region("first", BOTH, word=word)
    greeting = await template("greeting", template="{{{{name}}}}, {{{{text}}}}", name=NAME, text=first.said)
    judged = await is_good.on(retries=RETRIES, time_limit=LIMIT)(
        "judge", greeting, criteria=CRITERIA, enough=ENOUGH
    )
    return {{"out": judged.passed}}
'''.lstrip(),
    JUDGED,
    constants={
        "WORD": ":word.default",
        "NAME": ":greeting.name",
        "ENOUGH": ":judge.enough",
        "RETRIES": ":judge.retries!",
        "LIMIT": ":judge.time_limit!",
    },
)
"""Records in a setting, run settings, a typed value, and a part as JSON."""

SUBJECTS = {"notes": NOTES, "chapters": CHAPTERS, "judge": JUDGE}
