"""Taking in what run hosts say, as the window does once a frame."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

from studio.app.compose import Application
from studio.app.runs.debugger import Debugger
from studio.ids import RunId
from tests.patience import patience
from tests.trusted import HERE

ENVIRON = {"PYTHONPATH": str(Path(__file__).parents[2]), **HERE}
"""What hosts need of the environment."""


def pump(application: Application, until: Callable[[], bool]) -> None:
    """Take in what hosts say until `until` holds."""
    pump_until(application.runs.pump, until)


def pump_until(take_in: Callable[[], None], condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Take in what is said until something holds, for as long as an idle machine has these seconds."""
    end = time.monotonic() + patience(seconds)
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        take_in()
        threading.Event().wait(0.002)


def meant(debugger: Debugger) -> RunId:
    """The run that a debugger means where a person names none."""
    assert debugger.run is not None
    return debugger.run.run
