"""The random flows are worth something: each structure and each refusal is among every hundred of them."""

from collections import Counter
from contextlib import suppress

from hypothesis import HealthCheck, Phase, given, seed, settings

from studio.flow.check import check, errors_of
from tests.reference.generator import Case, cases
from tests.reference.interpreter import Interpreter, NotSettledError
from tests.reference.probes import PROBES
from tests.reference.regions import Region

SAMPLE = 400
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
    told = Interpreter(case.flow, case.given)
    result = told.run()
    nodes = case.flow.nodes.values()
    found = {"branch" for one in nodes if one.kind == "control.branch"}
    found |= {"merge" for one in nodes if one.kind == "control.merge"}
    found |= {"catch" for one in nodes if one.kind == "control.catch"}
    found |= {one.run.state for one in nodes if one.run.state}
    found |= {"error port" for one in nodes if one.run.on_error == "output"}
    found |= {"default for an error" for one in nodes if one.run.on_error == "default"}
    found |= {"order wire" for one in case.flow.wires if one.target.port == "after"}
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


def test_each_structure_and_each_refusal_is_in_one_example_of_a_hundred() -> None:
    seen: Counter[str] = Counter()

    @seed(3)
    @settings(
        max_examples=SAMPLE,
        phases=[Phase.generate],
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(most_crossings=2, of_ten_broken=4))
    def sample(case: Case) -> None:
        seen["examples"] += 1
        problems = check(case.flow, PROBES)
        codes = {one.code for one in errors_of(problems)}
        seen.update(codes)
        if not codes:
            with suppress(NotSettledError):
                seen.update(structures_of(case))
            if any(one.code == "runs-once" for one in problems):
                seen["run once after a loop"] += 1

    sample()
    rare = {name: seen[name] for name in STRUCTURES | REFUSALS if seen[name] * 100 < seen["examples"]}
    assert rare == {}, seen
