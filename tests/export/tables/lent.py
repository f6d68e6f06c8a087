"""Flows that tools run."""

from studio.flow.records import Flow
from tests.export.equality import Row
from tests.nodes.environment.stories import FLOWS as STORY
from tests.nodes.environment.stories import RULES, story
from tests.nodes.tools.filtered import FLOWS as FILTERS
from tests.nodes.tools.filtered import RULES as FILTERED
from tests.nodes.tools.filtered import reading
from tests.runtime.bench import flow_of
from tests.runtime.called import OUT
from tests.runtime.lent import FLOWS, calling_tool, lends, with_agent

TWO = flow_of(
    {
        "n": ("io.flow_input", {"type": "number"}),
        "double": ("value.formula", {"formula": "n * 2"}),
        "which": ("control.branch", {"cases": [{"label": "big", "when": "value > 9"}, {"label": "no"}]}),
        "big": OUT,  # in the order of a file, in which a script has its outputs
        "twice": OUT,
    },
    [
        "n.value -> double.n",
        "n.value -> which.value",
        "double.value -> twice.value",
        "which.big -> big.value",
    ],
)
PATHS = flow_of(
    {
        "file": ("io.flow_input", {"type": "file", "default": "word.txt"}),
        "words": ("io.flow_input", {"type": "text[]", "default": ["a"]}),
        "all": OUT,
        "name": OUT,
    },
    ["file.value -> name.value", "words.value -> all.value"],
)
COUNT = flow_of(
    {
        "n": ("io.flow_input", {"type": "number"}),
        "again": ("control.call_tool", {}, {}),
        "self": lends("count.json", max_depth=4),
        "out": OUT,
    },
    [
        "n.value -> again.arguments",
        "self.tool -> again.tool[0]",
        "again.text -> out.value",
    ],
)
"""Calls itself by a tool, without an end."""
KNOWN = {**FLOWS, "two.json": TWO, "paths.json": PATHS, "count.json": COUNT}

ANSWERS = """
rules:
  - when: {turn: 0, has_tool: [look]}
    tool_calls:
      - {name: look, arguments: {bird: owl}}
      - {name: look, arguments: {bird: tit, often: 2}}
  - when: {has_tool: [look]}
    reply: "{{ tool_results | map(attribute='text') | join('; ') }}"
  - reply: "saw {{ last }}"
"""

CALLS: dict[str, Flow] = {
    "one text": calling_tool("loud.json", {"text": "owl"}),
    "a default": calling_tool("loud.json", {"text": "owl", "mark": "?"}),
    "some of several outputs": calling_tool("two.json", {"n": 4}),
    "all of several outputs": calling_tool("two.json", {"n": 40}),
    "paths and lists": calling_tool("paths.json", {}),
    "others of them": calling_tool("paths.json", {"file": "x.txt", "words": ["b", "c"]}),
    "what is missing": calling_tool("loud.json", {}),
    "a failure that is told": calling_tool("broken.json", {"path": "none.txt"}),
    "a failure of the step": calling_tool("broken.json", {"path": "none.txt"}, on_failure="fail"),
    "a name and words of its own": calling_tool("loud.json", {"text": "owl"}, name="x", description="Y"),
    "itself": calling_tool("count.json", {"n": 1}),
    "itself, from outside": COUNT,
}

ROWS = {
    **{
        name: Row(flow, {"n": 1} if flow is COUNT else {}, KNOWN, files={"word.txt": "word"})
        for name, flow in CALLS.items()
    },
    "an agent that calls flows which ask language models": Row(with_agent("look.json"), {}, KNOWN, ANSWERS),
    "an agent that reads what a flow makes of a result": Row(
        reading(flow="mask.json"), {}, FILTERS, FILTERED
    ),
    "an agent that reads that a result was refused": Row(reading(flow="block.json"), {}, FILTERS, FILTERED),
    "a game master that is told who acts": Row(story(), {}, STORY, RULES),
}
