"""Branches, loops, maps, failures and orders, and what values become on their way."""

from typing import Any

from tests.export.equality import Row
from tests.runtime.bench import flow_of
from tests.runtime.test_scheduler import (
    BRANCH_WIRES,
    BRANCHING,
    INPUT,
    LOOP_WIRES,
    MAP_WIRES,
    MAPPING,
    OUTPUT,
    looping,
)

CAUGHT = [
    "file.text -> mark.x",
    "mark.text -> safe.value",
    "safe.error -> sorry.e",
    "safe.value -> either.values[0]",
    "sorry.text -> either.values[1]",
    "either.value -> out.value",
]
"""A step, another after it, and what is said when either has failed."""

FLOWS: dict[str, tuple[dict[str, Any], list[str], dict[str, Any]]] = {
    "a branch and a merge": (BRANCHING, BRANCH_WIRES, {"word": "thrush"}),
    "the other way of the branch": (BRANCHING, BRANCH_WIRES, {"word": "tit"}),
    "a loop that is done": (looping(), LOOP_WIRES, {"word": "a"}),
    "a loop at its limit": (looping(2), LOOP_WIRES, {"word": "a"}),
    "a loop that keeps its last round": (looping(rounds_kept=1), LOOP_WIRES, {"word": "a"}),
    "a loop that keeps none of its rounds": (looping(rounds_kept=0), LOOP_WIRES, {"word": "a"}),
    "a loop that fails at its limit": (looping(2, on_limit="fail"), LOOP_WIRES, {"word": "a"}),
    "a loop that has no other end than to fail": (
        {name: node for name, node in looping(2, on_limit="fail").items() if name not in {"enough", "all"}},
        [*LOOP_WIRES[:2], "grow.text -> rounds.again", "rounds.result -> out.value"],
        {"word": "a"},
    ),
    "a loop with a stop rule": (looping(9, stop_when="round >= 2"), LOOP_WIRES, {"word": ""}),
    "a stop rule that calls round": (
        looping(9, stop_when="round(round / 2) > 1 and lower(again) != ''"),
        LOOP_WIRES,
        {"word": ""},
    ),
    "a map": (MAPPING, MAP_WIRES, {}),
    "a map over nothing": ({**MAPPING, "words": ("value.json", {"value": []})}, MAP_WIRES, {}),
    "a map over no list": ({**MAPPING, "words": ("value.json", {"value": 7})}, MAP_WIRES, {}),
    "a loop in a map": (
        {
            "words": ("value.json", {"value": ["a", "bb"]}),
            "each": "control.for_each",
            "text": ("text.template", {"template": "{{x}}"}),
            "all": "control.collect",
            **{name: node for name, node in looping().items() if name in {"rounds", "grow", "enough"}},
            "out": OUTPUT,
        },
        [
            "words.value -> each.items",
            "each.item -> text.x",
            "text.text -> rounds.start",
            *LOOP_WIRES[1:5],
            "rounds.result -> all.value",
            "all.values -> out.value",
        ],
        {},
    ),
    **{
        f"a list input that {name}": (
            {
                "found": ("value.json", {"value": value}),
                "last": ("text.text", {"text": "z"}),
                "joined": ("text.join", {"separator": "-"}),
                "out": OUTPUT,
            },
            [
                "found.value -> joined.parts[0]",
                "last.text -> joined.parts[1]",
                "joined.text -> out.value",
            ],
            {},
        )
        for name, value in {
            "a list of unknown type comes to": ["a", "b"],
            "one value of unknown type comes to": "a",
            "an empty list comes to": [],
            "a list of wrong elements comes to": ["a", 7],
            "lists in a list come to": [["a"]],
        }.items()
    },
    "a map in a loop": (
        {
            "words": ("value.json", {"value": ["a", "b"]}),
            "rounds": ("control.loop", {"max_rounds": 3}),
            "each": ("control.for_each", {"at_once": 2}),
            "mark": ("text.template", {"template": "{{x}}{{n}}"}),
            "all": "control.collect",
            "out": OUTPUT,
        },
        [
            "words.value -> rounds.start",
            "rounds.value -> each.items",
            "each.item -> mark.x",
            "rounds.round -> mark.n",
            "mark.text -> all.value",
            "all.values -> rounds.again",
            "rounds.result -> out.value",
        ],
        {},
    ),
    "values read after a loop": (
        {**looping(), "after": ("text.template", {"template": "{{x}} {{n}} {{g}}"}), "seen": OUTPUT},
        [
            *LOOP_WIRES,
            "rounds.value -> after.x",
            "rounds.round -> after.n",
            "grow.text -> after.g",
            "after.text -> seen.value",
        ],
        {"word": "a"},
    ),
    "conditional outputs": (
        {**BRANCHING, "loud": OUTPUT, "quiet": OUTPUT},
        [*BRANCH_WIRES, "shout.text -> loud.value", "whisper.text -> quiet.value"],
        {"word": "tit"},
    ),
    "joined ways": (
        {
            **BRANCHING,
            "all": ("control.merge", {"gives": "all"}),
            "glue": ("text.join", {"separator": ","}),
            "g": OUTPUT,
            "m": OUTPUT,
        },
        [
            *BRANCH_WIRES,
            "shout.text -> all.values[0]",
            "word.value -> all.values[1]",
            "all.value -> m.value",
            "whisper.text -> glue.parts[1]",
            "shout.text -> glue.parts[2]",
            "word.value -> glue.parts[3]",
            "glue.text -> g.value",
        ],
        {"word": "tit"},
    ),
    "ways that do not exclude each other": (
        {**BRANCHING, "either": "control.merge"},
        [
            *[wire for wire in BRANCH_WIRES if "either.values" not in wire],
            "shout.text -> either.values[0]",
            "word.value -> either.values[1]",
        ],
        {"word": "tit"},
    ),
    "a case straight into a merge": (
        {**BRANCHING},
        [
            *[wire for wire in BRANCH_WIRES if "whisper" not in wire],
            "long.short -> either.values[1]",
            "long.short -> whisper.x",
        ],
        {"word": "tit"},
    ),
    "branches within branches": (
        {
            "word": INPUT,
            "a": (
                "control.branch",
                {
                    "cases": [
                        {"label": "one", "when": "len(value) > 2"},
                        {"label": "two", "when": "value == 'x'"},
                        {"label": "three"},
                    ]
                },
            ),
            "b": (
                "control.branch",
                {"cases": [{"label": "up", "when": "startswith(value, 't')"}, {"label": "down"}]},
            ),
            "u": ("text.template", {"template": "U{{x}}"}),
            "d": ("text.template", {"template": "D{{x}}"}),
            "w": ("text.template", {"template": "W{{x}}"}),
            "m": "control.merge",
            "out": OUTPUT,
        },
        [
            "word.value -> a.value",
            "a.one -> b.value",
            "b.up -> u.x",
            "b.down -> d.x",
            "a.two -> w.x",
            "u.text -> m.values[0]",
            "d.text -> m.values[1]",
            "w.text -> m.values[2]",
            "a.three -> m.values[3]",
            "m.value -> out.value",
        ],
        {"word": "thrush"},
    ),
    "a branch that may choose nothing": (
        {
            "word": INPUT,
            "a": ("control.branch", {"cases": [{"label": "one", "when": "len(value) > 9"}]}),
            "t": ("text.template", {"template": "{{x}}"}),
            "out": OUTPUT,
            "w": OUTPUT,
        },
        ["word.value -> a.value", "a.one -> t.x", "t.text -> out.value", "word.value -> w.value"],
        {"word": "thrush"},
    ),
    "a failed item left out": (
        {
            **MAPPING,
            "mark": ("text.template", {"template": "{{x.name}}"}),
            "words": ("value.json", {"value": [{"name": "a"}, {}, {"name": "c"}]}),
            "all": ("control.collect", {"failed": "drop"}),
        },
        [wire for wire in MAP_WIRES if "index" not in wire],
        {},
    ),
    "a failed item kept": (
        {
            **MAPPING,
            "mark": ("text.template", {"template": "{{x.name}}"}),
            "words": ("value.json", {"value": [{"name": "a"}, {}]}),
            "all": ("control.collect", {"failed": "keep"}),
        },
        [wire for wire in MAP_WIRES if "index" not in wire],
        {},
    ),
    "a failed item that ends the run": (
        {
            **MAPPING,
            "mark": ("text.template", {"template": "{{x.name}}"}),
            "words": ("value.json", {"value": [{"name": "a"}, {}]}),
        },
        [wire for wire in MAP_WIRES if "index" not in wire],
        {},
    ),
    **{
        f"items without a value: {absent}": (
            {
                "words": ("value.json", {"value": ["a", "bbb", "c"]}),
                "each": "control.for_each",
                "text": ("text.template", {"template": "{{x}}"}),
                "short": (
                    "control.branch",
                    {"cases": [{"label": "yes", "when": "len(value) < 2"}, {"label": "no"}]},
                ),
                "all": ("control.collect", {"absent": absent}),
                "long": "control.collect",
                "out": OUTPUT,
                "kept": OUTPUT,
                "l": OUTPUT,
            },
            [
                "words.value -> each.items",
                "each.item -> text.x",
                "text.text -> short.value",
                "short.yes -> all.value",
                "short.no -> long.value",
                "all.values -> out.value",
                "all.kept -> kept.value",
                "long.values -> l.value",
            ],
            {},
        )
        for absent in ("drop", "null", "fail")
    },
    "a failure that is caught": (
        {
            "file": ("io.read_file", {}, {"path": "missing.txt"}),
            "mark": ("text.template", {"template": "<{{x}}>"}),
            "safe": "control.catch",
            "sorry": ("text.template", {"template": "no: {{e.error}}"}),
            "either": "control.merge",
            "out": OUTPUT,
        },
        CAUGHT,
        {},
    ),
    "nothing to be caught": (
        {
            "file": ("text.text", {"text": "wren"}),
            "mark": ("text.template", {"template": "<{{x}}>"}),
            "safe": "control.catch",
            "sorry": ("text.template", {"template": "no: {{e.error}}"}),
            "either": "control.merge",
            "out": OUTPUT,
        },
        CAUGHT,
        {},
    ),
    "an item of which one part fails": (
        {
            "words": ("value.json", {"value": [{"name": "a"}, {}]}),
            "each": "control.for_each",
            "mark": ("text.template", {"template": "{{x.name}}"}),
            "number": ("text.template", {"template": "{{n}}"}),
            "names": ("control.collect", {"failed": "drop"}),
            "numbers": ("control.collect", {"failed": "drop"}),
            "out": OUTPUT,
            "all": OUTPUT,
        },
        [
            "words.value -> each.items",
            "each.item -> mark.x",
            "each.index -> number.n",
            "mark.text -> names.value",
            "number.text -> numbers.value",
            "names.values -> out.value",
            "numbers.values -> all.value",
        ],
        {},
    ),
    **{
        f"lists side by side: {ages}": (
            {
                "words": ("value.json", {"value": ["a", "b"]}),
                "ages": ("value.json", {"value": ages}),
                "each": ("control.for_each", {"more": ["class"]}),
                "mark": ("text.template", {"template": "{{n}} {{x}} {{y}}"}),
                "all": "control.collect",
                "out": OUTPUT,
            },
            [
                "words.value -> each.items",
                "ages.value -> each.class",
                "each.item -> mark.x",
                "each.class_item -> mark.y",
                "each.index -> mark.n",
                "mark.text -> all.value",
                "all.values -> out.value",
            ],
            {},
        )
        for ages in ([1, 2], [1])
    },
    **{
        f"a race of {path}": (
            {
                "word": INPUT,
                "slow": ("control.delay", {"seconds": seconds}),
                "fast": ("io.read_file", {}, {"path": path}),
                "first": "control.race",
                "out": OUTPUT,
            },
            [
                "word.value -> slow.value",
                "slow.value -> first.values[0]",
                "fast.text -> first.values[1]",
                "first.value -> out.value",
            ],
            {"word": "late"},
        )
        for path, seconds in {"missing.txt": 0, "word.txt": 600}.items()
    },
    "an error as a value": (
        {
            "file": ("io.read_file", {}, {"path": "missing.txt"}, {"on_error": "output"}),
            "text": ("text.template", {"template": "{{e.message}}"}),
            "out": OUTPUT,
            "read": OUTPUT,
        },
        ["file.error -> text.e", "text.text -> out.value", "file.text -> read.value"],
        {},
    ),
    "a default for what failed": (
        {
            "file": (
                "io.read_file",
                {},
                {"path": "missing.txt"},
                {"on_error": "default", "default": "nothing"},
            ),
            "out": OUTPUT,
        },
        ["file.text -> out.value"],
        {},
    ),
    "a failure": (
        {"file": ("io.read_file", {}, {"path": "missing.txt"}), "out": OUTPUT},
        ["file.text -> out.value"],
        {},
    ),
    "muted and bypassed": (
        {
            "word": INPUT,
            "m": ("text.template", {"template": "{{x}}!"}, {}, {"state": "muted"}),
            "b": ("io.read_file", {}, {}, {"state": "bypassed"}),
            "t": ("text.template", {"template": "{{x}}?"}),
            "out": OUTPUT,
            "no": OUTPUT,
        },
        [
            "word.value -> m.x",
            "m.text -> no.value",
            "word.value -> b.path",
            "b.text -> t.x",
            "t.text -> out.value",
        ],
        {"word": "w"},
    ),
    "order without values": (
        {
            "word": INPUT,
            "long": (
                "control.branch",
                {"cases": [{"label": "Long", "when": "len(value) > 3"}, {"label": "Short"}]},
            ),
            "write": ("io.write_file", {"path": "a.txt"}),
            "read": ("io.read_file", {"file": "a.txt"}),
            "never": ("text.text", {"text": "x"}),
            "out": OUTPUT,
            "no": OUTPUT,
        },
        [
            "word.value -> write.text",
            "write.then -> read.after",
            "read.text -> out.value",
            "word.value -> long.value",
            "long.long -> never.after",
            "never.text -> no.value",
        ],
        {"word": "w"},
    ),
    "a step of a loop after a loop beside it that does not happen": (
        {
            "word": ("io.flow_input", {"type": "text"}),
            "muted": ("text.template", {"template": "{{x}}"}, {}, {"state": "muted"}),
            "inner": ("control.loop", {"max_rounds": 2}),
            "step": ("text.template", {"template": "{{x}}"}),
            "outer": ("control.loop", {"max_rounds": 2}),
            "read": "io.read_file",
            "safe": "control.catch",
            "told": ("text.template", {"template": "{{x}}"}),
            "out": OUTPUT,
        },
        [
            "word.value -> muted.x",
            "muted.text -> inner.start",
            "inner.value -> step.x",
            "step.text -> inner.again",
            "inner.then -> safe.after",
            "word.value -> outer.start",
            "outer.value -> read.path",
            "read.text -> safe.value",
            "safe.error -> told.x",
            "told.text -> outer.again",
            "outer.result -> out.value",
        ],
        {"word": "missing.txt"},
    ),
    "a loop that is left as it is drawn and waits for a step outside of it": (
        {
            "word": ("io.flow_input", {"type": "text"}),
            "muted": ("text.template", {"template": "{{x}}"}, {}, {"state": "muted"}),
            "inner": ("control.loop", {"max_rounds": 2}),
            "step": ("text.template", {"template": "{{x}}"}),
            "outer": ("control.loop", {"max_rounds": 2}),
            "read": "io.read_file",
            "safe": "control.catch",
            "told": ("text.template", {"template": "{{x}}"}),
            "awaited": ("text.template", {"template": "{{x}}"}),
            "out": OUTPUT,
        },
        [
            "word.value -> muted.x",
            "muted.text -> inner.start",
            "inner.value -> step.x",
            "step.text -> inner.again",
            "inner.then -> safe.after",
            "word.value -> awaited.x",
            "awaited.text -> outer.also[0]",
            "word.value -> outer.start",
            "outer.value -> read.path",
            "read.text -> safe.value",
            "safe.error -> told.x",
            "told.text -> outer.again",
            "outer.result -> out.value",
        ],
        {"word": "missing.txt"},
    ),
    "conversions": (
        {
            "n": ("io.flow_input", {"type": "number", "default": 2}),
            "j": ("value.json", {"value": ["a", 1]}),
            "t": ("text.join", {}),
            "f": ("io.write_file", {"path": "n.txt"}),
            "p": ("text.template", {"template": "{{x}} {{n}} {{j}}"}),
            "out": OUTPUT,
            "file": OUTPUT,
            "num": OUTPUT,
        },
        [
            "n.value -> t.parts[0]",
            "t.text -> f.text",
            "f.file -> file.value",
            "n.value -> p.n",
            "j.value -> p.j",
            "t.text -> p.x",
            "p.text -> out.value",
            "n.value -> num.value",
        ],
        {"n": 3},
    ),
    "json where a text is wanted": (
        {"j": ("value.json", {"value": 7}), "f": ("io.write_file", {"path": "n.txt"}), "out": OUTPUT},
        ["j.value -> f.text", "f.file -> out.value"],
        {},
    ),
    "names that Python keeps for itself": (
        {
            "class": INPUT,
            "list": ("text.template", {"template": "{{class}} {{json}} {{template}}"[:19]}),
            "template": ("text.template", {"template": "{{list}}!"}),
            "json": OUTPUT,
        },
        [
            "class.value -> list.class",
            "class.value -> list.json",
            "list.text -> template.list",
            "template.text -> json.value",
        ],
        {"class": "x"},
    ),
    **{
        f"lists of texts: {name}": (
            {
                "some": ("io.flow_input", {"type": "text[]", "default": []}),
                "more": ("io.flow_input", {"type": "text[]", "default": []}),
                "way": (
                    "control.branch",
                    {"cases": [{"label": "many", "when": "len(value) > 1"}, {"label": "few"}]},
                ),
                "one": ("text.join", {"separator": "-"}),
                "two": ("text.join", {"separator": "-"}),
                "none": ("text.join", {"separator": "-"}),
                "out": OUTPUT,
                "both": OUTPUT,
                "no": OUTPUT,
            },
            [
                "some.value -> one.parts",
                "some.value -> two.parts[0]",
                "more.value -> two.parts[1]",
                "some.value -> way.value",
                "way.many -> none.parts[0]",
                "way.many -> none.parts[1]",
                "one.text -> out.value",
                "two.text -> both.value",
                "none.text -> no.value",
            ],
            {"some": some, "more": more},
        )
        for name, some, more in (
            ("none", [], []),
            ("one of them empty", [], ["a"]),
            ("both", ["a", "b"], ["c"]),
        )
    },
    "a message that passes through a step of any type": (
        {
            "said": ("io.flow_input", {"type": "message"}),
            "note": ("value.state_set", {"name": "note"}),
            "join": ("text.join", {}),
            "all": OUTPUT,
        },
        ["said.value -> note.value", "note.value -> join.parts", "join.text -> all.value"],
        {"said": {"role": "user", "content": "A wren."}},
    ),
    "inputs called as options are": (
        {
            "model": ("io.flow_input", {"default": "m"}),
            "folder": ("io.flow_input", {"type": "json", "default": {"a": [1]}}),
            "t": ("text.template", {"template": "{{a}}{{b}}"}),
            "out": OUTPUT,
        },
        ["model.value -> t.a", "folder.value -> t.b", "t.text -> out.value"],
        {},
    ),
}

ROWS = {
    name: Row(flow_of(nodes, wires), given, files={"word.txt": "early"})
    for name, (nodes, wires, given) in FLOWS.items()
}
