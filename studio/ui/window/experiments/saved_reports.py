"""A report saved as a file: in which form, where, and what came of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.ui.dialogs import Wanted, file_dialog
from studio.ui.panels.widgets.notice import Remedy
from studio.ui.slots import of_text

if TYPE_CHECKING:
    from studio.app.experiments.desk import ExperimentDesk
    from studio.ui.panels.widgets.notice import NoticeBar

translate = QCoreApplication.translate


def forms() -> Mapping[str, str]:
    """Give the forms of a report by what a dialog calls them, with the endings of their files."""
    return {
        translate("experiments", "Report as a web page (*.html)"): "html",
        translate("experiments", "Trials as CSV (*.csv)"): "csv",
        translate("experiments", "Trials as Parquet (*.parquet)"): "parquet",
        translate("experiments", "Rows as JUnit (*.xml)"): "xml",
    }


def ask_file(desk: "ExperimentDesk", parent: QWidget) -> None:
    """Ask where the report of an experiment is to be saved, and in which form."""
    endings = forms()
    place = desk.project.root / f"{desk.name}.html"
    dialog = file_dialog(parent, translate("experiments", "Save report"), place, Wanted.NEW_FILE)
    dialog.setNameFilters(list(endings))
    dialog.setDefaultSuffix("html")

    def follow(chosen: str) -> None:
        dialog.setDefaultSuffix(endings[chosen])
        named = dialog.selectedFiles()
        if named:
            dialog.selectFile(Path(named[0]).with_suffix(f".{endings[chosen]}").name)

    dialog.filterSelected.connect(of_text(follow))
    dialog.fileSelected.connect(of_text(lambda path: desk.write_page(Path(path))))
    dialog.open()


def say_written(desk: "ExperimentDesk", notices: "NoticeBar", key: str) -> None:
    """Say where it was saved, with a button that opens it."""
    from PySide6.QtCore import QUrl
    from PySide6.QtGui import QDesktopServices

    path = desk.told.written

    def open_it() -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(path))

    show = Remedy(translate("experiments", "Open"), open_it)
    said = translate("experiments", "Saved as {path}.").format(path=path)
    notices.say(said, show, tone="done", key=key)
