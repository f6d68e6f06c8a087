"""The conversation of a step, as a reader wants it: who said what, tool calls beside their answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from studio.ids import StepId
from studio.trace.conversations.accounts import Account, account_of, speaker_of
from studio.trace.events.values import Plain
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState, StepStatus


@dataclass(frozen=True, slots=True)
class Called:
    """A tool call that the assistant asked for; `arguments` is the JSON text it wrote."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture that was shown with a message: the file that it came from, and the hash of its bytes."""

    path: str
    sha256: str

    @classmethod
    def of(cls, plain: object) -> "tuple[Seen, ...]":
        """Read the pictures of a message."""
        return tuple(cls(_text(_get(one, "path")), _text(_get(one, "sha256"))) for one in _list(plain))


@dataclass(frozen=True, slots=True)
class Spoken:
    """One message. `tool` names the tool that speaks, `step` is the call it was said in (empty: before).

    `streaming` says that more may come; `is_error` that a tool refused, or that no answer came and why.
    `speaker` names one of several agents. What a `window` left out stands where it stood, for nobody.
    """

    role: str
    text: str = ""
    tool_calls: tuple[Called, ...] = ()
    tool: str = ""
    is_error: bool = False
    streaming: bool = False
    step: StepId = StepId("")  # noqa: RUF009  (a `NewType` makes nothing)
    speaker: str = ""
    window: Account | None = None
    images: tuple[Seen, ...] = ()
    log_probabilities: Plain = None
    """How likely the tokens of an answer were, where that was told (`ChatAnswered.log_probabilities`)."""


def conversation(state: RunState, step: StepId) -> list[Spoken]:
    """Give the messages of a node's step: what its last chat was asked, what it answers, and tools since.

    Of a chat, gives the conversation up to it; of the turn of an agent, its own; of a step that never asked a
    language model, nothing.
    """
    chosen = state.steps.get(step)
    if chosen is None:
        return []
    calls, chats = _calls(state, chosen)
    if chosen.call and (not chats or _is_chat(chosen)):
        calls, chats = _calls(state, state.steps.get(chosen.parent, chosen))
    if not chats:
        return []
    chat = chosen if _is_chat(chosen) else chats[-1]
    tools = {one.call_id: one for one in calls if one.tool}
    messages = [*_asked(chat), *_answered(chat)]
    return list(_with_tools(messages, tools))


def _calls(state: RunState, owner: StepState) -> tuple[list[StepState], list[StepState]]:
    """The calls of a step, and the chats among them or that it is."""
    calls = [state.steps[child] for child in owner.children if state.steps[child].call]
    return calls, [one for one in (owner, *calls) if _is_chat(one)]


def _is_chat(step: StepState) -> bool:
    return step.request is not None or step.message is not None


@dataclass(frozen=True, slots=True)
class _Said:
    """A message before tool answers have found their places; `answers` is the id of a tool call."""

    spoken: Spoken
    answers: str = ""


def _asked(chat: StepState) -> Iterator[_Said]:
    account = account_of(chat.request)
    for message in _list(_get(chat.request, "messages")):
        said = _said(message, StepId(""))
        if account is not None and said.spoken.role != "system":
            yield _Said(Spoken("window", window=account))
            account = None
        yield said


def _answered(chat: StepState) -> Iterator[_Said]:
    if chat.message is not None:
        told = chat.answered.log_probabilities if chat.answered is not None else ()
        said = _said(chat.message, chat.id)
        own = told[0] if told and not chat.edited else None
        speaker = speaker_of(chat.request)
        yield replace(said, spoken=replace(said.spoken, speaker=speaker, log_probabilities=own))
        for place, other in enumerate(chat.others, 1):
            said, own = _said(other, chat.id), told[place] if place < len(told) else None
            yield replace(said, spoken=replace(said.spoken, log_probabilities=own))
        return
    if chat.text or chat.status is StepStatus.RUNNING:
        streaming = chat.status is StepStatus.RUNNING
        yield _Said(Spoken("assistant", chat.text, streaming=streaming, step=chat.id))
    if chat.error is not None:
        yield _Said(Spoken("assistant", chat.error.message, is_error=True, step=chat.id))


def _with_tools(messages: Sequence[_Said], tools: Mapping[str, StepState]) -> Iterator[Spoken]:
    """Put each tool's answer behind the message that called it, from the steps where no message has it."""
    answers = {said.answers: said.spoken for said in messages if said.answers}
    placed: set[str] = set()
    for said in messages:
        if said.answers in placed:
            continue
        if said.answers:
            yield _of_tool(said.spoken, "", tools.get(said.answers))
            continue
        yield said.spoken
        for call in said.spoken.tool_calls:
            if call.id in answers or call.id in tools:
                placed.add(call.id)
                yield _of_tool(answers.get(call.id), call.name, tools.get(call.id))


def _of_tool(spoken: Spoken | None, name: str, step: StepState | None) -> Spoken:
    if step is None:
        text = "" if spoken is None else spoken.text
        return Spoken("tool", text, tool=name)
    text = step.text if spoken is None else spoken.text
    running = step.status is StepStatus.RUNNING
    return Spoken("tool", text, tool=step.tool, is_error=step.is_error, streaming=running, step=step.id)


def _said(message: Plain, step: StepId) -> _Said:
    calls = tuple(
        Called(_text(_get(one, "name")), _text(_get(one, "arguments")), _text(_get(one, "id")))
        for one in _list(_get(message, "tool_calls"))
    )
    role = _text(_get(message, "role")) or "assistant"
    images = Seen.of(_get(message, "images"))
    spoken = Spoken(role, _text(_get(message, "content")), calls, step=step, images=images)
    return _Said(spoken, _text(_get(message, "tool_call_id")) if role == "tool" else "")


def _get(value: Plain, key: str) -> object:
    return cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
