"""Sends the messages of a chat: each begins a run, and one that is edited forks the run that it had."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject

from studio.app.chats.attachments import is_picture, pictures_sent
from studio.app.chats.chat_places import ChatPlaces, values_of
from studio.app.chats.conversations import Turn, history_of
from studio.app.memories.project_memories import ProjectMemories
from studio.app.runs.live_run import LiveRun
from studio.errors import StepwireError
from studio.flow.records import Json
from studio.ids import RunId, StepId
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.viewmodels.chat.chat import ChatModel
from studio.ui.window.chats.chat_runs import ChatRuns
from studio.ui.window.runs.run_controls import RunControls
from studio.ui.window.workspace import Workspace

MEMORY_MATTER = "chat memory"
"""The key of notices about a memory that was put back."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent: a text, and files of the project."""

    text: str
    files: tuple[str, ...] = ()


class ChatSender(QObject):
    """Sends messages of one workspace's chat."""

    def __init__(
        self,
        workspace: Workspace,
        controls: RunControls,
        model: ChatModel,
        runs: ChatRuns,
        notices: NoticeBar,
    ) -> None:
        super().__init__(workspace)
        self._work, self._controls, self._runs, self._notices = workspace, controls, runs, notices
        self.model = model
        self.places = ChatPlaces()
        """Where the flow takes what is sent."""

    def others(self) -> dict[str, Json]:
        """What else the flow is given: what stands in its form."""
        start = self._work.inspector.start
        return {str(one.node): start.value_of(one) for one in self.places.others}

    def send(self, message: Message, then: Callable[[], None]) -> None:
        """Begin a run after the last turn; `then` is called when it has begun."""
        last = self.model.last
        self._begin(message, self.model.path, last.run if last is not None else RunId(""), then)

    def send_again(self, run: RunId, text: str, then: Callable[[], None]) -> None:
        """Fork the run of a turn with another text, or else run with what was said before it."""
        now = self.model.conversation
        turn = now.turn(run) if now is not None else None
        if now is None or turn is None:
            return
        step = self._step_of(run)
        message = Message(text, turn.files)
        if step is None or self.places.to is None:
            path = now.path
            at = next((place for place, one in enumerate(path) if one.run == run), len(path))
            self._begin(message, path[:at], turn.before, then)
            return
        inputs: dict[str, Json] = {str(self.places.to.node): text}
        begun = self._begun(message, turn.before, then)
        self._controls.fork_with(run, step, inputs, begun)

    def _begin(self, message: Message, path: Sequence[Turn], before: RunId, then: Callable[[], None]) -> None:
        project, places = self._work.session.project, self.places
        if places.earlier == "memory" and not self._put_memories_back(path):
            return
        history: list[Json] = []
        if places.earlier == "history":
            history = history_of(
                path,
                lambda turn: self._runs.answer(turn.run),
                lambda turn: [*pictures_sent(project, turn.files)],
            )
        pictures = [one for one in message.files if places.pictures and is_picture(project, one)]
        files = [one for one in message.files if one not in pictures]
        others = self.others()
        inputs = values_of(places, message.text, history, pictures, files, others)
        begun = self._begun(message, before, then)

        def keep_others(live: LiveRun) -> None:
            given = {name: value for name, value in others.items() if value is not None}
            if given:
                self._work.session.keep_some_inputs(given)
            begun(live)

        self._controls.run_with(inputs, keep_others)

    def _begun(self, message: Message, before: RunId, then: Callable[[], None]) -> Callable[[LiveRun], None]:
        """Give what notes the run of a message, and one that is begun in its place."""
        runs: list[RunId] = []

        def begun(live: LiveRun) -> None:
            if runs:
                self.model.begun_again(runs[-1], live.run)
            else:
                self.model.add(live.run, message.text, message.files, before)
            runs.append(live.run)
            self._runs.take(live)
            then()

        return begun

    def _step_of(self, run: RunId) -> StepId | None:
        """The step of the input that messages go to, in a run that is over and can be forked there."""
        live, to = self._runs.live(run), self.places.to
        if live is None or to is None or not live.is_over or str(to.node) not in live.state.inputs:
            return None
        return live.state.latest.get(to.node)

    def _put_memories_back(self, path: Sequence[Turn]) -> bool:
        """Have lasting memories be what they were after the last of these turns; tells whether that went."""
        memories = ProjectMemories(self._work.session.project)
        live = self._runs.live(path[-1].run) if path else None
        if path and (live is None or live.is_read):
            return True  # nobody knows what was remembered then
        for name in self.places.lasting:
            try:
                made = memories.put_back(name, live.state if live is not None else None)
            except StepwireError as error:
                self._notices.say(str(error), key=MEMORY_MATTER)
                return False
            if made is not None:
                self._tell(memories, name, made, is_empty=live is None)
        return True

    def _tell(self, memories: ProjectMemories, name: str, made: int, *, is_empty: bool) -> None:
        said = (
            self.tr("The memory “{name}” begins empty, as this conversation does.")
            if is_empty
            else self.tr("The memory “{name}” is as it was after the message before.")
        )

        def undo() -> None:
            try:
                memories.undo(name, made)
            except StepwireError as error:
                self._notices.say(str(error), tone="held", key=MEMORY_MATTER)

        remedy = Remedy(self.tr("Undo"), undo)
        self._notices.say(said.format(name=name), remedy, tone="skipped", key=MEMORY_MATTER)
