"""The script of a flow as it is while it is edited: its text and whose each line is, or why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from studio.errors import ExportError, StepwireError
from studio.flow.checks.check import check, errors_of
from studio.flow.records import Flow
from studio.flow.subflows.calls import GivenFlows
from studio.sdk.registry import Registry
from studio.workspace.project import Project

if TYPE_CHECKING:
    from studio.export.spans import Spans
    from studio.export.statements.parts import LeftAsDrawn


@dataclass(frozen=True, slots=True)
class Draft:
    """A flow as it is just now, with all that its script depends on."""

    flow: Flow
    project: Project
    name: str = ""
    """What the script says it came from; by default what the flow is called."""
    flows: Mapping[str, Flow] = field(default_factory=dict[str, Flow])
    """The flows that it may come to call, by name."""


@dataclass(frozen=True, slots=True)
class Written:
    """A script."""

    text: str
    spans: "Spans"
    drawn: "tuple[LeftAsDrawn, ...]" = ()
    """What is left as it is drawn, and why."""


@dataclass(frozen=True, slots=True)
class Unwritten:
    """Why there is no script: what is wrong, with which node, and what to do about it."""

    message: str
    hint: str = ""
    node: str = ""
    flow: str = ""
    """The called flow in which the node is; empty for the flow itself."""
    others: int = 0
    """How many other errors there are."""


def write_script(draft: Draft, registry: Registry) -> Written | Unwritten:
    """Write the script of a flow; nothing of the flow runs, and nothing is raised."""
    from studio.app.scripts.flow_export import script_of  # in the process that writes; the window only asks
    from studio.export.spans import find_spans
    from studio.workspace.problems import remedy_of

    known = registry.with_flows(GivenFlows(draft.flows))
    try:
        for name, flow in {"": draft.flow, **draft.flows}.items():
            errors = errors_of(check(flow, known))
            if errors:
                first = errors[0]
                remedy = remedy_of(first, flow, known)
                return Unwritten(first.message, remedy, first.node or "", name, len(errors) - 1)
        script = script_of(draft.flow, registry=known, name=draft.name, project=draft.project)
        return Written(script.text, find_spans(script), script.drawn)
    except ExportError as error:
        return Unwritten(error.message, error.hint, error.node, error.flow)
    except StepwireError as error:
        return Unwritten(error.message, error.hint)
    except Exception as error:  # noqa: BLE001  # the window goes on, whatever the exporter stumbled over
        return Unwritten(f"The script could not be written: {type(error).__name__}: {error}")
