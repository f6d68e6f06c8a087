"""How counts, places and values of a run are said on screen."""

from collections.abc import Mapping
from datetime import datetime

from PySide6.QtCore import QCoreApplication, QDate, QLocale

from studio.flow.plain_text import excerpt
from studio.flow.records import CallingLibrary, Flow, title_of
from studio.flow.subflows.calls import flow_at
from studio.ids import (
    MADE_UP,
    PERSON,
    NodeId,
    Scope,
    StepId,
    is_called,
    is_in_called_flow,
    segment_node,
    step_parts,
)
from studio.trace import figures
from studio.trace.fold.chat_use import ChatUse

translate = QCoreApplication.translate

ITEM_BASE = 1
"""Items are numbered from 0 in scopes, and from 1 for people."""


def tokens(count: int) -> str:
    """Say a number of tokens: `2,184 tokens`."""
    if count == 1:
        return translate("wording", "1 token")
    return translate("wording", "{count} tokens").format(count=f"{count:,}")


def profile_title(name: str) -> str:
    """Name a chat profile as it is offered."""
    titles = {
        MADE_UP: translate("wording", "Made-up answers"),
        PERSON: translate("wording", "I answer"),
    }
    return titles.get(name, name)


def used(profile: str, use: ChatUse) -> str:
    """Say in a line what was asked of a chat profile, and how much of it its endpoint had in its cache."""
    said = translate("wording", "{profile}: {answers} answers, {input} tokens in, {output} out").format(
        profile=profile, answers=use.answers, input=f"{use.input:,}", output=f"{use.output:,}"
    )
    if use.cached:
        share = translate("wording", "{share} % of the input from the provider's cache")
        said += ", " + share.format(share=f"{100 * use.cached_share:.0f}")
    if use.uncounted:
        said += ", " + translate("wording", "{count} without a token count").format(count=use.uncounted)
    return f"{said}, {figures.cost(use.cost, use.unpriced)}"


def moment(started: float | None) -> str:
    """Say when a run began: the time, with the day before it where that was not today."""
    if started is None:
        return "–"
    began = datetime.fromtimestamp(started)  # noqa: DTZ006  # people read their own clock
    clock = f"{began:%H:%M:%S}"
    if began.date() == datetime.now().date():  # noqa: DTZ005
        return clock
    day = QDate(began.year, began.month, began.day)
    return f"{QLocale().toString(day, QLocale.FormatType.ShortFormat)} {clock}"


def flow_around(flow: Flow, library: CallingLibrary | None, scope: Scope) -> Flow | None:
    """The flow whose titles the steps of a scope bear; None in one that `library` does not have."""
    if not is_in_called_flow(scope):
        return flow
    return flow_at(flow, library, scope) if library is not None else None


def place(flow: Flow, step: StepId, library: CallingLibrary | None = None) -> str:
    """Say which of a node's steps `step` is: `round 2`, `item 3, round 1`, or nothing at the root.

    What stands in a called flow is named as that flow does, which `library` gives.
    """
    scope = step_parts(step)[0]
    if not scope:
        return ""
    said: list[str] = []
    segments = str(scope).split("/")
    for depth, segment in enumerate(segments):
        node, _, index = segment.partition(".")
        around = flow_around(flow, library, Scope("/".join(segments[:depth])))
        if around is None:
            said.append(segment)  # of a called flow, whose titles are not known
        elif is_called(segment):
            said.append(title_of(around, segment_node(segment)))
        elif is_map(around, NodeId(node)):
            said.append(translate("wording", "item {number}").format(number=int(index) + ITEM_BASE))
        else:
            said.append(translate("wording", "round {number}").format(number=index))
    return ", ".join(said)


def step_title(flow: Flow, step: StepId, library: CallingLibrary | None = None) -> str:
    """Name a step as people do: `Writer, round 2`."""
    scope, name, _, _ = step_parts(step)
    around = flow_around(flow, library, scope)
    node = title_of(around, name) if around is not None else str(name)
    where = place(flow, step, library)
    return f"{node}, {where}" if where else node


def named(values: Mapping[str, object]) -> str:
    """List values on one line each, for a tooltip."""
    return "\n".join(f"{name}: {excerpt(value, 80)}" for name, value in values.items())


def is_map(flow: Flow, node: NodeId) -> bool:
    """Whether a node opens a map, whose items are counted from 0 in scopes."""
    record = flow.nodes.get(node)
    return record is not None and record.kind.endswith(".for_each")
