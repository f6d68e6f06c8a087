"""A board on which requests are posted, and those who volunteer for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from studio.building_blocks.answers.schema_answers import read_structured
from studio.building_blocks.teams.team_answers import fields_in, reasoned, sureness_in
from studio.building_blocks.teams.transcript import FAILED, AtFault, heard_at_once
from studio.sdk import (
    Agent,
    ChatRequest,
    Context,
    Json,
    Memory,
    Message,
    Note,
    Part,
    Query,
    Said,
    ToolError,
    Turn,
)

NEXT = {
    "type": "string",
    "enum": ["request", "answer"],
    "description": "Whether something more is needed, or the task can be answered",
}
TEXT = {"type": "string", "minLength": 1, "description": "The one request, or the whole answer"}
CAN_HELP = {"type": "boolean", "description": "Whether you can"}
SURE = {"type": "number", "minimum": 0, "maximum": 1, "description": "How sure you are that you can"}
LONG = 1000
"""Notes of the board that are read at most."""


@dataclass(slots=True)
class Board:
    """The board in the hands of the step, and what was posted to it on the way."""

    context: Context
    memory: Memory
    task: str
    lead: str
    messages: list[Message] = field(default_factory=list[Message])

    async def text(self, by: str) -> str:
        """What stands on it, the oldest first, as far as `by` may read it."""
        fields: Mapping[str, Json] = {"key": "*"}
        found = await self.memory.recall(self.context, Query(most=LONG, by=by, fields=fields))
        notes = [one.item for one in reversed(found)]
        return "\n\n".join(f"[{one.id}] {one.by}: {one.text}" for one in notes)

    async def keep(self, key: str, by: str, text: str) -> None:
        """Post something; what the board refuses is left out."""
        fields: Mapping[str, Json] = {"key": key}
        try:
            await self.memory.remember(self.context, [Note(text, fields, by)])
        except ToolError as error:
            self.context.log(f"`{key}` is not posted: {error}")
            return
        self.messages.append(Message("user", f"{by}: {text}"))

    async def post(self, number: int, request: str) -> Part:
        """Post a request, and tell of it."""
        await self.keep(f"request/{number}", self.lead, request)
        part = Part(f"request_{number}", request, "running", detail={"by": self.lead})
        self.context.tell(part)
        return part


async def led(
    board: Board, instructions: str, *, profile: str = "", repairs: int = 1, is_last: bool = False
) -> Mapping[str, Any]:
    """Ask the lead what is next; at last, for the answer alone."""
    if not board.messages:
        board.messages.append(Message("user", board.task))
    stands = await board.text(board.lead) or "(Nothing.)"
    wanted = (
        "Answer the task with what stands on the board."
        if is_last
        else "Post one request, or give the answer if the board has all that it takes."
    )
    asked = f"{board.task}\n\nOn the board:\n\n{stands}\n\n{wanted}"
    form = reasoned(text=TEXT) if is_last else reasoned(next=NEXT, text=TEXT)
    head = (Message("system", instructions),) if instructions.strip() else ()
    request = ChatRequest((*head, Message("user", asked)), response_schema=form, speaker=board.lead)
    answer = (await board.context.chat(request, profile=profile)).message
    data, _ = await read_structured(board.context, request, answer, profile=profile, repairs=repairs)
    return data


async def offered(
    board: Board,
    team: Sequence[Agent],
    request: str,
    offer: str,
    *,
    limit: int = 8,
    at_fault: AtFault = "fail",
) -> list[Agent]:
    """Ask all at once whether they can help; gives those that volunteer, the surest first."""
    form = reasoned(can_help=CAN_HELP, confidence=SURE)
    prompt = f"This was asked on the board:\n\n{request}\n\n{offer}"
    turns = [(one, Turn(prompt, role=known_as(one), speaker=one.name, answer_schema=form)) for one in team]
    heard = await heard_at_once(board.context, turns, limit=limit, at_fault=at_fault)
    said = zip(team, map(fields_in, heard), strict=True)
    able = [(one, data) for one, data in said if data.get("can_help") is True]
    able.sort(key=lambda pair: -sureness_in(pair[1]))
    return [one for one, _ in able]


async def served(
    board: Board,
    helpers: Sequence[Agent],
    number: int,
    request: str,
    *,
    limit: int = 8,
    at_fault: AtFault = "fail",
) -> dict[str, Said]:
    """Let those that volunteered answer at once, and post what they say; gives it by name."""
    parts = [
        Part(f"{one.name}_{number}", f"{one.name} on request {number}", "running", of=f"request_{number}")
        for one in helpers
    ]
    turns: list[tuple[Agent, Turn]] = []
    for one, part in zip(helpers, parts, strict=True):
        board.context.tell(part)
        stands = await board.text(one.name)
        prompt = f"You volunteered for this request on the board:\n\n{request}"
        prompt += f"\n\nOn the board:\n\n{stands}" if stands else ""
        turns.append((one, Turn(prompt, role=known_as(one), speaker=one.name)))
    ids = [part.id for part in parts]
    said = await heard_at_once(board.context, turns, parts=ids, limit=limit, at_fault=at_fault)
    kept: dict[str, Said] = {}
    for one, part, heard in zip(helpers, parts, said, strict=True):
        has_failed = heard.ended == FAILED
        board.context.tell(replace(part, status="failed" if has_failed else "done", text=heard.reply))
        if not has_failed:
            await board.keep(f"request/{number}/{one.name}", one.name, heard.reply)
            kept[one.name] = heard
    return kept


def known_as(one: Agent) -> str:
    """What an agent is told of itself, by which it decides whether it can help."""
    return f"You are `{one.name}`: {one.description}" if one.description.strip() else f"You are `{one.name}`."
