"""Branches in scripts: rules that are read where they hold, and functions where that would be too much."""

from pathlib import Path
from typing import Any

import pytest

from tests.export.scripts import both, export
from tests.runtime.bench import flow_of
from tests.runtime.test_scheduler import INPUT, OUTPUT

YES_OR_NO = ("yes", "no")
WORD = "word.value -> way.value"
FACTS = "facts.value -> way.facts"


def branching(rule: str, ways: tuple[str, str], *wires: str) -> Any:
    """A branch of two ways, each of which says in a text that it was gone."""
    cases = [{"label": ways[0], "when": rule}, {"label": ways[1]}]
    nodes: dict[str, Any] = {
        "word": INPUT,
        "facts": ("value.json", {"value": {"n": 3, "is": [], "kind": "wren"}}),
        "way": ("control.branch", {"cases": cases}),
        "one": ("text.template", {"template": "one {{x}}"}),
        "two": ("text.template", {"template": "two {{x}}"}),
        "either": "control.merge",
        "out": OUTPUT,
    }
    ends = [f"way.{ways[0]} -> one.x", f"way.{ways[1]} -> two.x"]
    ends += ["one.text -> either.values[0]", "two.text -> either.values[1]", "either.value -> out.value"]
    return flow_of(nodes, [*wires, *ends])


BOTH = (WORD, FACTS)
READ: dict[str, tuple[str, tuple[str, str], tuple[str, ...], str]] = {
    "a question of a text": ("len(value) > 3", YES_OR_NO, (WORD,), "way = len(word) > 3\n    if way:"),
    "a question of a field": ('facts["n"]', YES_OR_NO, BOTH, 'way = bool(FACTS["n"])\n    if way:'),
    "two named ways": (
        "value == 'a'",
        ("left", "right"),
        (WORD,),
        'way = "left" if word == "a" else "right"\n    if way == "left":',
    ),
    "a text of which a type checker would ask what it is compared with": (
        "value == 3",
        YES_OR_NO,
        (WORD,),
        "def decide_way(value: Any) -> bool:",
    ),
    "a rule that is long": (
        " or ".join(f"value == '{one * 9}'" for one in "abcdef"),
        ("left", "right"),
        (WORD,),
        'def choose_way(value: Any) -> Literal["left", "right"]:',
    ),
    "a rule with a function that Python has elsewhere": (
        'startswith(facts["kind"], value)',
        YES_OR_NO,
        BOTH,
        'way = startswith(FACTS["kind"], word)',
    ),
    "what is no text nor number": ("not facts['is']", YES_OR_NO, BOTH, 'way = not FACTS["is"]'),
}


@pytest.mark.parametrize("name", READ)
def test_a_rule_stands_where_it_is_read_best(name: str, tmp_path: Path) -> None:
    rule, ways, wires, said = READ[name]
    assert said in export(branching(rule, ways, *wires), tmp_path / "script.py")


@pytest.mark.parametrize("word", ["a", "wren", ""])
@pytest.mark.parametrize("name", READ)
def test_a_branch_goes_the_way_that_it_goes_in_the_engine(name: str, word: str, tmp_path: Path) -> None:
    rule, ways, wires, _ = READ[name]
    engine, script = both(branching(rule, ways, *wires), tmp_path, {"word": word})
    assert script == engine
