"""Rules of settings in exported scripts: functions, where the studio has texts that it interprets.

Lifted into scripts as it stands, in the place of `studio.sdk.rules`.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Rule: TypeAlias = Callable[..., bool] | None
NO_RULE: Rule = None


def holds(rule: Rule, facts: Mapping[str, Any]) -> bool:
    """Tell whether a rule over facts, each by its name, holds; none never does."""
    return rule is not None and rule(**facts)
