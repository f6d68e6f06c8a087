"""Flows that call others."""

from typing import Any

from studio.flow.records import Flow
from tests.export.equality import Row
from tests.runtime.bench import flow_of
from tests.runtime.called import OUT, UPPER, calls
from tests.runtime.test_subflow import BROKEN, COUNTDOWN, SLOW

TWO = flow_of(
    {
        "text": "io.flow_input",
        "which": (
            "control.branch",
            {"cases": [{"label": "Long", "when": "len(value) > 9"}, {"label": "Short"}]},
        ),
        "count": ("value.formula", {"formula": "len(text)"}),
        "long": OUT,
        "class": OUT,
        "length": OUT,
        "never": OUT,
    },
    [
        "text.value -> which.value",
        "text.value -> count.text",
        "which.long -> long.value",
        "which.short -> class.value",
        "count.value -> length.value",
        "which.long -> never.value",
    ],
)
"""Gives several outputs, not all of them always; one of any type."""

PING = flow_of(
    {
        "n": ("io.flow_input", {"type": "number"}),
        "more": ("control.branch", {"cases": [{"label": "yes", "when": "value > 0"}, {"label": "no"}]}),
        "less": ("value.formula", {"formula": "n - 1"}),
        "over": calls("pong.json"),
        "end": "control.merge",
        "out": OUT,
    },
    [
        "n.value -> more.value",
        "more.yes -> less.n",
        "less.value -> over.n",
        "over.out -> end.values[0]",
        "more.no -> end.values[1]",
        "end.value -> out.value",
    ],
)
PONG = flow_of(
    {"n": ("io.flow_input", {"type": "number"}), "back": calls("ping.json"), "out": OUT},
    ["n.value -> back.n", "back.out -> out.value"],
)
LISTS = flow_of(
    {
        "words": ("io.flow_input", {"type": "text[]", "default": ["a"]}),
        "each": "control.for_each",
        "loud": calls("loud.json"),
        "all": "control.collect",
        "said": OUT,
    },
    [
        "words.value -> each.items",
        "each.item -> loud.text",
        "loud.loud -> all.value",
        "all.values -> said.value",
    ],
)
KNOWN: dict[str, Flow] = {
    "loud.json": UPPER,
    "two.json": TWO,
    "ping.json": PING,
    "pong.json": PONG,
    "lists.json": LISTS,
    "broken.json": BROKEN,
    "slow.json": SLOW,
    "both.json": flow_of(
        {
            "text": "io.flow_input",
            "count": ("value.formula", {"formula": "len(text)"}),
            "read": ("io.read_file", {}),
            "said": OUT,
            "length": OUT,
        },
        [
            "text.value -> read.path",
            "text.value -> count.text",
            "read.text -> said.value",
            "count.value -> length.value",
        ],
    ),
    "countdown.json": COUNTDOWN,
    "bytes.json": flow_of(
        {"path": ("io.flow_input", {"type": "file", "default": "word.txt"}), "out": OUT},
        ["path.value -> out.value"],
    ),
    "roles.json": flow_of(
        {
            "talk": ("io.flow_input", {"type": "json"}),
            "roles": ("text.template", {"language": "jinja", "template": "{{ talk[0].role }}"}),
            "said": OUT,
        },
        ["talk.value -> roles.talk", "roles.text -> said.value"],
    ),
    "quiet.json": flow_of(
        {"text": "io.flow_input", "mark": ("text.template", {"template": "x{{t}}"})}, ["text.value -> mark.t"]
    ),
}


def failing(
    run: dict[str, Any], *wires: str, **more: Any
) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
    return {"call": calls("broken.json", {"text": "x.txt"}, run), "out": OUT, **more}, list(wires), {}


def going(n: int) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
    nodes = {"n": ("io.flow_input", {"type": "number", "default": 0}), "call": calls("ping.json"), "out": OUT}
    return nodes, ["n.value -> call.n", "call.out -> out.value"], {"n": n}


FLOWS: dict[str, tuple[dict[str, Any], list[str], dict[str, Any]]] = {
    "a call": (
        {"word": ("io.flow_input", {"default": "owl"}), "loud": calls("loud.json"), "out": OUT},
        ["word.value -> loud.text", "loud.loud -> out.value"],
        {"word": "tit"},
    ),
    "what is typed, and a default": (
        {"call": calls("loud.json", {"text": "tit"}), "out": OUT},
        ["call.loud -> out.value"],
        {},
    ),
    "calls that begin together": (
        {
            "one": calls("loud.json", {"text": "a"}),
            "two": calls("loud.json", {"text": "b", "mark": "?"}),
            "glue": ("text.join", {"separator": " "}),
            "out": OUT,
        },
        ["one.loud -> glue.parts[0]", "two.loud -> glue.parts[1]", "glue.text -> out.value"],
        {},
    ),
    **{
        f"several outputs: {word}": (
            {
                "word": "io.flow_input",
                "call": calls("two.json"),
                "loud": calls("loud.json"),
                "a": OUT,
                "b": OUT,
                "c": OUT,
                "d": OUT,
            },
            [
                "word.value -> call.text",
                "call.long -> loud.text",
                "loud.loud -> a.value",
                "call.class -> b.value",
                "call.length -> c.value",
                "call.never -> d.value",
            ],
            {"word": word},
        )
        for word in ("wren", "nightingale")
    },
    "an input that may be left out": (
        {
            "word": "io.flow_input",
            "long": ("control.branch", {"cases": [{"label": "yes", "when": "len(value) > 3"}]}),
            "call": calls("loud.json", {"text": "owl"}),
            "out": OUT,
        },
        ["word.value -> long.value", "long.yes -> call.mark", "call.loud -> out.value"],
        {"word": "tit"},
    ),
    "calls in a map, of a flow with a map": (
        {
            "lists": ("value.json", {"value": [["owl", "tit"], ["wren"]]}),
            "each": "control.for_each",
            "call": calls("lists.json"),
            "all": "control.collect",
            "out": OUT,
        },
        [
            "lists.value -> each.items",
            "each.item -> call.words",
            "call.said -> all.value",
            "all.values -> out.value",
        ],
        {},
    ),
    "a list by default": ({"call": calls("lists.json"), "out": OUT}, ["call.said -> out.value"], {}),
    "a file by default": ({"call": calls("bytes.json"), "out": OUT}, ["call.out -> out.value"], {}),
    "messages where JSON is asked for": (
        {"talk": ("io.flow_input", {"type": "messages"}), "call": calls("roles.json"), "out": OUT},
        ["talk.value -> call.talk", "call.said -> out.value"],
        {"talk": [{"role": "user", "content": "A wren."}]},
    ),
    **{
        f"{kind} by default": (
            {"talk": ("io.flow_input", {"type": kind, "default": default}), "out": OUT},
            ["talk.value -> out.value"],
            {},
        )
        for kind, default in {
            "message": {"role": "user", "content": "A wren."},
            "messages": [{"role": "user", "content": "A wren."}],
        }.items()
    },
    "a call that gives nothing": (
        {"call": calls("quiet.json", {"text": "x"}), "t": ("text.text", {"text": "y"}), "out": OUT},
        ["call.then -> t.after", "t.text -> out.value"],
        {},
    ),
    "a call in every round": (
        {
            "word": "io.flow_input",
            "rounds": ("control.loop", {"max_rounds": 3}),
            "call": calls("loud.json"),
            "out": OUT,
        },
        [
            "word.value -> rounds.start",
            "rounds.value -> call.text",
            "call.loud -> rounds.again",
            "rounds.result -> out.value",
        ],
        {"word": "owl"},
    ),
    **{f"flows that call one another: {n}": going(n) for n in (0, 3, 4)},
    "a failure": failing({}, "call.said -> out.value"),
    "a default": failing({"on_error": "default", "default": "no"}, "call.said -> out.value"),
    "an error that is a value": failing({"on_error": "output"}, "call.error -> out.value"),
    "a failure that is caught": failing(
        {}, "call.said -> catch.value", "catch.error -> out.value", catch="control.catch"
    ),
    "a time limit": (
        {"call": calls("slow.json", {"text": "x"}, {"time_limit": 10, "on_error": "output"}), "out": OUT},
        ["call.error -> out.value"],
        {},
    ),
    "a default for one of several outputs": (
        {
            "call": calls("both.json", {"text": "x.txt"}, {"on_error": "default", "default": {"length": 3}}),
            "out": OUT,
            "no": OUT,
        },
        ["call.length -> out.value", "call.said -> no.value"],
        {},
    ),
    "a race of calls": (
        {
            "slow": calls("slow.json", {"text": "x"}),
            "quick": calls("loud.json", {"text": "x"}),
            "race": "control.race",
            "out": OUT,
        },
        ["slow.said -> race.values[0]", "quick.loud -> race.values[1]", "race.value -> out.value"],
        {},
    ),
    "muted and bypassed calls": (
        {
            "word": "io.flow_input",
            "m": calls("loud.json", {}, {"state": "muted"}),
            "b": calls("loud.json", {}, {"state": "bypassed"}),
            "out": OUT,
            "no": OUT,
        },
        ["word.value -> m.text", "m.loud -> no.value", "word.value -> b.text", "b.loud -> out.value"],
        {"word": "w"},
    ),
}

ROWS = {
    **{
        name: Row(flow_of(nodes, wires), given, KNOWN, files={"word.txt": "word"})
        for name, (nodes, wires, given) in FLOWS.items()
    },
    **{f"a flow that calls itself: {depth}": Row(COUNTDOWN, {"number": depth}, KNOWN) for depth in (0, 8, 9)},
}
