"""What a run may spend, its script may: the same limits end both, after the same calls."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.app.exporting import export_flow
from studio.export.guards import Guards
from studio.export.lifted.turns import Turns
from studio.export.script import export_script
from studio.flow import codec
from studio.flow.records import Flow
from studio.llm.prices import Price, Prices
from studio.llm.scripted_endpoint import ScriptedEndpoint
from tests.app.flows import chain
from tests.app.projects import write_project
from tests.export.in_process import client_of, play
from tests.export.scripts import Scripted
from tests.export.verifying import verified
from tests.llm.builders import book_of
from tests.reference.clock import run_virtually
from tests.runtime.bench import REGISTRY, flow_of, run

RULES = """
rules:
  - name: look
    when: {has_tool: list_files}
    tool_calls: [{name: list_files, arguments: {}}]
  - name: ask
    when: {has_tool: expert}
    tool_calls: [{name: expert, arguments: {task: count}}]
  - name: all
    reply: "one two three four five: {{ last }}"
"""
PRICES = Prices((Price(("scripted",), 1000.0, 1000.0, 1000.0),))
OUT = "io.flow_output"
LOOP: dict[str, Any] = {
    "word": ("io.flow_input", {"default": "owl"}),
    "rounds": ("control.loop", {"max_rounds": 9}),
    "writer": "llm.chat",
    "out": OUT,
}
AGAIN = [
    "word.value -> rounds.start",
    "rounds.value -> writer.prompt",
    "writer.reply -> rounds.again",
    "rounds.result -> out.value",
]
AGENT: dict[str, Any] = {
    "word": ("io.flow_input", {"default": "owl"}),
    "files": ("tools.files", {"folder": "."}),
    "writer": ("llm.agent", {"turns": 9, "at_limit": "stop"}),
    "out": OUT,
}
LENT = ["word.value -> writer.prompt", "files.tools -> writer.tools", "writer.reply -> out.value"]

PRICED = {
    "default": "first",
    "profiles": {"first": {"llm": "gpt-5", "fallback": ["second"]}, "second": {"llm": "gpt-4.1-mini"}},
}
PACED = {
    "default": "first",
    "profiles": {
        "first": {"llm": "m", "at_once": 8, "requests_per_minute": 60, "fallback": ["b"]},
        "b": {"llm": "m"},
    },
}
SHARED = {"default": "first", "profiles": {key: {"llm": "m", "at_once": 1} for key in ("first", "second")}}
NAMING: Mapping[str, Any] = json.loads(
    codec.dumps(
        flow_of(
            {
                "usual": ("llm.chat", {}, {"prompt": "?"}),
                "named": ("llm.chat", {"profile": "first"}, {"prompt": "?"}),
                "other": ("llm.chat", {"profile": "second"}, {"prompt": "?"}),
            },
            [],
        )
    )
)
LIMITED: dict[str, dict[str, Any]] = {
    "prices": {
        "flow": chain(),
        "chat": PRICED,
        "limits": {"tokens": 20000, "at_once": 4, "cost": 0.5},
    },
    "turns": {"flow": chain(), "chat": PACED, "limits": {"at_once": 4}},
    "names": {"flow": NAMING, "chat": SHARED},
}
"""Projects with limits of their own; the type checker looks at their scripts with all others."""


def text_of(folder: Path, **project: Any) -> str:
    """Write a project, and export its flow."""
    return export_flow(write_project(folder, **project) / "flow.json")


def ended(
    flow: Flow, limits: Mapping[str, float], *arguments: str, place: Path = Path("script.py")
) -> Scripted:
    """How the script of a flow ends that is told limits, and the prices for them."""
    guards = Guards(limits, PRICES if "cost" in limits else Prices())
    source = export_script(flow, REGISTRY, source_name="bench", guards=guards)
    given = {"AsyncOpenAI": client_of(ScriptedEndpoint(book_of(RULES), pace=0))}
    return play(source, arguments, given=given, place=place)


def own(nodes: Mapping[str, Any], **limits: float) -> dict[str, Any]:
    """The nodes, with limits of the writer's own."""
    writer: Any = nodes["writer"]
    kind: str = writer if isinstance(writer, str) else writer[0]
    settings: dict[str, Any] = {} if isinstance(writer, str) else writer[1]
    return {**nodes, "writer": (kind, settings, {}, {"limits": limits})}


@pytest.mark.parametrize(
    ("flow", "limits", "says"),
    [
        (flow_of(LOOP, AGAIN), {"calls": 3}, "The run has reached its limit of 3 calls (3"),
        (flow_of(LOOP, AGAIN), {"tokens": 40}, "The run has reached its limit of 40 tokens"),
        (flow_of(LOOP, AGAIN), {"steps": 2}, "The run has reached its limit of 2 steps (2"),
        (flow_of(AGENT, LENT), {"calls": 4}, "The run has reached its limit of 4 calls (4"),
        (flow_of(own(LOOP, calls=2), AGAIN), {}, "The node `writer` has reached its limit of 2 calls"),
        (flow_of(own(LOOP, steps=2), AGAIN), {}, "The node `writer` has reached its limit of 2 steps"),
        (flow_of(own(AGENT, tokens=30), LENT), {}, "The node `writer` has reached its limit of 30 tokens"),
    ],
    ids=str,
)
def test_a_limit_ends_a_script_as_it_ends_a_run(
    flow: Flow, limits: dict[str, float], says: str, tmp_path: Path
) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text(RULES)
    ran = asyncio.run(run(flow, script=answers, root=tmp_path, limits=limits))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.error == "LimitReachedError"
    script = ended(flow, limits, place=tmp_path / "script.py")
    assert script.code == 3, script.err
    assert f"error: LimitReachedError: {says}" in script.err
    assert "comes near its limit" in script.err
    told = ran.outcome.error.message.partition("failed: ")[2]
    assert script.err.endswith(f"error: LimitReachedError: {told}\n")


def test_dollars_are_counted_by_the_prices_that_the_script_carries() -> None:
    script = ended(flow_of(LOOP, AGAIN), {"cost": 0.05})
    assert script.code == 3, script.err
    assert "The run has reached its limit of $0.0500 ($0.0" in script.err


def test_that_dollars_of_an_unknown_price_are_not_kept_is_said_once() -> None:
    script = ended(flow_of(own(LOOP, tokens=9999), AGAIN), {"calls": 99}, "--limit=cost=0.01")
    assert script.code == 0, script.err
    assert script.err.count("warning: The cost of `scripted` is unknown, so the limit of $0.0100 is not") == 1
    assert "unknown" not in ended(flow_of(LOOP, AGAIN), {"calls": 99}).err


def test_the_command_line_sets_other_limits() -> None:
    flow = flow_of(LOOP, AGAIN)
    assert ended(flow, {"calls": 3}, "--limit=calls=9").code == 0
    assert ended(flow, {"calls": 9}, "--limit", "calls=9", "--limit", "steps=2").code == 3
    with pytest.raises(SystemExit) as refused:
        ended(flow, {"calls": 3}, "--limit=calls=many")
    assert refused.value.code == 2


def test_seconds_interrupt_what_is_under_way() -> None:
    nodes: dict[str, Any] = {
        "wait": ("control.delay", {"seconds": 30}, {"value": "x"}, {"on_error": "output"}),
        "out": OUT,
    }
    script = ended(flow_of(nodes, ["wait.value -> out.value"]), {"seconds": 0.05})
    assert (script.code, script.out) == (3, "")
    assert "The run has reached its limit of 0.05 s " in script.err


def test_no_policy_mends_that_a_limit_is_reached() -> None:
    nodes: dict[str, Any] = {
        **LOOP,
        "writer": ("llm.chat", {}, {}, {"on_error": "default", "default": "x", "retries": 2}),
    }
    assert ended(flow_of(nodes, AGAIN), {"calls": 3}).code == 3


def test_what_a_tool_asks_is_on_the_account_of_who_calls_it() -> None:
    nodes: dict[str, Any] = {
        "expert": ("team.member", {"name": "expert", "instructions": "You know birds."}),
        "lent": ("tools.agent_as_tool", {"name": "expert"}),
        "writer": ("llm.agent", {"turns": 2, "at_limit": "stop"}, {"prompt": "?"}, {"limits": {"calls": 3}}),
        "out": OUT,
    }
    wires = ["expert.agent -> lent.agent", "lent.tool -> writer.tools", "writer.reply -> out.value"]
    script = ended(flow_of(nodes, wires), {})
    assert script.code == 3, script.err
    assert "The node `writer` has reached its limit of 3 calls" in script.err


def test_a_script_has_the_limits_of_its_project_and_the_prices_that_it_needs(tmp_path: Path) -> None:
    text = text_of(tmp_path, **LIMITED["prices"])
    assert '{"cost": 0.5, "tokens": 20000.0, **dict(arguments.limit)}' in " ".join(text.split())
    assert '"gpt-5", "gpt-5-20*"' in text
    assert '"gpt-4.1-mini"' in text
    text = text_of(tmp_path, flow=chain(), chat=PRICED)
    assert [name for name in ("Account", "--limit", "Price") if name in text] == []


async def test_calls_of_a_profile_wait_for_their_turn() -> None:
    under_way: list[int] = []
    most = 0

    async def call(number: int) -> int:
        nonlocal most
        under_way.append(number)
        most = max(most, len(under_way))
        for _ in range(5):
            await asyncio.sleep(0)
        under_way.remove(number)
        return number

    turns = Turns(at_once=2)
    assert await asyncio.gather(*(turns.run(call, number=one) for one in range(6))) == [*range(6)]
    assert most == 2


def test_no_more_calls_begin_in_a_minute_than_a_profile_bears() -> None:
    async def begins() -> list[float]:
        turns, loop = Turns(a_minute=2), asyncio.get_running_loop()
        begun = loop.time()

        async def call() -> float:
            return loop.time() - begun

        return await asyncio.gather(*(turns.run(call) for _ in range(5)))

    found = run_virtually(begins())
    assert [round(one) for one in found] == [0, 0, 60, 60, 120]


def test_a_script_keeps_to_what_the_profiles_of_its_project_bear(tmp_path: Path) -> None:
    text = text_of(tmp_path, **LIMITED["turns"])
    assert 'rations={"": Turns(at_once=4, a_minute=60), "b": Turns(at_once=4)}' in " ".join(text.split())
    given = {"AsyncOpenAI": client_of(ScriptedEndpoint(book_of(RULES), pace=0))}
    assert play(text, ["--question=owl"], given=given).outputs == {"answer": "one two three four five: owl"}


def test_the_usual_profile_and_its_name_take_their_turns_from_the_same(tmp_path: Path) -> None:
    text = text_of(tmp_path, **LIMITED["names"])
    said = 'rations={ **dict.fromkeys(("", "first"), Turns(at_once=1)), "second": Turns(at_once=1), }'
    assert said in " ".join(text.split())


def test_a_script_is_compared_with_a_run_that_had_other_limits(tmp_path: Path) -> None:
    flow = flow_of(own(LOOP, tokens=10), AGAIN)
    ran_flow = flow_of(LOOP, AGAIN)
    guards = Guards({"calls": 2, "cost": 0.001, "steps": 3}, PRICES, {"": (2, 100)})

    def limited(_: str) -> str:
        return export_script(flow, REGISTRY, source_name="bench", guards=guards)

    found = verified(ran_flow, tmp_path, {"word": "owl"}, rules=RULES, edit=limited)
    assert found.difference is None


def test_an_agent_stops_at_so_many_dollars() -> None:
    agent = ("llm.agent", {"turns": 9, "at_limit": "stop", "cost": 0.05})
    wires = [*LENT, "writer.ended -> why.value"]
    flow = flow_of({**AGENT, "writer": agent, "why": OUT}, wires)
    assert ended(flow, {"cost": 5}).outputs["why"] == "cost"
    unpriced = ended(flow, {})
    assert unpriced.code == 1
    assert "The cost of answers is unknown here" in unpriced.err


def test_the_name_of_a_limit_is_no_code() -> None:
    flow = flow_of(own(LOOP, **{"x=1), print('ran'": 5}), AGAIN)
    source = export_script(flow, REGISTRY, source_name="bench")
    assert """.within("writer", {"x=1), print('ran'": 5.0})""" in " ".join(source.split())


def test_a_trace_tells_that_a_limit_was_reached(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    assert ended(flow_of(own(LOOP, calls=2), AGAIN), {"seconds": 60}, f"--trace={trace}").code == 3
    last = json.loads(trace.read_text().splitlines()[-1])["event"]
    assert (last["kind"], last["error"]) == ("run_failed", "LimitReachedError")
