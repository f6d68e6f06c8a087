"""What is done with files."""

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command
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
        Command(
            "file.new",
            translate("actions", "New flow"),
            "file",
            lambda window: window.documents.new(),
            "Ctrl+N",
            words=translate("actions", "create add graph"),
        ),
        Command(
            "file.new_project",
            translate("actions", "New project…"),
            "file",
            lambda window: window.documents.new_project(),
            help=translate("actions", "Make a folder for flows, data and runs, and open an empty flow in it"),
            words=translate("actions", "create workspace"),
        ),
        Command(
            "file.open",
            translate("actions", "Open flow or saved run…"),
            "file",
            lambda window: window.documents.open_flow(),
            "Ctrl+O",
            words=translate("actions", "load import"),
        ),
        Command(
            "file.project",
            translate("actions", "Open project…"),
            "file",
            lambda window: window.documents.open_project(),
            "Ctrl+Shift+O",
            words=translate("actions", "load folder workspace"),
        ),
        Command(
            "file.save",
            translate("actions", "Save"),
            "file",
            lambda window: window.documents.save(),
            "Ctrl+S",
            has_flow,
            begins=True,
            words=translate("actions", "write store keep"),
        ),
        Command(
            "file.save_as",
            translate("actions", "Save as…"),
            "file",
            lambda window: window.documents.save_as(),
            "Ctrl+Shift+S",
            has_flow,
        ),
        *_export_commands(),
        Command(
            "file.picture",
            translate("actions", "Export as picture…"),
            "file",
            lambda window: window.pictures.ask(),
            can=has_flow,
            help=translate(
                "actions", "Save the whole canvas as SVG or PNG, with the results of the shown run"
            ),
            words=translate("actions", "image screenshot save PNG SVG"),
        ),
        Command(
            "file.apply_script",
            translate("actions", "Apply edits from a Python script…"),
            "file",
            lambda window: window.script_editing.ask(),
            can=lambda window: window.script_editing.can_ask,
            help=translate("actions", "Take texts and settings that were edited in an exported script"),
            words=translate("actions", "import python round trip merge back sync"),
        ),
        Command(
            "file.bundle",
            translate("actions", "Save the shown run as a file…"),
            "file",
            lambda window: window.run_bundles.save_shown(),
            can=lambda window: window.run_bundles.can_save_shown(),
            help=translate("actions", "Includes its flow but no keys; opens anywhere, read-only"),
            words=translate("actions", "export share archive send bundle"),
        ),
        Command(
            "file.trace",
            translate("actions", "Open a Python script's trace…"),
            "file",
            lambda window: window.script_runs.ask(),
            can=has_flow,
            help=translate("actions", "Show a run of a Python script, from the file written by --trace"),
            words=translate("actions", "import log"),
        ),
        Command(
            "file.profiles",
            translate("actions", "Chat profiles…"),
            "file",
            lambda window: window.acts.edit_profiles(),
            can=has_flow,
            help=translate("actions", "The models that runs of this project can call"),
            words=translate("actions", "model LLM provider API key endpoint OpenAI settings"),
        ),
        Command(
            "file.prices",
            translate("actions", "Model prices…"),
            "file",
            lambda window: window.acts.edit_prices(),
            help=translate("actions", "Prices per token, used to work out the cost of runs"),
            words=translate("actions", "cost tokens pricing"),
        ),
        Command(
            "file.duplicate",
            translate("actions", "Duplicate flow"),
            "file",
            lambda window: window.flow_files.act_on_front("duplicate"),
            can=has_flow,
            help=translate("actions", "Copy the flow in its folder and open the copy"),
            words=translate("actions", "copy clone"),
        ),
        Command(
            "file.variant",
            translate("actions", "New variant of this flow"),
            "file",
            lambda window: window.flow_files.act_on_front("variant"),
            can=has_flow,
            help=translate(
                "actions", "A flow that keeps only what differs from this one and follows its changes"
            ),
            words=translate("actions", "baseline ablation patch copy derive inherit"),
        ),
        Command(
            "file.rename",
            translate("actions", "Rename flow…"),
            "file",
            lambda window: window.flow_files.act_on_front("rename"),
            can=has_flow,
            help=translate("actions", "Rename the flow's file; flows that call it are updated"),
            words=translate("actions", "move name"),
        ),
        Command(
            "file.delete",
            translate("actions", "Delete flow"),
            "file",
            lambda window: window.flow_files.act_on_front("delete"),
            can=has_flow,
            help=translate("actions", "Delete the flow's file; undo restores it"),
            words=translate("actions", "remove"),
        ),
        Command(
            "file.close",
            translate("actions", "Close flow"),
            "file",
            lambda window: window.documents.close_current(),
            "Ctrl+W",
            has_flow,
            begins=True,
        ),
        Command(
            "file.quit",
            translate("actions", "Quit"),
            "file",
            lambda window: window.close(),
            "Ctrl+Q",
            words=translate("actions", "exit close"),
        ),
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
            lambda window: window.exports.save(form),
            "Ctrl+Shift+E" if form is Form.SCRIPT else "",
            has_flow,
            tips[form],
            begins=form is Form.SCRIPT,
            words=words[form],
        )

    return [of(form, title) for form, title in form_titles().items()]
