"""What is done with files."""

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command
from studio.ui.command_table import Menu
from studio.ui.panels.script.forms import Form, form_tips, form_titles
from studio.ui.window.roles import HasFront, has_flow

if TYPE_CHECKING:
    from studio.ui.window.front import Front
    from studio.ui.window.project.canvas_pictures import Pictures
    from studio.ui.window.project.documents import Documents
    from studio.ui.window.project.flow_files import FlowFiles
    from studio.ui.window.project.run_bundles import RunBundles
    from studio.ui.window.scripts.exports import Exports
    from studio.ui.window.scripts.script_edits import ScriptEditing
    from studio.ui.window.scripts.script_runs import ScriptRuns

translate = QCoreApplication.translate
in_file = Menu("file")


class Window(HasFront, Protocol):
    """What this asks of the window."""

    @property
    def acts(self) -> "Front":
        """Acts on the flow in front."""
        ...

    @property
    def documents(self) -> "Documents":
        """Opens, saves and closes flows."""
        ...

    @property
    def exports(self) -> "Exports":
        """Writes scripts."""
        ...

    @property
    def flow_files(self) -> "FlowFiles":
        """Acts on files of flows."""
        ...

    @property
    def pictures(self) -> "Pictures":
        """Draws the canvas into files."""
        ...

    @property
    def run_bundles(self) -> "RunBundles":
        """Saves runs as files."""
        ...

    @property
    def script_editing(self) -> "ScriptEditing":
        """Applies edits of scripts."""
        ...

    @property
    def script_runs(self) -> "ScriptRuns":
        """Opens the traces of scripts."""
        ...

    def close(self) -> bool:
        """Close the window, unless somebody says no."""
        ...


def file_commands() -> "list[Command[Window]]":
    """What is done with files."""
    return [
        in_file("file.new", "New flow", lambda w: w.documents.new(), "Ctrl+N", words="create add graph"),
        in_file(
            "file.new_project",
            "New project…",
            lambda w: w.documents.new_project(),
            help="Make a folder for flows, data and runs, and open an empty flow in it",
            words="create workspace",
        ),
        in_file(
            "file.open",
            "Open flow or saved run…",
            lambda w: w.documents.open_flow(),
            "Ctrl+O",
            words="load import",
        ),
        in_file(
            "file.project",
            "Open project…",
            lambda w: w.documents.open_project(),
            "Ctrl+Shift+O",
            words="load folder workspace",
        ),
        in_file(
            "file.save",
            "Save",
            lambda w: w.documents.save(),
            "Ctrl+S",
            has_flow,
            words="write store keep",
            begins=True,
        ),
        in_file("file.save_as", "Save as…", lambda w: w.documents.save_as(), "Ctrl+Shift+S", has_flow),
        *_export_commands(),
        *_exchange_commands(),
        *_model_commands(),
        *_flow_file_commands(),
    ]


def _exchange_commands() -> "list[Command[Window]]":
    """What a project gives to others, and takes from them."""
    return [
        in_file(
            "file.picture",
            "Export as picture…",
            lambda w: w.pictures.ask(),
            can=has_flow,
            help="Save the whole canvas as SVG or PNG, with the results of the shown run",
            words="image screenshot save PNG SVG",
        ),
        in_file(
            "file.apply_script",
            "Apply edits from a Python script…",
            lambda w: w.script_editing.ask(),
            can=lambda w: w.script_editing.can_ask,
            help="Take texts and settings that were edited in an exported script",
            words="import python round trip merge back sync",
        ),
        in_file(
            "file.bundle",
            "Save the shown run as a file…",
            lambda w: w.run_bundles.save_shown(),
            can=lambda w: w.run_bundles.can_save_shown(),
            help="Includes its flow but no keys; opens anywhere, read-only",
            words="export share archive send bundle",
        ),
        in_file(
            "file.trace",
            "Open a Python script's trace…",
            lambda w: w.script_runs.ask(),
            can=has_flow,
            help="Show a run of a Python script, from the file written by --trace",
            words="import log",
        ),
    ]


def _model_commands() -> "list[Command[Window]]":
    """What its runs call, and what that costs."""
    return [
        in_file(
            "file.profiles",
            "Chat profiles…",
            lambda w: w.acts.edit_profiles(),
            can=has_flow,
            help="The models that runs of this project can call",
            words="model LLM provider API key endpoint OpenAI settings",
        ),
        in_file(
            "file.prices",
            "Model prices…",
            lambda w: w.acts.edit_prices(),
            help="Prices per token, used to work out the cost of runs",
            words="cost tokens pricing",
        ),
    ]


def _flow_file_commands() -> "list[Command[Window]]":
    """What is done with the file of the flow in front."""
    return [
        in_file(
            "file.duplicate",
            "Duplicate flow",
            lambda w: w.flow_files.act_on_front("duplicate"),
            can=has_flow,
            help="Copy the flow in its folder and open the copy",
            words="copy clone",
        ),
        in_file(
            "file.variant",
            "New variant of this flow",
            lambda w: w.flow_files.act_on_front("variant"),
            can=has_flow,
            help="A flow that keeps only what differs from this one and follows its changes",
            words="baseline ablation patch copy derive inherit",
        ),
        in_file(
            "file.rename",
            "Rename flow…",
            lambda w: w.flow_files.act_on_front("rename"),
            can=has_flow,
            help="Rename the flow's file; flows that call it are updated",
            words="move name",
        ),
        in_file(
            "file.delete",
            "Delete flow",
            lambda w: w.flow_files.act_on_front("delete"),
            can=has_flow,
            help="Delete the flow's file; undo restores it",
            words="remove",
        ),
        in_file(
            "file.close", "Close flow", lambda w: w.documents.close_current(), "Ctrl+W", has_flow, begins=True
        ),
        in_file("file.quit", "Quit", lambda w: w.close(), "Ctrl+Q", words="exit close"),
    ]


def _export_commands() -> "list[Command[Window]]":
    """A flow as Python, in each of its forms."""
    names = {Form.SCRIPT: "file.export", Form.PACKAGE: "file.package"}
    words = {
        Form.SCRIPT: translate("actions", "convert code generate compile"),
        Form.KIT: translate("actions", "alone library code"),
        Form.ARCHIVE: translate("actions", "zipapp archive code"),
        Form.PACKAGE: translate("actions", "wheel library pip"),
    }
    tips = form_tips()

    def of(form: Form, title: str) -> "Command[Window]":
        return Command(
            names.get(form, f"file.export_{form}"),
            title,
            "file",
            lambda w: w.exports.save(form),
            "Ctrl+Shift+E" if form is Form.SCRIPT else "",
            has_flow,
            tips[form],
            begins=form is Form.SCRIPT,
            words=words[form],
        )

    return [of(form, title) for form, title in form_titles().items()]
