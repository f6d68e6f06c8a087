"""Experiments in the window: their pages, one for each open flow's project, and the desks behind them."""

import getpass
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio.errors import StepwireError
from studio.ids import NodeId, RunId
from studio.ui.later import later
from studio.ui.panels.widgets.notice import Remedy
from studio.ui.slots import of_text
from studio.ui.window.experiments.forms import MATTER, ExperimentForms
from studio.ui.window.experiments.forms import Window as FormsWindow
from studio.ui.window.experiments.saved_reports import ask_file, say_written
from studio.ui.window.roles import HasDocuments, HasFlows
from studio.ui.window.tabs.flow_tabs import FlowTabs

if TYPE_CHECKING:
    from studio.app.documents.session import Session
    from studio.app.experiments.desk import ExperimentDesk
    from studio.ui.panels.experiments.page import ExperimentsPage
    from studio.ui.viewmodels.experiments.cell_choice import Pair
    from studio.ui.window.experiments.table_reads import TableReads
    from studio.ui.window.open_flow import OpenFlow
    from studio.workspace.project import Project

WHO = "labelled_by"
"""The setting that has who labels."""


class Window(FormsWindow, HasFlows, HasDocuments, Protocol):
    """What this asks of the window."""

    @property
    def tabs(self) -> FlowTabs:
        """The open documents."""
        ...


class Experiments(QObject):
    """Makes a page when it is first seen, and joins it to its desk and to the flows of its project."""

    _posted = Signal(object, str, object)
    """A desk, the kind of a message, and the message; from any thread."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent
        self._desks: dict[Path, ExperimentDesk] = {}
        self._pages: dict[OpenFlow, ExperimentsPage] = {}
        self._reads: TableReads | None = None
        """Made with the first page: whoever looks at none imports nothing of tables."""
        self._forms = ExperimentForms(window, self._show_written, parent)
        self._posted.connect(self._take)
        window.tabs.turned.connect(self._fill)

    # ---------------------------------------------------------------- from menus and files

    @property
    def can_show(self) -> bool:
        """Whether a flow of a project's folder is in front, which can have experiments."""
        session = self._window.session
        return session is not None and session.project.is_folder and not session.project.is_bundle

    def show(self) -> None:
        """Show the experiments of the project in front."""
        front = self._window.front
        if front is not None and self.can_show:
            self._window.tabs.show_document(front, "experiments")

    def open_file(self, path: Path) -> bool:
        """Show the experiment of a file of the project in front; tells whether it is one."""
        from studio.experiments.files import experiments_in

        front = self._window.front
        if front is None or not self.can_show:
            return False
        root = front.work.session.project.root
        if path.resolve() not in [one.resolve() for one in experiments_in(root)]:
            return False
        self.show()
        self._choose(front, path.stem)
        return True

    def ask_new(self) -> None:
        """Ask for a new experiment of the flow in front."""
        front = self._window.front
        if front is not None and self.can_show:
            self._warn_unsaved(front.work.session)
            self._forms.ask_new(front)

    def leave(self, flow: "OpenFlow") -> None:
        """Let the page of a flow go that is closed; what runs goes on while another flow of it is open."""
        page = self._pages.pop(flow, None)
        if page is None:
            return
        page.close_page()
        root = flow.work.session.project.root
        if not any(one.work.session.project.root == root for one in self._pages):
            for path in [one for one in self._desks if one.parents[1] == root]:
                self._desks.pop(path).close()

    def close(self) -> None:
        """Stop what runs; finished trials are kept, and the next window goes on."""
        for page in self._pages.values():
            page.close_page()
        for desk in self._desks.values():
            desk.close()
        self._pages.clear()
        self._desks.clear()

    # ---------------------------------------------------------------- pages

    def page_of(self, flow: "OpenFlow") -> "ExperimentsPage":
        """Give the page of a flow, made where there is none yet."""
        if flow not in self._pages:
            self._pages[flow] = self._made(flow)
            self._list(flow, "")
        return self._pages[flow]

    def _fill(self, _front: object) -> None:
        """Make the page of a flow whose experiments are looked at for the first time."""
        for side in self._window.tabs.sides:
            shown = side.shown
            if shown is not None and shown.kind == "experiments" and shown.flow not in self._pages:
                self.page_of(shown.flow)

    def _made(self, flow: "OpenFlow") -> "ExperimentsPage":
        from studio.app.experiments.desk import ExperimentDesk
        from studio.ui.panels.experiments.page import ExperimentsPage
        from studio.ui.window.experiments.table_reads import TableReads

        page = ExperimentsPage(self._window.look)
        reads = self._reads = self._reads or TableReads(self._tell, self)
        flow.experiments.hold(page)
        page.chosen.connect(of_text(lambda name: self._choose(flow, name)))
        page.new_asked.connect(self.ask_new)
        page.edit_asked.connect(lambda: self._edit(flow, page))
        page.run_asked.connect(partial(self._show_run, flow))
        page.pair_asked.connect(partial(self._compare, flow))
        page.nodes_asked.connect(partial(self._ask_nodes, page))
        page.page_asked.connect(lambda: self._ask_page(page))
        page.labels_asked.connect(of_text(lambda scorer: self._label(page, scorer)))
        page.order_asked.connect(partial(reads.order, page))
        page.counts_asked.connect(of_text(lambda scorer: reads.count(page, scorer)))
        page.file_asked.connect(self._window.documents.preview_file)
        page.labelling.named.connect(of_text(lambda name: self._rename(page, name)))
        page.labelling.ended.connect(lambda: self._ask_agreement(page))
        page.labelling.failed.connect(self._tell)
        bar = page.run_bar
        bar.run_asked.connect(partial(self._run, flow, page))
        for signal, act in (
            (bar.pause_asked, ExperimentDesk.pause),
            (bar.resume_asked, ExperimentDesk.resume),
            (bar.cancel_asked, ExperimentDesk.cancel),
            (bar.rescore_asked, ExperimentDesk.score_again),
        ):
            signal.connect(partial(self._act, page, act))
        return page

    def _list(self, flow: "OpenFlow", wanted: str) -> None:
        """List the experiments, and show the wanted one, or that which was shown, or the first."""
        from studio.app.experiments.experiment_list import experiments_of

        page, project = self._pages[flow], flow.work.session.project
        found = experiments_of(project)
        names = [one.name for one in found]
        shown = page.desk.name if page.desk is not None else ""
        name = next((one for one in (wanted, shown) if one in names), names[0] if names else "")
        going = {desk.name for desk in self._desks.values() if desk.told.stage.is_going}
        page.show_list(found, name, going)
        desk = self._desk(project, name) if name else None
        if desk is not None and desk is not page.desk:  # one whose file was gone meanwhile is closed
            page.show_desk(desk)
            if desk.told.stage == "closed":
                desk.open()
                page.show_told("")

    def _choose(self, flow: "OpenFlow", name: str) -> None:
        self.page_of(flow)
        self._list(flow, name)

    def _desk(self, project: "Project", name: str) -> "ExperimentDesk":
        from studio.app.experiments.desk import ExperimentDesk
        from studio.experiments.files import experiment_path

        path = experiment_path(project.root, name)
        if path not in self._desks:
            desk = ExperimentDesk(
                project, name, self._window.app.attend, lambda kind, message: self._post(path, kind, message)
            )
            self._desks[path] = desk
        return self._desks[path]

    def _post(self, path: Path, kind: str, message: Mapping[str, Any]) -> None:
        self._posted.emit(path, kind, dict(message))

    def _take(self, path: Path, kind: str, message: Mapping[str, Any]) -> None:
        desk = self._desks.get(path)
        if desk is None:
            return
        desk.take(kind, message)
        for flow, page in list(self._pages.items()):
            if page.desk is not desk:
                continue
            page.show_told(kind)
            if kind in {"begun", "ended"}:
                self._list(flow, "")
            elif kind == "report":
                page.show_agreement()
        if kind == "nodes":
            self._show_nodes(desk, message)
        elif kind == "written":
            say_written(desk, self._window.notices, MATTER)

    # ---------------------------------------------------------------- what pages ask

    def _edit(self, flow: "OpenFlow", page: "ExperimentsPage") -> None:
        if page.desk is not None:
            self._forms.edit(flow, page.desk.path)

    def _show_written(self, flow: "OpenFlow", name: str) -> None:
        self._window.tabs.show_document(flow, "experiments")
        self._choose(flow, name)

    def follow(self, root: Path, files: Collection[str]) -> None:
        """Show anew what a change of a project's files did to its experiments."""
        from studio.experiments.files import FOLDER, experiment_path

        names = [Path(one).stem for one in files if Path(one).parent.name == FOLDER]
        for name in names:
            path = experiment_path(root, name)
            desk = self._desks.get(path)
            if desk is not None and path.is_file():
                desk.open()
            elif desk is not None:
                self._desks.pop(path).close()
        for flow, page in self._pages.items() if names else ():
            if flow.work.session.project.root == root:
                self._list(flow, "")
                page.show_told("")

    def _run(self, flow: "OpenFlow", page: "ExperimentsPage", most: float | None) -> None:
        if page.desk is not None:
            self._warn_unsaved(flow.work.session)
            page.desk.run(most)
            page.show_told("")

    def _act(self, page: "ExperimentsPage", act: "Callable[[ExperimentDesk], None]") -> None:
        if page.desk is not None:
            act(page.desk)
            page.show_told("progress")

    def _flow_of(self, flow: "OpenFlow", name: str) -> "OpenFlow | None":
        """Bring the flow of a variant to the front, with its canvas."""
        session = flow.work.session
        path = (session.project.root / name).resolve()
        if session.path.resolve() != path:
            self._window.documents.open(path)
        else:
            self._window.tabs.show_flow(flow)
        front = self._window.front
        if front is None or front.work.session.path.resolve() != path:
            return None
        self._window.tabs.show_flow(front)
        return front

    def _show_run(self, flow: "OpenFlow", name: str, run: str, whose: str) -> None:
        front = self._flow_of(flow, name)
        if front is not None:
            front.controls.show_old(RunId(run))
            self._say_beside(front, flow, self.tr("Trial: {whose}.").format(whose=whose))

    def _compare(self, flow: "OpenFlow", pair: "Pair") -> None:
        front = self._flow_of(flow, pair.flow)
        if front is not None:
            front.controls.show_old(RunId(pair.second))
            front.comparison.compare(RunId(pair.first), RunId(pair.second))
            said = self.tr("First run: {first}. Second run: {second}.")
            self._say_beside(front, flow, said.format(first=pair.words[0], second=pair.words[1]))

    def _say_beside(self, front: "OpenFlow", flow: "OpenFlow", words: str) -> None:
        """Say what the canvas shows of an experiment, and lead back to it."""
        back = Remedy(
            self.tr("Back to the table"), lambda: self._window.tabs.show_document(flow, "experiments")
        )
        front.notices.say(words, back, tone="skipped", key=MATTER)

    def _ask_nodes(self, page: "ExperimentsPage", variant: int) -> None:
        rows = page.table.trials.rows
        if page.desk is not None and rows is not None and not page.desk.ask_nodes(rows.wanted, variant):
            self._tell(self.tr("None of the listed rows has a trial of this variant yet."))

    def _show_nodes(self, desk: "ExperimentDesk", message: Mapping[str, Any]) -> None:
        """Show on the canvas what nodes took over the trials; a run that is shown next takes its place."""
        from studio.ui.panels.experiments.node_states import states_of

        variant = int(message["variant"])
        flow = next((one for one, page in self._pages.items() if page.desk is desk), None)
        if flow is None or not 0 <= variant < len(desk.variants):
            return
        front = self._flow_of(flow, desk.about["flows"][variant])
        if front is None:
            return
        if not front.controls.own.going:
            front.work.shown.show(None)
        states = {
            NodeId(node): one
            for node, one in states_of(message["nodes"]).items()
            if NodeId(node) in front.work.session.flow.nodes
        }
        later(front.work.canvas, lambda: front.work.canvas.show_run(states))
        said = self.tr("The canvas shows what nodes took in {read} of {all} trials of “{variant}”.").format(
            read=message["read"], all=message["runs"], variant=desk.variants[variant]
        )
        self._say_beside(front, flow, said)

    def _ask_page(self, page: "ExperimentsPage") -> None:
        if page.desk is not None:
            ask_file(page.desk, self._parent)

    # ---------------------------------------------------------------- labels

    def _label(self, page: "ExperimentsPage", scorer: str, by: str = "") -> None:
        from studio.app.experiments.label_queue import Sitting
        from studio.experiments.labels import Labels, labels_beside

        desk, pages = page.desk, page.pages
        if desk is None or pages is None:
            return
        name = by or self._window.app.settings.text(WHO) or _user()
        try:
            sitting = Sitting(pages, Labels(labels_beside(desk.path)), scorer or desk.scorers[0], name)
        except StepwireError as error:
            self._tell(str(error))
            return
        page.show_labelling()
        page.labelling.begin(sitting)

    def _rename(self, page: "ExperimentsPage", name: str) -> None:
        self._window.app.settings.set_text(WHO, name)
        self._label(page, page.labelling.scorer, name)

    def _ask_agreement(self, page: "ExperimentsPage") -> None:
        if page.desk is not None:
            page.desk.report_again()

    # ---------------------------------------------------------------- words

    def _warn_unsaved(self, session: "Session") -> None:
        """Say that experiments run what is saved."""
        if session.is_modified:
            said = self.tr("Experiments run flows as they are saved; “{name}” has unsaved changes.")
            save = Remedy(self.tr("Save"), lambda: self._save(session))
            self._window.notices.say(said.format(name=session.title), save, tone="held", key=MATTER)

    def _save(self, session: "Session") -> None:
        self._window.show_session(session)
        self._window.app.commands.run("file.save")

    def _tell(self, words: str) -> None:
        self._window.notices.say(words, key=MATTER)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # nobody in the list of users
        return "me"
