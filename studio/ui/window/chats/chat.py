"""Joins the chat panel to the runs of its flow: a message begins one, and each turn shows its own."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject

from studio.app.chats.attachments import attach_file, attach_picture, is_picture
from studio.app.chats.chat_places import ChatPlaces, add_history, add_text_input, chat_places, let_last
from studio.app.chats.conversations import KeptChats
from studio.app.documents.session import READ_ONLY
from studio.app.projects.images import ProjectImages
from studio.app.projects.named_files import finds_files
from studio.app.runs.live_run import LiveRun
from studio.errors import StepwireError
from studio.flow.change import Change
from studio.host.protocol import AnswerForm
from studio.ids import RunId, StepId
from studio.trace.lineage.wire_sources import Spot
from studio.ui.later import later
from studio.ui.panels.chat import ChatPanel
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.slots import of_text
from studio.ui.viewmodels.chat.chat import (
    ChatModel,
    attach_words,
    conversation_words,
    earlier_words,
    missing,
    others_words,
)
from studio.ui.window.cases.cases import Cases
from studio.ui.window.chats.chat_runs import ChatRuns
from studio.ui.window.chats.chat_sender import ChatSender, Message
from studio.ui.window.runs.origins import Origins
from studio.ui.window.runs.results import open_folder
from studio.ui.window.runs.run_controls import RunControls
from studio.ui.window.workspace import Workspace

CHAT_MATTER = "chat"
"""The key of notices about a chat."""
AT_ONCE = 2
"""Turns that are made at once: each takes a few milliseconds."""


class Chat(QObject):
    """The chat of one workspace."""

    def __init__(
        self, workspace: Workspace, controls: RunControls, cases: Cases, origins: Origins, notices: NoticeBar
    ) -> None:
        super().__init__(workspace)
        self._work, self._controls, self._cases = workspace, controls, cases
        self._origins, self._notices = origins, notices
        session, project = workspace.session, workspace.session.project
        self._kept = (project.private, session.name)
        self.model = self._model()
        self.runs = ChatRuns(workspace, controls)
        self.chat_sender = ChatSender(workspace, controls, self.model, self.runs, notices)
        self.panel = ChatPanel(
            workspace.look, project.root, ProjectImages(project), finds_files(project.root), workspace.chat
        )
        self._places = ChatPlaces()
        self._is_stale = True
        self._shown: object = None
        self._files: list[str] = []
        self._ends = [session.history.on_change(self._edited)]
        self._join()

    def close(self) -> None:
        """Stop listening."""
        for end in self._ends:
            end()
        self.runs.close()

    def shows(self, run: RunId) -> bool:
        """Whether a run answers one of the turns that are shown."""
        return any(turn.run == run for turn in self.panel.turns)

    def frame(self) -> None:
        """Show what is new: of the flow after an edit, of each run what came since."""
        session = self._work.session
        if (session.project.private, session.name) != self._kept:
            self._kept = (session.project.private, session.name)
            self.chat_sender.model = self.model = self._model()
            self._is_stale = True
        if self._is_stale:
            self._is_stale = False
            self._show_flow()
            self._show_turns()
        self._show_others()
        for run in self.runs.take_changed():
            self._show_turn(run)
        self._show_composer()

    # ---------------------------------------------------------------- joining

    def _model(self) -> ChatModel:
        session = self._work.session
        kept = KeptChats(session.project, lambda error: self._notices.say(str(error), key=CHAT_MATTER))
        return ChatModel(kept, session.name)

    def _join(self) -> None:
        panel, composer = self.panel, self.panel.composer
        panel.sent.connect(of_text(self._send))
        panel.stop_asked.connect(self._stop)
        panel.edited.connect(self._send_again)
        panel.beside_asked.connect(self._go_beside)
        panel.new_asked.connect(self._begin_anew)
        panel.delete_asked.connect(self._delete)
        panel.conversation_chosen.connect(of_text(lambda name: self._change(self.model.turn_to, name)))
        panel.earlier_asked.connect(self._show_earlier)
        panel.place_asked.connect(self._add_place)
        panel.input_asked.connect(self._add_input)
        panel.to_chosen.connect(of_text(lambda node: self._change(self.model.send_to, node)))
        panel.others.edited.connect(self._give)
        panel.run_asked.connect(of_text(self._open_run))
        panel.case_asked.connect(of_text(self._keep_case))
        panel.step_asked.connect(self._show_step)
        panel.origin_asked.connect(self._show_origin)
        panel.file_asked.connect(self._work.result.file_asked)
        panel.folder_asked.connect(open_folder)
        panel.answered.connect(self._answer)
        panel.questions_asked.connect(lambda: self._work.raise_asked.emit("questions"))
        composer.files_added.connect(self._attach)
        composer.picture_pasted.connect(self._attach_picture)
        composer.file_removed.connect(of_text(self._leave_out))

    def _edited(self, change: Change) -> None:
        if change.touches_logic:
            self._is_stale = True

    def _change(self, act: Callable[[str], None], name: str) -> None:
        act(name)
        self._is_stale = True
        self.frame()
        self.panel.go_to_end()

    # ---------------------------------------------------------------- what is shown

    def _show_flow(self) -> None:
        session = self._work.session
        places = chat_places(session.flow, session.registry, session.input_fields(), self.model.to)
        self._places = self.chat_sender.places = places
        panel, can_edit = self.panel, not session.is_read_only
        panel.show_flow(has_input=places.to is not None, can_add=can_edit)
        panel.show_earlier_words(earlier_words(places), can_add=can_edit)
        inputs = [(str(one.node), one.label) for one in places.texts]
        panel.show_inputs(inputs, str(places.to.node) if places.to is not None else "")
        is_possible, words = attach_words(places)
        panel.composer.show_attachable(words, is_possible=is_possible)
        if not is_possible:
            self._files.clear()
        panel.composer.show_files(self._files)

    def _show_turns(self) -> None:
        model = self.model
        now = model.conversation
        listed = [(one.id, conversation_words(one)) for one in model.conversations]
        self.panel.show_conversations(listed, now.id if now is not None else "")
        self._show_rows()

    def _show_rows(self) -> None:
        """Show the turns, the last first; of many that are new, those before them come a moment later."""
        rows, shown = self.model.rows, {turn.run for turn in self.panel.turns}
        fresh = [row for row in rows if row.turn.run not in shown]
        if waiting := fresh[:-AT_ONCE]:
            rows = rows[rows.index(waiting[-1]) + 1 :]
            later(self, self._show_rows)
        self.panel.show_turns(rows, self.model.hidden)
        runs = [row.turn.run for row in rows]
        self.runs.read(runs)
        for run in runs:
            self._show_turn(run)

    def _show_turn(self, run: RunId) -> None:
        view = self.runs.view(run)
        can_keep = bool(view.given) and not self._work.session.project.is_bundle
        self.panel.show_turn(run, view, can_keep=can_keep)

    def _show_others(self) -> None:
        values = self.chat_sender.others()
        if (self._places.others, values) != self._shown:
            self._shown = self._places.others, values
            needed = [one.label for one in missing(self._places, values)]
            said = others_words(self._places, values)
            self.panel.others.show_inputs(self._places.others, values, said, needed)

    def _show_composer(self) -> None:
        last = self.model.last
        live = self.runs.live(last.run) if last is not None else None
        is_running = live is not None and not live.is_over and not live.is_read
        composer = self.panel.composer
        composer.show_running(is_running=is_running, is_stopping=live is not None and live.is_stopping)
        why_not = self.tr("The last turn is still being read.") if live is not None and live.is_read else ""
        composer.show_why_not(READ_ONLY if self._work.session.project.is_bundle else why_not)

    def _show_earlier(self) -> None:
        self.panel.hold_place()
        self.model.show_earlier()
        self._show_turns()

    # ---------------------------------------------------------------- messages

    def _send(self, text: str) -> None:
        needed = [one.label for one in missing(self._places, self.chat_sender.others())]
        if needed:
            self.panel.others.show_missing(needed)
            return
        self.chat_sender.send(Message(text, tuple(self._files)), self._sent)

    def _send_again(self, run: str, text: str) -> None:
        self.chat_sender.send_again(RunId(run), text, self._begun)

    def _sent(self) -> None:
        self.panel.composer.clear()
        self.panel.others.fold()
        self._files.clear()
        self.panel.composer.show_files([])
        self._begun()

    def _begun(self) -> None:
        self._show_turns()
        self._show_composer()
        self.panel.composer.setFocus()  # where it was written, there may be nothing any more
        self.panel.go_to_end()

    def _stop(self) -> None:
        last = self.model.last
        live = self.runs.live(last.run) if last is not None else None
        if live is not None:
            live.cancel()
            self._show_composer()

    def _go_beside(self, run: str, by: int) -> None:
        self.model.go_beside(RunId(run), by)
        self._show_turns()
        self._show_composer()

    def _begin_anew(self) -> None:
        self.model.begin_anew()
        self._show_turns()
        self._show_composer()
        self.panel.composer.setFocus()

    def _delete(self) -> None:
        """Delete the conversation that is shown; its runs stay, and it can be had again."""
        model = self.model
        gone = model.delete()
        if gone is None:
            return
        self._begin_anew()

        def undo() -> None:
            model.put_back(gone)
            if model is self.model:
                self._show_turns()
                self._show_composer()

        said = self.tr("“{title}” is deleted; its runs are kept.").format(title=gone.title)
        self._notices.say(said, Remedy(self.tr("Undo"), undo), tone="skipped", key=CHAT_MATTER)

    def _answer(self, run: str, step: str, answer: dict[str, object]) -> None:
        live = self.runs.live(RunId(run))
        if live is not None:
            live.ask(AnswerForm(live.run, StepId(step), answer))
            self.panel.composer.setFocus()  # the form goes; the keyboard stays here

    # ---------------------------------------------------------------- files

    def _attach(self, paths: Sequence[Path]) -> None:
        for path in paths:
            self._take(lambda path=path: attach_file(self._work.session.project, path))

    def _attach_picture(self, data: bytes) -> None:
        self._take(lambda: attach_picture(self._work.session.project, data))

    def _take(self, attach: Callable[[], str]) -> None:
        is_possible, words = attach_words(self._places)
        try:
            path = attach() if is_possible else ""
        except StepwireError as error:
            self._notices.say(str(error), tone="held", key=CHAT_MATTER)
            return
        fits_files = self._places.files is not None
        if is_possible and not fits_files and not is_picture(self._work.session.project, path):
            words = self.tr("“{file}” is no picture, and this flow takes only pictures.")
            self._notices.say(words.format(file=Path(path).name), tone="held", key=CHAT_MATTER)
        elif not is_possible:
            self._notices.say(words + ".", tone="held", key=CHAT_MATTER)
        elif path not in self._files:
            self._files.append(path)
            self.panel.composer.show_files(self._files)

    def _leave_out(self, path: str) -> None:
        if path in self._files:
            self._files.remove(path)
            self.panel.composer.show_files(self._files)
            self.panel.composer.setFocus()

    # ---------------------------------------------------------------- the flow

    def _add_input(self) -> None:
        session = self._work.session
        node, change = add_text_input(session.flow, session.registry, self.tr("Message"))
        session.history.do(change)
        self._work.show_node(node)

    def _add_place(self) -> None:
        """Give earlier turns a place: an input for them, or a memory that outlasts its run."""
        session, places = self._work.session, self._places
        if places.earlier == "forgets":
            flow, whole = session.flow, Change("")
            for one in places.memories:
                change = let_last(flow, one.node)
                flow = change.applied_to(flow)
                whole = whole.then(change).labelled(change.label)
            session.history.do(whole)
            return
        near = places.to.node if places.to is not None else None
        node, change = add_history(session.flow, session.registry, self.tr("Earlier messages"), near)
        session.history.do(change)
        self._work.show_node(node)
        if not change.added:
            words = self.tr("Wire “{input}” to the node that is to know what was said before.")
            self._work.told.emit(words.format(input=self.tr("Earlier messages")))

    def _give(self, node: str, value: object) -> None:
        """Let the flow's form hold what is given from now on."""
        start = self._work.inspector.start
        start.show_inputs(self._work.session.input_fields())
        for one in self._places.others:
            if str(one.node) == node:
                start.put(one, value)
        self._show_others()

    # ---------------------------------------------------------------- runs

    def _open_run(self, run: str) -> LiveRun | None:
        live = self.runs.live(RunId(run))
        if live is None:
            self._controls.show_old(RunId(run))
        elif live is not self._work.shown.run:
            self._controls.show(live)
        self._work.raise_asked.emit("timeline")
        return live

    def _show_step(self, run: str, step: str) -> None:
        live = self._open_run(run)
        if live is not None:
            self._work.show_step(step)
            is_held = StepId(step) in live.state.held_steps
            self._work.raise_asked.emit("debugger" if is_held else "messages")

    def _show_origin(self, run: str, spot: object) -> None:
        if self._open_run(run) is not None and isinstance(spot, Spot):
            self._origins.show([spot])

    def _keep_case(self, run: str) -> None:
        live, step = self.runs.live(RunId(run)), self.runs.answering(RunId(run))
        if live is None or step is None:
            said = self.tr("No step of this run can be kept as a case.")
            self._notices.say(said, tone="held", key=CHAT_MATTER)
            return
        self._cases.make_of(live, step)
