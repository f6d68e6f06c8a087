"""Which chat profiles a flow cannot do without."""

from collections.abc import Mapping
from typing import Any

import pytest

from studio.sdk.node import NodeType
from studio.workspace.catalog import builtin_types
from studio.workspace.runs import asks_chats, profiles_used
from tests.runtime.bench import REGISTRY, flow_of

TYPES = [one for one in builtin_types() if any(spec.matters_with for spec in one.settings)]


@pytest.mark.parametrize(
    ("kind", "settings", "used"),
    [
        ("llm.chat", {"profile": "fast"}, {"fast"}),
        ("llm.chat", {}, {""}),
        ("text.join", {}, set()),
        ("memory.vector", {}, set()),
        ("memory.vector", {"method": "embedded", "profile": "fast"}, set()),
        ("memory.vector", {"method": "profile"}, {""}),
        ("memory.vector", {"method": "profile", "profile": "fast"}, {"fast"}),
        ("memory.graph", {}, set()),
        ("memory.graph", {"triples": "drawn"}, {""}),
        ("memory.summary", {}, {""}),
        ("check.guard", {"forbidden": ["owl"]}, set()),
        ("check.guard", {"otherwise": "rewrite"}, {""}),
        ("check.judge", {"profile": "fast", "judges": ["strict"]}, {"fast", "strict"}),
        ("check.guard", {"forbidden": ["secret"]}, set()),
        ("check.guard", {"policy": "Say nothing of money."}, {""}),
        ("check.guard", {"no such setting": 1}, {""}),
    ],
)
def test_a_profile_is_used_where_its_setting_matters(
    kind: str, settings: Mapping[str, Any], used: set[str]
) -> None:
    flow = flow_of({"one": (kind, settings)}, [])
    assert profiles_used(flow, REGISTRY) == used
    assert asks_chats([flow], REGISTRY) is bool(used)


@pytest.mark.parametrize("node_type", TYPES, ids=[one.kind for one in TYPES])
def test_what_a_setting_matters_with_is_a_choice_of_another(node_type: NodeType) -> None:
    for spec in node_type.settings:
        name, _, value = spec.matters_with.partition("=")
        assert not name or value in next(one.choices for one in node_type.settings if one.name == name)
