"""A flow that is another one with changes: written, read, and what is wrong in it."""

import json

import pytest
from hypothesis import HealthCheck, given, settings

from studio.errors import FlowFileError
from studio.flow.files.codec import dumps, dumps_variant, loads
from studio.flow.records import Flow
from tests.examples import examples
from tests.flow.builders import flow, node, review
from tests.flow.strategies import flows

JOIN = flow({"a": node("text.join")})


def variant(**parts: object) -> str:
    return json.dumps({"format": "stepwire.flow", "version": 1, "of": "flow.json", **parts}, indent=1)


def read(base: Flow, **parts: object) -> Flow:
    return loads(variant(**parts), {"flow.json": base}.__getitem__).flow


def wrong(base: Flow, **parts: object) -> list[str]:
    with pytest.raises(FlowFileError) as caught:
        read(base, **parts)
    return list(caught.value.details)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(flows(), flows())
def test_a_flow_written_as_a_variant_of_any_other_reads_back_as_it_was(base: Flow, some: Flow) -> None:
    text = dumps_variant(some, base, "parts/base.json")
    found = loads(text, {"parts/base.json": base}.__getitem__)
    assert found.of == "parts/base.json"
    assert dumps(found.flow) == dumps(some)


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(flows())
def test_a_variant_without_a_difference_says_only_what_it_is_a_variant_of(base: Flow) -> None:
    assert list(json.loads(dumps_variant(base, base, "flow.json"))) == ["format", "version", "of"]


def test_settings_are_given_one_by_one_and_a_node_goes_with_its_wires_and_its_place() -> None:
    base = review()
    kept, *_, gone = base.nodes
    found = read(base, name="Shorter", set={kept: {"settings": {"tone": "dry"}}}, drop=[gone])
    assert found.name == "Shorter"
    assert found.nodes[kept].settings == {**base.nodes[kept].settings, "tone": "dry"}
    assert gone not in found.nodes
    assert found.wires == tuple(one for one in base.wires if gone not in {one.source.node, one.target.node})
    assert gone not in found.layout.nodes


def test_what_a_variant_says_of_what_its_base_lacks_is_wrong_by_line() -> None:
    base = JOIN
    assert wrong(base, set={"b": {"title": "B"}}, drop=["c", "a.settings.tone", "a.x -> a.y"], odd=1) == [
        "line 6: set.b: the base has no node `b`; one that is added needs its `kind`.",
        "line 11: drop[0]: the base has no `c`.",
        "line 12: drop[1]: the base has no `a.settings.tone`.",
        "line 13: drop[2]: the base has no `a.x -> a.y`.",
        "line 15: odd: `odd` means nothing here.",
    ]


def test_what_the_whole_flow_cannot_be_is_told_at_its_place_in_the_variant() -> None:
    base = flow({"a": node("text.join"), "b": node("text.join")}, "a.text -> b.parts")
    told = wrong(base, set={"a": {"version": 0}}, wires=["nothing"], layout={"nodes": {"a": [1]}, "odd": 1})
    assert [one.partition(":")[0] for one in told] == ["line 7", "line 11", "line 15", "line 19"]
    assert "set.a.version" in told[0]
    assert "wires[0]: a wire is written" in told[1]


@pytest.mark.parametrize(
    "of", ["", "/etc/flow.json", "../flow.json", "a/../b.json", "./flow.json", 3, None, "a\\b"]
)
def test_a_base_is_a_file_in_the_same_folder_or_below(of: object) -> None:
    with pytest.raises(FlowFileError) as caught:
        loads(json.dumps({"format": "stepwire.flow", "version": 1, "of": of}), lambda _: Flow())
    assert "of: this must" in caught.value.details[0]


def test_a_variant_alone_is_refused_with_the_name_of_its_base() -> None:
    with pytest.raises(FlowFileError, match=r"variant of `flow\.json`"):
        loads(variant())


@pytest.mark.parametrize("part", ["set", "drop", "wires", "layout"])
def test_a_part_of_another_form_is_told(part: str) -> None:
    assert f"{part}: this must be" in wrong(JOIN, **{part: "text"})[0]
