"""The values of one node as a script says them, beside those of the flow: settings, inputs, run settings."""

import inspect
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pydantic import ValidationError

from studio.app.scripts.edits.constants import Written
from studio.app.scripts.edits.edits import Edit, Found, Place, Remark, Value, edited, same, same_values
from studio.app.scripts.edits.script import NodeCall
from studio.export.statements.steps import MEMORY_NAME, is_nameless
from studio.flow.edits import REMOVE, Remove, wires_into
from studio.flow.ports import AFTER
from studio.flow.records import Flow, Json, Node, RunSettings, Socket, title_of
from studio.flow.structure.regions import RegionTree
from studio.ids import NodeId, PortName, lender_name
from studio.sdk.node_type import REQUIRED, NodeType, SettingSpec
from studio.sdk.registry import Registry

SAID_BY_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "rounds": ("max_rounds",),
    "each": ("at_once",),
    "collected": ("failed",),
    "call": (),
}
"""Of nodes that scripts say by words of the kit: the settings that these have; Python says the others."""
RUN_BY_WORDS: Final[Mapping[str, tuple[str, ...]]] = {"each": ("time_limit",)}
"""The same of run settings."""
PLAIN: Final = ("value.", "text.text")
"""Kinds whose nodes a script may say as plain expressions."""
CONSTANT: Final[Mapping[str, str]] = {"text.text": "text", "value.json": "value"}
"""Kinds that give a setting of theirs, and nothing else: a script may say a constant in their place."""
RUN: Final = {
    "retries": "Retries",
    "time_limit": "Time limit",
    "on_error": "On error",
    "default": "Default output",
    "limits": "Limits",
}
"""The run settings that a script says, and their labels."""


@dataclass(frozen=True)
class Sight:
    """A flow that a function is compared with."""

    called: str
    flow: Flow
    tree: RegionTree
    registry: Registry
    in_script: Collection[NodeId]
    """The nodes that the function says."""

    def title(self, node: NodeId) -> str:
        """What people call a node."""
        return title_of(self.flow, node)

    def remark(self, node: NodeId, words: str, line: int) -> Remark:
        """Say something of a node."""
        return Remark(words, line, self.called, node)

    def edit_of_setting(
        self, node: NodeId, name: str, said: Written | None, line: int
    ) -> Edit | Remark | None:
        """Compare a setting with what a script says, which is the default where it says nothing."""
        record = self.flow.nodes[node]
        spec = next(one for one in self.registry.require(record.kind).settings if one.name == name)
        before = complete(spec, record.settings.get(name, REMOVE))
        value: Value = REMOVE if said is None else said.value
        try:
            after = complete(spec, value, strict=True)
        except ValueError as error:
            words = f"“{spec.label}” of “{self.title(node)}”: {_sentence(str(error))}"
            return self.remark(node, words, line)
        if same(before, after):
            return None
        if spec.default is not REQUIRED and same(after, spec.write(spec.default)):
            value = REMOVE
        return self.edit(node, "setting", name, spec.label, (before, after), value, line)

    def is_folded(self, node: NodeId) -> bool:
        """Whether the script may say a node as a plain expression, or has left it out."""
        record = self.flow.nodes[node]
        return node not in self.in_script and (bool(record.run.state) or record.kind.startswith(PLAIN))

    def edit_of_folded(self, node: NodeId, said: Written) -> Iterator[Edit | Remark]:
        """Compare a constant with the node of the flow that gives nothing else."""
        name = CONSTANT.get(self.flow.nodes[node].kind)
        found = self.edit_of_setting(node, name, said, said.line) if name is not None else None
        if found is not None:
            yield found

    def edit(
        self,
        node: NodeId,
        place: Place,
        name: str,
        label: str,
        swap: tuple[Json, Json],
        value: Value,
        line: int,
    ) -> Edit:
        """An edit of one of its nodes; `swap` is what was, and what is instead."""
        return Edit(self.called, node, place, name, self.title(node), label, *swap, value, line)


def complete(spec: SettingSpec, value: Value, *, strict: bool = False) -> Json:
    """The value of a setting as a file would have it in full; raises `ValueError` if `strict`."""
    if isinstance(value, Remove):
        if spec.default is REQUIRED:
            if strict:
                raise ValueError("it needs a value")
            return None
        return spec.write(spec.default)
    try:
        return spec.write(spec.read(value))
    except ValueError:
        if strict:
            raise
        return value


class NodeValues:
    """One call beside the node of a flow."""

    def __init__(self, call: NodeCall, sight: Sight) -> None:
        self._call, self._sight = call, sight
        self._name = call.node
        self._node: Node = sight.flow.nodes[call.node]
        self._type = sight.registry.require(self._node.kind)
        self._title = sight.title(call.node)

    def found(self) -> Found:
        """Compare all; edits that do not fit the node are remarks."""
        found = Found()
        found.add((*self._settings(), *self._run_settings()))
        self._refuse_what_does_not_fit(found)
        found.add(self._inputs(edited(self._node, found.edits)))
        return found

    @cached_property
    def _said(self) -> Mapping[str, Written]:
        """What the call gives, by the names of settings and inputs."""
        positional = _positional(self._type) if self._call.arguments else ()
        return {**dict(zip(positional, self._call.arguments, strict=False)), **self._call.keywords}

    def _settings(self) -> Iterator[Edit | Remark]:
        words = SAID_BY_WORDS.get(self._call.said)
        plain = {name: one.value for name, one in self._said.items() if one.is_constant}
        for spec in self._type.settings:
            said = self._said.get(spec.name)
            is_unsaid = said is None and (self._call.has_more or spec.name not in self._node.settings)
            if is_unsaid or (words is not None and spec.name not in words):
                continue
            if said is None and not self._type.matters(spec, {**self._node.settings, **plain}):
                continue
            if said is not None and not said.is_constant:
                yield self._remark(f"“{spec.label}” of “{self._title}” is computed in Python.", said.line)
                continue
            if said is not None and spec.name == MEMORY_NAME and said.value == self._memory_name:
                continue
            line = said.line if said is not None else self._call.line
            one = self._sight.edit_of_setting(self._name, spec.name, said, line)
            if one is not None:
                yield one

    @cached_property
    def _memory_name(self) -> str | None:
        """What a script calls a lasting memory of a called flow that has no name there."""
        settings = self._sight.registry.settings(self._node)
        return lender_name(self._sight.called, self._name) if is_nameless(settings) else None

    def _run_settings(self) -> Iterator[Edit | Remark]:
        said = self._call.run
        if said is None or self._type.form == "binding":
            return
        before = self._node.run.model_dump(mode="json")
        usual = RunSettings().model_dump(mode="json")
        names = RUN_BY_WORDS.get(self._call.said, tuple(RUN))
        for name in names:
            written = said.get(name)
            if written is not None and not written.is_constant:
                yield self._remark(f"“{RUN[name]}” of “{self._title}” is computed in Python.", written.line)
                continue
            wanted = usual[name] if written is None else written.value
            line = self._call.line if written is None else written.line
            try:
                after = RunSettings.model_validate({**usual, name: wanted}).model_dump(mode="json")[name]
            except ValidationError as error:
                reason = error.errors(include_url=False)[0]["msg"]
                yield self._remark(f"“{RUN[name]}” of “{self._title}”: {_sentence(reason)}", line)
                continue
            if not same(before[name], after):
                yield self._edit("run", name, RUN[name], (before[name], after), after, line)

    def _inputs(self, node: Node) -> Iterator[Edit | Remark]:
        """What is typed at inputs, with the inputs that the node has by its edited settings."""
        signature = self._sight.registry.signature(node)
        if signature is None or self._call.said in {"rounds", "each", "collected"}:
            return
        settings = {one.name for one in self._type.settings}
        for port in signature.inputs:
            if port.type.is_binding or port.name == AFTER:
                continue
            said = self._said.get(str(port.name))
            if said is not None and said.is_constant and said.value is None and port.type.base != "json":
                said = None  # no value arrives
            yield from self._input(port.name, port.label or str(port.name), said)
        known = {str(port.name) for port in signature.inputs} | settings
        for name, written in self._said.items():
            if name not in known and self._call.said == "node":
                yield self._remark(f"“{self._title}” has no input `{name}`.", written.line)

    def _input(self, port: PortName, label: str, said: Written | None) -> Iterator[Edit | Remark]:
        wires = wires_into(self._sight.flow, Socket(self._name, port))
        before: Value = self._node.inputs.get(port, REMOVE)
        place = f"“{label}” of “{self._title}”"
        if wires:
            is_folded = all(self._sight.is_folded(wire.source.node) for wire in wires)
            if said is None and not is_folded and not self._call.has_more:
                yield self._remark(
                    f"{place} is wired in the flow, and gets nothing in the script.", self._call.line
                )
            elif said is not None and said.is_constant and not is_folded:
                yield self._remark(f"{place} is wired in the flow, and a constant in the script.", said.line)
            elif said is not None and said.is_constant and len(wires) == 1:
                yield from self._sight.edit_of_folded(wires[0].source.node, said)
        elif said is not None and not said.is_constant:
            has = "not wired" if isinstance(before, Remove) else "a typed value"
            yield self._remark(f"{place} is computed in the script; in the flow it is {has}.", said.line)
        elif not (said is None and self._call.has_more):
            value: Value = REMOVE if said is None else said.value
            default = self._type.defaults.get(str(port))
            shown = [default if isinstance(one, Remove) else one for one in (before, value)]
            if not same_values(before, value) and not _alike(shown[0], shown[1]):
                line = self._call.line if said is None else said.line
                was, becomes = (None if isinstance(one, Remove) else one for one in (before, value))
                yield self._edit("input", str(port), label, (was, becomes), value, line)

    def _refuse_what_does_not_fit(self, found: Found) -> None:
        """Leave out edits after which the node would have a problem that it does not have now."""
        registry = self._sight.registry
        known = set(registry.problems(self._node))

        def problem(some: Sequence[Edit]) -> str:
            fresh = [one for one in registry.problems(edited(self._node, some)) if one not in known]
            return fresh[0] if fresh else ""

        if not problem(found.edits):
            return
        kept: list[Edit] = []
        for one in found.edits:
            words = problem([*kept, one])
            if words:
                found.remarks.append(
                    self._remark(f"“{one.label}” of “{self._title}”: {_sentence(words)}", one.line)
                )
            else:
                kept.append(one)
        found.edits[:] = kept

    def _edit(
        self, place: Place, name: str, label: str, swap: tuple[Json, Json], value: Value, line: int
    ) -> Edit:
        return self._sight.edit(self._name, place, name, label, swap, value, line)

    def _remark(self, words: str, line: int) -> Remark:
        return self._sight.remark(self._name, words, line)


def _sentence(words: str) -> str:
    return f"{words.rstrip('.')}."


def _alike(one: object, other: object) -> bool:
    return one is other or (type(one) is type(other) and one == other)


def _positional(type_: NodeType) -> Sequence[str]:
    """The names of what a node's function takes by place, as scripts call it: without its context."""
    if type_.function is None:
        return ()
    return [
        name
        for name, one in inspect.signature(type_.function).parameters.items()
        if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and name != type_.context_name
    ]
