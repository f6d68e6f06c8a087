"""One signature says everything about a node type."""

# ruff: noqa: ARG001  # what these functions do is not what is tested

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest

from studio.errors import SettingsError, UnknownKindError
from studio.flow.ports import Structure
from studio.flow.records import Node
from studio.sdk import (
    Context,
    DynamicIn,
    In,
    Json,
    Message,
    Out,
    Port,
    Setting,
    Tool,
    Yields,
    binding,
    dynamic_inputs,
    dynamic_outputs,
    node,
    ports_named,
    variant,
)
from studio.sdk.node import NodeType, node_type_of, node_types_in
from studio.sdk.registry import Registry
from studio.sdk.testing import run_bench


@dataclass(frozen=True)
class Parts:
    head: Annotated[str, Out("first", "What comes first")]
    tail: Annotated[list[str], Out("rest", "What follows")]


@node("test.split", title="Split", keywords=("cut",))
def split(
    context: Context,
    text: Annotated[str, In("What to split")],
    most: Annotated[int | None, In("At most so many")] = None,
    tools: Annotated[Sequence[Tool], In("Lent")] = (),
    *,
    separator: Annotated[str, Setting("Separator", editor="text")] = ",",
    mode: Annotated[Literal["words", "lines"], Setting("Mode")] = "words",
    size: Annotated[int, Setting("Size", minimum=1, maximum=9)] = 3,
    factor: float = 1.0,
    names: Annotated[tuple[str, ...], Setting("Names")] = (),
    data: Annotated[Json, Setting("Data")] = None,
    needed: Annotated[str, Setting("Needed")],
) -> Parts:
    """Cut a text."""
    head, *tail = text.split(separator)
    return Parts(head, tail)


def test_positional_parameters_are_inputs_and_the_context_is_not() -> None:
    found = node_type_of(split)
    assert [(port.name, str(port.type), port.required, port.many) for port in found.inputs] == [
        ("text", "text", True, False),
        ("most", "number", False, False),
        ("tools", "tool", False, True),
    ]
    assert found.context_name == "context"
    assert found.defaults == {"most": None, "tools": ()}


def test_keyword_parameters_are_settings_with_an_editor() -> None:
    found = node_type_of(split)
    assert {spec.name: spec.editor for spec in found.settings} == {
        "separator": "text",
        "mode": "choice",
        "size": "number",
        "factor": "number",
        "names": "list",
        "data": "json",
        "needed": "line",
    }
    assert next(spec for spec in found.settings if spec.name == "mode").choices == ("words", "lines")


async def test_a_dataclass_gives_several_outputs() -> None:
    found = node_type_of(split)
    assert [(port.name, str(port.type)) for port in found.outputs] == [("first", "text"), ("rest", "text[]")]
    outputs = await run_bench(split, {"text": "a,b,c"}, {"needed": "x"})
    assert outputs == {"first": "a", "rest": ["b", "c"]}


def test_the_module_docstring_is_the_palette_line() -> None:
    assert node_type_of(split).summary == "One signature says everything about a node type."


def test_settings_are_validated_all_at_once() -> None:
    given: dict[str, Json] = {"mode": "pages", "size": 10, "factor": "x", "names": [1], "other": 1}
    with pytest.raises(SettingsError) as caught:
        node_type_of(split).complete_settings(given)
    assert len(caught.value.details) == 6
    said = " ".join(caught.value.details)
    for label in (
        "`other`",
        "`Mode`",
        "`Size`: must be at most 9",
        "`Factor`",
        "`Names`: 0:",
        "`Needed` is not set",
    ):
        assert label.replace("`Names`: 0:", "`Names`") in said


def test_settings_take_defaults_and_read_json() -> None:
    found = node_type_of(split).complete_settings({"needed": "x", "names": ["a"], "factor": 2})
    assert found == {
        "separator": ",",
        "mode": "words",
        "size": 3,
        "factor": 2.0,
        "names": ("a",),
        "data": None,
        "needed": "x",
    }


def test_numbers_and_flags_are_not_mixed_up() -> None:
    with pytest.raises(SettingsError):
        node_type_of(split).complete_settings({"needed": "x", "size": True})


@node("test.fill", title="Fill")
async def fill(
    *,
    names: Annotated[list[str], Setting("Names")] = [],  # noqa: B006
    **inputs: Annotated[object, DynamicIn()],
) -> Mapping[str, object]:
    """Give back what came."""
    return {name: inputs[name] for name in names if inputs[name]}


@dynamic_inputs(fill)
@dynamic_outputs(fill)
def fill_ports(*, names: list[str]) -> Sequence[Port]:
    return ports_named(names)


async def test_settings_decide_dynamic_ports() -> None:
    signature = node_type_of(fill).signature({"names": ["a", "b"]})
    assert [port.name for port in signature.inputs] == ["a", "b"]
    assert [port.name for port in signature.outputs] == ["a", "b"]
    assert await run_bench(fill, {"a": 1, "b": 0}, {"names": ["a", "b"]}) == {"a": 1}


@pytest.mark.parametrize("name", ["names", "after"])
def test_a_dynamic_port_may_not_take_the_name_of_something_else(name: str) -> None:
    with pytest.raises(SettingsError, match="do not fit") as caught:
        node_type_of(fill).signature({"names": [name]})
    assert f"`{name}`" in caught.value.details[0]


@binding("test.lend", title="Lend")
async def lend(context: Context, *, word: Annotated[str, Setting("Word")] = "hi") -> Yields[Tool]:
    async def run(_: Mapping[str, object]) -> str:
        return word

    yield Tool("say", "Says it.", {"type": "object"}, run)


def test_a_binding_has_one_output_that_lends() -> None:
    found = node_type_of(lend)
    signature = found.signature({})
    assert signature.is_binding
    assert [(port.name, str(port.type)) for port in signature.outputs] == [("tool", "tool")]


def test_signatures_that_say_too_little_are_refused_at_import() -> None:
    with pytest.raises(TypeError, match="In mark"):

        @node("test.bad", title="Bad")
        def bad_input(text: str) -> Annotated[str, Out("text")]:
            return text

    with pytest.raises(TypeError, match="Out mark"):

        @node("test.bad", title="Bad")
        def bad_output() -> str:
            return ""

    with pytest.raises(TypeError, match="DynamicIn"):

        @node("test.bad", title="Bad")
        def bad_dynamic(**inputs: object) -> Annotated[str, Out("text")]:
            return str(inputs)

    with pytest.raises(TypeError, match="no port carries"):

        @node("test.bad", title="Bad")
        def bad_type(value: Annotated[set[str], In()]) -> Annotated[str, Out("text")]:
            return str(value)


def test_types_of_ports() -> None:
    @node("test.types", title="Types")
    def types(
        messages: Annotated[list[Message], In()],
        file: Annotated[Path, In()],
        nested: Annotated[list[list[int]], In()],
        either: Annotated[int | float, In()],
        anything: Annotated[object, In()],
        data: Annotated[dict[str, Json], In()],
    ) -> None:
        """Take everything."""

    found = node_type_of(types)
    assert [str(port.type) for port in found.inputs] == [
        "messages",
        "file",
        "number[][]",
        "number",
        "any",
        "json",
    ]
    assert [port.many for port in found.inputs] == [False, False, True, False, False, False]
    assert found.outputs == ()


async def test_nothing_is_absent_except_where_it_is_a_value() -> None:
    @node("test.maybe", title="Maybe")
    def maybe() -> Annotated[str | None, Out("text")]:
        return None

    @node("test.data", title="Data")
    def data() -> Annotated[Json, Out("value")]:
        return None

    assert await run_bench(maybe) == {}
    assert await run_bench(data) == {"value": None}


def test_a_module_tells_its_own_node_types() -> None:
    import sys

    assert node_types_in(sys.modules[__name__]) == [
        node_type_of(split),
        node_type_of(fill),
        node_type_of(lend),
    ]


def registry() -> Registry:
    return Registry([node_type_of(split), node_type_of(fill)])


def test_the_registry_answers_for_nodes_of_a_flow() -> None:
    found = registry()
    assert "test.split" in found
    assert [one.kind for one in found] == ["test.split", "test.fill"]
    good, bad = Node(kind="test.split", settings={"needed": "x"}), Node(kind="test.split")
    assert found.signature(good) == found.signature(good)
    assert found.problems(good) == ()
    assert found.problems(bad) == ("`Needed` is not set",)
    assert found.settings(good)["size"] == 3
    assert found.signature(Node(kind="test.fill", settings={"names": 3})) is None


def test_the_registry_does_not_know_what_is_not_installed() -> None:
    stranger = Node(kind="test.stranger")
    assert registry().signature(stranger) is None
    assert registry().problems(stranger) == ()
    with pytest.raises(UnknownKindError, match="stranger"):
        registry().require("test.stranger")


def test_two_node_types_of_one_kind_are_refused() -> None:
    one: NodeType = node_type_of(split)
    with pytest.raises(ValueError, match="two node types"):
        Registry([one, one])


def test_structures_are_structural() -> None:
    @node("test.way", title="Way", structure=Structure.BRANCH)
    def way(value: Annotated[str, In()]) -> Mapping[str, str]:
        return {"only": value}

    assert node_type_of(way).form == "structural"


def test_a_function_stands_in_where_its_setting_has_the_value() -> None:
    @node("test.grow", title="Grow", keywords=("large",))
    def grow(
        context: Context,
        text: Annotated[str, In("What grows")],
        *,
        how: Annotated[Literal["twice", "capitals"], Setting("How")] = "twice",
        between: Annotated[str, Setting("Between")] = "",
    ) -> Annotated[str, Out("grown", "The text")]:
        """Make a text larger."""
        return f"{text}{between}{text}"

    @variant(grow, how="capitals", heavy=True)
    def in_capitals(text: str) -> str:
        return text.upper()

    kind = node_type_of(grow)
    twice = kind.of_variant(kind.complete_settings({"between": " "}))
    assert (twice.function, twice.heavy, twice.context_name) == (grow, False, "context")
    capitals = kind.of_variant(kind.complete_settings({"how": "capitals"}))
    assert (capitals.function, capitals.heavy, capitals.context_name) == (in_capitals, True, "")
    assert not capitals.settings
    assert [port.name for port in capitals.inputs] == ["text"]
