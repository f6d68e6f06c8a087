"""The command line of a script: its arguments, the run, what is printed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from studio.export.guards import LIMITS, Guards
from studio.export.python.lifter import SCRIPT, TRACE, Lifter
from studio.export.python.literals import literal, text_literal
from studio.export.structure.outputs import STEPS
from studio.export.structure.remembering import MEMORIES, keeps_files
from studio.export.structure.sharing import VARIABLES, keeps_values
from studio.export.versions import version_of
from studio.export.writing.functions import FlowFunction
from studio.flow.ports import PortType
from studio.ids import NodeId
from studio.llm.strict_schema import strict_schema

OPTIONS = frozenset({"model", "folder", "trace", "limit", "help"})
"""Arguments of the command line that are not inputs of the flow."""

SHOWN_AS = {"number": "NUMBER", "flag": "true|false", "file": "FILE", "image": "FILE"}
"""What stands for a value of a type in the usage."""

SHOWN = 60
"""How long a default may be that is told in the help."""

FAILED, INTERRUPTED = 1, 130
ENDS: Sequence[tuple[str, str, int]] = (("studio.errors", "WaitingError", 4),)
"""Errors with an exit code of their own, as the studio's command line has them."""

START = 'if __name__ == "__main__":\n    sys.exit(main())\n'


class CommandLine:
    """Writes it, for what the flows and what is lifted turned out to use."""

    def __init__(
        self,
        functions: Sequence[FlowFunction],
        lifter: Lifter,
        fallbacks: Mapping[str, Sequence[str]],
        package: str,
        guards: Guards,
    ) -> None:
        """Make it; it is that of a package, where one is named."""
        self._functions = functions
        self._main = functions[0]
        self._lifter = lifter
        self._fallbacks = fallbacks
        self._package = package
        self._guards = guards
        self._called = self._main.flow.function
        self._inputs = self._main.flow.inputs

    def texts(self) -> tuple[str, str]:
        """The functions `main` and `run`."""
        json_name, sys_name = self._lifter.use("json", ""), self._lifter.use("sys", "")
        flow = self._main.flow.chart.flow
        description = text_literal(_unformatted(flow.description or flow.name))
        program = f"prog={text_literal(command_of(self._package))}, " if self._package else ""
        made = f"{self._lifter.use('argparse', '')}.ArgumentParser({program}description={description})"
        parser = [
            f"parser = {made}",
            *(self._input_argument(node) for node in self._inputs),
            *self._option_lines(),
            "arguments = parser.parse_args()",
            "try:",
            f"    outputs = {self._lifter.use('asyncio', '')}.run(run(arguments))",
            "except KeyboardInterrupt:",
            f'    print("interrupted", file={sys_name}.stderr)',
            f"    return {INTERRUPTED}",
            *(line for caught, code in self._caught() for line in _told(caught, code, sys_name)),
            "try:",
            f"    print({json_name}.dumps(outputs, ensure_ascii=False, indent=2))",
            "except UnicodeEncodeError:  # where it goes to, not all letters can be written",
            f"    print({json_name}.dumps(outputs, indent=2))",
            "return 0",
        ]
        main = "\n".join(
            [
                "def main() -> int:",
                '    """Read the arguments, run the flow, print its outputs."""',
                *(f"    {line}" for line in parser),
            ]
        )
        return f"{main}\n", f"{self._run_function()}\n"

    def _caught(self) -> Iterator[tuple[Sequence[str], int]]:
        """The errors that end a script with a sentence, each kind with its exit code."""
        for module, name, code in ENDS:
            if self._lifter.is_lifted(module, name):
                yield [self._lifter.use(module, name)], code
        if self._is_limited():
            yield [self._lifter.use(LIMITS, "LimitReachedError")], 3
        yield self._failures(), FAILED

    def _failures(self) -> Sequence[str]:
        """What steps, expressions and the disk may raise."""
        found = ["ArithmeticError", "LookupError", "OSError", "TypeError", "ValueError"]
        if self._lifter.is_lifted("studio.errors", "StepwireError"):
            found.insert(0, self._lifter.use("studio.errors", "StepwireError"))
        if self._keeps("client"):
            found.insert(0, self._lifter.use("openai", "OpenAIError"))
        return found

    def _run_function(self) -> str:
        variables = self._main.flow.variables
        given = [f"{variables[node]}=arguments.{self._destination(node)}" for node in self._inputs]
        returned = f"dict[str, {self._lifter.use('typing', 'Any')}]"
        lines = [
            f"async def run(arguments: {self._lifter.use('argparse', '')}.Namespace) -> {returned}:",
            '    """Run the flow on what the command line gave."""',
        ]
        if not self._main.uses_context:
            work = f"{self._called}({', '.join(given)})"
            return "\n".join([*lines, *(f"    {line}" for line in self._traced(work))])
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
        if self._keeps("memories"):
            fields.append(f"memories={self._memories()}")
        fields += self._guards.fields(self._lifter)
        if any(keeps_values(one.flow.chart) for one in self._functions):
            fields.append(f"state={self._lifter.use(VARIABLES, 'PlainVariables')}()")
        made = f"context = {self._lifter.use(SCRIPT, 'Context')}({', '.join(fields)})"
        told = f"{self._lifter.use(TRACE, 'TracedContext')}(**vars(context), trace=arguments.trace)"
        work = f"{self._called}({', '.join(['context', *given])})"
        if self._guards.limits:
            lines.append(f"{indent}account = {self._guards.account(self._lifter)}")
            work = f"{self._lifter.use(LIMITS, 'in_time')}(account, {work})"
        body = [
            made,
            "if arguments.trace:",
            f"    context = {told}",
            *self._traced(work),
        ]
        return "\n".join([*lines, *(f"{indent}{line}" for line in body)])

    def _memories(self) -> str:
        """Where the memories are."""
        if self._keeps_files():
            return f"{self._lifter.use(MEMORIES, 'FileMemories')}(arguments.folder)"
        return f"{self._lifter.use(MEMORIES, 'Memories')}()"

    def _keeps_files(self) -> bool:
        return any(keeps_files(one.flow.chart) for one in self._functions)

    def _is_limited(self) -> bool:
        """Whether the script comes to an end at a limit, of its own or of a node."""
        records = (one for found in self._functions for one in found.flow.chart.flow.nodes.values())
        has_limits = bool(self._guards.limits) or any(one.run.limits for one in records)
        return has_limits and self._main.uses_context

    def _traced(self, work: str) -> list[str]:
        """The run, told to a trace with the versions of its flows."""
        flow = self._main.flow.chart.stands_for or self._main.flow.chart.flow
        called = {one.flow.name: version_of(one.flow.chart.flow) for one in self._functions if one.flow.name}
        given = {str(node): f"arguments.{self._destination(node)}" for node in self._inputs}
        inputs = ", ".join(f"{text_literal(node)}: {value}" for node, value in given.items())
        told = {"flow_name": flow.name, "flow": version_of(flow), **({"flows": called} if called else {})}
        said = [f"{name}={literal(one, self._lifter.use)}" for name, one in told.items()]
        said.append(f"inputs={self._lifter.use(TRACE, 'shown')}({{{inputs}}})" if inputs else "inputs={}")
        return [
            f"work = {work}",
            "if arguments.trace:",
            f"    work = arguments.trace.follow(work, {', '.join(said)})",
            "return await work",
        ]

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
        trace = self._lifter.use(TRACE, "Trace")
        said = "a file to which is added what happens; Stepwire opens it"
        lines = [f'parser.add_argument("--trace", type={trace}, metavar="FILE", help="{said}")']
        if self._keeps("client"):
            environ = f"{self._lifter.use('os', '')}.environ"
            lines.append(
                f'parser.add_argument("--model", default={environ}.get("OPENAI_MODEL", ""), '
                'help="the language model; otherwise OPENAI_MODEL")'
            )
        if self._guards.limits and self._main.uses_context:
            lines.append(self._guards.option(self._lifter))
        if self._keeps("root") or self._keeps_files():
            path = self._lifter.use("pathlib", "Path")
            place = f"{path}()" if self._package else f"{path}(__file__).parent"
            said = "in the current folder" if self._package else "beside this script"
            lines.append(
                f'parser.add_argument("--folder", type={path}, default={place}, '
                f'help="where files are read and written; otherwise {said}")'
            )
        return lines

    def _input_argument(self, node: NodeId) -> str:
        kind, default = self._type(node), self._main.flow.default(node)
        parts = [text_literal(_option(node))]
        if _option(node) != f"--{self._destination(node).replace('_', '-')}":
            parts.append(f"dest={text_literal(self._destination(node))}")
        if kind != PortType("text"):
            shown = "JSON" if kind.depth else SHOWN_AS.get(kind.base, "JSON")
            parts += [f"metavar={text_literal(shown)}", f"type={self._reader(kind)}"]
        if default is None:
            parts.append("required=True")
        elif isinstance(default, str) and kind != PortType("text") and self._checked(kind) == "value":
            # A text is what the parser would read as if it had been typed.
            parts.append(f"default={text_literal(json.dumps(default, ensure_ascii=False))}")
        else:
            parts.append(f"default={self._main.default_name(node)}")
        parts.append(f"help={text_literal(self._help(node).replace('%', '%%'))}")
        return f"parser.add_argument({', '.join(parts)})"

    def _reader(self, kind: PortType) -> str:
        """What reads a value that is typed, and refuses one of another type."""
        if kind.base in {"file", "image"} and not kind.depth:
            return self._lifter.use("pathlib", "Path")
        checked = self._checked(kind)
        if checked == "value":
            return self._lifter.use(STEPS, "json_or_text")
        expect = checked.removesuffix("(value)")
        expect = expect if expect.isidentifier() else f"lambda value: {checked}"
        return f"{self._lifter.use(STEPS, 'argument')}({expect})"

    def _checked(self, kind: PortType) -> str:
        """The expression of a value that is typed, as its type wants it."""
        return self._main.readings.expected("value", kind)

    def _help(self, node: NodeId) -> str:
        """What an input is, and what it is otherwise."""
        chart = self._main.flow.chart
        settings = chart.registry.settings(chart.record(node))
        text = str(settings.get("help") or settings.get("label") or chart.title(node)).strip()
        default = self._main.flow.default(node)
        shown = "" if default is None else json.dumps(default, ensure_ascii=False)
        if not shown or len(shown) > SHOWN or "\\" in shown:
            return text
        return f"{text.removesuffix('.')}; otherwise {shown}"

    def _destination(self, node: NodeId) -> str:
        """Where the parser puts what was given for an input."""
        if node not in OPTIONS:
            return self._main.flow.variables[node]
        name = f"input_{node}"
        while name in self._main.flow.variables.values():
            name += "_"
        return name

    def _type(self, node: NodeId) -> PortType:
        return self._main.flow.input_type(node)


def _told(caught: Sequence[str], code: int, sys_name: str) -> list[str]:
    """What ends a script on errors of a kind."""
    kinds = caught[0] if len(caught) == 1 else f"({', '.join(caught)})"
    return [
        f"except {kinds} as error:",
        f'    print(f"error: {{type(error).__name__}}: {{error}}", file={sys_name}.stderr)',
        f"    return {code}",
    ]


def command_of(package: str) -> str:
    """What starts a package once it is installed, and what installers call it."""
    return package.replace("_", "-")


def _option(node: NodeId) -> str:
    return f"--input.{node}" if node in OPTIONS else f"--{node.replace('_', '-')}"


def _unformatted(text: str) -> str:
    """A description that argparse takes for a format only where it has to, and then shows as it is."""
    return text.replace("%", "%%") if "%(prog)" in text else text
