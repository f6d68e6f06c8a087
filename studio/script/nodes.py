"""The node library as functions: `from stepwire_kit.nodes import agent, judge, text_search`.

Each is called as the last part of its kind, `llm.agent` as `agent`; where two kinds share that part, both are
called by folder and file, as `tools_files` and `memory_files`. Their modules are imported when they are first
called. Kinds that Python has words for (`loop`, `for_each`, `subflow`, …) are not among them: they are
`rounds`, `each` and `call`.
"""

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from studio.script.later import Later
from studio.workspace.catalog import builtin_files

if TYPE_CHECKING:
    from studio.script.steps import LenderFunction, StepFunction

IN_PYTHON = frozenset(
    {
        "control.collect",
        "control.for_each",
        "control.loop",
        "control.race",
        "control.subflow",
        "io.flow_input",
        "io.flow_output",
    }
)
"""What a script does by other means than a step. By kinds: to know what is there loads none of them."""


@cache
def kinds_by_name() -> dict[str, str]:
    """The kinds of nodes by the names that scripts call them."""
    kinds = list(builtin_files())
    shared = Counter(kind.rpartition(".")[2] for kind in kinds)
    return {
        kind.replace(".", "_") if shared[kind.rpartition(".")[2]] > 1 else kind.rpartition(".")[2]: kind
        for kind in kinds
    }


@cache
def function_of(kind: str) -> "StepFunction | LenderFunction":
    """The function that a kind of node is in scripts."""
    from studio.script.steps import LenderFunction, StepFunction

    type_ = builtin_files()[kind]
    return LenderFunction(type_) if type_.form == "binding" else StepFunction(type_)


def __getattr__(name: str) -> Any:
    kind = kinds_by_name().get(name)
    if kind is None or kind in IN_PYTHON:
        message = f"There is no node function `{name}`."
        raise AttributeError(message)
    return Later(lambda: function_of(kind))


def __dir__() -> list[str]:
    return sorted(name for name, kind in kinds_by_name().items() if kind not in IN_PYTHON)
