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
            help_text=help_text,
            is_row=is_row,
        )


def _hint(name: str) -> str:
    """What counts where nothing stands."""
    translate = QCoreApplication.translate
    special = {
        "problems": translate("SolverForm", "no file yet"),
        "rules": translate("SolverForm", "none"),
        "accuracy_at_hardest": translate("SolverForm", "same as at the easiest"),
        "correlation_of_samples": translate("SolverForm", "same as between agents"),
    }
    usual = SolverProfile.model_fields[name].default
    return special.get(name) or (f"{usual:g}" if isinstance(usual, int | float) else str(usual))


def _words() -> dict[str, str]:
    translate = QCoreApplication.translate
    return {
        "title": translate("SolverForm", "Solvers"),
        "problems": translate("SolverForm", "Problems"),
        "make": translate("SolverForm", "Create one"),
        "rules": translate("SolverForm", "Scripted answers first"),
        "accuracy": translate("SolverForm", "Accuracy, easiest"),
        "accuracy_at_hardest": translate("SolverForm", "Accuracy, hardest"),
        "correlation": translate("SolverForm", "Agent correlation"),
        "correlation_of_samples": translate("SolverForm", "Sample correlation"),
        "sway_right": translate("SolverForm", "Follows if right"),
        "sway_wrong": translate("SolverForm", "Follows if wrong"),
        "sensitivity": translate("SolverForm", "Accepts correct"),
        "specificity": translate("SolverForm", "Rejects wrong"),
        "picks": translate("SolverForm", "Only picks among the answers of others"),
        "says": translate("SolverForm", "Answer text"),
        "tokens": translate("SolverForm", "Tokens"),
        "seconds": translate("SolverForm", "Latency, s"),
        "tokens_per_second": translate("SolverForm", "Tokens per second"),
        "input_price": translate("SolverForm", "$ per M input"),
        "output_price": translate("SolverForm", "$ per M output"),
        "seed": translate("SolverForm", "Seed"),
    }


def _helps() -> dict[str, str]:
    translate = QCoreApplication.translate
    return {
        "problems": translate(
            "SolverForm",
            "A project file with one problem per line: id, question, answer, wrong, difficulty.",
        ),
        "rules": translate("SolverForm", "Files of scripted answers, which can call the solver."),
        "correlation": translate("SolverForm", "0: independent errors; 1: all make the same ones."),
        "sway_right": translate("SolverForm", "How often it adopts the majority's answer."),
        "sensitivity": translate("SolverForm", "How often it judges an answer correctly."),
    }
