"""Time limits of loops and maps, and error policies of loops."""

from typing import Any

from tests.export.equality import Row
from tests.runtime.bench import flow_of

OUTPUT = "io.flow_output"


def rounds(
    run: dict[str, Any],
    wires: list[str],
    seconds: float = 0,
    path: str = "missing.txt",
    **more: Any,
) -> tuple[dict[str, Any], list[str]]:
    """A loop that waits and then reads a file, and what stands behind it."""
    return {
        "word": ("text.text", {"text": path}),
        "rounds": ("control.loop", {"max_rounds": 2}, {}, run),
        "wait": ("control.delay", {"seconds": seconds}),
        "read": "io.read_file",
        "out": OUTPUT,
        **more,
    }, [
        "word.text -> rounds.start",
        "rounds.value -> wait.value",
        "wait.value -> read.path",
        "read.text -> rounds.again",
        *wires,
    ]


def items(
    run: dict[str, Any], seconds: float, *wires: str, path: str = "a", **more: Any
) -> tuple[dict[str, Any], list[str]]:
    """A map whose items wait, and what stands behind it."""
    return {
        "list": ("value.json", {"value": [path, path]}),
        "each": ("control.for_each", {}, {}, run),
        "wait": ("control.delay", {"seconds": seconds}),
        "all": "control.collect",
        "out": OUTPUT,
        **more,
    }, ["list.value -> each.items", "each.item -> wait.value", "wait.value -> all.value", *wires]


RESULT = "rounds.result -> out.value"
SHORT = {"time_limit": 30}
SAFE: dict[str, Any] = {"safe": "control.catch"}
EITHER: dict[str, Any] = {"either": ("control.merge", {"gives": "all"})}
FLOWS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a limit that a loop passes": rounds(SHORT, [RESULT], 600),
    "a limit that a loop keeps": rounds({"time_limit": 60}, [RESULT], path="word.txt"),
    "a failure without a policy": rounds({}, [RESULT]),
    "a default": rounds({"on_error": "default", "default": "none"}, [RESULT]),
    "a default that is not needed": rounds(
        {"on_error": "default", "default": "none"}, [RESULT], path="word.txt"
    ),
    "a default after a limit": rounds({"on_error": "default", "default": "late", **SHORT}, [RESULT], 600),
    "a default for the history": rounds(
        {"on_error": "default", "default": {"result": "none", "history": ["x"]}},
        [RESULT, "rounds.history -> h.value"],
        h=OUTPUT,
    ),
    "a default that leaves the history out": rounds(
        {"on_error": "default", "default": "none"}, [RESULT, "rounds.history -> h.value"], h=OUTPUT
    ),
    "an error that is a value": rounds(
        {"on_error": "output"}, ["rounds.error -> out.value", "rounds.result -> no.value"], no=OUTPUT
    ),
    "no error": rounds(
        {"on_error": "output"},
        ["rounds.error -> out.value", "rounds.result -> no.value"],
        path="word.txt",
        no=OUTPUT,
    ),
    "what is read out of a loop that failed": rounds(
        {"on_error": "default", "default": "none"},
        [RESULT, "wait.value -> seen.x", "rounds.round -> seen.n", "seen.text -> s.value"],
        seen=("text.template", {"template": "{{x}} {{n}}"}),
        s=OUTPUT,
    ),
    "what is read out of a loop that did not": rounds(
        {"on_error": "default", "default": "none"},
        [RESULT, "wait.value -> seen.x", "rounds.round -> seen.n", "seen.text -> s.value"],
        path="word.txt",
        seen=("text.template", {"template": "{{x}} {{n}}"}),
        s=OUTPUT,
    ),
    "a limit that is caught": rounds(
        SHORT,
        [
            "rounds.result -> safe.value",
            "safe.error -> either.values[0]",
            "safe.value -> either.values[1]",
            "either.value -> out.value",
        ],
        600,
        **SAFE,
        **EITHER,
    ),
    "a start that failed": rounds(
        {"on_error": "default", "default": "none"},
        ["rounds.result -> safe.value", "safe.error -> out.value"],
        word=("io.read_file", {"file": "gone.txt"}),
        **SAFE,
    ),
    "a limit that a map passes": items(SHORT, 600, "all.values -> out.value"),
    "a limit that a map keeps": items({"time_limit": 60}, 0, "all.values -> out.value"),
    "a limit of a map that is caught": items(
        SHORT, 600, "all.values -> safe.value", "safe.error -> out.value", **SAFE
    ),
    "a limit of a map that drops what fails": items(
        SHORT, 600, "all.values -> out.value", all=("control.collect", {"failed": "drop"})
    ),
    **{
        f"a limit of a loop that {what}, caught beside a step that is not": rounds(
            {"time_limit": 60},
            [
                "rounds.result -> safe.value",
                "safe.error -> either.values[0]",
                "safe.value -> either.values[1]",
                "either.value -> out.value",
                "wait.value -> past.path",
                "past.text -> rounds.also",
                "past.text -> seen.x",
                "seen.text -> s.value",
            ],
            seconds,
            path=path,
            past="io.read_file",
            seen=("text.template", {"template": "{{x}}"}),
            s=OUTPUT,
            **SAFE,
            **EITHER,
        )
        for what, seconds, path in (
            ("takes too long", 600, "word.txt"),
            ("is in time", 0, "word.txt"),
            ("fails first", 0, "missing.txt"),
        )
    },
    **{
        f"a limit of a map that {what}, caught beside a step that is not": items(
            {"time_limit": 60},
            seconds,
            "all.values -> safe.value",
            "safe.error -> either.values[0]",
            "safe.value -> either.values[1]",
            "either.value -> out.value",
            "wait.value -> past.path",
            path=path,
            **SAFE,
            **EITHER,
            past="io.read_file",
        )
        for what, seconds, path in (
            ("takes too long", 600, "word.txt"),
            ("is in time", 0, "word.txt"),
            ("fails first", 0, "missing.txt"),
        )
    },
    "lists of two lengths that are caught, beside a step that is not": (
        {
            "list": ("value.json", {"value": ["a", "b"]}),
            "short": ("value.json", {"value": ["c"]}),
            "each": ("control.for_each", {"more": ["others"]}),
            "said": ("text.template", {"template": "{{x}}"}),
            "read": "io.read_file",
            "all": "control.collect",
            **SAFE,
            "out": OUTPUT,
        },
        [
            "list.value -> each.items",
            "short.value -> each.others",
            "each.item -> said.x",
            "each.item -> read.path",
            "said.text -> all.value",
            "all.values -> safe.value",
            "safe.error -> out.value",
        ],
    ),
}

ROWS = {name: Row(flow_of(*one), files={"word.txt": "word.txt"}) for name, one in FLOWS.items()}
