"""The tour: a run, a pause, an edit, back in time, the result and the script, in a quarter of a minute."""

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QImage, QPainter

from tests.pictures.animation import Frame
from tests.pictures.stage import Stage

EDITED = "A dunnock, a wren and a wheatear were seen in the morning. [may.txt:6]"
STRIDE = 0.16
"""Seconds between two frames of what moves by itself."""


def tour(stage: Stage) -> list[Frame]:
    """Drive the example, and give what is seen."""
    film = Film(stage)
    flow = stage.open("field_notes")
    film.still("A writer drafts an answer from notes, a critic accepts it or sends it back", 1200)
    stage.command("run.run")
    stage.wait(lambda: bool((run := flow.work.shown.live_state) and run.steps))  # its process has started
    film.follow("Run", lambda: stage.status is not None and stage.status.is_final)
    stage.wait(lambda: flow.controls.live is None)
    stage.rest(1.0)
    film.still("The result: what it says, how long it took, what it cost", 1500)
    stage.select("critic")
    stage.break_at("critic")
    film.still("A breakpoint on the critic", 900)
    stage.command("run.run")
    film.follow("A breakpoint on the critic", lambda: flow.controls.is_held, most=4)
    stage.wait(lambda: flow.controls.is_held)
    stage.rest(0.6)
    film.still("Paused before the critic reads the draft", 1300)
    for length in (22, 46, len(EDITED)):
        stage.type_into_paused(EDITED[:length])
        film.still("Edit what it is about to read", 350 if length < len(EDITED) else 900)
    stage.break_at("critic", is_set=False)
    stage.command("run.continue")
    film.follow("Continue", lambda: flow.controls.live is None, most=10)
    stage.wait(lambda: flow.controls.live is None)
    stage.rest(0.5)
    film.still("Continue", 600)
    stage.select()
    state = flow.work.shown.live_state
    assert state is not None
    assert state.started is not None
    lasted = (state.ended or state.started) - state.started
    for part in (0.92, 0.84, 0.76, 0.68, 0.6, 0.52, 0.44):
        flow.view.playhead.go(lasted * part)
        stage.rest(0.25)
        film.still("Back in time: the whole window as it was then", 220)
    film.still("Back in time: the whole window as it was then", 500)
    flow.view.playhead.leave()
    stage.select("writer")
    for dock in ("result", "timeline", "messages"):
        stage.window.docks.press(dock)
    stage.command("view.script")
    stage.wait(lambda: "import" in flow.work.script.code.toPlainText())
    stage.rest(1.0)
    film.still("The same flow as a Python script, run by the same engine", 2000)
    return film.frames


class Film:
    """The frames so far, each with a word of what happens."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.frames: list[Frame] = []

    def still(self, said: str, lasts: int) -> None:
        """Show the window as it stands, for so many milliseconds."""
        self.frames.append(Frame(titled(self._stage.picture(), said), lasts))

    def follow(self, said: str, until: Callable[[], bool], most: int = 18) -> None:
        """Show what moves by itself, until something is so."""
        for _ in range(most):
            self._stage.rest(STRIDE)
            if until():
                return  # what comes up now does not stand yet
            self.still(said, round(STRIDE * 1000 * 0.75))


def titled(image: QImage, said: str) -> QImage:
    """Write a line over the foot of a picture."""
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    font = QFont("Inter")
    font.setPixelSize(20)
    font.setWeight(QFont.Weight.DemiBold)
    painter.setFont(font)
    wide = painter.fontMetrics().horizontalAdvance(said) + 40
    place = QRectF((image.width() - wide) / 2, image.height() - 64, wide, 42)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(Qt.GlobalColor.white)
    painter.drawRoundedRect(place, 21, 21)
    painter.setPen(Qt.GlobalColor.black)
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, said)
    painter.end()
    return image
