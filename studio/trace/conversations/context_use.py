"""What filled the request of a chat: each message, tool and schema, with its share of the tokens.

An endpoint counts a request as a whole. The share of a part goes by the characters that are sent for it, so
that all shares make up what was counted; where nothing was counted, a token is taken as four characters.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

import orjson

from studio.ids import StepId
from studio.trace.conversations.accounts import Account, account_of
from studio.trace.events.values import Plain
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState

CHARACTERS = 4
"""Characters that a token has, about, where nobody counted."""
IMAGE = 4_000
"""As many characters as a picture is taken for."""
AROUND = 12
"""Characters that go with each part: its role and what stands around it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a request. `name` is the role of a message, the name of a tool; `place` where it stood.

    `tool` names the tool whose answer a message is.
    """

    kind: Literal["message", "tool", "schema"]
    name: str
    text: str
    characters: int
    tokens: int
    share: float
    place: int
    tool: str = ""
    images: int = 0


@dataclass(frozen=True, slots=True)
class ContextUse:
    """A request as it was sent. `is_counted` says whether `tokens_in` is what the endpoint counted.

    `cost` is None where no price is known. `window` has what was left out before it was sent.
    """

    chat: StepId
    profile: str
    llm: str
    parts: tuple[Part, ...]
    tokens_in: int
    tokens_out: int
    cached: int
    cost: float | None
    is_counted: bool
    is_answered: bool
    is_reused: bool
    window: Account | None
    most_out: int | None = None
    effort: str = ""
    """The reasoning effort that was asked for."""
    reasoning: int = 0
    """Tokens of the answer that were reasoning."""

    @property
    def cached_share(self) -> float:
        """How much of what was sent came out of the provider's cache, from 0 to 1."""
        return self.cached / self.tokens_in if self.tokens_in else 0.0


def chats_of(state: RunState, step: StepId) -> list[StepState]:
    """The chats of a node's step, in order; of a call, those of the step that made it."""
    chosen = state.steps.get(step)
    if chosen is None:
        return []
    owner = state.steps.get(chosen.parent, chosen) if chosen.call else chosen
    calls = (state.steps[child] for child in owner.children if state.steps[child].call)
    return [one for one in (owner, *calls) if one.request is not None]


def shown_chat(state: RunState, step: StepId) -> StepState | None:
    """The chat that a step stands for: itself, or its last."""
    chosen = state.steps.get(step)
    if chosen is not None and chosen.request is not None:
        return chosen
    return next(reversed(chats_of(state, step)), None)


def context_of(state: RunState, chat: StepState) -> ContextUse:
    """Give what filled the request of a chat."""
    told = chat.answered
    counted = told.input_tokens if told is not None else 0
    raw = list(_parts(chat.request))
    whole = sum(size for *_, size in raw)
    total = counted or -(-whole // CHARACTERS)
    tokens = _shared_out(total, [size for *_, size in raw])
    parts = tuple(
        Part(kind, name, text, size, tokens[at], size / whole if whole else 0.0, place, tool, images)
        for at, (kind, name, text, place, tool, images, size) in enumerate(raw)
    )
    most = _get(chat.request, "max_tokens")
    return ContextUse(
        chat.id,
        chat.profile or state.profile,
        told.llm if told is not None else "",
        parts,
        total,
        told.output_tokens if told is not None else 0,
        told.cached_tokens if told is not None else 0,
        told.cost if told is not None else None,
        is_counted=bool(counted),
        is_answered=told is not None,
        is_reused=chat.is_reused,
        window=account_of(chat.request),
        most_out=most if isinstance(most, int) else None,
        effort=_text(_get(chat.request, "effort")),
        reasoning=told.reasoning_tokens if told is not None else 0,
    )


_Raw = tuple[Literal["message", "tool", "schema"], str, str, int, str, int, int]


def _parts(request: Plain) -> Iterator[_Raw]:
    """Kind, name, text, place, tool that answers, images and characters of each part."""
    called: dict[str, str] = {}
    for place, message in enumerate(_list(_get(request, "messages"))):
        text = _text(_get(message, "content"))
        calls = _list(_get(message, "tool_calls"))
        for call in calls:
            called[_text(_get(call, "id"))] = _text(_get(call, "name"))
        written = text if not calls else "\n".join(filter(None, [text, *map(_call_text, calls)]))
        tool = called.get(_text(_get(message, "tool_call_id")), "")
        images = len(_list(_get(message, "images")))
        role = _text(_get(message, "role")) or "user"
        yield "message", role, written, place, tool, images, len(written) + AROUND + images * IMAGE
    if begun := _text(_get(request, "prefix")):
        yield "message", "assistant", begun, len(_list(_get(request, "messages"))), "", 0, len(begun) + AROUND
    for place, tool in enumerate(_list(_get(request, "tools"))):
        written = _json(tool)
        yield "tool", _text(_get(tool, "name")), written, place, "", 0, len(written)
    schema = _get(request, "response_schema")
    if schema is not None:
        written = _json(schema)
        yield "schema", "", written, 0, "", 0, len(written)


def _shared_out(total: int, sizes: list[int]) -> list[int]:
    """Whole numbers that go by the sizes and make up the total."""
    whole, given, so_far = sum(sizes), 0, 0
    shares: list[int] = []
    for size in sizes:
        so_far += size
        upto = round(total * so_far / whole) if whole else 0
        shares.append(upto - given)
        given = upto
    return shares


def _call_text(call: object) -> str:
    return f"{_text(_get(call, 'name'))}({_text(_get(call, 'arguments'))})"


def _json(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()


def _get(value: object, key: str) -> object:
    return cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
