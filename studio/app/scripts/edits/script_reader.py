"""Reads a script: whose function is the flow, what it calls, and where. Its syntax alone is looked at."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import cleandoc
from typing import Final, TypeAlias

from studio.app.scripts.edits.constants import Constants, Written, bound_names
from studio.app.scripts.edits.drawn_parts import calls_in
from studio.app.scripts.edits.names import Names
from studio.app.scripts.edits.script import (
    FlowFunction,
    NodeCall,
    Script,
    Untold,
    named,
)
from studio.errors import UsageError
from studio.ids import NodeId
from studio.script.head import description_in, head_of

EXPORT_AGAIN: Final = "Only scripts that call stepwire_kit can be read; export the flow again to get one."

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class ScriptUnreadableError(UsageError):
    """A script is no Python, or no flow."""


def read_script(text: str) -> Script:
    """Read a script; raises `ScriptUnreadableError`."""
    try:
        module = ast.parse(text)
    except SyntaxError as error:
        message = f"Line {error.lineno or 1} of the script is not Python: {error.msg}."
        raise ScriptUnreadableError(message, hint="Correct the script, then try again.") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ScriptUnreadableError("The script is not Python.", hint="Choose another file.") from error
    try:
        return _Reader(module).script()
    except RecursionError as error:
        raise ScriptUnreadableError("The script is nested too deeply.", hint=EXPORT_AGAIN) from error


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something stands: in which flow, in which loops and maps, and which names are local there."""

    flow: FlowFunction
    scope: tuple[NodeId, ...] = ()
    hidden: frozenset[str] = frozenset()
    functions: Mapping[str, Function] | None = None
    within: tuple[ast.AST, ...] = ()
    """The functions that are being followed, lest one that calls itself is followed for ever."""

    def inside(self, node: str) -> "_Place":
        return replace(self, scope=(*self.scope, NodeId(node)))


class _Reader:
    """Follows the function of a flow, and what it calls, once."""

    def __init__(self, module: ast.Module) -> None:
        self._module = module
        self._names = Names(module)
        self._constants = Constants(module, self._names)
        self._top = dict(_functions_in(module.body))
        self._known = dict(_bound_to_calls(module))
        self._flows: dict[str, FlowFunction] = {}

    def script(self) -> Script:
        """Read all; raises `ScriptUnreadableError` where there is no flow."""
        function, made = self._entry()
        main = self._flow_of(function)
        docstring = ast.get_docstring(self._module) or ""
        about = Written(1, description_in(docstring))
        title = self._constants.read(made.args[0]) if made.args else None
        for one in made.keywords:
            title = self._constants.read(one.value) if one.arg == "title" else title
        return Script(head_of(docstring), title, about if about.value else None, main, self._flows)

    def _entry(self) -> tuple[Function, ast.Call]:
        """The function under `@flow`, and the call that made `flow`."""
        for function in self._top.values():
            for decorator in function.decorator_list:
                made = self._known.get(decorator.id) if isinstance(decorator, ast.Name) else decorator
                if isinstance(made, ast.Call) and self._names.word_of(made.func) == "Flow":
                    return function, made
        raise ScriptUnreadableError("The script has no flow: no function below `@flow`.", hint=EXPORT_AGAIN)

    def _flow_of(self, function: Function) -> FlowFunction:
        flow = FlowFunction(function.name, function.lineno)
        said = ast.get_docstring(function, clean=False)
        if said is not None:
            flow.docstring = Written(function.body[0].lineno, cleandoc(said))
        for parameter, default in _parameters(function):
            flow.parameters[parameter] = None if default is None else self._constants.read(default)
        self._body(function, _Place(flow))
        return flow

    def _body(self, function: Function, place: _Place) -> None:
        """Follow the body of a function as a part of what calls it."""
        if function in place.within:
            return
        inner = dict(_functions_in(function.body))
        at = replace(
            place,
            hidden=place.hidden | bound_names(function),
            functions={**(place.functions or {}), **inner},
            within=(*place.within, function),
        )
        for statement in function.body:
            self._visit(statement, at)

    def _visit(self, node: ast.AST, place: _Place) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return  # followed where it is called
            case ast.Lambda():
                self._visit(node.body, replace(place, hidden=place.hidden | bound_names(node)))
            case ast.For() | ast.AsyncFor():
                self._loop(node, place)
            case ast.Call():
                self._call(node, place)
            case ast.Name(id=name, ctx=ast.Load()) if (function := self._function(name, place)) is not None:
                self._body(function, place)
            case _:
                for one in ast.iter_child_nodes(node):
                    self._visit(one, place)

    def _function(self, name: str, place: _Place) -> Function | None:
        return (place.functions or {}).get(name) or self._top.get(name)

    def _loop(self, node: ast.For | ast.AsyncFor, place: _Place) -> None:
        self._visit(node.iter, place)
        counts = next(
            (
                one
                for one in ast.walk(node.iter)
                if isinstance(one, ast.Call) and self._names.word_of(one.func, place.hidden) == "rounds"
            ),
            None,
        )
        name = self._node_id(counts, place) if counts is not None else ""
        for one in node.body:
            self._visit(one, place.inside(name) if name else place)
        for one in node.orelse:
            self._visit(one, place)

    def _call(self, call: ast.Call, place: _Place) -> None:
        function, run = self._bare(call.func, place)
        kind = self._names.kind_of(function, place.hidden)
        word = self._names.word_of(function, place.hidden)
        if not kind and not word:
            for one in ast.iter_child_nodes(call):
                self._visit(one, place)
            return
        steps_in = word if word in {"each", "call"} else ""
        for one in [*call.args[2 if steps_in else 0 :], *(keyword.value for keyword in call.keywords)]:
            self._visit(one, place)
        if word == "region":
            self._drawn(call, place)
        elif kind or word in {"rounds", "each", "call"}:
            node = self._node_id(call, place)
            if not node:
                words = "The id of this step is computed in Python."
                place.flow.untold.append(Untold(call.lineno, words))
                return
            self._note(call, kind, word, node, run, place)
            if steps_in:
                self._steps_in(call, word, node, place)

    def _steps_in(self, call: ast.Call, word: str, node: NodeId, place: _Place) -> None:
        """Follow the function that a map or a call does, in its own scope or as a flow of its own."""
        given = call.args[1] if len(call.args) > 1 else None
        if given is None:
            return
        name = named(given)
        function = self._function(name, place) if name else None
        if word == "each":
            if function is not None:
                self._body(function, place.inside(node))
            else:
                self._visit(given, place.inside(node))
        elif function is None:
            words = f"The function that “{node}” calls is not in the script."
            place.flow.untold.append(Untold(call.lineno, words))
        else:
            place.flow.flows[node] = name
            if name not in self._flows:
                self._flows[name] = FlowFunction(name, function.lineno)  # it may call itself
                self._flows[name] = self._flow_of(function)

    def _note(
        self,
        call: ast.Call,
        kind: str,
        word: str,
        node: NodeId,
        run: Mapping[str, Written] | None,
        place: _Place,
    ) -> None:
        read = partial(self._constants.read, hidden=place.hidden)
        keywords = {one.arg: read(one.value) for one in call.keywords if one.arg is not None}
        rest = call.args[2 if word in {"each", "call"} else 1 :]
        arguments = tuple(read(one) for one in rest if not isinstance(one, ast.Starred))
        has_more = len(arguments) < len(rest) or any(one.arg is None for one in call.keywords)
        noted = NodeCall("node", kind, node, call.lineno, place.scope, arguments, keywords, has_more, run)
        calls = place.flow.calls
        if kind:
            calls.append(noted)
        elif word == "rounds":
            most = keywords.get("most", arguments[0] if arguments else None)
            said = {"max_rounds": most} if most is not None else {}
            calls.append(
                replace(noted, said="rounds", kind="control.loop", arguments=(), keywords=said, run=None)
            )
        elif word == "each":
            calls += _map_calls(noted)
        else:
            function = self._function(named(call.args[1]), place) if len(call.args) > 1 else None
            names = [name for name, _ in _parameters(function)] if function is not None else []
            said = {**dict(zip(names, arguments, strict=False)), **keywords}
            calls.append(
                replace(noted, said="call", kind="control.subflow", arguments=(), keywords=said, run=None)
            )

    def _drawn(self, call: ast.Call, place: _Place) -> None:
        for argument in call.args[:2]:
            given = self._constants.read(argument, place.hidden)
            found = calls_in(given, place.scope) if given.is_constant else None
            if found is not None:
                place.flow.calls += found
                return
        words = "The flow that `region` runs is not a constant of the script."
        place.flow.untold.append(Untold(call.lineno, words))

    def _node_id(self, call: ast.Call, place: _Place) -> NodeId:
        """The id that a step is called by; empty where Python computes it."""
        given = self._constants.read(call.args[0], place.hidden) if call.args else None
        return NodeId(given.value) if given is not None and isinstance(given.value, str) else NodeId("")

    def _bare(self, function: ast.expr, place: _Place) -> tuple[ast.expr, Mapping[str, Written]]:
        """A node's function without `.on(…)`, and what that says; names that stand for them are followed."""
        if isinstance(function, ast.Name) and function.id not in place.hidden:
            function = self._known.get(function.id, function)
        if (
            isinstance(function, ast.Call)
            and isinstance(function.func, ast.Attribute)
            and function.func.attr == "on"
        ):
            said = {one.arg or "": self._constants.read(one.value, place.hidden) for one in function.keywords}
            return self._bare(function.func.value, place)[0], said
        return function, {}


def _map_calls(noted: NodeCall) -> Iterator[NodeCall]:
    """A map is two nodes: the one that splits the list, and the one that collects what came out."""
    keywords = noted.keywords
    settings = {name: keywords[name] for name in ("at_once",) if name in keywords}
    run = {name: keywords[name] for name in ("time_limit",) if name in keywords}
    yield replace(noted, said="each", kind="control.for_each", arguments=(), keywords=settings, run=run)
    collected = keywords.get("collected")
    name = collected.value if collected is not None else ""
    settings = {name: keywords[name] for name in ("failed",) if name in keywords}
    if isinstance(name, str):
        node = NodeId(name or f"{noted.node}_collected")
        yield replace(
            noted,
            said="collected",
            kind="control.collect",
            node=node,
            arguments=(),
            keywords=settings,
            run=None,
        )


def _functions_in(statements: list[ast.stmt]) -> Iterator[tuple[str, Function]]:
    """The functions that are defined in a body, in what it does on conditions as well."""
    for one in statements:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            yield one.name, one
        elif not isinstance(one, ast.ClassDef):
            for inner in ("body", "orelse", "finalbody"):
                yield from _functions_in(getattr(one, inner, []))


def _bound_to_calls(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names that a module gives to functions and to what a call made: `flow = Flow(…)`, `ask = agent`."""
    for one in module.body:
        match one:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if isinstance(value, ast.Call | ast.Name | ast.Attribute):
                yield name, value
            case _:
                pass


def _parameters(function: Function) -> Iterator[tuple[str, ast.expr | None]]:
    given = function.args
    named_ones = [*given.posonlyargs, *given.args]
    missing = len(named_ones) - len(given.defaults)
    for place, one in enumerate(named_ones):
        yield one.arg, given.defaults[place - missing] if place >= missing else None
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield one.arg, default
