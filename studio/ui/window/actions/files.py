"""What is done with files."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.making import ignore, make
from studio.ui.window.pictures import Pictures

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def file_actions(window: "MainWindow") -> list[Action]:
    """What is done with files."""
    group, documents = translate("actions", "File"), window.documents
    has = window.acts.has_flow
    return [
        make("file.new", translate("actions", "New flow…"), group, documents.new, "Ctrl+N"),
        make(
            "file.open", translate("actions", "Open flow or saved run…"), group, documents.open_flow, "Ctrl+O"
        ),
        make(
            "file.project",
            translate("actions", "Open project…"),
            group,
            documents.open_project,
            "Ctrl+Shift+O",
        ),
        make("file.save", translate("actions", "Save"), group, documents.save, "Ctrl+S", has),
        make("file.save_as", translate("actions", "Save as…"), group, documents.save_as, "Ctrl+Shift+S", has),
        make(
            "file.export",
            translate("actions", "Export as Python script…"),
            group,
            window.exports.save_script,
            "Ctrl+Shift+E",
            has,
            translate("actions", "Write the flow as a Python script in a file"),
        ),
        make(
            "file.package",
            translate("actions", "Export as Python package…"),
            group,
            window.exports.save_package,
            "",
            has,
            translate("actions", "Write the flow as a package of a few files, which can be installed"),
        ),
        make(
            "file.bundle",
            translate("actions", "Save the shown run as a file…"),
            group,
            window.run_bundles.save_shown,
            "",
            window.run_bundles.can_save_shown,
            translate("actions", "With its flow and without keys; it opens elsewhere to be read"),
        ),
        make(
            "file.picture",
            translate("actions", "Export as picture…"),
            group,
            Pictures(window, window).ask,
            "",
            has,
            translate("actions", "Draw the whole canvas as SVG or PNG, with what the shown run says"),
        ),
        make(
            "file.trace",
            translate("actions", "Open a script's trace…"),
            group,
            window.script_runs.ask,
            "",
            has,
            translate("actions", "Show a run of the flow's script, from the file that `--trace FILE` wrote"),
        ),
        make(
            "file.profiles",
            translate("actions", "Chat profiles…"),
            group,
            window.acts.edit_profiles,
            "",
            has,
            translate("actions", "The language models that runs of this project may ask"),
        ),
        make(
            "file.prices",
            translate("actions", "Prices…"),
            group,
            window.acts.edit_prices,
            help_text=translate("actions", "What the tokens of language models cost, for the cost of runs"),
        ),
        make(
            "file.duplicate",
            translate("actions", "Duplicate flow"),
            group,
            lambda: window.flow_files.act_on_front("duplicate"),
            "",
            has,
            translate("actions", "Put a copy beside the flow, and open it"),
        ),
        make(
            "file.rename",
            translate("actions", "Rename flow…"),
            group,
            lambda: window.flow_files.act_on_front("rename"),
            "",
            has,
            translate("actions", "Give the flow's file another name; flows that call it go along"),
        ),
        make(
            "file.delete",
            translate("actions", "Delete flow"),
            group,
            lambda: window.flow_files.act_on_front("delete"),
            "",
            has,
            translate("actions", "Delete the flow's file; undo brings it back"),
        ),
        make("file.close", translate("actions", "Close flow"), group, documents.close_current, "Ctrl+W", has),
        make("file.quit", translate("actions", "Quit"), group, lambda: ignore(window.close()), "Ctrl+Q"),
    ]
