"""Run variables that several steps share: whether wires say which of them comes first."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations

from studio.errors import EditRefusedError
from studio.flow.edits import connect
from studio.flow.graph import Vertex, followers, reached
from studio.flow.ports import AFTER, THEN
from studio.flow.problem import Checked, Problem, Remedy, warning
from studio.flow.records import Socket
from studio.flow.regions import Region, innermost_around
from studio.ids import NodeId


def sharing_problems(seen: Checked) -> Iterable[Problem]:
    """Find pairs of steps of which one writes what the other uses, and no wire orders them."""
    if seen.tree.problems:
        return
    writers, users = _users(seen)
    for name in sorted(writers):
        for one, other in combinations(users[name], 2):
            if one in writers[name] and other in writers[name]:
                verbs = "both write"
            elif one in writers[name] or other in writers[name]:
                verbs = "share"
            else:
                continue
            if not _are_ordered(seen, one, other):
                words = (
                    f"“{seen.title(one)}” and “{seen.title(other)}” {verbs} the variable `{name}`, and no "
                    "wire says which of them comes first."
                )
                pairs = [(one, other), (other, one)]
                if other in writers[name] and one not in writers[name]:
                    pairs.reverse()
                remedies = [remedy for pair in pairs for remedy in _order(seen, *pair)]
                yield warning("unordered-state", words, other, remedies=remedies)


def _users(seen: Checked) -> tuple[Mapping[str, set[NodeId]], Mapping[str, list[NodeId]]]:
    """Who writes each variable, and who uses it at all, by its name."""
    writers: dict[str, set[NodeId]] = defaultdict(set)
    users: dict[str, list[NodeId]] = defaultdict(list)
    for node in sorted(seen.tree.graph.steps):
        signature = seen.signatures[node]
        is_used = signature is not None and seen.flow.nodes[node].run.state != "muted"
        for shared in signature.shares if signature is not None and is_used else ():
            users[shared.name].append(node)
            if shared.is_written:
                writers[shared.name].add(node)
    return writers, users


def _are_ordered(seen: Checked, one: NodeId, other: NodeId) -> bool:
    """Whether one comes after the other, be it because their regions do."""
    around = innermost_around(seen.tree.of(one), seen.tree.of(other))
    homes = {node: child for child in around.children for node in _all_of(child)}

    def home(vertex: Vertex) -> Vertex:
        """The vertex of `around` in which a vertex stands."""
        child = homes.get(vertex.node)
        return Vertex(child.owner or vertex.node) if child is not None else vertex

    after = followers(
        (home(source), home(target))
        for source, target in seen.tree.graph.edges
        if home(source) != home(target)
    )
    first, second = home(Vertex(one)), home(Vertex(other))
    return second in reached(first, after) or first in reached(second, after)


def _all_of(region: Region) -> Iterable[NodeId]:
    yield from region.body
    yield from region.collects
    if region.owner is not None:
        yield region.owner


def _order(seen: Checked, first: NodeId, second: NodeId) -> Iterable[Remedy]:
    try:
        change = connect(seen.flow, Socket(first, THEN), Socket(second, AFTER), seen.library)
    except EditRefusedError:
        return
    yield seen.remedy(f"Run {seen.title(second)} after {seen.title(first)}", change)
