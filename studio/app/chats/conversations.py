"""Conversations with a flow: which runs answered which messages, and what came after what.

A turn is one run; what was answered stands in that run alone. Turns form a tree: a message that was edited
and sent again stands beside the one it was made of, and what came after that stays there.
"""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import cast

from pydantic import TypeAdapter, ValidationError

from studio.flow.records import Json
from studio.ids import RunId
from studio.workspace.project import Project
from studio.workspace.stored_documents import Kept, Trouble

FILE = "chats.json"
"""In the project's private folder, with an entry for each flow, by its name."""
VERSION = 1
MOST = 50
"""Conversations of one flow that are kept; the oldest go."""
LONGEST_TITLE = 60


@dataclass(frozen=True, slots=True)
class Turn:
    """A message and the run that answers it; `before` is the run of the turn that it came after."""

    run: RunId
    text: str
    before: RunId = RunId("")  # noqa: RUF009  (a `NewType` makes nothing)
    files: tuple[str, ...] = ()
    """What was sent along, by path in the project."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in the order in which they were sent; `last` is the run of the one that is gone on from."""

    id: str = field(default_factory=lambda: secrets.token_hex(6))
    turns: tuple[Turn, ...] = ()
    last: RunId = RunId("")  # noqa: RUF009  (a `NewType` makes nothing)
    begun: float = field(default_factory=time.time)

    @property
    def title(self) -> str:
        """How it begins, in a line."""
        text = " ".join(self.turns[0].text.split()) if self.turns else ""
        return text if len(text) <= LONGEST_TITLE else f"{text[: LONGEST_TITLE - 1].rstrip()}…"

    @property
    def path(self) -> list[Turn]:
        """The turns that lead to the last one, from the first."""
        by_run = {turn.run: turn for turn in self.turns}
        found: list[Turn] = []
        run = self.last
        while (turn := by_run.pop(run, None)) is not None:  # a damaged file may lead round in a circle
            found.append(turn)
            run = turn.before
        return found[::-1]

    def turn(self, run: RunId) -> Turn | None:
        """The turn that a run answers."""
        return next((one for one in self.turns if one.run == run), None)

    def beside(self, turn: Turn) -> list[Turn]:
        """The turns that were sent at the same place, this one among them, the oldest first."""
        return [one for one in self.turns if one.before == turn.before]

    def with_turn(self, turn: Turn) -> "Conversation":
        """The conversation with one more turn, which is gone on from."""
        return replace(self, turns=(*self.turns, turn), last=turn.run)

    def begun_again(self, run: RunId, other: RunId) -> "Conversation":
        """The same where another run answers a message, for the first did not begin."""
        turns = tuple(
            replace(
                one,
                run=other if one.run == run else one.run,
                before=other if one.before == run else one.before,
            )
            for one in self.turns
        )
        return replace(self, turns=turns, last=other if self.last == run else self.last)

    def turned_to(self, turn: Turn) -> "Conversation":
        """The same, shown by way of a turn: on to what was sent last after it."""
        last = turn
        seen = {turn.run}
        while after := [one for one in self.turns if one.before == last.run and one.run not in seen]:
            last = after[-1]
            seen.add(last.run)
        return replace(self, last=last.run)


@dataclass(frozen=True, slots=True)
class FlowChats:
    """All conversations with one flow, the newest last; `open` names the one that is shown.

    `to` is the flow input that messages go to, where a person chose one.
    """

    conversations: tuple[Conversation, ...] = ()
    open: str = ""
    to: str = ""
    version: int = VERSION

    @property
    def now(self) -> Conversation | None:
        """The conversation that is shown; None where none has begun, or a new one is to."""
        return next((one for one in self.conversations if one.id == self.open), None)

    def with_conversation(self, changed: Conversation) -> "FlowChats":
        """The same with a conversation as it is now, which is shown."""
        others = [one for one in self.conversations if one.id != changed.id]
        kept = sorted([*others, changed], key=lambda one: one.begun)[-MOST:]
        return replace(self, conversations=tuple(kept), open=changed.id)


_CHATS = TypeAdapter(FlowChats)


class KeptChats:
    """The conversations of a project's flows, in one file of its private folder."""

    def __init__(self, project: Project, on_trouble: Trouble | None = None) -> None:
        self._kept = Kept(project.private / FILE, on_trouble)

    def read(self, flow: str) -> FlowChats:
        """Give those of a flow; none where nothing is kept that can be read, or a newer studio wrote it."""
        try:
            found = _CHATS.validate_python(self._kept.read().get(flow, {}))
        except ValidationError:
            return FlowChats()
        return found if found.version <= VERSION else FlowChats()

    def write(self, flow: str, chats: FlowChats) -> bool:
        """Keep those of a flow; what a newer studio wrote of it stays as it is."""
        document = self._kept.read()
        before = document.get(flow)
        is_newer = isinstance(before, dict) and _version_of(cast("Mapping[str, object]", before)) > VERSION
        if is_newer:
            return False
        plain = asdict(chats)
        for conversation in plain["conversations"]:
            conversation["turns"] = [
                {name: value for name, value in turn.items() if value} for turn in conversation["turns"]
            ]
        return self._kept.write({**document, flow: plain})


def history_of(
    path: Sequence[Turn], answer_of: Callable[[Turn], str | None], sent: Callable[[Turn], Json] | None = None
) -> list[Json]:
    """What was said in earlier turns, as messages of people and language models say it.

    A turn that was not answered is left out, for nobody could go on from it. `sent` gives the pictures of a
    message, as messages have them.
    """
    said: list[Json] = []
    for turn in path:
        answer = answer_of(turn)
        if answer is None:
            continue
        asked: dict[str, Json] = {"role": "user", "content": turn.text}
        if sent is not None and (images := sent(turn)):
            asked["images"] = images
        answered: dict[str, Json] = {"role": "assistant", "content": answer}
        said += [asked, answered]
    return said


def _version_of(plain: Mapping[str, object]) -> int:
    version = plain.get("version")
    return version if isinstance(version, int) else 0
