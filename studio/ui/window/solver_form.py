"""What is stated of simulated solvers, as fields of a chat profile."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from studio.llm.solvers.solver import SolverProfile
from studio.ui.editors.place import PlaceEditor
from studio.ui.editors.simple import FlagEditor, LineEditor, NumberEditor
from studio.ui.look import Look
from studio.ui.panels.inspector.form import Form

SHARES = (
    "accuracy",
    "accuracy_at_hardest",
    "correlation",
    "correlation_of_samples",
    "sway_right",
    "sway_wrong",
    "sensitivity",
    "specificity",
)
AMOUNTS = ("tokens", "seconds", "tokens_per_second", "input_price", "output_price", "seed")
WHOLE = frozenset({"tokens", "seed"})
LINES = ("problems", "rules", "says")


class SolverForm(Form):
    """The fields of a solver; what it has no field for (agents of whom something else is stated) it keeps."""

    make_asked = Signal()
    """A file of problems is to be made."""

    def __init__(
        self, look: Look, edited: Callable[[], None], parent: QWidget | None = None, *, root: Path = Path()
    ) -> None:
        super().__init__(look, _words()["title"], parent)
        self._kept: dict[str, object] = {}
        self._edited = edited
        words, helps = _words(), _helps()
        problems = PlaceEditor(words["problems"], root, is_folder=False)
        problems.field.setPlaceholderText(_hint("problems"))
        self.make = QPushButton(words["make"], problems)
        self.make.setAutoDefault(False)
        self.make.clicked.connect(self.make_asked)
        problems.add_button(self.make)
        self._put("problems", problems, helps["problems"])
        self._put("rules", LineEditor(words["rules"], hint=_hint("rules")), helps["rules"])
        for name in SHARES:
            self._put(
                name,
                NumberEditor(words[name], least=0, most=1, optional=True, hint=_hint(name)),
                helps.get(name, ""),
            )
        self._put("picks", FlagEditor(words["picks"]), "")
        self._put("says", LineEditor(words["says"], hint=_hint("says")), "")
        for name in AMOUNTS:
            number = NumberEditor(words[name], whole=name in WHOLE, least=0, optional=True, hint=_hint(name))
            self._put(name, number, "")

    def show_solver(self, solver: Mapping[str, object]) -> None:
        """Show what is stated, without telling anyone."""
        self._kept = dict(solver)
        for name in (*LINES, *SHARES, *AMOUNTS, "picks"):
            value = solver.get(name)
            if name == "rules":
                value = ", ".join(map(str, cast("list[object]", value))) if isinstance(value, list) else ""
            self[name].set_value(value if name not in LINES else value or "")

    def solver(self) -> dict[str, object]:
        """Give what is stated; a field in which nothing stands is left out."""
        stated = dict(self._kept)
        for name in (*LINES, *SHARES, *AMOUNTS, "picks"):
            value = self[name].value()
            if isinstance(value, str):
                value = value.strip()
            if name == "rules":
                value = [one for part in str(value or "").split(",") if (one := part.strip())]
            if value in (None, "", [], False):
                stated.pop(name, None)
            else:
                stated[name] = value
        return stated

    def take_problems(self, path: str) -> None:
        """Have a file in the field, as if it had been chosen."""
        self["problems"].set_value(path)
        self._edited()

    def _put(
        self, name: str, editor: LineEditor | NumberEditor | FlagEditor | PlaceEditor, help_text: str
    ) -> None:
        is_row = isinstance(editor, NumberEditor)
        self.add(
            name,
            _words()[name],
            editor,
            edited=lambda _: self._edited(),
            visited=lambda: None,
            help_text=help_text,
            is_row=is_row,
        )


def _hint(name: str) -> str:
    """What counts where nothing stands."""
    translate = QCoreApplication.translate
    special = {
        "problems": translate("SolverForm", "no file yet"),
        "rules": translate("SolverForm", "none"),
        "accuracy_at_hardest": translate("SolverForm", "as at the easiest"),
        "correlation_of_samples": translate("SolverForm", "as between agents"),
    }
    usual = SolverProfile.model_fields[name].default
    return special.get(name) or (f"{usual:g}" if isinstance(usual, int | float) else str(usual))


def _words() -> dict[str, str]:
    translate = QCoreApplication.translate
    return {
        "title": translate("SolverForm", "Solvers"),
        "problems": translate("SolverForm", "Problems"),
        "make": translate("SolverForm", "Make one"),
        "rules": translate("SolverForm", "Rules that go first"),
        "accuracy": translate("SolverForm", "Right by itself"),
        "accuracy_at_hardest": translate("SolverForm", "At the hardest"),
        "correlation": translate("SolverForm", "Agents alike"),
        "correlation_of_samples": translate("SolverForm", "Samples alike"),
        "sway_right": translate("SolverForm", "Follows if right"),
        "sway_wrong": translate("SolverForm", "Follows if wrong"),
        "sensitivity": translate("SolverForm", "Passes right"),
        "specificity": translate("SolverForm", "Stops wrong"),
        "picks": translate("SolverForm", "Only picks among what others said"),
        "says": translate("SolverForm", "Says"),
        "tokens": translate("SolverForm", "Tokens"),
        "seconds": translate("SolverForm", "Seconds before"),
        "tokens_per_second": translate("SolverForm", "Tokens a second"),
        "input_price": translate("SolverForm", "$ per M in"),
        "output_price": translate("SolverForm", "$ per M out"),
        "seed": translate("SolverForm", "Seed"),
    }


def _helps() -> dict[str, str]:
    translate = QCoreApplication.translate
    return {
        "problems": translate(
            "SolverForm",
            "A file in the project, one problem a line: id, question, answer, wrong, difficulty.",
        ),
        "rules": translate("SolverForm", "Files of scripted answers, which may ask the `solver`."),
        "correlation": translate("SolverForm", "0: right and wrong each for itself; 1: all together."),
        "sway_right": translate("SolverForm", "How often it takes over what most others say."),
        "sensitivity": translate("SolverForm", "How often it judges rightly of an answer."),
    }
