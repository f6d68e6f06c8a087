"""The random flows are worth something: each structure and each refusal is among every hundred of them."""

from collections import Counter
from contextlib import suppress
from random import Random

import pytest

from studio.flow.checks.check import check, errors_of
from studio.ids import NodeId
from tests.reference.generator import NESTINGS, Case, case_of
from tests.reference.interpreter import Interpreter, NotSettledError, Result, Told
from tests.reference.regions import Region

SAMPLE = 24
"""So many flows of each nesting: in the random tests too, nestings are equally frequent."""
STRUCTURES = {
    "branch",
    "merge",
    "catch",
    "loop",
    "map",
    "loop in map",
    "map in loop",
    "map in map",
    "loop in loop",
    "three deep",
    "loop in map in loop, or map in loop in map",
    "several collects",
    "a sink in a map",
    "order wire",
    "run once after a loop",
    "muted",
    "bypassed",
    "error port",
    "default for an error",
    "a failure is taken in",
    "the run fails",
    "skipped step",
    "no items",
    "race",
    "race that somebody loses",
    "race that nobody wins",
    "race in loop",
    "race in map",
    "loop or map in a race",
    "delay",
    "attempts after the first",
    "time limit",
    "time limit that is reached",
    "chat",
    "lent tool",
    "side effect",
    "literal",
    "conversion",
    "conversion that fails",
    "list input with absent elements",
    "subflow",
    "subflow in a loop or map",
    "call within a call",
    "flow that calls itself",
    "too many calls within calls",
    "failure in a called flow",
    "failure in a called flow that is taken in there",
    "error policy of a call",
    "time limit of a call",
    "loop or map in a called flow",
    "retry",
    "retry that a later tool answers",
    "retry that nobody answers",
    "two lists side by side",
    "lists of unequal length",
    "value beside an absent order",
    "absent optional input",
    "keeps failed items",
    "drops failed items",
}
WORDS = {
    "control.race": "race",
    "control.delay": "delay",
    "test.asker": "chat",
    "test.lender": "lent tool",
    "test.writer": "side effect",
    "control.retry": "retry",
    "control.subflow": "subflow",
}
REFUSALS = {
    "cycle",
    "regions-crosswise",
    "regions-maps",
    "map-without-collect",
    "output-in-map",
    "item-and-list",
    "collect-without-map",
    "regions-leaves-map",
    "type-conflict",
    "missing-input",
    "missing-node",
    "missing-port",
    "two-wires",
    "equal-indices",
    "unknown-kind",
    "settings",
}


def _above(region: Region) -> list[str]:
    found: list[str] = []
    one: Region | None = region
    while one is not None and one.owner:
        found.append("loop" if one.is_loop else "map")
        one = one.parent
    return found


def structures_of(case: Case) -> set[str]:
    """What is special about a flow and its run."""
    told = Interpreter(case.flow, case.given, flows=case.flows)
    result = told.run()
    nodes = case.flow.nodes.values()
    found = {"branch" for one in nodes if one.kind == "control.branch"}
    found |= {"merge" for one in nodes if one.kind == "control.merge"}
    found |= {"catch" for one in nodes if one.kind == "control.catch"}
    found |= {one.run.state for one in nodes if one.run.state}
    found |= {"error port" for one in nodes if one.run.on_error == "output"}
    found |= {"default for an error" for one in nodes if one.run.on_error == "default"}
    found |= {"order wire" for one in case.flow.wires if one.target.port == "after"}
    found |= _of_nodes(case) | _of_steps(case, told, result)
    for region in told.reading.regions.values():
        above = _above(region)
        found.add(above[0])
        found |= {f"{above[0]} in {outer}" for outer in above[1:2]}
        if len(above) > 2:
            found.add("three deep")
            if above[0] == above[2] != above[1]:
                found.add("loop in map in loop, or map in loop in map")
        if len(region.collects) > 1:
            found.add("several collects")
        if not region.is_loop and any(
            all(source != vertex for source, _, _ in told.document.wires) for vertex in region.body
        ):
            found.add("a sink in a map")
    statuses = {one.status for one in result.steps.values()}
    found |= {"skipped step"} & {f"{one} step" for one in statuses}
    if result.errors:
        found.add("the run fails")
    elif "failed" in statuses:
        found.add("a failure is taken in")
    if any(one.inputs.get("items") == [] for one in result.steps.values()):
        found.add("no items")
    return found


def _of_nodes(case: Case) -> set[str]:
    nodes = case.flow.nodes.values()
    kinds = {one.kind for one in nodes}
    found = {word for kind, word in WORDS.items() if kind in kinds}
    if any(
        one.settings.get("flow") == name for name, flow in case.flows.items() for one in flow.nodes.values()
    ):
        found.add("flow that calls itself")
    found |= {"literal" for one in nodes if "two" in one.inputs}
    found |= {"attempts after the first" for one in nodes if one.settings.get("flaky")}
    found |= {"time limit" for one in nodes if one.run.time_limit}
    found |= {
        f"{one.settings['failed']}s failed items" for one in nodes if one.settings.get("failed") == "keep"
    }
    found |= {"drops failed items" for one in nodes if one.settings.get("failed") == "drop"}
    found |= {
        "conversion" for one in case.flow.wires if one.source.port in {"number", "flag", "message", "round"}
    }
    return found


def _of_steps(case: Case, told: Interpreter, result: Result) -> set[str]:  # noqa: C901, PLR0912  # one thing after another
    """What happened in a run, and not in every run of such a flow."""
    found: set[str] = set()
    for race in told.document.nodes("control.race"):
        home = told.reading.home((race, "step"))
        if home.owner:
            found.add("race in loop" if home.is_loop else "race in map")
        if told._fates.contenders(race, home)[1]:
            found.add("loop or map in a race")
    for step, one in result.steps.items():
        found |= _of_call(case, step, one)
        name = NodeId(step.rpartition("/")[2])
        if name not in case.flow.nodes:
            continue
        node = case.flow.nodes[name]
        if one.status == "stopped":
            found.add("race that somebody loses")
        if one.status == "failed" and node.kind == "control.race":
            found.add("race that nobody wins")
        limit = node.run.time_limit
        if one.inputs and limit is not None and limit < float(str(node.settings.get("seconds", limit))):
            found.add("time limit that is reached")
        if node.kind == "control.retry" and one.status == "finished" and one.outputs:
            first = told.document.into(step.rpartition("/")[2], "tools")[0].source.node
            if one.outputs.get("used", first) != first:
                found.add("retry that a later tool answers")
        if one.error.startswith("All tools failed"):
            found.add("retry that nobody answers")
        if one.status == "finished" and "others" in one.inputs:
            found.add("two lists side by side")
        if one.error.startswith("The lists have different lengths"):
            found.add("lists of unequal length")
        if one.error.startswith("Expected"):
            found.add("conversion that fails")
        wired = {
            str(wire.target.port) for wire in case.flow.wires if wire.target.node == step.rpartition("/")[2]
        }
        if one.status == "finished" and "two" in wired and "two" not in one.inputs:
            found.add("absent optional input")
        if one.status == "skipped" and "after" in wired:
            found.add("value beside an absent order")
        many = [wire for wire in case.flow.wires if wire.target.node == step.rpartition("/")[2]]
        parts = [
            wire for wire in many if wire.target.port in {"parts", "values"} and node.kind != "control.race"
        ]
        arrived = one.inputs.get("parts", one.inputs.get("values", []))
        if one.status == "finished" and 0 < len(arrived) < len(parts):
            found.add("list input with absent elements")
    return found


def _of_call(case: Case, step: str, one: Told) -> set[str]:
    """What is special about a step that calls a flow, or stands in one."""
    around = step.split("/")[:-1]
    calls = [place.partition("@")[0] for place in around if "." not in place]
    node = case.node(step)
    found = {"call within a call"} if len(calls) > 1 else set[str]()
    found |= (
        {"loop or map in a called flow"} if "." in "".join(around[1:]) and "." not in around[0] else set()
    )
    if calls and one.status == "failed":
        found.add("failure in a called flow")
    if calls and node.kind == "control.catch" and "error" in one.outputs:
        found.add("failure in a called flow that is taken in there")
    if node.kind != "control.subflow":
        return found
    found |= {"subflow in a loop or map"} if any("." in place for place in around) else set()
    if one.error.startswith("This would be nested call"):
        found.add("too many calls within calls")
    if node.run.on_error != "fail" and one.status == "finished" and one.outputs != {}:
        found.add("error policy of a call")
    return found | ({"time limit of a call"} if node.run.time_limit else set())


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_each_structure_and_each_refusal_is_in_one_example_of_a_hundred() -> None:
    seen: Counter[str] = Counter()

    def look(case: Case) -> None:
        seen["examples"] += 1
        problems = check(case.flow, case.registry)
        codes = {one.code for one in errors_of(problems)}
        seen.update(codes)
        if not codes and not any(errors_of(check(one, case.registry)) for one in case.flows.values()):
            with suppress(NotSettledError):
                seen.update(structures_of(case))
            if any(one.code == "runs-once" for one in problems):
                seen["run once after a loop"] += 1

    for number, nesting in enumerate(NESTINGS):
        draw = Random(number).randint  # noqa: S311  # no secret
        for _ in range(SAMPLE):
            look(case_of(draw, most_crossings=2, of_ten_broken=4, nesting=nesting))
    rare = {name: seen[name] for name in STRUCTURES | REFUSALS if seen[name] * 100 < seen["examples"]}
    assert rare == {}, seen
