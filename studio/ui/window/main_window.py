"""The window: joins bar, docks, flows and palette; everything else is in the modules beside it."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QPointF, QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QMessageBox, QStackedWidget, QVBoxLayout, QWidget

from studio import __version__
from studio.app.compose import Application
from studio.app.session import Session
from studio.errors import StepwireError
from studio.flow.records import title_of
from studio.ids import RunId
from studio.llm.client import ChatProfile
from studio.store.reader import RunStore
from studio.ui.bridge import Bridge
from studio.ui.panels.library import LibraryPanel
from studio.ui.panels.listing import ListRow
from studio.ui.panels.notice import NoticeBar
from studio.ui.panels.project_files import ProjectFilesPanel
from studio.ui.panels.runs import RunsPanel
from studio.ui.window.appearance import Appearance
from studio.ui.window.command_palette import CommandPalette, Entry
from studio.ui.window.commands import edit_actions, file_actions, help_actions, run_actions, view_actions
from studio.ui.window.docks import Docks
from studio.ui.window.documents import Documents
from studio.ui.window.menus import Menus
from studio.ui.window.run_controls import RunControls
from studio.ui.window.tabs import FlowTabs, OpenFlow
from studio.ui.window.top_bar import TopBar
from studio.ui.window.welcome import WelcomePage

SETTLED = 60
"""Milliseconds after which docks stand where they stay."""
SHORT_NOTICE = 4_000
"""Milliseconds that a notice stays which only explains."""


class MainWindow(QMainWindow):
    """Shows any number of flows, one in front."""

    def __init__(self, app: Application, appearance: Appearance) -> None:
        super().__init__()
        self.app, self.appearance, self.look = app, appearance, appearance.look
        self.setObjectName("main_window")
        self.setWindowTitle("Stepwire")
        self.resize(1440, 900)
        self.bridge = Bridge(app.runs, self)
        self.notices = NoticeBar(self.look, self)
        self.docks = Docks(self, self.look)
        self.documents = Documents(self)
        self.tabs = FlowTabs(self.look, self)
        self.welcome = WelcomePage(self.look, app.registry, self)
        self.pages = QStackedWidget(self)
        self.pages.addWidget(self.welcome)
        self.pages.addWidget(self.tabs)
        self.library = LibraryPanel(self.look, app.registry, self)
        self.runs = RunsPanel(self.look, self)
        self.files = ProjectFilesPanel(self.look, self)
        for name, panel in (("library", self.library), ("runs", self.runs), ("files", self.files)):
            self.docks[name].pages.addWidget(panel)
        self._fill_centre()
        for make in (file_actions, edit_actions, view_actions, run_actions, help_actions):
            app.actions.add(*make(self))
        self.menus = Menus(app.actions, self)
        self.menus.add_recent(
            self.menus.groups[self.tr("File")],
            self.menus.action("file.save"),
            lambda: app.settings.recent,
            self.documents.open,
        )
        self.menus.groups[self.tr("View")].addSeparator()
        for dock in self.docks.all:
            self.menus.groups[self.tr("View")].addAction(dock.toggleViewAction())
        self.top_bar = TopBar(self.look, app.actions, self.menus, self)
        self.setMenuWidget(self.top_bar)
        self.palette_box = CommandPalette(self.look, self)
        self._brief = QTimer(self, singleShot=True, interval=SHORT_NOTICE)
        self._brief.timeout.connect(lambda: self.notices.settle("brief"))
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._refresh)
        self._join()
        self._restore()
        self._show_front(None)
        self.bridge.start()

    # ---------------------------------------------------------------- flows

    @property
    def front(self) -> OpenFlow | None:
        """The flow in front, with its widgets."""
        return self.tabs.front

    @property
    def session(self) -> Session | None:
        """The flow in front."""
        return self.front.work.session if self.front is not None else None

    def show_session(self, session: Session) -> None:
        """Bring a flow to the front, opening it first where it is new."""
        flow = self.tabs.find(session)
        if flow is None:
            flow = OpenFlow(self.app, session, self.look, self.bridge, self.notices, self)
            flow.work.raise_asked.connect(lambda name: self.docks[name].bring_up())
            flow.work.told.connect(self._say_briefly)
            flow.work.changed.connect(self._later.start)
            flow.view.shown_changed.connect(self._later.start)
            flow.view.shown_changed.connect(self._show_runs_mark)
            flow.controls.runs_changed.connect(self._list_runs)
            flow.work.problems.counted.connect(lambda _: self._later.start())
            flow.work.questions.counted.connect(self._count_questions)
            flow.work.messages.titled.connect(lambda _: self._later.start())
            for name, panel in flow.work.panels.items():
                self.docks[name].pages.addWidget(panel)
            if session.is_read_only or session.notices:
                self.notices.say(" ".join(session.notices), tone="held", key="notice")
            QTimer.singleShot(SETTLED, flow.work.canvas, flow.work.canvas.fit)
        self.tabs.show_flow(flow)
        self.app.settings.remember(session.project.root if session.project.is_folder else session.path)

    def drop(self, session: Session) -> None:
        """Close a flow without asking."""
        flow = self.tabs.find(session)
        if flow is not None:
            flow.controls.stop()
            self.tabs.remove(flow)
            for name, panel in flow.work.panels.items():
                self.docks[name].pages.removeWidget(panel)
            flow.close()
        self.app.close_session(session)

    def _show_front(self, flow: OpenFlow | None) -> None:
        self.pages.setCurrentWidget(self.tabs if flow is not None else self.welcome)
        self._show_docks(is_shown=flow is not None)
        if flow is None:
            self.welcome.show_recent(self.app.settings.recent)
        else:
            for name, panel in flow.work.panels.items():
                self.docks[name].pages.setCurrentWidget(panel)
            self.files.show_project(flow.work.session.project, flow.work.session.path)
            self._list_runs()
            self._show_answers(flow)
        self._refresh()

    def _show_docks(self, *, is_shown: bool) -> None:
        """Give docks their place with the first flow, and take them away with the last."""
        if is_shown == self._has_docks:
            return
        if not is_shown:
            self._kept_docks = bytes(self.saveState().toBase64().data()).decode()
        self._has_docks = is_shown
        if not is_shown:
            self.docks.hide()
        elif not self._kept_docks or not self.restoreState(QByteArray.fromBase64(self._kept_docks.encode())):
            self.docks.arrange()
            QTimer.singleShot(0, self.docks, self.docks.share_room)
        self.docks.settle()

    def show_welcome(self) -> None:
        """Show the welcome page; the tabs bring flows back."""
        self.welcome.show_recent(self.app.settings.recent)
        self.pages.setCurrentWidget(
            self.welcome if self.pages.currentWidget() is self.tabs or self.front is None else self.tabs
        )

    # ---------------------------------------------------------------- what actions ask and do

    def has_flow(self) -> bool:
        """Whether a flow is open."""
        return self.front is not None

    def has_selection(self) -> bool:
        """Whether a node is selected."""
        return self.session is not None and bool(self.session.selection.now.nodes)

    def can_undo(self) -> bool:
        """Whether something can be taken back."""
        return self.session is not None and bool(self.session.history.undo_labels)

    def can_redo(self) -> bool:
        """Whether something taken back can be done again."""
        return self.session is not None and bool(self.session.history.redo_labels)

    def shows_old_run(self) -> bool:
        """Whether a run is shown that does not happen now."""
        return self.front is not None and self.front.shows_old

    def undo(self) -> None:
        """Take the last edit back."""
        if self.session is not None:
            self.session.history.undo()

    def redo(self) -> None:
        """Do again what was taken back."""
        if self.session is not None:
            self.session.history.redo()

    def with_controls(self, act: Callable[[RunControls], None]) -> None:
        """Do something to the run of the flow in front."""
        if self.front is not None:
            act(self.front.controls)
            self.bridge.wake()
            self._later.start()

    def asks_controls(self, ask: Callable[[RunControls], bool]) -> bool:
        """Ask something of the run of the flow in front; no without one."""
        return self.front is not None and ask(self.front.controls)

    def canvas_command(self, name: str) -> None:
        """Do what a key of the canvas does."""
        if self.front is not None:
            getattr(self.front.work.canvas.commands, name)()

    def paste(self) -> None:
        """Paste in the middle of what is seen."""
        if self.front is not None:
            canvas = self.front.work.canvas
            middle = QPointF(canvas.rect().center())
            canvas.commands.paste(canvas.board.camera.to_scene(middle.x(), middle.y()))

    def add_node(self) -> None:
        """Search for a node to add."""
        if self.front is not None:
            self.front.work.canvas.setFocus()
            self.front.work.canvas.open_palette()

    def fit(self) -> None:
        """Look at the whole flow."""
        if self.front is not None:
            self.front.work.canvas.fit()

    def fit_selection(self) -> None:
        """Look at what is selected, or at everything."""
        if self.front is not None:
            self.front.work.canvas.fit(self.front.work.session.selection.now.nodes or None)

    def zoom_in(self) -> None:
        """Come nearer."""
        if self.front is not None:
            self.front.work.canvas.zoom_in()

    def zoom_out(self) -> None:
        """Go farther away."""
        if self.front is not None:
            self.front.work.canvas.zoom_out()

    def toggle_breakpoint(self) -> None:
        """Set a breakpoint on each selected node; again: off; again: gone."""
        if self.front is not None:
            for node in sorted(self.front.work.session.selection.now.nodes):
                self.front.work.toggle_breakpoint(node)

    def show_inputs(self) -> None:
        """Show the form of what a run is given."""
        if self.front is not None:
            self.front.work.session.selection.select()
            self.docks["inspector"].bring_up()
            self.front.work.inspector.focus_inputs()

    def search_library(self) -> None:
        """Put the keyboard into the library's search."""
        self.docks["library"].bring_up()
        self.library.search.setFocus()
        self.library.search.selectAll()

    def open_palette(self) -> None:
        """Find anything that can be done."""
        self.palette_box.open_with(self.tr("What do you want to do?"), self._find_actions)

    def open_go_to(self) -> None:
        """Find a node of the flow."""
        self.palette_box.open_with(self.tr("Go to node"), self._find_nodes)

    def show_about(self) -> None:
        """Say what this is."""
        box = QMessageBox(self)
        box.setWindowTitle(self.tr("About Stepwire"))
        box.setText(self.tr("Stepwire {version}").format(version=__version__))
        box.setInformativeText(self.tr("Draw, debug and ship LLM agent graphs."))
        box.open()

    # ---------------------------------------------------------------- joining

    def _fill_centre(self) -> None:
        centre = QWidget(self)
        rows = QVBoxLayout(centre)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        holder = QWidget(centre)
        inner = QVBoxLayout(holder)
        small = self.look.length("space.small")
        inner.setContentsMargins(small, small, small, small)
        inner.addWidget(self.notices)
        self._notice_holder = holder
        self.notices.shown.connect(lambda is_shown: holder.setVisible(is_shown))
        holder.hide()
        rows.addWidget(holder)
        rows.addWidget(self.pages, 1)
        self.setCentralWidget(centre)

    def _join(self) -> None:
        self._endings = [
            self.bridge.on_frame(self._frame),
            self.app.on_notice(self._notice),
        ]
        self.tabs.turned.connect(self._show_front)
        self.tabs.close_asked.connect(self._close_flow)
        self.welcome.opened.connect(self.documents.open)
        self.welcome.new_asked.connect(self.documents.new)
        self.welcome.open_asked.connect(self.documents.open_project)
        self.library.chosen.connect(
            lambda kind: self.front.work.add_node(kind) if self.front is not None else None
        )
        self.runs.chosen.connect(lambda run: self.with_controls(lambda c: c.show_old(RunId(run))))
        self.runs.left.connect(lambda: self.with_controls(lambda c: c.leave_old()))
        self.runs.run_asked.connect(lambda: self.app.actions.run("run.run"))
        self.files.flow_chosen.connect(lambda path: self.documents.open(Path(path)))
        self.files.file_chosen.connect(lambda path: self.documents.preview_file(Path(path)))
        self.look.changed.connect(self._restyle)
        QTimer.singleShot(300, self, self.app.runs.warm)

    def _frame(self) -> None:
        for flow in self.tabs.flows:
            flow.view.frame()
        if self.front is not None:
            self.top_bar.show_run(self.front.view.state, time.time())

    def _refresh(self) -> None:
        """Let titles, menus and buttons say what is true now."""
        self.app.actions.refresh()
        flow = self.front
        if flow is None:
            self.setWindowTitle("Stepwire")
            self.top_bar.show_document("", "", is_modified=False)
            self.top_bar.show_answers("")
            self.top_bar.show_run(None, 0.0)
            return
        session = flow.work.session
        name = session.flow.name or session.path.stem
        self.setWindowTitle(f"{name} – {session.project.name} – Stepwire")
        self.top_bar.show_document(session.project.name, name, is_modified=session.is_modified)
        self.top_bar.show_run(flow.view.state, time.time())
        self.tabs.rename(flow, f"{name} •" if session.is_modified else name)
        problems = len(session.problems)
        title = self.tr("Problems")
        self.docks["problems"].setWindowTitle(f"{title} {problems}" if problems else title)
        self.docks["messages"].header.about.setText(flow.work.messages.title)

    def _show_answers(self, flow: OpenFlow) -> None:
        project = flow.work.session.project
        name = flow.work.inspector.start.chosen_profile or project.default_profile
        profile = project.profiles.get(name) or (
            ChatProfile("scripted", "scripted") if name == "scripted" else None
        )
        is_scripted = profile is not None and profile.provider == "scripted"
        self.top_bar.show_answers(self.tr("scripted answers") if is_scripted else "")

    def _list_runs(self) -> None:
        if self.session is not None:
            try:
                runs = RunStore(self.session.project.private).runs()
            except StepwireError as error:
                self._notice(error)
                runs = []
            self.runs.show_runs(runs)
        self._show_runs_mark()
        self._later.start()

    def _show_runs_mark(self) -> None:
        flow = self.front
        run = flow.work.shown.run if flow is not None else None
        self.runs.show_shown(run.run if run is not None else None, is_old=self.shows_old_run())

    def _count_questions(self, count: int) -> None:
        title = self.tr("Questions")
        self.docks["questions"].setWindowTitle(f"{title} {count}" if count else title)
        if count:
            self.docks["questions"].bring_up()

    def _close_flow(self, flow: OpenFlow) -> None:
        self.tabs.show_flow(flow)
        self.documents.close_current()

    def _notice(self, error: StepwireError) -> None:
        self.notices.say(str(error))

    def _say_briefly(self, text: str) -> None:
        self.notices.say(text, tone="skipped", key="brief")
        self._brief.start()

    def _find_actions(self, text: str) -> Sequence[Entry]:
        actions = self.app.actions
        return [
            Entry(
                ListRow(one.id, one.title, f"{one.group}   {one.shortcut}".strip()),
                lambda one=one: self._run(one.id),
            )
            for one in actions.find(text)
            if one.is_enabled() and one.id != "view.palette"
        ]

    def _run(self, action: str) -> None:
        self.app.actions.run(action)

    def _find_nodes(self, text: str) -> Sequence[Entry]:
        flow = self.front
        if flow is None:
            return []
        nodes = flow.work.session.flow.nodes
        words = text.casefold().split()
        titles = {node: title_of(flow.work.session.flow, node) for node in nodes}
        return [
            Entry(ListRow(node, titles[node], nodes[node].kind), lambda node=node: flow.work.show_node(node))
            for node in sorted(nodes, key=lambda one: titles[one].casefold())
            if all(word in f"{titles[node]} {nodes[node].kind}".casefold() for word in words)
        ]

    # ---------------------------------------------------------------- theme, place, end

    def _restyle(self) -> None:
        for flow in self.tabs.flows:
            flow.work.restyle()

    def _restore(self) -> None:
        geometry, _, self._kept_docks = self.app.settings.window_state.partition(":")
        if geometry:
            self.restoreGeometry(QByteArray.fromBase64(geometry.encode()))
        self._has_docks = False
        self.docks.hide()

    def _keep_place(self) -> None:
        if self._has_docks:
            self._kept_docks = bytes(self.saveState().toBase64().data()).decode()
        geometry = bytes(self.saveGeometry().toBase64().data()).decode()
        self.app.settings.window_state = f"{geometry}:{self._kept_docks}"

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask what shall become of unsaved changes, then remember how the window stood."""
        unsaved = [flow.work.session for flow in self.tabs.flows if flow.work.session.is_modified]
        if unsaved:
            event.ignore()
            self.documents.ask_unsaved(unsaved, self._leave)
            return
        self._keep_place()
        self._end()
        super().closeEvent(event)

    def _leave(self) -> None:
        for flow in self.tabs.flows:
            flow.work.session.history.mark_saved()
        self.close()

    def _end(self) -> None:
        self.bridge.stop()
        for end in self._endings:
            end()
        self._endings.clear()
