"""A flow as Python that runs by itself: header, texts, flow, steps, what they use, command line."""

import builtins
from collections.abc import Iterator, Mapping, Sequence

from studio.export.command_line import START, CommandLine
from studio.export.guards import Guards
from studio.export.head import head_of
from studio.export.python.formatting import formatted
from studio.export.python.lifter import Lifter
from studio.export.python.names import Names
from studio.export.python.pieces import Origin
from studio.export.sections import lifted_parts
from studio.export.structure.rules import IN_WORDS, WORDS
from studio.export.writing.flows import flow_functions
from studio.export.writing.functions import FlowFunction
from studio.export.writing.parts import CALLED, COMMAND_LINE, FLOW, SAID, Part, Script
from studio.flow.records import Flow
from studio.sdk.registry import Registry


def export_script(
    flow: Flow,
    registry: Registry,
    *,
    source_name: str,
    fallbacks: Mapping[str, Sequence[str]] | None = None,
    guards: Guards | None = None,
) -> str:
    """Write a flow as one file, as `make_script` does."""
    return make_script(flow, registry, source_name=source_name, fallbacks=fallbacks, guards=guards).text


def make_script(
    flow: Flow,
    registry: Registry,
    *,
    source_name: str,
    fallbacks: Mapping[str, Sequence[str]] | None = None,
    guards: Guards | None = None,
    package: str = "",
) -> Script:
    """Write a flow that passed `check` as a script; raises `ExportError` naming the node that cannot be.

    `fallbacks` has the chat profiles to ask in turn where one fails, by its name (empty: the usual one),
    `guards` what it may spend; `package` is the name of the package that it shall become. The same flow
    always gives the same text.
    """
    names = Names([*dir(builtins), "main", "run", "arguments"])
    lifter = Lifter(names)
    for word in sorted(IN_WORDS):
        names.of(Origin(WORDS, word))
    functions = flow_functions(flow, registry, names, lifter)
    asked = fallbacks or {}
    flows = {one.flow.name: _flow_texts(one) for one in functions}
    texts = [text for found in flows.values() for text in found]
    lifter.collect("\n".join(texts))
    command_line = CommandLine(functions, lifter, asked, package, guards or Guards()).texts()
    constants = list(_constants(functions))
    lifter.collect("\n".join([*texts, *command_line, *(text for _, text in constants)]))
    parts = [Part(SAID, formatted(text), name) for name, text in constants]
    for name, found in flows.items():
        parts += [Part(CALLED if name else FLOW, formatted(text), name) for text in found]
    parts += lifted_parts(lifter)
    parts += [Part(COMMAND_LINE, formatted(text)) for text in (*command_line, START)]
    for module in ("argparse", "asyncio", "json", "sys"):
        lifter.use(module, "")
    lifter.collect_imports()
    head = head_of(flow, functions, lifter, source_name, asked, package)
    return Script(head, parts, [one.said for one in functions])


def _flow_texts(one: FlowFunction) -> list[str]:
    """What is written for a flow, but for its constants."""
    record = [one.record()] if one.flow.record else []
    text = one.text()
    return [*record, text, *one.functions]


def _constants(functions: Sequence[FlowFunction]) -> Iterator[tuple[str, str]]:
    """Texts and tables, each with the flow that says it."""
    for one in functions:
        for name, value in one.flow.constants.lines.items():
            yield one.flow.name, f"{name} = {value}\n"
