"""What grew in a run as the canvas shows it: ghosts beside their nodes, and who was given turns."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QCoreApplication

from studio.flow.records import Flow, Wire
from studio.ids import NodeId, StepId, is_in_called_flow, own_step, seen_from_outside, step_parts
from studio.sdk.registry import Registry
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState, StepStatus
from studio.trace.growth import part_key
from studio.ui.canvas.scene.ghosts import Delegation, Ghost
from studio.ui.viewmodels.run.growth_rows import GrownRow
from studio.ui.viewmodels.run.members import members_of

translate = QCoreApplication.translate

MOST = 400
"""Ghosts beside one node; the tree has all."""


@dataclass(slots=True)
class Grove:
    """The ghosts of a canvas, the turns that were given, and the row of the tree that each ghost is."""

    ghosts: dict[NodeId, Sequence[Ghost]] = field(default_factory=dict[NodeId, Sequence[Ghost]])
    delegations: list[Delegation] = field(default_factory=list[Delegation])
    rows: dict[str, str] = field(default_factory=dict[str, str])


def grove(
    rows: Sequence[GrownRow],
    state: RunState,
    flow: Flow,
    registry: Registry,
    shown_step: Callable[[NodeId], StepState | None],
) -> Grove:
    """Make the ghosts of those steps that are shown, one for each node."""
    found = Grove()
    beneath: dict[str, list[GrownRow]] = {}
    for row in rows:
        beneath.setdefault(row.row.above, []).append(row)
    for row in rows:
        node = step_parts(row.row.step)[1]
        if row.row.sort in {"part", "turn"} or is_in_called_flow(step_parts(row.row.step)[0]):
            continue
        step = shown_step(node)
        if node not in flow.nodes or step is None or _outer(step.id) != row.row.step:
            continue
        members = members_of(flow, registry, node)
        found.delegations += _delegations(state, row.row.step, members)
        ghosts = _Ghosts(state, set(members), beneath)
        ghosts.gather(row.row.key)
        if ghosts.found:
            found.ghosts[node] = ghosts.all()
            found.rows |= ghosts.rows
    return found


class _Ghosts:
    """Gathers what stands beneath one row of the tree."""

    def __init__(self, state: RunState, drawn: set[str], beneath: Mapping[str, Sequence[GrownRow]]) -> None:
        self._state, self._drawn, self._beneath = state, drawn, beneath
        self.found: dict[str, Ghost] = {}
        self.rows: dict[str, str] = {}
        self._turns: Counter[str] = Counter()
        self._more = 0

    def gather(self, root: str) -> None:
        """Go through all rows beneath one; what is no ghost itself hands its own on."""
        waiting = [(row, "") for row in reversed(self._beneath.get(root, ()))]
        while waiting:
            row, of = waiting.pop()
            key = self._take(row, of)
            waiting.extend((one, key) for one in reversed(self._beneath.get(row.row.key, ())))

    def all(self) -> Sequence[Ghost]:
        """The ghosts, with one for those that are too many."""
        found = list(self.found.values())
        if self._more:
            words = translate("canvas", "{0} more in the tree").format(f"{self._more:,}")
            found.append(Ghost("…", words))
        return tuple(found)

    def _take(self, row: GrownRow, of: str) -> str:
        """Make a row a ghost where it is one; gives the key of what stands for those beneath it."""
        grown = row.row
        if grown.sort == "step" or (grown.sort == "turn" and row.title in self._drawn):
            return of
        key = f"{of}\nwho\n{row.title}" if grown.sort == "turn" else grown.key
        if key not in self.found and len(self.found) >= MOST:
            self._more += 1
            return of
        self.rows[key] = grown.key
        ghost = Ghost(key, row.title, row.tone, row.said, row.score, of, is_dropped=row.is_dropped)
        if grown.told is not None:
            after = tuple(part_key(grown.step, one) for one in grown.told.after)
            ghost = replace(ghost, after=after, mark=grown.told.sort.partition(".")[0])
        elif grown.sort == "turn":
            self._turns[key] += 1
            many = self._turns[key]
            ghost = replace(ghost, figure=f"×{many}" if many > 1 else "", mark="team")
        tip = "\n".join(one for one in (f"{row.title} · {row.state}", row.said) if one)
        self.found[key] = replace(ghost, tip=tip)
        return key


def _outer(step: StepId) -> StepId:
    return own_step(seen_from_outside(step))


def _delegations(state: RunState, step: StepId, members: Mapping[str, Wire]) -> list[Delegation]:
    """How many turns each member had in a step, and whether one goes on."""
    counts: Counter[str] = Counter()
    running: set[str] = set()
    for name in state.steps[step].children if step in state.steps else ():
        call = state.steps.get(name)
        if call is not None and call.tool in members:
            counts[call.tool] += 1
            if call.status in {StepStatus.RUNNING, StepStatus.HELD}:
                running.add(call.tool)
    return [Delegation(members[name], count, name in running) for name, count in counts.items()]
