"""Scripts whose memories are conversations, or find texts by what they mean."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from tests.export.scripts import both, export
from tests.export.verifying import edited, verified
from tests.runtime.bench import flow_of

TWO: dict[str, Any] = {"turns": 1, "left": 1}
REPLY = "rules:\n  - reply: They heard a dunnock.\n"
BIRD = "A dunnock sang behind the shed."
DOWN = "rules:\n  - error: {status: 400, message: Not today}\n"


def two_steps(
    kind: str, settings: Mapping[str, Any], query: str = "what was said", first: str = BIRD
) -> Flow:
    """A memory in which two steps put texts, and in which a third looks."""
    return flow_of(
        {
            "memory": (kind, settings),
            "first": ("memory.remember", {}, {"texts": [first]}),
            "second": ("memory.remember", {}, {"texts": ["The soup wants more cumin.", "The gate is open."]}),
            "look": ("memory.recall", {}, {"query": query}),
            "out": "io.flow_output",
            "also": "io.flow_output",
        },
        [
            "memory.memory -> first.memory",
            "memory.memory -> second.memory",
            "memory.memory -> look.memory",
            "first.then -> second.after",
            "second.then -> look.after",
            "look.text -> out.value",
            "second.items -> also.value",
        ],
    )


FLOWS = {
    "window": two_steps("memory.window", {"turns": 2}),
    "tokens": two_steps("memory.window", {"turns": 0, "tokens": 5, "older": "keep"}),
    "long": two_steps("memory.window", {"turns": 0, "longest": 200}, first=BIRD * 9),
    "vector": two_steps("memory.vector", {"most": 1}, "Which bird was heard?"),
    "few": two_steps("memory.vector", {"most": 9, "limit": 2}, ""),
}
SUMMARY = two_steps("memory.summary", TWO)


@pytest.mark.parametrize("name", FLOWS)
def test_a_script_recalls_what_the_run_did(name: str, tmp_path: Path) -> None:
    engine, script = both(FLOWS[name], tmp_path)
    assert engine["out"] == script["out"]
    told = [[(one["text"], one["by"]) for one in outputs["also"]] for outputs in (engine, script)]
    assert told[0] == told[1]


@pytest.mark.parametrize("name", FLOWS)
def test_its_script_agrees_with_the_recording(name: str, tmp_path: Path) -> None:
    assert verified(FLOWS[name], tmp_path).difference is None


@pytest.mark.parametrize("rules", [REPLY, DOWN], ids=["a summary", "none"])
def test_a_script_sums_up_as_the_run_did_and_keeps_all_where_it_could_not(rules: str, tmp_path: Path) -> None:
    assert verified(SUMMARY, tmp_path, rules=rules).difference is None


def test_a_script_keeps_as_many_messages_as_the_run_while_nothing_can_be_summed_up(tmp_path: Path) -> None:
    flow = two_steps("memory.summary", {**TWO, "limit": 2})
    run = verified(flow, tmp_path, rules=DOWN)
    assert run.difference is None


@pytest.mark.parametrize("kind", ["memory.vector", "memory.stream", "memory.experience", "memory.graph"])
def test_a_script_has_the_bound_of_an_item(kind: str, tmp_path: Path) -> None:
    text = export(two_steps(kind, {"longest": 4711}), tmp_path / "script.py")
    assert "4711" in text
    assert "Shorten it" in text


def test_a_script_that_keeps_something_else_is_found_out(tmp_path: Path) -> None:
    other = edited('"user"', '"assistant"')
    assert verified(FLOWS["window"], tmp_path, edit=other).difference is not None


def routed(settings: Mapping[str, Any]) -> Flow:
    """A step that chooses from a memory by vectors."""
    return flow_of(
        {
            "memory": "memory.window",
            "route": ("memory.route_context", settings, {"task": "mend the roof", "role": "carpenter"}),
            "out": "io.flow_output",
        },
        ["memory.memory -> route.memory", "route.text -> out.value"],
    )


@pytest.mark.parametrize("kind", ["memory.vector", "memory.experience", "memory.route_context"])
def test_a_script_with_embedded_vectors_asks_nobody_and_one_with_a_profile_does(
    kind: str, tmp_path: Path
) -> None:
    texts: list[str] = []
    for method in ("embedded", "profile"):
        settings = {"method": method}
        flow = routed(settings) if kind == "memory.route_context" else two_steps(kind, settings)
        texts.append(export(flow, tmp_path / f"by_{method}.py"))
    assert ["openai" in text for text in texts] == [False, True]
