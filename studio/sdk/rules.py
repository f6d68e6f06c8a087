"""Rules that a setting holds: expressions that a script has as functions in their place."""

from collections.abc import Mapping
from typing import TypeAlias

from studio.sdk.expressions import compile_expression

Rule: TypeAlias = str
NO_RULE: Rule = ""


def holds(rule: Rule, facts: Mapping[str, object]) -> bool:
    """Tell whether a rule over the names of `facts` holds; none never does. Raises `ExpressionError`."""
    return bool(rule.strip()) and bool(compile_expression(rule, frozenset(facts)).evaluate(facts))
