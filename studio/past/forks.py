"""From an old run to a new one, with other values, settings, inputs or another flow from some step on.

What a fork buys again is guessed, before it starts, by what those chats had cost (`app/` plans it); what is
only done once more, with nothing different before it, is answered from the recording and buys nothing.
"""

from collections.abc import Sequence
from dataclasses import replace

from studio.host.recorded_run import RunMaterials
from studio.past.doubts import doubtful
from studio.past.fork_changes import told_changes
from studio.past.fork_start import find_start
from studio.past.fork_wishes import Fork
from studio.past.replays import OldRun, Terms, run_again
from studio.runtime.gates.edited_gate import edits_of
from studio.runtime.replay.dependence import Root
from studio.sdk.registry import Registry
from studio.trace.events.run import Origin
from studio.workspace.inputs import check_inputs, input_fields


def prepare_fork(before: OldRun, registry: Registry, fork: Fork, terms: Terms) -> RunMaterials:
    """Make ready a new run that does again what depends on what is different, and takes the rest over.

    Raises `UsageError` for a step that the run does not have, and for a value that fits nowhere.
    """
    start = find_start(before, registry, fork)
    old, flow, registry = start.old, start.flow, start.registry
    past = start.past(terms.profile, is_live=terms.is_live, repeats=terms.repeats)
    past = replace(past, doubts=() if terms.repeats else doubtful(past, (), start.old.entries))
    earlier = {
        place: values
        for place, values in edits_of(old.entries, flow, registry).items()
        if start.calls.has_edit(*place)
    }
    known = {str(one.node) for one in input_fields(flow, registry)}
    kept = {name: value for name, value in old.inputs.items() if name in known}
    given = check_inputs(flow, registry, {**kept, **start.inputs})
    roots = start.calls.roots
    again = {str(root.step): root.runs_again for root in roots}
    changes = told_changes(start, terms.profile)
    origin = Origin(old.run, start.step or _first(old, roots), again, changes=changes)
    return run_again(
        before,
        registry,
        terms,
        past,
        {**earlier, **start.placed},
        origin,
        flow=flow,
        flows=start.flows,
        inputs=given,
        pins=start.pins,
    )


def _first(old: OldRun, roots: Sequence[Root]) -> str:
    """The root that came first in the old run."""
    wanted = {root.step for root in roots}
    return next((entry.step for entry in old.entries if entry.step in wanted), "")
