"""The structural node types declare what the runtime and the canvas rely on."""

import pytest

from studio.errors import SettingsError
from studio.flow.ports import Structure
from studio.sdk.testing import ports_of
from studio.workspace.catalog import builtin_registry

REGISTRY = builtin_registry()


def test_each_structure_has_its_kind() -> None:
    found = {one.structure for one in REGISTRY if one.structure is not None}
    assert {
        Structure.BRANCH,
        Structure.MERGE,
        Structure.LOOP,
        Structure.FOR_EACH,
        Structure.COLLECT,
        Structure.CATCH,
        Structure.RACE,
        Structure.FLOW_INPUT,
        Structure.FLOW_OUTPUT,
    } <= found


def test_all_three_forms_of_node_type_occur() -> None:
    assert {one.form for one in REGISTRY} == {"function", "binding", "structural"}


def test_a_merge_gives_one_value_or_a_list() -> None:
    merge = REGISTRY.require("control.merge")
    assert ports_of(merge, {})["outputs"] == {"value": "T"}
    assert ports_of(merge, {"gives": "all"})["outputs"] == {"value": "T[]"}


@pytest.mark.parametrize(
    "settings",
    [
        {"max_rounds": 0},
        {"stop_when": "value +"},
        {"stop_when": "facts"},
        {"on_limit": "shrug"},
        {"max_rounds": 1.5},
    ],
)
def test_a_loop_refuses_settings_that_make_no_sense(settings: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        REGISTRY.require("control.loop").complete_settings(settings)  # type: ignore[arg-type]


def test_a_flow_input_has_the_type_it_is_told() -> None:
    flow_input = REGISTRY.require("io.flow_input")
    assert ports_of(flow_input, {"type": "number[]"})["outputs"] == {"value": "number[]"}


@pytest.mark.parametrize("kind", ["tool", "T", "txet"])
def test_a_flow_input_takes_values_only(kind: str) -> None:
    with pytest.raises(SettingsError):
        REGISTRY.require("io.flow_input").signature({"type": kind})


def test_each_further_list_of_a_for_each_has_a_port_of_its_own() -> None:
    for_each = REGISTRY.require("control.for_each")
    ports = ports_of(for_each, {"more": ["Their ages", "their ages", "items"]})
    assert list(ports["inputs"]) == ["items", "their_ages", "their_ages_2", "items_2"]
    assert list(ports["outputs"]) == ["item", "their_ages_item", "their_ages_2_item", "items_2_item", "index"]


@pytest.mark.parametrize("names", [[""], ["after"], ["at_once"], [3]])
def test_a_list_without_a_name_of_its_own_is_refused(names: list[object]) -> None:
    with pytest.raises(SettingsError):
        REGISTRY.require("control.for_each").signature({"more": names})  # type: ignore[dict-item]
