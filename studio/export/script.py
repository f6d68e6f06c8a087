"""A flow as Python that is written against the kit: head, texts, the flow, the flows that it calls."""

import builtins
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from studio.export.head import head_of
from studio.export.python.black_format import formatted
from studio.export.python.literals import literal, long_literal, text_literal
from studio.export.python.names import Names
from studio.export.statements.drawn_parts import document
from studio.export.statements.flows import flow_functions, lent_flows
from studio.export.statements.functions import FlowFunction
from studio.export.statements.parts import (
    CALLED,
    COMMAND_LINE,
    FLOW,
    SAID,
    Document,
    LeftAsDrawn,
    Part,
    Script,
)
from studio.flow.records import Flow, Layout
from studio.ids import slug
from studio.runtime.limits.accounts import account_name
from studio.sdk.registry import Registry

START = 'if __name__ == "__main__":\n    flow.main()\n'


def make_script(
    flow: Flow, registry: Registry, *, source_name: str, limits: Mapping[str, float] | None = None
) -> Script:
    """Write a flow that passed `check` as a script; the same flow always gives the same text.

    `limits` are what a run of it may spend. Parts that Python cannot say readably stand in it as they are
    drawn, and are run by `region`; `Script.notes` says which. Raises `ExportError` naming the node whose
    settings cannot be written.
    """
    names = Names([*dir(builtins), "main"])
    functions = flow_functions(flow, registry, names)
    lent = lent_flows(functions, registry)
    texts = {id(one): one.text() for one in functions}
    lends = {name: names.take(f"{slug(name.removesuffix('.json'))}_flow".upper()) for name in lent}
    constants = list(_constants(functions))
    constants += [("", f"{called} = {_document(lent[name])}\n") for name, called in lends.items()]
    parts = [Part(SAID, formatted(text), name) for name, text in constants]
    parts.append(Part(FLOW, formatted(_flow(flow, functions, limits or {}, lends)), ""))
    parts += [
        Part(CALLED if one.flow.name else FLOW, formatted(texts[id(one)]), one.flow.name) for one in functions
    ]
    parts.append(Part(COMMAND_LINE, START))
    said = {one.flow.name for one in functions}
    documents = {
        called: Document(name, frozenset(lent[name].nodes), is_whole=name not in said)
        for name, called in lends.items()
    }
    for one in functions:
        documents |= {
            called: Document(one.flow.name, nodes, is_whole=False)
            for called, nodes in one.outline.documents.items()
        }
    head = head_of(flow, functions, source_name)
    return Script(head, parts, [one.said for one in functions], tuple(_left(functions)), documents)


def _left(functions: Sequence[FlowFunction]) -> Iterator[LeftAsDrawn]:
    for one in functions:
        chart = one.flow.facts.chart
        for node, why in one.outline.drawn.items():
            yield LeftAsDrawn(one.flow.name, node, chart.title(node), why)


def _document(flow: Flow) -> str:
    return long_literal(document(replace(flow, layout=Layout())))


def _flow(
    flow: Flow, functions: Sequence[FlowFunction], limits: Mapping[str, float], lends: Mapping[str, str]
) -> str:
    """The statement that makes the flow."""
    told = [text_literal(flow.name)]
    if limits:
        told.append(f"limits={literal(dict(sorted(limits.items())))}")
    nodes = {
        account_name(one.flow.function, node) if one.flow.name else str(node): dict(record.run.limits)
        for one in functions
        for node, record in one.flow.facts.chart.flow.nodes.items()
        if record.run.limits
    }
    if nodes:
        told.append(f"node_limits={literal(nodes)}")
    if lends:
        pairs = ", ".join(f"{text_literal(name)}: {called}" for name, called in lends.items())
        told.append(f"flows={{{pairs}}}")
    return f"flow = Flow({', '.join(told)})\n"


def _constants(functions: Sequence[FlowFunction]) -> Iterator[tuple[str, str]]:
    """Texts and tables, each with the flow that says it."""
    for one in functions:
        for name, value in one.flow.constants.lines.items():
            yield one.flow.name, f"{name} = {value}\n"
