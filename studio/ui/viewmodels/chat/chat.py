"""A chat with a flow as its panel shows it: which turns, in which branch, and what is said of the flow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication

from studio.app.chats.chat_places import ChatPlaces
from studio.app.chats.conversations import Conversation, FlowChats, KeptChats, Turn
from studio.flow.plain_text import excerpt
from studio.ids import RunId
from studio.ui.viewmodels.words.count_words import moment
from studio.ui.viewmodels.words.value_words import told
from studio.workspace.inputs import InputField

translate = QCoreApplication.translate

SHOWN = 20
"""Turns that are shown at first; the others are read when somebody asks for them."""


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn in its place: the `number`th of so many that were sent there."""

    turn: Turn
    number: int = 1
    count: int = 1

    @property
    def place(self) -> str:
        """Which of several versions it is."""
        return translate("chat", "{number} of {count}").format(number=self.number, count=self.count)


@dataclass(frozen=True, slots=True)
class EarlierWords:
    """What is said of earlier turns, and the words of the button that changes it; empty without one."""

    sentence: str
    offer: str = ""


class ChatModel:
    """The conversations of one flow: shown, gone on with, and kept as they change."""

    def __init__(self, kept: KeptChats, flow: str) -> None:
        self._kept, self._flow = kept, flow
        self._chats = kept.read(flow)
        self._more = 0

    @property
    def conversation(self) -> Conversation | None:
        """The conversation that is shown; None before its first message."""
        return self._chats.now

    @property
    def conversations(self) -> Sequence[Conversation]:
        """All of them, those that began last first."""
        return self._chats.conversations[::-1]

    @property
    def to(self) -> str:
        """The input that a person chose for messages; empty where nobody did."""
        return self._chats.to

    @property
    def path(self) -> list[Turn]:
        """The turns of the branch that is shown, from the first."""
        now = self.conversation
        return now.path if now is not None else []

    @property
    def rows(self) -> list[TurnRow]:
        """The turns that are shown, those before them left out."""
        now = self.conversation
        if now is None:
            return []
        rows: list[TurnRow] = []
        for turn in now.path[self.hidden :]:
            versions = now.beside(turn)
            rows.append(TurnRow(turn, versions.index(turn) + 1, len(versions)))
        return rows

    @property
    def hidden(self) -> int:
        """How many turns before those that are shown there are."""
        return max(len(self.path) - SHOWN - self._more, 0)

    @property
    def last(self) -> Turn | None:
        """The turn that the next message comes after."""
        path = self.path
        return path[-1] if path else None

    def show_earlier(self) -> None:
        """Show as many turns more."""
        self._more += SHOWN

    def begin_anew(self) -> None:
        """Have the next message begin a conversation; those that were stay."""
        self._more = 0
        self._take(replace(self._chats, open=""))

    def delete(self) -> Conversation | None:
        """Forget the conversation that is shown, though not its runs; gives what `put_back` takes."""
        gone = self.conversation
        if gone is not None:
            self._more = 0
            left = tuple(one for one in self._chats.conversations if one.id != gone.id)
            self._take(replace(self._chats, conversations=left, open=""))
        return gone

    def put_back(self, conversation: Conversation) -> None:
        """Have a deleted conversation again, and show it."""
        self._more = 0
        self._take(self._chats.with_conversation(conversation))

    def turn_to(self, conversation: str) -> None:
        """Show another conversation."""
        self._more = 0
        self._take(replace(self._chats, open=conversation))

    def send_to(self, node: str) -> None:
        """Have messages go to another input."""
        self._take(replace(self._chats, to=node))

    def add(self, run: RunId, text: str, files: Sequence[str], before: RunId | None = None) -> None:
        """Note a message that a run answers, after the turn of the run `before`, or else after the last."""
        now = self.conversation or Conversation()
        if before is None:
            before = now.path[-1].run if now.path else RunId("")
        turn = Turn(run, text, before, tuple(files))
        self._take(self._chats.with_conversation(now.with_turn(turn)))

    def begun_again(self, run: RunId, other: RunId) -> None:
        """Note that another run answers a message, for the first did not begin."""
        for one in self._chats.conversations:
            if one.turn(run) is not None:
                open_now = self._chats.open
                changed = self._chats.with_conversation(one.begun_again(run, other))
                self._take(replace(changed, open=open_now))

    def go_beside(self, run: RunId, by: int) -> None:
        """Show the version of a turn that was sent before (-1) or after (1) it, with what came after that."""
        now = self.conversation
        turn = now.turn(run) if now is not None else None
        if now is None or turn is None:
            return
        versions = now.beside(turn)
        place = versions.index(turn) + by
        if 0 <= place < len(versions):
            self._take(self._chats.with_conversation(now.turned_to(versions[place])))

    def _take(self, chats: FlowChats) -> None:
        self._chats = chats
        self._kept.write(self._flow, chats)


def earlier_words(places: ChatPlaces) -> EarlierWords:
    """Say what becomes of earlier turns."""
    names = ", ".join(f"“{one.title}”" for one in places.memories if one.lasts)
    match places.earlier:
        case "memory":
            said = translate("chat", "The memory {name} has earlier messages.").format(name=names)
            return EarlierWords(said)
        case "history":
            assert places.history is not None  # noqa: S101  # that is what it says
            said = translate("chat", "Earlier messages go to “{input}”.")
            return EarlierWords(said.format(input=places.history.label))
        case "forgets":
            names = ", ".join(f"“{one.title}”" for one in places.memories)
            said = translate("chat", "Each message stands alone: the memory {name} is kept for one run only.")
            return EarlierWords(said.format(name=names), translate("chat", "Keep it for the project"))
        case "nowhere":
            said = translate(
                "chat", "Each message stands alone: this flow has no place for earlier messages."
            )
            return EarlierWords(said, translate("chat", "Add an input for them"))


def others_words(places: ChatPlaces, values: Mapping[str, object]) -> str:
    """Say what else a run is given; empty where there is nothing else."""
    given = [(one.label, values.get(str(one.node))) for one in places.others]
    return " · ".join(f"{label}: {excerpt(told(one), 40)}" for label, one in given if not _is_empty(one))


def missing(places: ChatPlaces, values: Mapping[str, object]) -> list[InputField]:
    """The inputs without which the flow cannot run."""
    needed = [one for one in places.others if one.is_required]
    return [one for one in needed if _is_empty(values.get(str(one.node)))]


def attach_words(places: ChatPlaces) -> tuple[bool, str]:
    """Whether anything can be sent along, and what; or why nothing can."""
    if places.pictures is not None and places.files is not None:
        said = translate("chat", "Attach files and pictures: choose, paste or drop them")
    elif places.pictures is not None:
        said = translate("chat", "Attach pictures: choose, paste or drop them")
    elif places.files is not None:
        said = translate("chat", "Attach files: choose, paste or drop them")
    else:
        said = translate("chat", "This flow takes no files: it has no input of type file or image")
        return False, said
    return True, said


def conversation_words(conversation: Conversation) -> str:
    """Name a conversation in a list."""
    return translate("chat", "{when} · {title}").format(
        title=conversation.title, when=moment(conversation.begun)
    )


def _is_empty(value: object) -> bool:
    return value is None or value == ""
