"""State machines: who works in which state, which move is taken, and how a move goes back to what was."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from studio.building_blocks.plans.delegation import Doers, Done
from studio.building_blocks.values.json_kinds import is_object
from studio.sdk import Context, Json, Part, StepError, ToolError
from studio.sdk.expressions import holds
from studio.sdk.machine import MachineState, Move, lost_moves
from studio.sdk.templates import fill


@dataclass(frozen=True, slots=True)
class Visit:
    """A stay in a state: the data and the text with which it was entered, and what came of it."""

    part: Part
    state: str
    data: Json
    entered_with: str
    text: str = ""
    error: str = ""


@dataclass(slots=True)
class Machine:
    """A machine at work on a task."""

    context: Context
    doers: Doers
    states: Mapping[str, MachineState]
    moves: Sequence[Move]
    task: str
    data: dict[str, Json]
    steps: int
    visits: int
    form: Mapping[str, Any] | None = None
    text: str = ""
    reason: str = ""
    """What was said when the machine went back last."""
    made: list[Visit] = field(default_factory=list[Visit])

    async def run(self, first: str) -> str:
        """Go from state to state; gives why it ended: end, nowhere, or steps.

        Raises `StepError` where a state fails and no move leads on from that.
        """
        lost = lost_moves([*self.states.values()], self.moves)
        if lost or first not in self.states:
            name = lost[0] if lost else first
            raise StepError(f"There is no state `{name}`; there are {', '.join(self.states)}.")
        self.doers.check(*(one.does for one in self.states.values()))
        at = self.states[first]
        while True:
            visit = await self.enter(at)
            move = self.chosen(visit)
            if move is None and visit.error:
                raise StepError(f"`{at.name}`: {visit.error}")
            if move is None:
                return "nowhere" if any(move.at == at.name for move in self.moves) else "end"
            if len(self.made) >= self.steps:
                return "steps"
            if move.back:
                self.go_back(move.to)
            at = self.states[move.to]

    async def enter(self, state: MachineState) -> Visit:
        """Work in a state; what is answered as an object becomes data, unless it fails."""
        number = len(self.made) + 1
        after = (self.made[-1].part.id,) if self.made else ()
        part = Part(f"{number}_{state.name}", state.name.replace("_", " "), "running", after=after)
        self.context.tell(part)
        visit = Visit(part, state.name, copied(self.data), self.text)
        try:
            done = await self.work(state, part.id)
        except (StepError, ToolError) as error:
            visit = replace(visit, text=error.message, error=error.message)
        else:
            visit = replace(visit, text=done.text)
            if is_object(done.data):
                self.data |= done.data
        self.text = visit.text
        status = "failed" if visit.error else "done"
        visit = replace(visit, part=replace(part, status=status, text=visit.text))
        self.context.tell(visit.part)
        self.made.append(visit)
        return visit

    async def work(self, state: MachineState, part: str) -> Done:
        """Let the one who works in a state do so; where nobody does, the text stays what it was."""
        known: dict[str, Json] = {
            "task": self.task,
            "text": self.text,
            "state": state.name,
            "reason": self.reason,
            "data": copied(self.data),
            **self.data,
        }
        if not state.does and not state.asks.strip():
            return Done(self.text)
        prompt = fill(state.asks, known) if state.asks.strip() else self.text or self.task
        return await self.doers.do(state.does, prompt, {"text": prompt, **known}, part=part, form=self.form)

    def chosen(self, visit: Visit) -> Move | None:
        """The first move whose rule holds, into a state that may still be entered."""
        count = self.count(visit.state)
        facts = {
            "state": visit.state,
            "text": visit.text,
            "data": self.data,
            "visits": count,
            "steps": len(self.made),
            "failed": bool(visit.error),
        }
        for move in self.moves:
            if move.at not in {visit.state, "*"} or self.count(move.to) >= self.visits:
                continue
            # What fails goes on by a move that asks for it, and by no other.
            if move.when and holds(move.when, facts):
                return move
            if not move.when and not visit.error:
                return move
        return None

    def go_back(self, to: str) -> None:
        """Have the data and text again that there were when a state was last entered, if it ever was."""
        since = next((n for n in range(len(self.made) - 1, -1, -1) if self.made[n].state == to), 0)
        undone, self.reason = self.made[since], self.text
        self.data = json.loads(json.dumps(undone.data))
        self.text = undone.entered_with
        for visit in self.made[since:]:
            dropped = replace(visit.part, status="dropped", detail={"reason": f"went back: {self.reason}"})
            self.context.tell(dropped)

    def count(self, state: str) -> int:
        """How often a state was entered."""
        return sum(one.state == state for one in self.made)


def copied(data: Mapping[str, Json]) -> dict[str, Json]:
    """Data that stay what they are, whatever becomes of the others."""
    return json.loads(json.dumps(data))
