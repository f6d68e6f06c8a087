"""What a script says of itself: what it does, where it comes from, how to run it, what it imports."""

from collections.abc import Sequence

from studio import __version__
from studio.export.statements.functions import FlowFunction
from studio.export.statements.parts import Head
from studio.export.versions import version_of
from studio.flow.records import Flow
from studio.script.nodes import kinds_by_name


def head_of(flow: Flow, functions: Sequence[FlowFunction], source_name: str) -> Head:
    """The head of a script whose functions are written."""
    kit = {"Flow"}.union(*(one.outline.kit for one in functions))
    kinds = set[str]().union(*(one.outline.kinds for one in functions))
    types = set[str]().union(*(one.annotations for one in functions))
    words = functions[0].outline.imports
    by_kind = {kind: name for name, kind in kinds_by_name().items()}
    standard = ["from pathlib import Path"] if "Path" in types else []
    standard.append("from typing import Any")
    kit |= {"Message"} & types
    about = "\n".join(_about(flow, functions, source_name))
    return Head(
        about,
        {name: words.kit[name] for name in kit},
        {by_kind[kind]: words.functions[kind] for kind in kinds},
        standard,
        binds_late=any(one.binds_late for one in functions),
    )


def _about(flow: Flow, functions: Sequence[FlowFunction], source_name: str) -> list[str]:
    texts = [f"{flow.name or 'A flow'}."]
    if flow.description.strip():
        texts += ["", flow.description]
    texts += ["", f"Exported by Stepwire {__version__} from {source_name} (flow {version_of(flow)})."]
    called = [
        f"{one.flow.name} (flow {version_of(one.flow.facts.chart.flow)})"
        for one in functions
        if one.flow.name
    ]
    texts += [f"It calls {', '.join(called)}."] if called else []
    return texts
