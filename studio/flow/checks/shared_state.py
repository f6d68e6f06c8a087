"""Run variables and memories that several steps share: whether wires say which of them comes first."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import combinations

from studio.errors import EditRefusedError
from studio.flow.checks.problem import Checked, Problem, Remedy, warning
from studio.flow.edits import connect
from studio.flow.ports import AFTER, THEN, Shared
from studio.flow.records import Socket
from studio.flow.structure.graph import Vertex, followers, reached
from studio.flow.structure.regions import Region, innermost_around
from studio.ids import NodeId


def sharing_problems(seen: Checked) -> Iterable[Problem]:
    """Find pairs of steps of which one writes what the other uses, and no wire orders them."""
    if seen.tree.problems:
        return
    writers, users = _users(seen)
    for what, name in sorted(writers):
        both = writers[what, name]
        for one, other in combinations(users[what, name], 2):
            if one in both and other in both:
                verbs = "both write"
            elif one in both or other in both:
                verbs = "share"
            else:
                continue
            if not _are_ordered(seen, one, other):
                words = (
                    f"“{seen.title(one)}” and “{seen.title(other)}” {verbs} the {what} "
                    f"`{name}`, and no wire decides which comes first."
                )
                pairs = [(one, other), (other, one)]
                if other in both and one not in both:
                    pairs.reverse()
                remedies = [remedy for pair in pairs for remedy in _order(seen, *pair)]
                yield warning("unordered-state", words, other, remedies=remedies)


def _users(
    seen: Checked,
) -> tuple[Mapping[tuple[str, str], set[NodeId]], Mapping[tuple[str, str], list[NodeId]]]:
    """Who writes each variable and memory, and who uses it at all, by what it is and its name."""
    writers: dict[tuple[str, str], set[NodeId]] = defaultdict(set)
    users: dict[tuple[str, str], list[NodeId]] = defaultdict(list)
    lent = _memories(seen)
    for node in sorted(seen.tree.graph.steps):
        signature = seen.signatures[node]
        if signature is None or seen.flow.nodes[node].run.state == "muted":
            continue
        memories = (Shared(name, not signature.only_reads, "memory") for name in sorted(lent(node)))
        for shared in (*signature.shares, *memories):
            users[shared.what, shared.name].append(node)
            if shared.is_written:
                writers[shared.what, shared.name].add(node)
    return writers, users


def _memories(seen: Checked) -> Callable[[NodeId], Collection[str]]:
    """Tell which memories are lent to a step, by their names, also by way of others that are lent to it."""
    lenders: dict[NodeId, list[NodeId]] = defaultdict(list)
    for wire in seen.flow.wires:
        signature = seen.signatures.get(wire.source.node)
        if signature is not None and signature.is_binding:
            lenders[wire.target.node].append(wire.source.node)

    def lent(node: NodeId) -> Collection[str]:
        found: dict[str, None] = {}
        left, known = list(lenders.get(node, ())), set[NodeId]()
        while left:
            lender = left.pop()
            if lender in known:
                continue
            known.add(lender)
            left += lenders.get(lender, ())
            signature = seen.signatures[lender]
            if signature is not None and signature.is_kept:
                found[str(seen.flow.nodes[lender].settings.get("name") or lender)] = None
        return found

    return lent


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
