"""What a step makes as it goes: the tasks of a plan, the branches of a search, agents that nobody drew."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from studio.trace.events.values import Plain, frequent

PartStatus: TypeAlias = Literal["waiting", "running", "done", "failed", "dropped"]


@frequent
class PartTold:
    """A part of what the step makes as it goes is new, or has changed; the last that is told of it counts.

    `part` names it within its step. It grew out of the part `of` (empty: out of the step), and waits for
    those in `after`. The call of a tool whose `call_id` is `part` is the work on it. What it would be as a
    node is told by `sort`, a kind of node, and `settings`; `text` is what came of it, `detail` what else
    there is to say, such as a score, and why it was dropped.
    """

    part: str
    title: str
    status: PartStatus = "waiting"
    of: str = ""
    after: tuple[str, ...] = ()
    sort: str = ""
    settings: Mapping[str, Plain] = field(default_factory=dict[str, Plain])
    text: str = ""
    detail: Mapping[str, Plain] = field(default_factory=dict[str, Plain])
    kind: Literal["part_told"] = "part_told"
