"""What guards a script: the limits of its project, and the prices of the language models that it asks."""

import os
import re
from collections.abc import Mapping, Sequence

from studio.app.prices import load_prices
from studio.app.profiles import OPENAI
from studio.app.project import Project
from studio.app.runs import limits_of, profiles_used
from studio.export.guards import Guards
from studio.flow.records import Flow
from studio.llm.prices import Prices
from studio.runtime.turns import AT_ONCE
from studio.sdk.node_type import NodeType
from studio.sdk.registry import Registry

COST = "cost"
"""The limit, the setting, and the fact of a rule, that need prices."""


def guards_of(project: Project | None, flows: Sequence[Flow], registry: Registry) -> Guards:
    """Read what the project says now; prices only where something looks at what answers cost.

    Raises `UsageError` for limits that cannot be kept.
    """
    limits = {} if project is None else limits_of(project, flows, {})
    limits.pop(AT_ONCE, None)
    wants_prices = COST in limits or any(looks_at_cost(one, registry) for one in flows)
    return Guards(limits, prices_of(project, flows, registry) if wants_prices else Prices())


def prices_of(project: Project | None, flows: Sequence[Flow], registry: Registry) -> Prices:
    """Give the prices of the language models that the profiles name, and of those they fall back on."""
    known = load_prices(os.environ)
    found = [known.find(llm) for llm in llms_of(project, flows, registry)]
    return Prices(tuple(dict.fromkeys(one for one in found if one is not None)))


def llms_of(project: Project | None, flows: Sequence[Flow], registry: Registry) -> list[str]:
    """Name the language models that the profiles in use name; empty for one that is said elsewhere."""
    if project is None:
        return []
    used = sorted(
        {name or project.default_profile or OPENAI for one in flows for name in profiles_used(one, registry)}
    )
    profiles = [project.profiles.get(name) for name in used]
    others = [project.profiles.get(name) for one in profiles if one is not None for name in one.fallback]
    return list(dict.fromkeys("" if one is None else one.llm for one in (*profiles, *others)))


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
