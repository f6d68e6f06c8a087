"""A team that answers one question round by round, each member having heard what others said before."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from studio.building_blocks.teams.ballots import Same, key_of
from studio.building_blocks.teams.team_answers import (
    Answer,
    Form,
    answer_of,
    answer_schema,
    asked_at_once,
    remarks,
    rows,
)
from studio.building_blocks.teams.team_answers import told as told_of
from studio.building_blocks.teams.transcript import FAILED, AtFault
from studio.building_blocks.values.json_kinds import is_list, is_object
from studio.sdk import Agent, Context, Json, Message, Part, Said, StepError, Turn

ANEW = "Look at what is right and wrong in them, and in your own answer, and answer anew."
AGAIN = "Look at your answer again: find what is wrong in it, and answer anew."


@dataclass(slots=True)
class Rounds:
    """The answers of a team, round by round: what each said last, and who was heard by whom.

    Each turn is told as a part, which waits for those whose answers it hears: layers of a network.
    """

    context: Context
    task: str
    form: Form = "JSON"
    after: str = ""
    same: Same = "words"
    limit: int = 8
    at_fault: AtFault = "fail"
    number: int = 0
    latest: dict[str, Answer] = field(default_factory=dict[str, Answer])
    told: list[tuple[int, Answer, bool]] = field(default_factory=list[tuple[int, Answer, bool]])
    """Round, answer, and whether it differs from what its speaker said before."""
    parts: dict[str, Part] = field(default_factory=dict[str, Part])

    def take_up(self, table: Json, names: Sequence[str]) -> None:
        """Go on from the rounds of an earlier team, as `table` gave them; who is not there is not heard.

        Raises `StepError` for rows that are none of such a table.
        """
        if table is None:
            return
        for row in table if is_list(table) else [table]:
            number, who = (row.get("round"), row.get("speaker")) if is_object(row) else (None, None)
            if not is_object(row) or not isinstance(number, int) or not isinstance(who, str):
                raise StepError(
                    "`so_far` has no rounds to continue: each row needs `round`, `speaker` and `answer`.",
                    hint="Wire the output `rounds` of the earlier team to it.",
                )
            more = {"reason": str(row.get("reason") or ""), "answer": str(row.get("answer") or "")}
            if self.form == "text":
                answer = Answer(who, str(row.get("reply") or more["answer"]), more["answer"])
            else:
                answer = Answer(who, json.dumps(more, ensure_ascii=False), more["answer"], more)
            self.number = max(self.number, number)
            self.told.append((number, answer, row.get("changed") is True))
            if who in names:
                self.latest[who] = answer

    async def hold(
        self,
        team: Sequence[Agent],
        hears: Mapping[str, Sequence[str]],
        *,
        request: str = ANEW,
        asks: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    ) -> dict[str, Said]:
        """Let a team answer once more, all at once; gives what those said that did not fail.

        `hears` has whom each hears, `asks` what each is asked for beside its answer: fields of a schema.
        """
        self.number += 1
        before = dict(self.latest)
        turns = [
            (
                one,
                self._turn(
                    one, [before[name] for name in hears.get(one.name, ()) if name in before], request
                ),
            )
            for one in team
        ]
        turns = [
            (one, replace(turn, answer_schema=self._schema((asks or {}).get(one.name, {}))))
            for one, turn in turns
        ]
        ids = [self._begun(one.name, hears.get(one.name, ())) for one in team]
        said = await asked_at_once(self.context, turns, parts=ids, limit=self.limit, at_fault=self.at_fault)
        for one, heard in zip(team, said, strict=True):
            self._take(one.name, heard)
        return {one.name: heard for one, heard in zip(team, said, strict=True) if heard.ended != FAILED}

    def _turn(self, one: Agent, heard: Sequence[Answer], request: str) -> Turn:
        """What one is asked: the task; later on, what others said to it, after what it said itself."""
        own = self.latest.get(one.name)
        if self.number == 1:
            return Turn(self.task, speaker=one.name)
        others = f"These are the answers of others:\n\n{told_of(heard)}" if heard else ""
        wanted = request if heard else AGAIN
        if own is None:
            return Turn("\n\n".join(part for part in (self.task, others, wanted) if part), speaker=one.name)
        history = [Message("user", self.task), Message("assistant", own.reply)]
        return Turn("\n\n".join(part for part in (others, wanted) if part), history, speaker=one.name)

    def _schema(self, more: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
        return answer_schema(**more) if self.form == "JSON" or more else None

    def _begun(self, name: str, heard: Sequence[str]) -> str:
        """Tell that one's turn begins; gives the id of the part."""
        before = [f"{one}_{self.number - 1}" for one in (name, *heard)]
        part = Part(
            f"{name}_{self.number}",
            f"{name}, round {self.number}",
            "running",
            after=tuple(one for one in before if one in self.parts),
            detail={"agent": name, "round": self.number},
        )
        self.tell(part)
        return part.id

    def _take(self, name: str, heard: Said) -> None:
        """Keep what one said; whoever fails stands by what it said before."""
        part = self.parts[f"{name}_{self.number}"]
        answer = answer_of(name, heard, after=self.after)
        if answer is None:
            self.tell(replace(part, status="failed", text=heard.reply))
            return
        before = self.latest.get(name)
        is_new = before is not None and key_of(before.answer, self.same) != key_of(answer.answer, self.same)
        self.latest[name] = answer
        self.told.append((self.number, answer, is_new))
        self.tell(replace(part, status="done", text=answer.answer))

    def tell(self, part: Part) -> None:
        """Tell of a part, and keep what was told."""
        self.parts[part.id] = part
        self.context.tell(part)

    def retell(self, name: str, **more: Json) -> None:
        """Add something to what was told of one's last turn."""
        part = self.last_of(name)
        self.tell(replace(part, detail={**part.detail, **more}))

    def last_of(self, name: str) -> Part:
        """The part of one's last turn."""
        return next(part for part in reversed(self.parts.values()) if part.detail.get("agent") == name)

    @property
    def messages(self) -> list[Message]:
        """The transcript: the task, and what was said."""
        return [Message("user", self.task), *remarks([one for _, one, _ in self.told])]

    @property
    def table(self) -> list[Json]:
        """Who said what in which round, whether that was new, and all the words that it stood in."""
        return [
            {**row, "reply": one.reply} if not one.more and one.reply.strip() != one.answer else row
            for number, one, is_new in self.told
            for row in rows([one], round=number, changed=is_new)
        ]
