"""Language models that are asked: for ways, texts, objects, several answers, vectors, and about pictures."""

from typing import Any

from tests.export.equality import Row
from tests.runtime.bench import flow_of
from tests.runtime.test_scheduler import INPUT, OUTPUT

RULES = """
rules:
  - name: choose
    when: {instructions: Choose the case, last: wren}
    reply: {case: Bird}
  - name: choose the other
    when: {instructions: Choose the case}
    reply: {case: Rest}
  - name: look
    when: {has_tool: find_lines, turn: 0}
    tool_calls:
      - name: find_lines
        arguments: {text: "{{ question }}"}
      - name: read_file
        arguments: {path: "../secret"}
      - name: nothing_like_it
        arguments: {}
  - name: found
    when: {has_tool: find_lines}
    reply: "{{ tool_results | map(attribute='text') | join(' | ') }}"
  - name: a bad day
    when: {last: trouble}
    error: {status: 400, message: "no"}
  - name: pictures
    when: {images: true}
    reply: "{{ images | join(' and ') }}"
  - name: several
    when: {asked: samples}
    reply: '{"n": {{ sample }}}'
  - name: told in words
    when: {instructions: It has to fit this JSON Schema}
    reply: '{"bird": "wren", "seen": 2}'
  - name: takes a schema beside json_object
    when: {schema: json_object}
    reply: '{"bird": "wren", "seen": 2}'
  - name: refuses schemas
    when: {instructions: Refuse}
    error: {status: 400, message: "response_format is not supported"}
  - name: repaired
    when: {instructions: Repair, last: "should be of type string"}
    reply: '{"bird": "wren"}'
  - name: another form
    when: {instructions: Repair}
    reply: '{"bird": 1}'
  - name: whatever
    reply: "{{ last }}?"
"""

CASES = [{"label": "Bird", "when": "has feathers {'\"}"}, {"label": "Rest"}]
CHOOSING = flow_of(
    {
        "word": INPUT,
        "topic": ("llm.classify", {"cases": CASES}),
        "bird": ("llm.chat", {"instructions": "Birds: {{day}}"}, {"day": "4 May"}),
        "rest": ("text.template", {"template": "({{x}})"}),
        "either": "control.merge",
        "out": OUTPUT,
    },
    [
        "word.value -> topic.value",
        "topic.bird -> bird.prompt",
        "topic.rest -> rest.x",
        "bird.reply -> either.values[0]",
        "rest.text -> either.values[1]",
        "either.value -> out.value",
    ],
)
EACH = flow_of(
    {
        "words": ("io.flow_input", {"type": "text[]", "default": ["frost"]}),
        "each": ("control.for_each", {"at_once": 2}),
        "ask": ("llm.chat", {}, {}, {"retries": 1, "time_limit": 20}),
        "all": ("control.collect", {"failed": "drop"}),
        "out": OUTPUT,
        "kept": OUTPUT,
    },
    [
        "words.value -> each.items",
        "each.item -> ask.prompt",
        "ask.reply -> all.value",
        "all.values -> out.value",
        "all.kept -> kept.value",
    ],
)
LENT = flow_of(
    {"word": INPUT, "files": "tools.files", "agent": "llm.agent", "out": OUTPUT},
    ["word.value -> agent.prompt", "files.tool -> agent.tools[0]", "agent.reply -> out.value"],
)
PICTURES = flow_of(
    {
        "photo": ("io.flow_input", {"type": "image"}),
        "picture": ("io.picture", {"file": "wren.gif"}),
        "ask": ("llm.chat", {}, {"prompt": "pictures"}),
        "out": OUTPUT,
    },
    ["photo.value -> ask.images[0]", "picture.picture -> ask.images[1]", "ask.reply -> out.value"],
)
VECTORS = flow_of(
    {
        "words": ("io.flow_input", {"type": "text[]"}),
        "embed": ("llm.embed", {"dimensions": 16, "batch": 2, "profile": "vectors"}),
        "out": OUTPUT,
    },
    ["words.value -> embed.texts", "embed.vectors -> out.value"],
)
CHAT = flow_of(
    {"word": INPUT, "ask": "llm.chat", "out": OUTPUT}, ["word.value -> ask.prompt", "ask.reply -> out.value"]
)
NEXT = flow_of(
    {
        "chat": ("llm.chat", {}, {"prompt": "?"}),
        "next": ("llm.chat", {}, {"prompt": "!"}),
        "out": OUTPUT,
    },
    ["chat.messages -> next.history", "next.reply -> out.value"],
)
ROLES = ("text.template", {"language": "jinja", "template": "{% for one in x %}{{ one.role }} {% endfor %}"})
"""Reads fields of what are messages no more, but JSON."""
CARRIED = flow_of(
    {
        "none": ("value.json", {"value": []}),
        "rounds": ("control.loop", {"max_rounds": 3}),
        "roles": ROLES,
        "goes_on": (
            "control.branch",
            {"cases": [{"label": "On", "when": "len(value) < 20"}, {"label": "End"}]},
        ),
        "ask": "llm.chat",
        "out": OUTPUT,
        "all": OUTPUT,
    },
    [
        "none.value -> rounds.start",
        "rounds.value -> roles.x",
        "rounds.value -> ask.history",
        "roles.text -> goes_on.value",
        "goes_on.on -> ask.prompt",
        "ask.messages -> rounds.again",
        "rounds.result -> out.value",
        "rounds.history -> all.value",
    ],
)
JOINED = flow_of(
    {
        "word": INPUT,
        "which": ("control.branch", {"cases": [{"label": "Ask", "when": "value != ''"}, {"label": "Rest"}]}),
        "ask": "llm.chat",
        "read": "text.parse_json",
        "either": "control.merge",
        "roles": ROLES,
        "out": OUTPUT,
    },
    [
        "word.value -> which.value",
        "which.ask -> ask.prompt",
        "which.rest -> read.text",
        "ask.messages -> either.values[0]",
        "read.value -> either.values[1]",
        "either.value -> roles.x",
        "roles.text -> out.value",
    ],
)
BIRD = {
    "type": "object",
    "properties": {"bird": {"type": "string"}, "seen": {"type": "integer"}},
    "required": ["bird"],
}


def sampled(schema: dict[str, Any] | None) -> Any:
    """Three answers to one request."""
    settings = {"sampling": "one call for all", "samples": 3, "answer_schema": schema}
    return flow_of(
        {"word": INPUT, "ask": ("llm.chat", settings), "out": OUTPUT, "first": OUTPUT},
        ["word.value -> ask.prompt", "ask.samples -> out.value", "ask.reply -> first.value"],
    )


def fielded(settings: dict[str, Any]) -> Any:
    """An answer with fields."""
    return flow_of(
        {
            "q": INPUT,
            "chat": ("llm.chat", {**settings, "answer_schema": BIRD}),
            "joined": ("text.template", {"template": "{{bird}}!"}),
            "out": OUTPUT,
            "count": OUTPUT,
        },
        [
            "q.value -> chat.prompt",
            "chat.bird -> joined.bird",
            "joined.text -> out.value",
            "chat.seen -> count.value",
        ],
    )


FORMS: tuple[dict[str, Any], ...] = (
    {"instructions": "Say.", "schema_by": "instruction"},
    {"instructions": "Say.", "schema_by": "json_object"},
    {"instructions": "Repair.", "repairs": 2},
    {"instructions": "Refuse."},
)
FILES = {"data/may.txt": "A dunnock sang.\nFrost.", "wren.gif": "GIF89a" + "\0" * 100}
WORDS = ["a wren", "moss", "a heron", "moss"]
GIVEN: dict[str, tuple[Any, dict[str, Any]]] = {
    "a way that is chosen": (CHOOSING, {"word": "A wren sang."}),
    "the other way": (CHOOSING, {"word": "A car passed."}),
    "items of which one fails": (EACH, {"words": ["one", "trouble", "three"]}),
    "a binding that lends several tools": (LENT, {"word": "frost"}),
    "several answers": (sampled(None), {"word": "samples"}),
    "several objects": (sampled({"type": "object", "required": ["n"]}), {"word": "samples"}),
    "pictures": (PICTURES, {"photo": "wren.gif"}),
    "vectors": (VECTORS, {"words": WORDS}),
    "a conversation": (NEXT, {}),
    "a conversation that a loop carries as JSON": (CARRIED, {}),
    "a conversation where another way gives JSON": (JOINED, {"word": "?"}),
    "a refusal": (CHAT, {"word": "trouble"}),
    **{f"fields of an answer: {one}": (fielded(one), {"q": "what?"}) for one in FORMS},
}
ROWS = {name: Row(flow, given, rules=RULES, files=FILES) for name, (flow, given) in GIVEN.items()}
