"""The inspector: header, tabs, and the held step; where nothing is selected, what a run is given."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from studio.app.documents.selection import Selected
from studio.app.documents.session import Session
from studio.app.projects.images import ProjectImages
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.ports import ANY
from studio.flow.records import Json, title_of
from studio.ids import NodeId
from studio.trace.fold.steps import StepStatus
from studio.ui.editors.make import Surroundings
from studio.ui.layouts import column_layout
from studio.ui.panels.inspector.header import Header
from studio.ui.panels.inspector.held_box import Check, HeldBox, Types, Unset
from studio.ui.panels.inspector.help_tab import HelpTab
from studio.ui.panels.inspector.settings_form import Rejected, SettingsForm
from studio.ui.panels.inspector.start_form import StartForm
from studio.ui.panels.inspector.values_tab import ValuesTab
from studio.ui.panels.inspector.visit import Visit
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.page_choice import PageChoice
from studio.ui.viewmodels.run.shown_run import Batch, ShownRun, node_of
from studio.ui.viewmodels.words.step_words import (
    is_in_doubt,
    question_of,
    status_word,
    step_tone,
    waiting_word,
)


class Inspector(QWidget):
    """Shows one node of a session, and its shown step."""

    step_chosen = Signal(str)

    def __init__(
        self,
        session: Session,
        shown: ShownRun,
        around: Surroundings,
        parent: QWidget | None = None,
        *,
        check: Check,
        types: Types = lambda _step, _port: ANY,
        unset: Unset = lambda _step: (),
    ) -> None:
        super().__init__(parent)
        self._session, self._shown, self._around = session, shown, around
        look = around.look
        self._node: NodeId | None = None
        self._form: SettingsForm | None = None
        self._rejected: dict[NodeId, Mapping[tuple[str, str], Rejected]] = {}
        self._visit = Visit(session.history)
        self.header = Header(look, self)
        self.header.renamed.connect(self._rename)
        self.header.visited.connect(self._visit.begin)
        titles = [self.tr("Settings"), self.tr("Values"), self.tr("Help")]
        self.choice = PageChoice(look, self.tr("Inspector pages"), titles, self)
        self.choice.turned.connect(self._turn)
        line = QFrame(self)
        line.setFrameShape(QFrame.Shape.HLine)
        line.setFixedHeight(look.length("size.hairline"))
        self._line = line
        self.pages = QStackedWidget(self)
        self.start = StartForm(look, self.pages, root=around.root)
        self.start.described.connect(self._describe)
        self.start.visited.connect(self._visit.begin)
        self.values = ValuesTab(look, self.pages, ProjectImages(session.project))
        self.values.step_chosen.connect(self.step_chosen)
        self.help = HelpTab(look, self.pages)
        self._several = EmptyState(look, "inspector", "", "", self.pages)
        for page in (self.start, self.values, self.help, self._several):
            self.pages.addWidget(page)
        self.held = HeldBox(look, check, self, types=types, unset=unset)
        rows = column_layout(self, 0, 0)
        rows.addWidget(self.header)
        rows.addWidget(self.choice)
        rows.addWidget(line)
        rows.addWidget(self.pages, 1)
        rows.addWidget(self.held)
        self._endings = [
            session.history.on_change(self._heard),
            session.selection.on_change(self._select),
            shown.on_batch(self._touch),
            self._visit.close,
        ]
        self._select(session.selection.now)

    def close_session(self) -> None:
        """Stop listening; the panel is not used afterwards."""
        for end in self._endings:
            end()
        self._endings.clear()
        self._drop_form()

    @property
    def node(self) -> NodeId | None:
        """The node that is inspected."""
        return self._node

    @property
    def form(self) -> SettingsForm | None:
        """The settings of the inspected node."""
        return self._form

    def show_settings_anew(self) -> None:
        """Make the form of the inspected node again: what there is to choose from has changed."""
        if self._node is not None:
            self._drop_form()
            self._node = None
            self._select(self._session.selection.now)

    def rejected(self) -> tuple[NodeId, Rejected] | None:
        """The first text in a setting that does not fit, of any node: a run would not know of it."""
        shown = (
            {self._node: self._form.rejected()} if self._node is not None and self._form is not None else {}
        )
        for node, texts in {**self._rejected, **shown}.items():
            if texts and node in self._session.flow.nodes:
                return node, next(iter(texts.values()))
        return None

    def turn_to_settings(self) -> None:
        """Show the settings page."""
        self.choice.turn_to(0)

    def focus_first(self) -> None:
        """Put the keyboard into the first field of the settings."""
        first = next(iter(self._form.settings), None) if self._form is not None else None
        (first.editor if first is not None else self.header.title).setFocus()

    def focus_inputs(self) -> None:
        """Put the keyboard into the first input of a run."""
        first = next(iter(self.start.inputs), None) if self.start.inputs is not None else None
        if first is not None:
            first.editor.setFocus()

    def run_inputs(self) -> Mapping[NodeId, Json] | None:
        """What a run is to be given; None where a field is wrong, which then has the keyboard."""
        self.start.show_inputs(self._session.input_fields())
        given = self.start.values()
        if given is None and self._node is not None:
            self._session.selection.select()
            self.start.values()
        return given

    def _select(self, selected: Selected) -> None:
        node = selected.only_node
        if node is not None and node not in self._session.flow.nodes:
            node = None
        if node != self._node or (node is None and not self._several_text(selected)):
            self._drop_form()
            self._node = node
            if node is not None:
                self._form = SettingsForm(
                    self._session.history, self._session.registry, self._around, node, self
                )
                self._form.show_rejected(self._rejected.pop(node, {}))
                self.pages.addWidget(self._form)
        self._show_flow()
        if node is None:
            text = self._several_text(selected)
            self._several.say(text, self.tr("Select one of them to see its settings."))
            self.pages.setCurrentWidget(self._several if text else self.start)
            self.header.setVisible(not text)
        else:
            self.header.setVisible(True)
            self._turn()
        self._show_run()

    def _several_text(self, selected: Selected) -> str:
        count = len(selected.nodes)
        return self.tr("{count} nodes are selected").format(count=count) if count > 1 else ""

    def _turn(self) -> None:
        if self._node is None or self._form is None:
            return
        pages = (self._form, self.values, self.help)
        self.pages.setCurrentWidget(pages[self.choice.page])
        self._show_run()

    def _show_flow(self) -> None:
        """Show header, help and start form as the flow is now."""
        flow, registry = self._session.flow, self._session.registry
        is_node = self._node is not None and self._node in flow.nodes
        self.choice.setVisible(is_node)
        self._line.setVisible(True)
        if is_node and self._node is not None:
            record = flow.nodes[self._node]
            self.header.show_name(title_of(flow, self._node), record.kind)
            self.help.show_type(registry.get(record.kind), registry.signature(record))
        else:
            self.header.show_name(flow.name, "")
            self.header.show_status("", "")
            self.start.show_about(flow.description, self._session.variant_of)
            self.start.show_inputs(self._session.input_fields())

    def _show_run(self) -> None:
        node, selected = self._node, self._session.selection.now
        step = self._shown.shown_step(node, selected.step) if node is not None else None
        if node is None:
            self.held.show_step(self._session.flow, None)
            return
        state = self._shown.state
        if step is None or state is None:
            self.header.show_status("", "")
        elif question_of(state, step.id) is not None or is_in_doubt(step):
            self.header.show_status(waiting_word(), "held")
        else:
            self.header.show_status(status_word(step.status), step_tone(step.status))
        self.values.show_step(self._session.flow, state, step, self._shown.steps_of(node))
        is_held = step is not None and step.status is StepStatus.HELD and self._shown.moment is None
        library = self._shown.library(self._session.registry)
        self.held.show_step(self._session.flow, step if is_held else None, library)

    def _touch(self, batch: Batch) -> None:
        node = self._node
        if node is None:
            return
        state = self._shown.state
        if batch.is_behind:
            return
        is_other = batch.is_fresh or batch.is_moved or state is None
        if is_other or any(node_of(one) == node for one in batch.steps):
            self._show_run()

    def _heard(self, change: Change) -> None:
        if self._node is not None and self._node not in self._session.flow.nodes:
            self._select(self._session.selection.now)
            return
        if self._form is not None:
            self._form.heard(change)
        if change.touches_logic:
            self._show_flow()

    def _rename(self, title: str) -> None:
        flow = self._session.flow
        if self._node is None:
            change = edits.describe(flow, title, flow.description)
        else:
            change = edits.set_title(flow, self._node, title)
        self._visit.do(change)

    def _describe(self, text: object) -> None:
        self._visit.do(edits.describe(self._session.flow, self._session.flow.name, str(text)))

    def _drop_form(self) -> None:
        if self._form is not None:
            if self._node is not None and (texts := self._form.rejected()):
                self._rejected[self._node] = texts
            self._form.close_form()
            self.pages.removeWidget(self._form)
            self._form.hide()
            self._form.deleteLater()
            self._form = None
