"""A part of what a step makes as it goes, as a node tells of it: a ghost on the canvas, a row of a tree."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.flow.records import Json
from studio.trace.events.parts import PartStatus


@dataclass(frozen=True, slots=True)
class Part:
    """Shows something that a step makes as it runs: a task of a plan, a branch of a search, an agent.

    A step gives it to `Context.tell`, again each time it changes; canvas and timeline draw the last told.

    It grew out of the part `of` (empty: out of the step), and waits for those in `after`. Whatever works on
    it is called with `id` as the id of the call, which joins the two. `kind` and `settings` say what it would
    be as a node of the flow (empty: nothing), with which the user may keep it; the parts in `after` would be
    wired to it, where `settings` have placeholders with their ids. `text` is what came of it, `detail` what
    else there is to say, such as a score, and the reason for which it was dropped.
    """

    id: str
    title: str
    status: PartStatus = "waiting"
    of: str = ""
    after: tuple[str, ...] = ()
    kind: str = ""
    settings: Mapping[str, Json] = field(default_factory=dict[str, Json])
    text: str = ""
    detail: Mapping[str, Json] = field(default_factory=dict[str, Json])
