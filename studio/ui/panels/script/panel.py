"""The script of a flow beside its canvas: it follows each edit, and both show the same nodes as selected."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QStackedLayout, QToolButton, QWidget

from studio.app.documents.selection import Selected
from studio.app.documents.session import Session
from studio.app.scripts.script_preview import Draft, Unwritten, Written
from studio.app.scripts.script_writer import LOST, ScriptWriter
from studio.export.spans import Place, Spans
from studio.export.statements.parts import LeftAsDrawn
from studio.flow.records import Flow, title_of
from studio.ids import NodeId
from studio.ui.buttons import push_button
from studio.ui.editors.highlight import Span, colored_lines
from studio.ui.labels import text_label
from studio.ui.later import later
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.script.code_view import CodeView, Marked
from studio.ui.panels.script.drawn_parts import DrawnParts
from studio.ui.panels.script.find_bar import FindBar
from studio.ui.panels.script.forms import Form, form_tips, form_titles
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.visibility import Seen

WIDTH = 20
"""How wide it is at first, in wide gaps."""
PAUSE = 300
"""Milliseconds without an edit after which the script is written anew."""


class ScriptPanel(QWidget):
    """Shows it, while the panel can be seen."""

    node_shown = Signal(str)
    """A node was selected by a line of it."""
    place_asked = Signal(str, str)
    """A node of a called flow is to be shown: the flow's name, and the node."""
    save_asked = Signal(object)
    """The flow is to be exported in this form."""
    apply_asked = Signal()
    """Edits of a saved script are to be applied to the flow."""
    _answered = Signal(object, object, object)

    def __init__(
        self, look: Look, session: Session, writer: ScriptWriter, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._session, self._writer = look, session, writer
        self._spans = Spans()
        self._asked: Flow | None = None
        self._shown: Flow | None = None
        self._is_stale, self._is_choosing = True, False
        self._elsewhere: Place | None = None
        self._wanted_line = 0
        """Is shown when the script is written."""
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self._pause.timeout.connect(self._ask)
        self._answered.connect(self._show)
        self.seen = Seen(self, self._ask)
        """Has it written while it is seen, and once it is."""
        self.seen.tell()
        self._build()
        self._endings: list[Callable[[], None]] = [
            session.history.on_change(lambda _: self.refresh()),
            session.selection.on_change(self._follow),
        ]

    # ---------------------------------------------------------------- what it says

    @property
    def script(self) -> str | None:
        """The script of the flow as it is now; None where it is not written, or not yet."""
        is_true = self._shown is self._session.flow and not self._is_stale
        return self.code.toPlainText() if is_true and not self.code.is_faded else None

    def refresh(self) -> None:
        """Have the script written anew, once edits pause and somebody looks."""
        self._is_stale = True
        self.seen.tell(self._pause.start)

    def sizeHint(self) -> QSize:
        """Wide enough for lines of code."""
        wide = self._look.length("space.wide")
        return QSize(wide * WIDTH, wide * WIDTH)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was edited meanwhile."""
        super().showEvent(event)
        self.seen.catch_up()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Hand the keyboard on to the script, as soon as there is one."""
        super().focusInEvent(event)
        if self.code.isVisible():
            self.code.setFocus()

    def close_session(self) -> None:
        """Stop listening."""
        for end in self._endings:
            end()
        self._pause.stop()
        self._writer.forget(self)

    def _ask(self) -> None:
        session = self._session
        self._pause.stop()
        self._is_stale, self._asked = False, session.flow
        flow = session.flow
        draft = Draft(flow, session.project, session.path.name, session.called_flows())

        def heard(answer: Written | Unwritten) -> None:
            colors = colored_lines(answer.text, "python") if isinstance(answer, Written) else []
            with suppress(RuntimeError):  # the panel is gone
                self._answered.emit(flow, answer, colors)

        self._writer.ask(self, draft, heard)

    def _show(self, flow: Flow, answer: Written | Unwritten, colors: list[list[Span]]) -> None:
        """Show what was written, on the window's own thread."""
        self._shown = flow
        if isinstance(answer, Unwritten):
            self._tell(answer)
        else:
            self._spans = answer.spans
            self.notice.clear()
            is_first = not self.code.toPlainText()
            self.code.show_code(answer.text, colors)
            lines = self.tr("{count} lines").format(count=answer.text.count("\n"))
            self.about.setText(lines)
            self._show_drawn(answer.drawn)
            self._stack.setCurrentWidget(self.code)
            if self.hasFocus():
                self.code.setFocus()
            self._mark(self._session.selection.now)
            if is_first:
                self._bring_up(self._session.selection.now)
        self.code.fade(is_faded=isinstance(answer, Unwritten))
        self.copy_button.setEnabled(isinstance(answer, Written))
        for button in (self.save_button, self.forms_button):
            button.setEnabled(isinstance(answer, Written))
        if isinstance(answer, Written) and self._wanted_line:
            self.show_line(self._wanted_line)

    def show_line(self, line: int) -> None:
        """Put the cursor into a line, once the script is there, and select whose it is."""
        is_written = self.script is not None
        self._wanted_line = 0 if is_written else line
        if is_written:
            self.code.go_to(line)
            self._choose(line)

    def _show_drawn(self, parts: Iterable[LeftAsDrawn]) -> None:
        """Say what is left as it is drawn, and mark the lines that run it."""
        told = [(one, self._own_lines(Place(one.flow, one.node))) for one in parts]
        self.drawn.show_parts([(one, lines[0] if lines else 0) for one, lines in told])
        self.code.show_drawn({lines[0] for _, lines in told if lines})

    def _own_lines(self, place: Place) -> Sequence[int]:
        return [
            line for one in self._spans.of([place]) if one.is_own for line in range(one.first, one.last + 1)
        ]

    def _show_part(self, part: LeftAsDrawn) -> None:
        lines = self._own_lines(Place(part.flow, part.node))
        if lines:
            self.show_line(lines[0])

    def _tell(self, answer: Unwritten) -> None:
        """Say why there is no script, with a way to the node; the last one stays, faded."""
        remedies: list[Remedy] = []
        place = Place(answer.flow, NodeId(answer.node))
        if answer.node and (answer.flow or place.node in self._session.flow.nodes):
            words = self.tr("Show “{title}”").format(title=self._title(place))
            remedies.append(Remedy(words, lambda: self._go_and_say(place, answer)))
        if answer == LOST:
            remedies.append(Remedy(self.tr("Restart it"), self._ask))
        others = self.tr("And {count} more.").format(count=answer.others) if answer.others else ""
        self.notice.say(" ".join(part for part in (answer.message, answer.hint, others) if part), remedies)
        if not self.code.toPlainText():
            hint = self.tr("It appears here once the flow can be exported.") if answer != LOST else ""
            self.empty.say(self.tr("No script yet"), hint)

    # ---------------------------------------------------------------- selecting

    def _follow(self, selected: Selected) -> None:
        if not self._is_choosing:
            self._offer(None)
            self._bring_up(selected)
        self._mark(selected)

    def _places(self, nodes: Iterable[NodeId]) -> set[Place]:
        """Where nodes of the flow may stand in the script: a flow that calls itself is a called one too."""
        return {Place(flow, node) for node in nodes for flow in ("", self._session.name)}

    def _mark(self, selected: Selected) -> None:
        elsewhere = {self._elsewhere} if self._elsewhere is not None else set[Place]()
        found = self._spans.of(self._places(selected.nodes) | elsewhere)
        self.code.show_marks([Marked(one.first, one.last, one.is_own) for one in found])

    def _bring_up(self, selected: Selected) -> None:
        found = self._spans.of(self._places(selected.nodes))
        if found:
            first = min(found, key=lambda one: (not one.is_own, one.first))
            self.code.bring_up(first.first, first.last)

    def _choose(self, line: int) -> None:
        """Select the nodes whose line it is; of a called flow, who calls it."""
        places = self._spans.at(self._statement(line))
        flow = self._session.flow
        here = sorted(
            one.node for one in places if one in self._places([one.node]) and one.node in flow.nodes
        )
        away = sorted(one for one in places if one.node not in here)
        self._offer(away[0] if away and not here else None)
        names = {one.flow for one in away}
        registry = self._session.registry
        chosen = here or [node for node, one in flow.nodes.items() if registry.called_name(one) in names]
        if chosen:
            self._is_choosing = True
            self._session.selection.select(chosen)
            self._is_choosing = False
            self._mark(self._session.selection.now)
            self.node_shown.emit(str(chosen[0]))

    def _statement(self, line: int) -> int:
        """The line of the statement that a title stands above; any other line is its own."""
        lines = self.code.toPlainText().split("\n")
        while line < len(lines) and lines[line - 1].lstrip().startswith("# "):
            line += 1
        return line

    def _offer(self, place: Place | None) -> None:
        """Offer the way into a called flow."""
        self._elsewhere = place
        self._foot.setVisible(place is not None)
        if place is not None:
            self.elsewhere.setText(
                self.tr("Show “{title}” in {flow}").format(title=self._title(place), flow=place.flow)
            )
            later(self.code, self.code.ensureCursorVisible)  # it takes room from the script

    def _title(self, place: Place) -> str:
        flow = self._session.called_flows().get(place.flow) if place.flow else self._session.flow
        return title_of(flow, place.node) if flow is not None and place.node in flow.nodes else place.node

    def _go_and_say(self, place: Place, answer: Unwritten) -> None:
        """Show the node; what is wrong with it stays said for as long as it is so."""
        self._go(place)
        self._tell(answer)

    def _go(self, place: Place) -> None:
        if place.flow:
            self.place_asked.emit(place.flow, str(place.node))
            return
        self._session.selection.select([place.node])
        self.node_shown.emit(str(place.node))

    # ---------------------------------------------------------------- how it is made

    def _build(self) -> None:
        look = self._look
        small, tight = look.length("space.small"), look.length("space.tight")
        self.code = CodeView(look, self)
        self.code.setObjectName("script")
        self.code.setAccessibleName(self.tr("Script"))
        self.code.line_chosen.connect(self._choose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.empty = EmptyState(
            look,
            "export",
            self.tr("Writing the script…"),
            self.tr("The flow as Python."),
            self,
        )
        self.notice = NoticeBar(look, self)
        self.find_bar = FindBar(look, self.code, self)
        self.about = text_label("", self, tone="muted")
        self.drawn = DrawnParts(look, self)
        self.drawn.chosen.connect(self._show_part)
        self._foot = QWidget(self)
        self.elsewhere = QPushButton(self._foot)
        self.elsewhere.clicked.connect(lambda: self._go(self._elsewhere) if self._elsewhere else None)
        foot = row_layout(self._foot, (small, 0, small, small))
        foot.addWidget(self.elsewhere)
        foot.addStretch(1)
        self._foot.hide()
        self._stack = QStackedLayout()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.code)
        rows = column_layout(self, 0, tight)
        rows.addLayout(self._head())
        rows.addWidget(self.notice)
        rows.addWidget(self.drawn)
        rows.addWidget(self.find_bar)
        rows.addLayout(self._stack, 1)
        rows.addWidget(self._foot)

    def _head(self) -> QHBoxLayout:
        look = self._look
        small = look.length("space.small")
        self.find_button = QToolButton(self)
        self.find_button.setProperty("plain", True)
        self.find_button.setToolTip(self.tr("Find in the script (Ctrl+F)"))
        self.find_button.setAccessibleName(self.tr("Find in the script"))
        self.find_button.clicked.connect(self.find_bar.open)
        self.copy_button = push_button(
            self.tr("Copy"), self, lambda: QGuiApplication.clipboard().setText(self.code.toPlainText())
        )
        self.save_button = push_button(
            self.tr("Save…"), self, lambda: self.save_asked.emit(Form.SCRIPT), tip=form_tips()[Form.SCRIPT]
        )
        self.forms_button = icon_button(look, "chevron_down", self.tr("Save in another form"), self)
        self.forms_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.forms_button.setMenu(self._forms())
        for button in (self.copy_button, self.save_button, self.forms_button):
            button.setEnabled(False)
        self.apply_button = push_button(
            self.tr("Apply edits…"),
            self,
            tip=self.tr("Apply texts and settings that were edited in a saved script"),
        )
        self.apply_button.setEnabled(not self._session.is_read_only)
        self.apply_button.clicked.connect(self.apply_asked)
        row = row_layout(margins=(look.length("space.normal"), small, small, 0), spacing=small)
        row.addWidget(self.about, 1)
        for button in (self.find_button, self.apply_button, self.copy_button, self.save_button):
            row.addWidget(button)
        row.addWidget(self.forms_button)
        look.changed.connect(self._draw)
        self._draw()
        return row

    def _forms(self) -> QMenu:
        menu, tips = QMenu(self), form_tips()
        menu.setToolTipsVisible(True)
        for form, title in form_titles().items():
            menu.addAction(title, lambda form=form: self.save_asked.emit(form)).setToolTip(tips[form])
        return menu

    def _draw(self) -> None:
        self.find_button.setIcon(self._look.icon("search", "text.muted"))
