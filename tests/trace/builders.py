"""Entries as tests write them down, and random ones."""

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from studio.ids import RunId, StepId
from studio.trace.events import (
    ApprovalAsked,
    ApprovalGiven,
    BindingOpened,
    ChatAnswered,
    ChatRequested,
    EmbedAnswered,
    EmbedRequested,
    Entry,
    Event,
    InputsEdited,
    LogWritten,
    OutputsEdited,
    RunCancelled,
    RunFailed,
    RunFinished,
    RunHeld,
    RunResumed,
    RunStarted,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepHeld,
    StepProgressed,
    StepReady,
    StepReleased,
    StepRetried,
    StepSkipped,
    StepStarted,
    TextStreamed,
    ToolAnswered,
    ToolCalled,
)
from studio.trace.events.values import Shown

RUN = RunId("20261121-014455-7f3a2c1")


def numbered(*happenings: Event | tuple[str, Event] | tuple[str, str, Event], run: str = RUN) -> list[Entry]:
    """Make entries of events, one second apart; `(step, event)` and `(step, parent, event)` say where."""
    entries: list[Entry] = []
    for number, happening in enumerate(happenings, start=1):
        step, parent, event = "", "", happening
        if isinstance(happening, tuple):
            *where, event = happening
            step, parent = (*where, "")[:2]
        entries.append(Entry(RunId(run), number, StepId(step), StepId(parent), float(number), event))
    return entries


def answer(text: str, tokens: int = 0, cost: float | None = None, calls: Sequence[str] = ()) -> ChatAnswered:
    """A complete answer, which asks for the tool `search` once for each of `calls` (their ids)."""
    message: dict[str, object] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": one, "name": "search", "arguments": '{"query": "x"}'} for one in calls
        ]
    return ChatAnswered(message, "tool_calls" if calls else "stop", tokens, 0, 0, cost)


def asked(*messages: tuple[str, str]) -> ChatRequested:
    """A request of plain messages."""
    return ChatRequested(
        "scripted", {"messages": [{"role": role, "content": text} for role, text in messages]}
    )


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
texts = st.text(st.characters(codec="utf-8"), max_size=6)
values = st.dictionaries(
    st.sampled_from(["reply", "prompt"]),
    st.builds(Shown, plain, st.just(()) | st.just(("chat", "user"))),
    max_size=2,
)
messages = st.builds(lambda text: {"role": "assistant", "content": text}, texts)
counts = st.integers(0, 1000)

events: st.SearchStrategy[Event] = st.one_of(
    st.builds(RunStarted, texts, texts, values, texts, texts),
    st.builds(RunHeld),
    st.builds(RunResumed),
    st.builds(RunFinished, values),
    st.builds(RunFailed, texts, texts),
    st.builds(RunCancelled),
    st.builds(BindingOpened, texts),
    st.builds(StepReady),
    st.builds(StepStarted, values),
    st.builds(StepHeld, st.sampled_from(["before", "after"]), texts, values),
    st.builds(StepReleased),
    st.builds(InputsEdited, values),
    st.builds(OutputsEdited, values, st.tuples(texts) | st.just(())),
    st.builds(TextStreamed, texts),
    st.builds(ChatRequested, texts, plain),
    st.builds(ChatAnswered, messages | plain, texts, counts, counts, counts, st.none() | st.floats(0, 1)),
    st.builds(EmbedRequested, texts, st.tuples(texts, texts), st.none() | counts),
    st.builds(EmbedAnswered, plain, counts, st.none() | st.floats(0, 1)),
    st.builds(ToolCalled, texts, plain, texts),
    st.builds(ToolAnswered, texts, texts, st.booleans()),
    st.builds(ApprovalAsked, texts, plain),
    st.builds(ApprovalGiven, plain),
    st.builds(StepProgressed, st.floats(0, 9), st.floats(0, 9), texts),
    st.builds(StepRetried, counts, texts),
    st.builds(StepFinished, values),
    st.builds(StepFailed, texts, texts),
    st.builds(StepSkipped, texts),
    st.builds(StepCancelled),
    st.builds(LogWritten, texts),
)
steps = st.sampled_from(
    ["", "rounds", "rounds.1/writer", "rounds.1/writer#chat.1", "rounds.1/writer#tool.1", "rounds.2/writer",
     "rounds.2/writer#chat.1@2", "each.0/inner.3/x", "answer"]
)  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> list[Entry]:
    """Entries of one run in any order, parents that contradict one another included."""
    happenings = draw(st.lists(st.tuples(steps, steps, events), max_size=40))
    return numbered(*happenings)


def by_kind(entries: Iterable[Entry]) -> list[str]:
    """The kinds of events, in order."""
    return [entry.event.kind for entry in entries]
