"""A flow as one Python file that runs by itself: header, texts, flow, steps, what they use, command line."""

import builtins
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import cast

from black import format_str
from black.mode import Mode, TargetVersion
from black.parsing import InvalidInput

from studio.errors import ExportError
from studio.export.flows import flow_functions
from studio.export.lifter import SCRIPT, Lifter
from studio.export.literals import doc_literal, literal, text_literal
from studio.export.names import Names
from studio.export.outputs import STEPS
from studio.export.rules import IN_WORDS, WORDS
from studio.export.source import Origin
from studio.flow import codec
from studio.flow.ports import PortType
from studio.flow.records import Flow
from studio.ids import NodeId
from studio.llm.strict_schema import strict_schema
from studio.sdk.registry import Registry

LIBRARIES = {"jsonschema": "jsonschema>=4.23,<5", "openai": "openai>=3,<4", "regex": "regex>=2024.5"}
"""What a script depends on that imports one of these in what all kinds of steps share."""

HOW_TO_RUN = (
    "Run it with `uv run FILE`, or with `python FILE` where what it depends on is installed; "
    "`--help` lists its arguments. Outputs go to standard output as JSON."
)
HOW_TO_ASK = (
    "The language model is named by `--model` or OPENAI_MODEL; the client reads its key from "
    "OPENAI_API_KEY and its address from OPENAI_BASE_URL."
)
HOW_TO_FALL_BACK = (
    "Where it can't be reached or refuses, {names} asked: OPENAI_MODEL_NAME names the language model of "
    "each, and OPENAI_BASE_URL_NAME with OPENAI_API_KEY_NAME where it is, if it is elsewhere."
)

LINE_LENGTH = 88
MODE = Mode(line_length=LINE_LENGTH, target_versions={TargetVersion.PY311}, magic_trailing_comma=False)

SECTIONS: Sequence[tuple[str, tuple[str, ...]]] = (
    ("The steps", ("nodes.",)),
    ("What the steps use", ("studio.sdk.", "studio.ids", "studio.export.script_steps")),
    ("Errors", ("studio.errors",)),
    ("Talking to the language model, the terminal and the disk", ("studio.",)),
)
"""The sections of what is lifted, with the modules that each takes; a module of others is a step's."""

OPTIONS = frozenset({"model", "folder", "help"})
"""Arguments of the command line that are not inputs of the flow."""


NAMED = re.compile(r"\w+(: [^=\n]+)? = ")


def export_script(
    flow: Flow,
    registry: Registry,
    *,
    source_name: str,
    fallbacks: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Write a flow that passed `check` as a script; raises `ExportError` naming the node that cannot be.

    `fallbacks` has the chat profiles to ask in turn where one fails, by its name (empty: the usual one). The
    same flow always gives the same text.
    """
    return _Script(flow, registry, source_name, fallbacks or {}).text()


class _Script:
    def __init__(
        self, flow: Flow, registry: Registry, source_name: str, fallbacks: Mapping[str, Sequence[str]]
    ) -> None:
        self._flow = flow
        self._fallbacks = fallbacks
        self._source_name = source_name
        self._names = Names([*dir(builtins), "main", "run", "arguments"])
        self._lifter = Lifter(self._names)
        for word in sorted(IN_WORDS):
            self._names.of(Origin(WORDS, word))
        self._functions = flow_functions(flow, registry, self._names, self._lifter)
        self._main = self._functions[0]
        self._called = self._main.flow.function
        self._inputs = self._main.flow.inputs

    def text(self) -> str:
        """The whole script, formatted."""
        main, *others = [
            [*([one.record()] if one.flow.record else []), one.text(), *one.functions]
            for one in self._functions
        ]
        self._uses_context = self._main.uses_context
        called = [line for lines in others for line in lines]
        self._lifter.collect("\n".join([*main, *called]))
        command_line = self._command_line()
        constants = [
            f"{name} = {value}\n"
            for one in self._functions
            for name, value in one.flow.constants.lines.items()
        ]
        self._lifter.collect("\n".join([*main, *called, command_line, *constants]))
        said = ["# --- What the flow says ---\n", "\n".join(constants)] if constants else []
        first, *rest = [*said, "# --- The flow ---\n"]
        parts = [
            f"{self._head()}\n\n{first}",  # what stands after imports is set apart by rules of its own
            *rest,
            *main,
            *(["# --- The flows that it calls ---\n", *called] if called else []),
            *self._sections(),
            "# --- The command line ---\n",
            command_line,
            'if __name__ == "__main__":\n    sys.exit(main())\n',
        ]
        return _joined([_formatted(part) for part in parts])

    # --- parts ---------------------------------------------------------------------------------------------

    def _head(self) -> str:
        lifter = self._lifter
        for module in ("argparse", "asyncio", "json", "sys"):
            lifter.use(module, "")
        lifter.collect_imports()
        standard, others = lifter.import_lines()
        needed = self._requirements()
        lines = ["#!/usr/bin/env python3", "# /// script", '# requires-python = ">=3.11"']
        lines += [f"# dependencies = [{', '.join(text_literal(one) for one in needed)}]", "# ///"]
        imports = "\n".join([*standard, "", *others]).strip()
        return "\n".join(
            [*lines, self._docstring(), "", "from __future__ import annotations", "", imports, ""]
        )

    def _docstring(self) -> str:
        texts = [f"{self._flow.name or 'A flow'}."]
        if self._flow.description.strip():
            texts += ["", self._flow.description]
        texts += ["", f"Exported by Stepwire from {self._source_name} (flow {_digest(self._flow)})."]
        called = [
            f"{one.flow.name} (flow {_digest(one.flow.chart.flow)})"
            for one in self._functions
            if one.flow.name
        ]
        texts += [f"It calls {', '.join(called)}."] if called else []
        asked = self._lifter.is_imported("openai")
        texts += ["", HOW_TO_RUN]
        if asked:
            texts += ["", HOW_TO_ASK]
        others = dict.fromkeys(one for names in self._fallbacks.values() for one in names)
        if asked and others:
            texts += [
                "",
                HOW_TO_FALL_BACK.format(names=f"{' and '.join(others)} {'are' if len(others) > 1 else 'is'}"),
            ]
        return doc_literal("\n".join(texts))

    def _requirements(self) -> list[str]:
        charts = [one.flow.chart for one in self._functions]
        needed = {
            one for chart in charts for node in chart.flow.nodes for one in chart.type_of(node).requires
        }
        return sorted(needed | {spec for name, spec in LIBRARIES.items() if self._lifter.is_imported(name)})

    def _type(self, node: NodeId) -> PortType:
        return self._main.flow.input_type(node)

    def _settings(self, node: NodeId) -> Mapping[str, object]:
        chart = self._main.flow.chart
        return chart.registry.settings(chart.record(node))

    # --- command line --------------------------------------------------------------------------------------

    def _command_line(self) -> str:
        json_name, sys_name = self._lifter.use("json", ""), self._lifter.use("sys", "")
        description = text_literal(_unformatted(self._flow.description or self._flow.name))
        parser = [
            f"parser = {self._lifter.use('argparse', '')}.ArgumentParser(description={description})",
            *(self._input_argument(node) for node in self._inputs),
            *self._option_lines(),
            "arguments = parser.parse_args()",
            "try:",
            f"    outputs = {self._lifter.use('asyncio', '')}.run(run(arguments))",
            f"except ({', '.join(self._caught())}) as error:",
            f'    print(f"error: {{type(error).__name__}}: {{error}}", file={sys_name}.stderr)',
            "    return 1",
            f"print({json_name}.dumps(outputs, ensure_ascii=False, indent=2))",
            "return 0",
        ]
        main = "\n".join(
            [
                "def main() -> int:",
                '    """Read the arguments, run the flow, print its outputs."""',
                *(f"    {line}" for line in parser),
            ]
        )
        return f"{main}\n\n\n{self._run_function()}\n"

    def _caught(self) -> list[str]:
        """The errors that end a script with a sentence: what steps, expressions and the disk may raise."""
        found = ["ArithmeticError", "LookupError", "OSError", "TypeError", "ValueError"]
        if self._lifter.is_lifted("studio.errors", "StepwireError"):
            found.insert(0, self._lifter.use("studio.errors", "StepwireError"))
        if self._lifter.is_lifted(SCRIPT, "WaitingError"):
            found.insert(0, self._lifter.use(SCRIPT, "WaitingError"))
        if self._keeps("client"):
            found.insert(0, self._lifter.use("openai", "OpenAIError"))
        return found

    def _run_function(self) -> str:
        given = [f"{self._main.flow.variables[node]}={self._argument_value(node)}" for node in self._inputs]
        returned = f"dict[str, {self._lifter.use('typing', 'Any')}]"
        lines = [
            f"async def run(arguments: {self._lifter.use('argparse', '')}.Namespace) -> {returned}:",
            '    """Run the flow on what the command line gave."""',
        ]
        if not self._uses_context:
            return "\n".join([*lines, f"    return await {self._called}({', '.join(given)})"])
        fields: list[str] = []
        indent = "    "
        if self._keeps("client"):
            lines.append(f"    async with {self._lifter.use('openai', 'AsyncOpenAI')}() as client:")
            indent = "        "
            fields += ["client=client", "model=arguments.model"]
        if self._fallbacks and self._keeps("chat"):
            told = {name: list(others) for name, others in sorted(self._fallbacks.items())}
            fields.append(f"fallbacks={told!r}")
        forms = self._forms() if self._keeps("chat") else []
        if forms:
            fields.append(f"forms=[{', '.join(forms)}]")
        if self._keeps("root"):
            fields.append("root=arguments.folder")
        made = f"context = {self._lifter.use(SCRIPT, 'Context')}({', '.join(fields)})"
        call = f"return await {self._called}({', '.join(['context', *given])})"
        return "\n".join([*lines, f"{indent}{made}", f"{indent}{call}"])

    def _forms(self) -> list[str]:
        """Forms of answers that are asked for in another way than they are written, each with that way."""
        forms: dict[str, None] = {}
        for one in self._functions:
            chart = one.flow.chart
            for node in chart.flow.nodes:
                schema = chart.registry.settings(chart.record(node)).get("answer_schema")
                if isinstance(schema, Mapping):
                    given = cast("Mapping[str, object]", schema)
                    strict = strict_schema(given)
                    if strict != given:
                        name = one.flow.constants.named(f"{node}_answer_schema", given)
                        forms[f"({name}, {literal(strict, self._lifter.use)})"] = None
        return list(forms)

    def _keeps(self, field: str) -> bool:
        return self._lifter.keeps(SCRIPT, "Context", field)

    def _option_lines(self) -> list[str]:
        lines: list[str] = []
        if self._keeps("client"):
            environ = f"{self._lifter.use('os', '')}.environ"
            lines.append(
                f'parser.add_argument("--model", default={environ}.get("OPENAI_MODEL", ""), '
                'help="the language model; otherwise OPENAI_MODEL")'
            )
        if self._keeps("root"):
            path = self._lifter.use("pathlib", "Path")
            lines.append(
                f'parser.add_argument("--folder", type={path}, default={path}(__file__).parent, '
                'help="where files are read and written; otherwise beside this script")'
            )
        return lines

    def _input_argument(self, node: NodeId) -> str:
        parts = [text_literal(_option(node))]
        if _option(node) != f"--{self._destination(node).replace('_', '-')}":
            parts.append(f"dest={text_literal(self._destination(node))}")
        kind = self._type(node)
        if kind.base in {"file", "image"} and not kind.depth:
            parts.append(f"type={self._lifter.use('pathlib', 'Path')}")
        elif kind != PortType("text"):
            parts.append(f"type={self._lifter.use(STEPS, 'json_or_text')}")
        default = self._main.flow.default(node)
        parts.append("required=True" if default is None else f"default={self._main.default_name(node)}")
        settings = self._settings(node)
        help_text = str(settings.get("help") or settings.get("label") or self._main.flow.chart.title(node))
        parts.append(f"help={text_literal(help_text.replace('%', '%%'))}")
        return f"parser.add_argument({', '.join(parts)})"

    def _argument_value(self, node: NodeId) -> str:
        given, kind = f"arguments.{self._destination(node)}", self._type(node)
        if kind == PortType("text") or (kind.base in {"file", "image"} and not kind.depth):
            return given
        return self._main.readings.expected(given, kind)

    def _destination(self, node: NodeId) -> str:
        """Where the parser puts what was given for an input."""
        return f"input_{node}" if node in OPTIONS else self._main.flow.variables[node]

    # --- what is lifted ------------------------------------------------------------------------------------

    def _sections(self) -> Iterable[str]:
        """The lifted definitions under their headings, each after what it needs when it is made."""
        modules = self._lifter.modules()
        texts = {origin: text for found in modules.values() for origin, text in found}
        written: set[Origin] = set()
        sections: list[tuple[str, list[Origin]]] = [(title, []) for title, _ in SECTIONS]
        for module in modules:
            place = next((at for at, (_, starts) in enumerate(SECTIONS) if module.startswith(starts)), 0)
            sections[place][1].extend(origin for origin, _ in modules[module])
        for title, origins in sections:
            lines: list[str] = []
            for origin in origins:
                self._write(origin, texts, written, lines)
            if lines:
                yield f"# --- {title} ---\n"
                yield from lines

    def _write(
        self, origin: Origin, texts: Mapping[Origin, str], written: set[Origin], lines: list[str]
    ) -> None:
        if origin in written:
            return
        written.add(origin)
        for before in sorted(self._lifter.eager(origin), key=lambda one: (one.module, one.name)):
            self._write(before, texts, written, lines)
        lines.append(f"{texts[origin]}\n")


def _joined(parts: Sequence[str]) -> str:
    """Put parts below one another; what only gives names to values stands closer together."""
    text = ""
    for before, part in pairwise(["", *parts]):
        is_close = _is_plain(before) and _is_plain(part)
        text += ("" if not before else "\n" if is_close else "\n\n") + part
    return text


def _is_plain(part: str) -> bool:
    """Whether a part gives a name to a value."""
    return NAMED.match(part) is not None


def _digest(flow: Flow) -> str:
    return hashlib.sha256(codec.dumps(flow).encode()).hexdigest()[:12]


def _option(node: NodeId) -> str:
    return f"--input.{node}" if node in OPTIONS else f"--{node.replace('_', '-')}"


def _unformatted(text: str) -> str:
    """A description that argparse does not take for a format."""
    return text.replace("%(prog)", "% (prog)")


@lru_cache(maxsize=1024)
def _formatted(text: str) -> str:
    """A part of a script, which is often the same in others: the formatter takes most of an export's time."""
    try:
        return format_str(text, mode=MODE)
    except InvalidInput as error:
        raise ExportError(f"The script could not be written: {error}") from error
