"""What each picture shows: how one comes there from a window without flows. A name ends in its theme."""

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QPlainTextEdit

from studio.ui.window.project.trust_dialog import TrustDialog
from tests.pictures.stage import Stage

SIZE = (1600, 1000)
TOUR = "tour"
TOUR_SIZE = (1440, 900)
Scene = Callable[[Stage], None]


def approve(stage: Stage) -> None:
    """A run that waits for a person's approval."""
    flow = stage.open("front_desk")
    _ask(stage, "Is there a piano?")
    stage.command("run.run")
    stage.wait(lambda: bool(flow.work.questions.forms))
    stage.rest(1.0)


def called_paused(stage: Stage) -> None:
    """A step that is paused inside a flow that a map calls for every chapter."""
    flow = stage.open("chapters")
    stage.window.app.breakpoints(flow.work.session, "summary.json").set("critic", state=True)
    stage.run_until_paused()
    stage.select("summarise")
    stage.show("debugger")


def restricted(stage: Stage) -> None:
    """What a project from elsewhere would execute, before its first run."""
    flow = stage.open("routine", is_ours=False)
    flow.notices.buttons[0].click()
    stage.rest(0.5)
    (stage.dialog,) = stage.window.findChildren(TrustDialog)


def beside(stage: Stage) -> None:
    """Two flows side by side, one of them run."""
    stage.open("field_notes")
    stage.run()
    stage.open("debate")
    stage.command("view.beside")
    stage.rest(1.0)


def canvas(stage: Stage) -> None:
    """What a run leaves on the canvas, beside the outline; a frame, a folded node and a pinned one."""
    stage.open("field_notes")
    stage.select("save", "answer")
    stage.command("canvas.frame")
    stage.run()
    stage.select("accepted")
    stage.command("canvas.collapse")
    stage.select("writer")
    stage.command("canvas.pin")
    stage.show("outline")
    stage.select("critic")


def chat(stage: Stage) -> None:
    """Two messages to the example, and what its runs answered."""
    flow = stage.open("field_notes")
    stage.command("panel.chat")
    stage.wait(lambda: flow.chat_place.chat is not None)
    found = flow.chat_place.chat
    assert found is not None
    for message in ("Which birds were seen in the morning?", "When did the pond freeze?"):
        stage.wait(lambda: found.panel.composer.send.text() == "Send")
        found.panel.composer.text.setPlainText(message)
        found.panel.composer.send.click()
        stage.wait(lambda: found.panel.turns[-1].state == "Done")
        stage.rest(0.5)


def compared(stage: Stage) -> None:
    """A run beside one whose draft was edited."""
    flow = stage.open("field_notes")
    stage.run()
    stage.break_at("critic")
    stage.run_until_paused()
    stage.select("critic")
    stage.type_into_paused("A wren and a dunnock in the hedge. [may.txt:6]")
    stage.break_at("critic", is_set=False)
    stage.command("run.continue")
    stage.wait(lambda: flow.controls.live is None)
    stage.select()
    stage.command("run.compare")
    stage.rest(1.5)


def done(stage: Stage) -> None:
    """A run that is over, with what it gave."""
    stage.open("field_notes")
    stage.run()


def experiments(stage: Stage) -> None:
    """An experiment that was run: who is better, and the rows on which the baseline goes wrong."""
    flow = stage.open("price_desk")
    stage.command("run.experiments")
    page = stage.window.experiments.page_of(flow)
    stage.wait(lambda: page.desk is not None and page.desk.told.stage == "ready")
    page.run_bar.run_button.click()
    stage.wait(lambda: page.where_button.isVisible() and not page.progress.isVisible())
    stage.window.docks.press("inspector")
    page.where_button.click()
    stage.wait(lambda: page.table.trials.rowCount() < 40)
    page.table.setCurrentIndex(page.table.trials.index(0, 1))
    stage.rest(1.0)


def export(stage: Stage) -> None:
    """A flow and its script side by side, the same node marked in both."""
    flow = stage.open("chapters")
    stage.command("view.script")
    stage.wait(lambda: "import" in flow.work.script.code.toPlainText())
    stage.select("summarise")
    stage.window.docks.press("inspector")
    stage.rest(1.0)


def first_steps(stage: Stage) -> None:
    """The example, the first two of the first steps done."""
    stage.open("field_notes")
    stage.window.first_steps.start()
    stage.run()


def gallery(stage: Stage) -> None:
    """The gallery, its pictures drawn."""
    stage.command("help.gallery")
    stage.rest(1.0)
    stage.wait(lambda: not stage.window.gallery.page.pictures.is_drawing)
    stage.rest(0.5)


def paused(stage: Stage) -> None:
    """A run that is paused before a chat of the critic."""
    flow = stage.open("field_notes")
    stage.break_at("critic")
    stage.run_until_paused()
    stage.select("critic")
    stage.command("run.into")
    stage.wait(lambda: "#chat" in (flow.work.inspector.held.step or ""))
    stage.rest(1.0)


def memories(stage: Stage) -> None:
    """What an agent remembers, after it was asked."""
    stage.open("front_desk")
    _ask(stage, "May I bring my dog, and what does it cost?")
    stage.run()
    stage.select("handbook")
    stage.command("run.memory")
    stage.rest(1.0)


def moment(stage: Stage) -> None:
    """A run as it was in its middle, the critical path marked."""
    flow = stage.open("field_notes")
    stage.run()
    stage.show("timeline")
    stage.command("run.critical_path")
    flow.view.playhead.go(1.5)
    stage.rest(1.0)


def orchestrator(stage: Stage) -> None:
    """Two plans of an orchestrator as ghosts, and as a tree."""
    stage.open("magentic_one")
    stage.run()
    stage.show("tree")


SCENES: Mapping[str, Scene] = {
    "approve-dark": approve,
    "called-paused-dark": called_paused,
    "canvas-dark": canvas,
    "chat-dark": chat,
    "compared-dark": compared,
    "done-light": done,
    "experiments-dark": experiments,
    "export-dark": export,
    "first-steps-dark": first_steps,
    "gallery-dark": gallery,
    "paused-dark": paused,
    "paused-light": paused,
    "memories-dark": memories,
    "beside-dark": beside,
    "moment-dark": moment,
    "orchestrator-dark": orchestrator,
    "restricted-dark": restricted,
}


def _ask(stage: Stage, question: str) -> None:
    """Write into the first input of the flow."""
    inputs = stage.flow.work.inspector.start.inputs
    assert inputs is not None
    inputs.findChildren(QPlainTextEdit)[0].setPlainText(question)
    stage.rest(0.3)
