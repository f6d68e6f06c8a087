"""The settings of one node, its typed inputs, and how its steps run."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from studio.app.documents.history import History
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.ports import Port, Structure
from studio.flow.records import Flow, Json, Node, RunSettings, title_of
from studio.ids import NodeId, PortName
from studio.sdk.node import REQUIRED, NodeType, SettingSpec
from studio.sdk.registry import Registry
from studio.ui.editors.make import Surroundings, literal_editor, make_editor
from studio.ui.labels import text_label
from studio.ui.panels.inspector.form import Field, Form
from studio.ui.panels.inspector.run_form import OF_AREAS, RunForm
from studio.ui.panels.inspector.visit import Visit
from studio.ui.removal import take_out
from studio.ui.viewmodels.flow.schema_rows import renamed_ports

TYPED = frozenset({"prompt", "text", "code", "json", "schema"})
"""Editors whose values pass through many that nobody meant; wires that these strand become problems."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Text in a field that does not fit: the flow still has the value before it."""

    label: str
    text: str
    why: str


class SettingsForm(QScrollArea):
    """Edits one node; follows undo, redo and edits made elsewhere without losing the cursor."""

    def __init__(
        self,
        history: History,
        registry: Registry,
        around: Surroundings,
        node: NodeId,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._history, self._registry, self._around, self._name = history, registry, around, node
        self._visit = Visit(history)
        self._type = registry.get(self._node.kind)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        page = QWidget(self)
        look = around.look
        self._rows = QVBoxLayout(page)
        self._rows.setContentsMargins(*(look.length("space.large"),) * 4)
        self._rows.setSpacing(look.length("space.wide"))
        self.settings = Form(look, parent=page)
        self._add_settings(self._type)
        self._rows.addWidget(self.settings)
        self.inputs: Form | None = None
        self._ports: tuple[Port, ...] = ()
        self.run_settings = self._add_run(self._type, page)
        self._rows.addStretch(1)
        self.setWidget(page)
        self.follow()

    def close_form(self) -> None:
        """Stop listening to the flow."""
        self._visit.close()

    @property
    def _node(self) -> Node:
        return self._history.flow.nodes[self._name]

    def follow(self) -> None:
        """Show the node as it is now."""
        node = self._node
        self._show_ports()
        for field in self.settings:
            spec = self._spec(field.name)
            field.editor.set_value(node.settings.get(spec.name, plain_default(spec)))
        if self.inputs is not None:
            for field in self.inputs:
                field.editor.set_value(node.inputs.get(PortName(field.name)))
        if self.run_settings is not None:
            self.run_settings.show_settings(node.run)
        self._show_problems()

    def rejected(self) -> dict[tuple[str, str], Rejected]:
        """What was typed and does not fit, by form and field."""
        return {
            key: Rejected(field.label, text, field.editor.message or self.tr("This is not JSON."))
            for key, field in self._all_fields()
            if (text := field.editor.rejected()) is not None
        }

    def show_rejected(self, texts: Mapping[tuple[str, str], Rejected]) -> None:
        """Show it again."""
        for key, field in self._all_fields():
            if key in texts:
                field.editor.show_rejected(texts[key].text)

    def _all_fields(self) -> Iterator[tuple[tuple[str, str], Field]]:
        for name, form in (("setting", self.settings), ("input", self.inputs)):
            for field in form or ():
                yield (name, field.name), field

    def _add_settings(self, found: NodeType | None) -> None:
        if found is None:
            lost = text_label(
                self.tr("The node type `{kind}` is not installed. The node stays as it is.").format(
                    kind=self._node.kind
                ),
                None,
                tone="failed",
                wraps=True,
            )
            self._rows.addWidget(lost)
            return
        if not found.settings:
            nothing = text_label(self.tr("This node has no settings."), None, "label", "muted")
            self._rows.addWidget(nothing)
        for spec in found.settings:
            self.settings.add(
                spec.name,
                spec.label,
                make_editor(spec, self._around),
                edited=self._edit_of(spec),
                visited=self._visit.begin,
                help_text=spec.help,
            )

    def _add_run(self, found: NodeType | None, page: QWidget) -> RunForm | None:
        if found is None or not (
            found.form == "function" or found.structure is Structure.SUBFLOW or found.structure in OF_AREAS
        ):
            return None
        form = RunForm(self._around.look, page, found.structure)
        form.edited.connect(self._edit_run)
        form.visited.connect(self._visit.begin)
        self._rows.addWidget(form)
        return form

    def _edit_of(self, spec: SettingSpec) -> Callable[[object], None]:
        def edit(value: object) -> None:
            flow = self._history.flow
            # A placeholder that is being retyped is gone for a moment; its wire is not to go with it.
            library = None if spec.editor in TYPED else self._registry
            if spec.default is not REQUIRED and value == plain_default(spec):
                change = edits.unset_setting(flow, self._name, spec.name, library=library)
            else:
                change = edits.set_setting(flow, self._name, spec.name, cast("Json", value), library=library)
            if spec.editor == "schema":
                names = renamed_ports(self._node.settings.get(spec.name), value)
                change = edits.rename_outputs(flow, self._name, names).then(change)
            self._visit.do(change.labelled(self._label(flow, spec.label)))

        return edit

    def _label(self, flow: Flow, what: str) -> str:
        return self.tr("Change {what} of {node}").format(what=what.lower(), node=title_of(flow, self._name))

    def _edit_run(self, settings: RunSettings) -> None:
        self._visit.do(edits.set_run(self._history.flow, self._name, settings, library=self._registry))

    def _edit_input(self, port: Port) -> Callable[[object], None]:
        def edit(value: object) -> None:
            empty = value is None or value in ("", [])
            given = edits.REMOVE if empty else cast("Json", value)
            change = edits.set_input(self._history.flow, self._name, port.name, given)
            self._visit.do(change.labelled(self._label(self._history.flow, port.label or port.name)))

        return edit

    def _show_ports(self) -> None:
        """Offer a field for each unwired input, anew only where these changed."""
        flow, signature = self._history.flow, self._registry.signature(self._node)
        if signature is None:
            return
        wired = {wire.target.port for wire in flow.wires if wire.target.node == self._name}
        ports = tuple(port for port in signature.inputs if port.name not in wired)
        if ports == self._ports and self.inputs is not None:
            return
        self._ports = ports
        if self.inputs is not None:
            take_out(self._rows, self.inputs)
        self.inputs = Form(self._around.look, self.tr("Unwired inputs"), self.widget())
        for port in ports:
            editor = literal_editor(
                port.type, port.label or port.name, self._around.look, root=self._around.root
            )
            if editor is not None:
                self.inputs.add(
                    port.name,
                    (port.label or port.name).capitalize(),
                    editor,
                    edited=self._edit_input(port),
                    visited=self._visit.begin,
                    help_text=port.help,
                )
        self.inputs.setVisible(any(True for _ in self.inputs))
        self._rows.insertWidget(self._rows.indexOf(self.settings) + 1, self.inputs)

    def _show_problems(self) -> None:
        problems = self._registry.problems(self._node)
        for field in self.settings:
            own = next((one for one in problems if one.startswith(f"`{field.label}`")), "")
            if own or field.editor.message == field.editor.property("told"):
                field.editor.say(_sentence(own, field.label))
                field.editor.setProperty("told", field.editor.message)

    def _spec(self, name: str) -> SettingSpec:
        assert self._type is not None  # noqa: S101  # fields are made of its settings
        return next(spec for spec in self._type.settings if spec.name == name)

    def heard(self, change: Change) -> None:
        """Follow a change of the flow, if it touches this node or its wires."""
        touched = self._name in change.nodes or any(
            wire.target.node == self._name for wire in change.added | change.removed
        )
        if touched and self._name in self._history.flow.nodes:
            self.follow()


def plain_default(spec: SettingSpec) -> object:
    """A setting's default as the flow's file would write it; None where there is none."""
    if spec.default is REQUIRED:
        return None
    return spec.adapter.dump_python(spec.default, mode="json")


def _sentence(problem: str, label: str) -> str:
    text = problem.removeprefix(f"`{label}`").lstrip(": ").strip()
    return f"{text[:1].upper()}{text[1:]}." if text else ""
