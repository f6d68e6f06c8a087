"""What guards a script: the limits of its project, and the prices of the language models that it asks."""

import os
import re
from collections.abc import Mapping, Sequence

from studio.export.guards import Guards
from studio.flow.records import Flow
from studio.llm.client import ChatProfile
from studio.llm.prices import Prices
from studio.runtime.turns import AT_ONCE
from studio.sdk.node_type import NodeType
from studio.sdk.registry import Registry
from studio.workspace.prices import load_prices
from studio.workspace.project import Project
from studio.workspace.runs import limits_of, profiles_used

COST = "cost"
"""The limit, the setting, and the fact of a rule, that need prices."""


def guards_of(project: Project | None, flows: Sequence[Flow], registry: Registry) -> Guards:
    """Read what the project says now; prices only where something looks at what answers cost.

    Raises `UsageError` for limits that cannot be kept.
    """
    limits = {} if project is None else limits_of(project, flows, {})
    limits.pop(AT_ONCE, None)
    wants_prices = COST in limits or any(looks_at_cost(one, registry) for one in flows)
    prices = prices_of(project, flows, registry) if wants_prices else Prices()
    usual = "" if project is None else project.default_profile
    return Guards(limits, prices, turns_of(project, flows, registry), usual)


def turns_of(
    project: Project | None, flows: Sequence[Flow], registry: Registry
) -> Mapping[str, tuple[int, int]]:
    """Say how many calls each profile bears at a time, and in a minute; 0 is any number.

    A limit of steps at a time stands for one of calls.
    """
    steps = 0 if project is None else int(project.limits.get(AT_ONCE, 0))
    found: dict[str, tuple[int, int]] = {}
    for name, profile in profiles_of(project, flows, registry).items():
        at_once = [one for one in (steps, profile.at_once if profile is not None else 0) if one]
        a_minute = 0 if profile is None else profile.requests_per_minute
        if at_once or a_minute:
            found[name] = (min(at_once, default=0), a_minute)
    return found


def prices_of(project: Project | None, flows: Sequence[Flow], registry: Registry) -> Prices:
    """Give the prices of the language models that the profiles name, and of those they fall back on."""
    known = load_prices(os.environ)
    found = [known.find(llm) for llm in llms_of(project, flows, registry)]
    return Prices(tuple(dict.fromkeys(one for one in found if one is not None)))


def unpriced_of(project: Project | None, flows: Sequence[Flow], registry: Registry) -> str:
    """Name the language models of unknown price in a sentence; empty where all prices are known."""
    known = load_prices(os.environ)
    names = [llm for llm in llms_of(project, flows, registry) if known.find(llm) is None]
    return " or ".join(f"`{llm}`" if llm else "the language model" for llm in names)


def llms_of(project: Project | None, flows: Sequence[Flow], registry: Registry) -> list[str]:
    """Name the language models that the profiles in use name; empty for one that is said elsewhere."""
    profiles = profiles_of(project, flows, registry).values()
    return list(dict.fromkeys("" if one is None else one.llm for one in profiles))


def profiles_of(
    project: Project | None, flows: Sequence[Flow], registry: Registry
) -> Mapping[str, ChatProfile | None]:
    """Give the profiles in use by their names (empty: the usual one), and those they fall back on."""
    known: Mapping[str, ChatProfile] = {} if project is None else project.profiles
    usual = "" if project is None else project.default_profile
    used = sorted({name for one in flows for name in profiles_used(one, registry)})
    found = {name: known.get(name or usual) for name in used}
    others = (name for one in list(found.values()) if one is not None for name in one.fallback)
    return {**found, **{name: known.get(name) for name in others if name not in found}}


def looks_at_cost(flow: Flow, registry: Registry) -> bool:
    """Whether a node of a flow stops at so many dollars, or by a rule over them."""
    for record in flow.nodes.values():
        kind = registry.get(record.kind)
        if COST in record.run.limits or (kind is not None and has_cost(record.settings, kind)):
            return True
    return False


def has_cost(settings: Mapping[str, object], kind: NodeType) -> bool:
    """Whether the settings of a node say what may be paid, or a rule asks what was."""
    if all(one.name != COST for one in kind.settings):
        return False
    rules = [str(settings.get(one.name, "")) for one in kind.settings if one.editor == "expression"]
    return settings.get(COST) is not None or any(re.search(rf"\b{COST}\b", rule) for rule in rules)
