"""The chat with one open flow, which is made when its place is first seen."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.ui.visibility import is_seen

if TYPE_CHECKING:
    from studio.ui.panels.widgets.notice import NoticeBar
    from studio.ui.window.cases.cases import Cases
    from studio.ui.window.chats.chat import Chat
    from studio.ui.window.runs.origins import Origins
    from studio.ui.window.runs.run_controls import RunControls
    from studio.ui.window.workspace import Workspace


class ChatPlace(QObject):
    """Makes the chat, and has it read what it missed while nobody saw it."""

    def __init__(
        self,
        workspace: "Workspace",
        controls: "RunControls",
        cases: "Cases",
        origins: "Origins",
        notices: "NoticeBar",
    ) -> None:
        super().__init__(workspace)
        self._work, self._controls, self._cases = workspace, controls, cases
        self._origins, self._notices = origins, notices
        self.chat: Chat | None = None

    def close(self) -> None:
        """Stop listening."""
        if self.chat is not None:
            self.chat.close()

    @property
    def answers_here(self) -> bool:
        """Whether what the shown run asks is seen, and answered, in the chat."""
        run = self._work.shown.run
        chat = self.chat
        return chat is not None and run is not None and is_seen(self._work.chat) and chat.shows(run.run)

    def catch_up(self) -> None:
        """Show what is new, where the chat is seen; called once a frame."""
        if not is_seen(self._work.chat):
            return
        if self.chat is None:
            from studio.ui.window.chats.chat import Chat

            self.chat = Chat(self._work, self._controls, self._cases, self._origins, self._notices)
            self.chat.frame()  # first, so that the keyboard goes to what is shown
            self._work.chat.hold(self.chat.panel)
        self.chat.frame()
