"""Exporting a flow as Python: asks where, writes on its own thread, and tells how it went."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget
from shiboken6 import isValid

from studio.app.documents.session import Session
from studio.errors import PlaceError
from studio.ui.dialogs import Wanted, file_dialog
from studio.ui.panels.script.forms import Form
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.slots import of_text
from studio.ui.window.background import Aside
from studio.ui.window.roles import HasDocuments, HasFront, Notifies

if TYPE_CHECKING:
    from studio.flow.records import Flow
    from studio.ui.window.scripts.script_edits import ScriptEditing

EXPORT_MATTER = "export"
"""The key of notices about a script that is saved."""


class Window(HasFront, HasDocuments, Notifies, Protocol):
    """What this asks of the window."""

    @property
    def script_editing(self) -> "ScriptEditing":
        """Applies edits of scripts."""
        ...


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be written, and where; `overwrites` is what a person said may be lost there."""

    form: Form
    session: Session
    path: Path
    overwrites: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Saved:
    """What was written, and the command that runs it."""

    path: Path
    command: str
    lacks_sandbox: bool = False
    notes: Sequence[str] = ()
    """What else is to be known of it."""


class Exports(QObject):
    """Saves the flow in front as it is when the place for it is chosen."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent
        self._aside = Aside(self)

    def save(self, form: Form = Form.SCRIPT) -> None:
        """Ask where the flow in front shall be written in this form, and write it there."""
        session = self._window.session
        if session is None:
            return
        dialog = self._ask_folder(session) if form is Form.PACKAGE else self._ask_file(session, form)
        within = ""
        if form is Form.PACKAGE:
            from studio.app.scripts.package_files import folder_of

            within = folder_of(session.flow)
        dialog.fileSelected.connect(of_text(lambda path: self.write(Wish(form, session, Path(path, within)))))
        dialog.open()

    def write(self, wish: Wish) -> None:
        """Write on a thread; where the place will not do, offer what can be done about it."""
        notices = self._window.notices
        said = self.tr("Writing `{path}`…").format(path=wish.path)
        notices.say(said, tone="skipped", key=EXPORT_MATTER, lasts=True)
        flow = wish.session.flow
        self._aside.begin(lambda: _written(wish, flow), partial(self._tell, notices, wish))

    def _ask_file(self, session: Session, form: Form) -> QFileDialog:
        is_archive = form is Form.ARCHIVE
        ending = "pyz" if is_archive else "py"
        titles = {
            Form.KIT: self.tr("Export as Python script for stepwire-kit"),
            Form.ARCHIVE: self.tr("Export as single file"),
        }
        title = titles.get(form, self.tr("Export as Python script"))
        place = session.path.with_suffix(f".{ending}")
        dialog = file_dialog(self._parent, title, place, Wanted.NEW_FILE)
        dialog.setDefaultSuffix(ending)
        kind = self.tr("Python archives (*.pyz)") if is_archive else self.tr("Python scripts (*.py)")
        dialog.setNameFilters([kind, self.tr("All files (*)")])
        return dialog

    def _ask_folder(self, session: Session) -> QFileDialog:
        """Ask in which folder the package shall get a folder of its name."""
        title = self.tr("Export as Python package: choose the folder to put it in")
        return file_dialog(self._parent, title, session.project.root, Wanted.FOLDER)

    def _how_to_run(self, saved: Saved) -> Remedy:
        return Remedy(
            self.tr("Copy the command that runs it"),
            lambda: QGuiApplication.clipboard().setText(saved.command),
        )

    def _tell(self, notices: NoticeBar, wish: Wish, found: Saved | Exception) -> None:
        if not isValid(notices):  # its flow was closed meanwhile
            return
        if isinstance(found, Saved):
            said = self.tr("Saved to `{path}`.").format(path=found.path)
            tone = "done"
            if found.lacks_sandbox:
                tone = "held"
                lacks = self.tr(
                    "The sandbox is not included: code of the flow will not run on other machines. "
                    "`stepwire sandbox --component resources/sandbox` builds it; then export again."
                )
                said = f"{said} {lacks}"
            if found.notes:
                said, tone = " ".join([said, *found.notes]), "held"
            notices.say(said, self._how_to_run(found), tone=tone, key=EXPORT_MATTER)
        elif isinstance(found, PlaceError):
            self._offer_ways(notices, wish, found)
        else:
            remedy = Remedy(self.tr("Show the script"), self._window.documents.show_script)
            notices.say(str(found), remedy, key=EXPORT_MATTER)

    def _offer_ways(self, notices: NoticeBar, wish: Wish, error: PlaceError) -> None:
        """Say what would be lost, and what can be done: take the edits over, overwrite them, go elsewhere."""
        ways: list[Remedy] = []
        edited, loses = error.edited, error.loses
        if edited is not None and not wish.session.is_read_only:
            take = partial(self._window.script_editing.open, edited)
            ways.append(Remedy(self.tr("Apply its edits to the flow…"), take))
        if loses:
            again = replace(wish, overwrites=wish.overwrites | {loses})
            ways.append(Remedy(self.tr("Overwrite"), partial(self.write, again)))
        ways.append(Remedy(self.tr("Choose another place…"), self._asking(wish.form)))
        said = error.message if len(ways) > 1 else str(error)
        notices.say(said, ways, tone="held" if len(ways) > 1 else "failed", key=EXPORT_MATTER)

    def _asking(self, form: Form) -> Callable[[], None]:
        return lambda: self.save(form)


def _written(wish: Wish, flow: "Flow") -> Saved:
    """Write it; raises `PlaceError` where the place will not do, and what exporting raises."""
    from studio.app.scripts.flow_export import (  # with all that writes
        export_package,
        other_memories,
        script_of,
    )
    from studio.app.scripts.package_files import package_name, save_package
    from studio.app.scripts.script_files import ScriptToSave, lacks_sandbox, libraries_of
    from studio.export.forms.package import command_of

    session, path = wish.session, wish.path
    known, project, name = session.registry, session.project, session.path.name
    place = shlex.quote(str(path))
    if wish.form is Form.PACKAGE:
        wanted = package_name(path)
        made = export_package(flow, wanted, registry=known, name=name, project=project)
        save_package(path, made, force="script" in wish.overwrites)
        lacks = lacks_sandbox(str(made.files[f"{wanted}/script.py"]))
        return Saved(path, f"uv run --project {place} {command_of(wanted)}", lacks)
    script = script_of(flow, registry=known, name=name, project=project)
    libraries, notes = libraries_of(project), other_memories(script, known, project)
    is_forced = "script" in wish.overwrites
    saving = ScriptToSave(path, script.text, libraries, [session.path], force=is_forced)
    match wish.form:
        case Form.KIT:
            saving.save_alone()
            return Saved(path, f"python {place}", notes=notes)
        case Form.ARCHIVE:
            saving.save_archive()
            return Saved(path, f"python {place}", lacks_sandbox(script.text), notes)
        case _:
            saving.save(force_engine="engine" in wish.overwrites)
            return Saved(path, f"uv run {place}", lacks_sandbox(script.text), notes)
