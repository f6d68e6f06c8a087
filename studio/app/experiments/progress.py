"""How far an experiment is, as its process tells: one state that every view of it reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Stage(StrEnum):
    """What is done with an experiment just now."""

    CLOSED = "closed"
    OPENING = "opening"
    READY = "ready"
    RUNNING = "running"
    PAUSED = "paused"
    CANCELLING = "cancelling"
    REFUSED = "refused"
    """It cannot run as it is, or nobody is there to run it; the reason is told."""

    @property
    def is_going(self) -> bool:
        """Whether trials are under way, or may be."""
        return self in (Stage.RUNNING, Stage.PAUSED, Stage.CANCELLING)


@dataclass(slots=True)
class Estimate:
    """What a run would take: trials to run and stored ones; `cost` and `most` in US dollars, where known."""

    to_run: int = 0
    stored: int = 0
    rows: int = 0
    repeats: int = 1
    variants: Sequence[str] = ()
    is_free: bool = False
    cost: float | None = None
    most: float | None = None
    power: str = ""


@dataclass(slots=True)
class Told:
    """All that was told of an experiment; `take` folds messages of the attendant into it."""

    stage: Stage = Stage.CLOSED
    estimate: Estimate | None = None
    done: int = 0
    total: int = 0
    cost: float = 0.0
    remaining: float | None = None
    stopped: str = ""
    """Why the table is not whole, as the last run said."""
    report: Mapping[str, Any] | None = None
    problems: Sequence[str] = ()
    """What was refused, sentence by sentence, with what to do about it."""
    written: str = ""

    def take(self, kind: str, message: Mapping[str, Any]) -> None:
        """Take a message in; unknown ones are for later versions."""
        match kind:
            case "opened":
                self._open(message)
            case "begun":
                self.cost, self.remaining = 0.0, None
            case "progress":
                self.done, self.total = int(message["done"]), int(message["total"])
                self.cost, self.remaining = float(message["cost"]), message["remaining"]
            case "report":
                self.report = message["report"]
            case "ended":
                self.stage, self.remaining = Stage.READY, None
                self.stopped = str(message["stopped"])
            case "written":
                self.written = str(message["file"])
            case "refused":
                self._refuse(message)
            case "gone":
                self._lose()
            case _:
                pass

    def begin(self) -> None:
        """Note that a run was asked for."""
        self.stage, self.problems, self.stopped = Stage.RUNNING, (), ""
        self.done = self.total = 0

    def _open(self, message: Mapping[str, Any]) -> None:
        names = Estimate.__dataclass_fields__
        self.estimate = Estimate(**{name: one for name, one in message.items() if name in names})
        if not self.stage.is_going:
            self.stage, self.problems = Stage.READY, ()

    def _refuse(self, message: Mapping[str, Any]) -> None:
        told = [str(message["message"]), *map(str, message["details"]), str(message["hint"])]
        self.problems = [one for one in told if one]
        if message["what"] in {"open", "run", "rescore"}:
            self.stage = Stage.REFUSED

    def _lose(self) -> None:
        was_going = self.stage.is_going
        self.stage = Stage.REFUSED
        said = (
            "The process that ran the experiment has ended."
            if was_going
            else "The experiment's process has ended."
        )
        self.problems = [said, "Trials that were done are kept: run it again to go on."]
