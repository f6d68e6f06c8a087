"""What actions ask of the flow in front, and do to it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox, QWidget

from studio import __version__
from studio.errors import StepwireError
from studio.flow.records import title_of
from studio.llm.profiles import BUILT_IN
from studio.store.reader import RunStore
from studio.ui.bridge import Bridge
from studio.ui.panels.library import LibraryPanel
from studio.ui.panels.runs.panel import RunsPanel
from studio.ui.panels.widgets.listing import ListRow
from studio.ui.window.chrome.command_palette import CommandPalette, Entry
from studio.ui.window.docks.docks import Docks
from studio.ui.window.project.flow_files import FlowFiles
from studio.ui.window.roles import Explains, HasApp, HasFront, HasLook, Notifies, Refreshes
from studio.workspace.project import Project

if TYPE_CHECKING:
    from studio.ui.window.models.chat_profiles import ChatProfiles
    from studio.ui.window.open_flow import OpenFlow
    from studio.ui.window.runs.run_controls import RunControls


class Window(HasApp, HasFront, HasLook, Notifies, Explains, Refreshes, Protocol):
    """What this asks of the window."""

    @property
    def bridge(self) -> Bridge:
        """Brings what runs tell."""
        ...

    @property
    def docks(self) -> Docks:
        """The places around the canvas."""
        ...

    @property
    def library(self) -> LibraryPanel:
        """The node types."""
        ...

    @property
    def runs(self) -> RunsPanel:
        """The list of runs."""
        ...

    @property
    def flow_files(self) -> FlowFiles:
        """Undo of everything."""
        ...

    @property
    def palette_box(self) -> CommandPalette:
        """The command palette."""
        ...


class Front(QObject):
    """Acts for the window's actions; does nothing where no flow is open."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent

    def has_flow(self) -> bool:
        """Whether a flow is open."""
        return self._window.front is not None

    def can_undo(self) -> bool:
        """Whether something can be taken back."""
        return self._window.flow_files.can_undo()

    def can_redo(self) -> bool:
        """Whether something taken back can be done again."""
        return self._window.flow_files.can_redo()

    def shows_old_run(self) -> bool:
        """Whether a run is shown that does not happen now."""
        return self._window.front is not None and self._window.front.shows_old

    def undo(self) -> None:
        """Take back what was done last."""
        self._window.flow_files.undo()

    def redo(self) -> None:
        """Do again what was taken back."""
        self._window.flow_files.redo()

    def show_history(self) -> None:
        """Put the keyboard into the list of all that was done."""
        if self._window.front is not None:
            self._window.docks["history"].bring_up()
            self._window.front.work.history.list.setFocus()

    def open_place(self, run: str, step: str, word: str) -> None:
        """Show where a word was found: the run, its step, and the message in which it stands."""
        if self._window.front is not None:
            self._window.front.places.open_at(run, step, word)
            self._window.bridge.wake()

    def with_controls(self, act: "Callable[[RunControls], None]") -> None:
        """Do something to the run of the flow in front."""
        if self._window.front is not None:
            act(self._window.front.controls)
            self._window.bridge.wake()
            self._window.refresh_later()

    def can_attach(self) -> bool:
        """Whether a run of another process is chosen in the list of runs."""
        return self._window.runs.elsewhere is not None

    def attach(self) -> None:
        """Follow the run of another process that is chosen in the list of runs."""
        run = self._window.runs.elsewhere
        if run is not None:
            self.with_controls(lambda controls: controls.show_old(run))

    def can_compare_selected(self) -> bool:
        """Whether two runs are selected in the list of runs."""
        return self._window.front is not None and self._window.runs.pair is not None

    def compare_selected(self) -> None:
        """Compare the two runs that are selected."""
        front, pair = self._window.front, self._window.runs.pair
        if front is not None and pair is not None:
            front.comparison.compare(*pair)
            self._window.bridge.wake()

    def edit_profiles(self) -> None:
        """Show the chat profiles of the project in front."""
        self._open_profiles()

    def add_profile(self) -> None:
        """Show them with another one begun."""
        if (dialog := self._open_profiles()) is not None:
            dialog.add()

    def _open_profiles(self) -> "ChatProfiles | None":
        session = self._window.session
        if session is None:
            return None
        from studio.ui.window.models.chat_profiles import ChatProfiles

        app = self._window.app
        dialog = ChatProfiles(self._window.look, session.project, app.environ, app.secrets, self._parent)
        dialog.finished.connect(dialog.deleteLater)
        dialog.saved.connect(self._take_profiles_of(session.project))
        dialog.open()
        return dialog

    def ask_who_answers(self, flow: "OpenFlow", why: str, again: Callable[[], None]) -> None:
        """Offer who answers in the place of a profile that cannot; what is chosen is used at once."""
        from studio.ui.window.models.who_answers import WhoAnswers

        session = flow.work.session
        dialog = WhoAnswers(self._window.look, session.project, self._window.app.secrets, why, self._parent)
        dialog.finished.connect(dialog.deleteLater)
        dialog.saved.connect(self._take_profiles_of(session.project))

        def use(name: str) -> None:
            flow.work.inspector.start.choose_profile(name)
            again()

        dialog.chosen.connect(use)
        dialog.open()

    def _take_profiles_of(self, project: Project) -> Callable[[object], None]:
        """Give what takes in the project as it is once its profiles are saved, so that it can be undone."""
        files, known = self._window.flow_files, [self._window.flow_files.project_text(project)]

        def take(changed: object) -> None:
            if isinstance(changed, Project):
                label = self.tr("Edit chat profiles")
                known[0] = files.note_project_text(changed, known[0], label)
                self._window.app.take_profiles(changed)
                self._window.show_profiles(changed)

        return take

    def can_keep_answers(self) -> bool:
        """Whether a run is shown, and over, in which answers were made up or typed."""
        front = self._window.front
        run = None if front is None else front.work.shown.run
        if front is None or run is None or not run.is_over:
            return False
        project = front.work.session.project
        profiles = (project.profiles.get(name) or BUILT_IN.get(name) for name in run.state.uses)
        by_hand = any(one is not None and one.provider == "person" for one in profiles)
        return not project.is_bundle and (run.state.made_up > 0 or by_hand)

    def keep_answers(self) -> None:
        """Keep the answers of the shown run as a script, and have the flow answer from it."""
        from studio.app.reuse.kept_answers import keep_as_script

        front = self._window.front
        run = None if front is None else front.work.shown.run
        if front is None or run is None:
            return
        project = front.work.session.project
        take = self._take_profiles_of(project)
        try:
            entries = list(RunStore(project.private).entries(run.run))
            changed, name = keep_as_script(project, entries)
        except StepwireError as error:
            self._window.notices.say(str(error))
            return
        take(changed)
        front.work.inspector.start.choose_profile(name)
        said = self.tr("Saved as {path}. Runs of this flow now use these answers.")
        self._window.say_briefly(said.format(path=changed.profiles[name].script))

    def edit_prices(self) -> None:
        """Show what tokens cost; runs that start later count by what is saved."""
        from studio.ui.window.models.price_table import PriceTable

        today = datetime.now().astimezone().date()
        dialog = PriceTable(self._window.look, self._window.app.environ, today, self._parent)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def search_library(self) -> None:
        """Put the keyboard into the library's search."""
        self._window.docks["library"].bring_up()
        self._window.library.search.setFocus()
        self._window.library.search.selectAll()

    def open_palette(self) -> None:
        """Find anything that can be done."""
        self._window.palette_box.open_with(self.tr("Type a command"), self.find_actions)

    def open_go_to(self) -> None:
        """Find a node of the flow."""
        self._window.palette_box.open_with(self.tr("Go to node"), self.find_nodes)

    def show_guide(self, page: str = "") -> None:
        """Show how to work with the studio, page by page; at the page of a file, where one is named."""
        from studio.ui.window.help.guide import show_guide

        show_guide(self._window.look, self._parent, page)

    def show_keyboard(self) -> None:
        """Show every key, to read and to change."""
        from studio.ui.window.help.keyboard_page import show_keyboard

        show_keyboard(self._window.look, self._window.app.commands, self._parent)

    def show_legend(self) -> None:
        """Show what the shapes on the canvas mean."""
        from studio.ui.window.help.legend import show_legend

        show_legend(self._window.look, self._parent)

    def show_about(self) -> None:
        """Say what this is."""
        box = QMessageBox(self._parent)
        box.setWindowTitle(self.tr("About Stepwire"))
        box.setText(self.tr("Stepwire {version}").format(version=__version__))
        box.setInformativeText(self.tr("Draw, debug and ship LLM agent graphs."))
        box.open()

    def find_actions(self, text: str) -> Sequence[Entry]:
        """What can be done now and has every word of `text` in its name."""
        commands = self._window.app.commands
        return [
            Entry(
                ListRow(one.id, one.title, f"{commands.menu_title(one)}   {one.shortcut}".strip()),
                lambda one=one: self._run(one.id),
            )
            for one in commands.find(text)
            if one.is_enabled() and one.id != "view.palette"
        ]

    def _run(self, command: str) -> None:
        self._window.app.commands.run(command)

    def find_nodes(self, text: str) -> Sequence[Entry]:
        """The nodes of the flow in front that have every word of `text` in title or kind."""
        front = self._window.front
        if front is None:
            return []
        work = front.work
        nodes = work.session.flow.nodes
        words = text.casefold().split()
        titles = {node: title_of(work.session.flow, node) for node in nodes}
        return [
            Entry(ListRow(node, titles[node], nodes[node].kind), lambda node=node: work.show_node(node))
            for node in sorted(nodes, key=lambda one: titles[one].casefold())
            if all(word in f"{titles[node]} {nodes[node].kind}".casefold() for word in words)
        ]
