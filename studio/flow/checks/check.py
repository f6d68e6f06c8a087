"""What is wrong with a flow before it runs: each problem with its node, its wires, and edits that mend it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice
from typing import Protocol, runtime_checkable

from studio.errors import EditRefusedError, UsageError
from studio.flow.checks.control_checks import control_problems
from studio.flow.checks.endless import endless_problems
from studio.flow.checks.fixes import ask_for, collect_behind, last_outputs, take_out
from studio.flow.checks.problem import Checked, Problem, Remedy, error, warning
from studio.flow.checks.run_settings import run_settings_problems
from studio.flow.checks.shared_state import sharing_problems
from studio.flow.edits import connect, disconnect, remove, renumber, set_setting, set_title
from studio.flow.edits.loops import insert_loop
from studio.flow.ports import AFTER, Port, Refusal, Signature, Structure
from studio.flow.records import CallingLibrary, Flow, FlowLookup, Library, Node, Socket, Wire, title_of
from studio.flow.structure.graph import LOOP_RETURNS, output_of
from studio.flow.structure.regions import RegionProblem, RegionTree, region_tree
from studio.flow.structure.types import types_of
from studio.flow.structure.wiring import wire_conversion
from studio.garbage_collection import seldom_collected
from studio.ids import NodeId, PortName

MOST_TRIED, MOST_CUTS = 500, 6
"""How large a flow may be, in nodes, for remedies to be tried before they are offered; and how many are."""


@runtime_checkable
class CheckingLibrary(Library, Protocol):
    """A library that can also say what is wrong with a node's settings."""

    def problems(self, node: Node) -> Sequence[str]:
        """One sentence for each setting that does not fit; empty for kinds that are not installed."""
        ...


@seldom_collected()
def check(flow: Flow, library: Library) -> list[Problem]:
    """Find every problem of a flow: errors first, then warnings, each in a fixed order."""
    tree = region_tree(flow, library)
    checks = _Checks(flow, library, tree)
    found = [*checks.nodes(), *checks.wires(), *checks.regions(), *checks.outputs()]
    found += [
        *run_settings_problems(checks.seen),
        *control_problems(checks.seen),
        *sharing_problems(checks.seen),
        *endless_problems(checks.seen),
    ]
    return sorted(found, key=lambda one: one.severity != "error")


def errors_of(problems: Iterable[Problem]) -> list[Problem]:
    """Those problems that stop a run."""
    return [one for one in problems if one.severity == "error"]


class _Checks:
    """The checks of one flow; what several of them need is read once."""

    def __init__(self, flow: Flow, library: Library, tree: RegionTree) -> None:
        self._flow = flow
        self._library = library
        # Asked once: to look whether a library has all that a protocol wants takes longer than to use it.
        self._checking = library if isinstance(library, CheckingLibrary) else None
        self._calling = library if isinstance(library, CallingLibrary) else None
        self._tree = tree
        self._signatures = tree.graph.signatures
        self._types = types_of(flow, self._signatures)
        self._into: dict[Socket, list[Wire]] = defaultdict(list)
        self._wired: set[NodeId] = set()
        for wire in flow.wires:
            self._into[wire.target].append(wire)
            self._wired.update((wire.source.node, wire.target.node))
        self.seen = Checked(flow, library, tree, self._types, self._into)

    def nodes(self) -> list[Problem]:
        """Kinds, settings, inputs that nothing feeds, nodes that nothing joins."""
        found: list[Problem] = []
        for name, node in self._flow.nodes.items():
            signature = self._signatures[name]
            said = self._checking.problems(node) if self._checking is not None else ()
            title = title_of(self._flow, name)
            fault = self._calling.call_fault(node) if self._calling is not None else ""
            found += [
                error("settings", f"“{title}”: {words}", name) for words in said if not _ends_in(words, fault)
            ]
            if fault:
                remedies = call_remedies(self._flow, self._library, name, node)
                found.append(error("called-flow", f"“{title}”: {fault}", name, remedies=remedies))
            if signature is None:
                if not said and not fault:
                    words = f"“{title}” has the type `{node.kind}`, which is not installed."
                    found.append(error("unknown-kind", words, name))
                continue
            found += self._missing_inputs(name, node, signature)
            if name not in self._wired and len(self._flow.nodes) > 1:
                gone = remove(self._flow, [name])
                words = f"“{title}” is not wired to anything."
                found.append(warning("not-wired", words, name, remedies=[Remedy("Remove it", gone)]))
            if signature.structure is Structure.LOOP:
                found += self._loop(name)
        return found

    def wires(self) -> list[Problem]:
        """Ends that are not there, types that do not fit, inputs with too many wires, equal indices."""
        found: list[Problem] = []
        for wire in self._flow.wires:
            reason = self._fault(wire)
            if reason is not None:
                code, words = reason
                found.append(error(code, words, wire.target.node, (wire,), [self._cut((wire,))]))
        for target, wires in sorted(self._into.items()):
            found += self._crowded(target, wires)
        return found

    def regions(self) -> list[Problem]:
        """Cycles, loops and maps that do not nest, and what runs once though a loop feeds it."""
        found = [self._region_problem(one) for one in self._tree.problems]
        for name, loop in sorted(self._tree.fed_by.items()):
            signature = self._signatures[name]
            if signature is not None and signature.structure not in {
                Structure.FLOW_OUTPUT,
                Structure.COLLECT,
            }:
                words = (
                    f"“{title_of(self._flow, name)}” runs once, after the last round of "
                    f"“{title_of(self._flow, loop)}”."
                )
                remedies = [
                    remedy
                    for port in signature.outputs[:1]
                    for remedy in self._connection(
                        "Run in every round", Socket(name, port.name), Socket(loop, PortName("also"))
                    )
                ]
                found.append(warning("runs-once", words, name, remedies=remedies))
        return found

    def outputs(self) -> list[Problem]:
        """Inputs and outputs of the flow that share a title, and a flow that gives nothing."""
        found: list[Problem] = []
        outputs = self._tree.graph.nodes_with(Structure.FLOW_OUTPUT)
        if not outputs and self._flow.nodes:
            found.append(warning("no-output", "The flow has no output, so a run returns nothing.", None))
        for nodes, what in (
            (outputs, "outputs"),
            (self._tree.graph.nodes_with(Structure.FLOW_INPUT), "inputs"),
        ):
            first: dict[str, NodeId] = {}
            for name in nodes:
                title = title_of(self._flow, name)
                if title in first:
                    words = f"Two {what} of the flow are called “{title}”: `{first[title]}` and `{name}`."
                    remedy = Remedy(f"Call it {name}", set_title(self._flow, name, str(name)))
                    mend = [remedy] if title != name else []
                    found.append(warning(f"duplicate-{what}", words, name, remedies=mend))
                first.setdefault(title, name)
        return found

    def _missing_inputs(self, name: NodeId, node: Node, signature: Signature) -> list[Problem]:
        if name not in self._tree.graph.steps and not signature.is_binding:
            return []
        return [
            self._missing_input(Socket(name, port.name), port)
            for port in signature.inputs
            if port.required and port.name not in node.inputs and not self._into.get(Socket(name, port.name))
        ]

    def _missing_input(self, socket: Socket, port: Port) -> Problem:
        label = port.label or str(port.name)
        advice = "wire it." if port.type.is_binding else "wire it, or type a value."
        words = f"“{title_of(self._flow, socket.node)}” needs an input at “{label}”: {advice}"
        kind = self._types.inputs.get(socket, port.type)
        asked = ask_for(self._flow, self._library, socket, kind, label.capitalize())
        remedies = [self.seen.remedy("Make it an input of the flow", asked)] if asked is not None else []
        return error("missing-input", words, socket.node, remedies=remedies, port=socket.port)

    def _loop(self, name: NodeId) -> list[Problem]:
        if any(self._into.get(Socket(name, port)) for port in LOOP_RETURNS):
            return []
        words = f"Nothing is wired back to “{title_of(self._flow, name)}”, so it ends after one round."
        return [warning("loop-without-return", words, name)]

    def _fault(self, wire: Wire) -> tuple[str, str] | None:
        for socket in (wire.source, wire.target):
            if socket.node not in self._flow.nodes:
                return "missing-node", f"The wire `{wire}` ends at `{socket.node}`, which does not exist."
        source, target = self._signatures[wire.source.node], self._signatures[wire.target.node]
        node = self._flow.nodes[wire.source.node]
        if source is not None and output_of(node, source, wire.source.port) is None:
            title = title_of(self._flow, wire.source.node)
            return (
                "missing-port",
                f"“{title}” has no output `{wire.source.port}`. {_there(source.outputs)}".rstrip(),
            )
        if target is not None and target.input(wire.target.port) is None:
            title = title_of(self._flow, wire.target.node)
            return (
                "missing-port",
                f"“{title}” has no input `{wire.target.port}`. {_there(target.inputs)}".rstrip(),
            )
        if source is None or target is None:
            return None
        found = wire_conversion(self._flow, wire, self._signatures, self._types)
        if isinstance(found, Refusal):
            ends = (title_of(self._flow, wire.source.node), title_of(self._flow, wire.target.node))
            return "type-conflict", f"From “{ends[0]}” to “{ends[1]}”: {found.reason}"
        return None

    def _crowded(self, target: Socket, wires: Sequence[Wire]) -> list[Problem]:
        signature = self._signatures.get(target.node)
        port = signature.input(target.port) if signature is not None else None
        if port is None or len(wires) < 2:
            return []
        place = f"“{port.label or port.name}” of “{title_of(self._flow, target.node)}”"
        if not port.many:
            remedies = [
                Remedy(
                    f"Keep the wire from {title_of(self._flow, wire.source.node)}",
                    disconnect(self._flow, [one for one in wires if one != wire]),
                )
                for wire in wires
            ]
            words = f"{place} takes one wire, but has {len(wires)}."
            return [error("two-wires", words, target.node, wires, remedies, target.port)]
        indices = [wire.index for wire in wires]
        if target.port == AFTER or len(set(indices)) == len(indices):
            return []
        remedy = Remedy("Renumber", renumber(self._flow, target))
        words = f"Two wires have the same position at {place}, so their order is undefined."
        return [error("equal-indices", words, target.node, wires, [remedy], target.port)]

    def _region_problem(self, one: RegionProblem) -> Problem:
        candidates = dict.fromkeys((*((wire,) for wire in one.wires[:MOST_CUTS]), one.wires))
        cuts = (self._cut(wires) for wires in candidates if wires)
        remedies = list(islice((cut for cut in cuts if one.code == "cycle" or self._mends(cut, one)), 3))
        for loop in (one.node, *one.others):
            for other in (one.node, *one.others):
                if loop is not None and other is not None and loop != other:
                    remedies = [*self._nesting(one.code, loop, other), *remedies]
        if one.code == "cycle" and one.wires:
            loop = insert_loop(self._flow, one.wires[0], self._library)
            remedies = [*([Remedy("Insert a loop", loop)] if loop is not None else []), *remedies]
        if one.code == "map-without-collect" and one.node is not None:
            gone = Remedy(f"Remove “{title_of(self._flow, one.node)}”", remove(self._flow, [one.node]))
            remedies = [*self._collecting(one.node), gone]
        if one.code == "collect-without-map" and one.node is not None:
            remedies = self._without(one.node)
        return Problem(one.code, "error", one.message, one.node, one.wires, tuple(remedies))

    def _mends(self, remedy: Remedy, problem: RegionProblem) -> bool:
        """Whether regions nest without a wire; taken for granted where finding out would take too long."""
        if len(self._flow.nodes) > MOST_TRIED:
            return True
        left = region_tree(remedy.change.applied_to(self._flow), self._library).problems
        place = problem.code, problem.node, problem.others
        return all((one.code, one.node, one.others) != place for one in left)

    def _collecting(self, each: NodeId) -> list[Remedy]:
        """A collect behind the last step of each way that items go."""
        region = next((one for one in self._tree.root.walk() if one.owner == each), None)
        body = region.body if region is not None else frozenset[NodeId]()
        ends = last_outputs(self._flow, self._library, body) or [Socket(each, PortName("item"))]
        found: list[Remedy] = []
        for end in ends[:3]:
            change = collect_behind(self._flow, self._library, end)
            label = f"Collect the results of “{title_of(self._flow, end.node)}”"
            found += [self.seen.remedy(label, change)] if change is not None else []
        return found

    def _without(self, collect: NodeId) -> list[Remedy]:
        """Take a collect away that has nothing to collect."""
        signature = self._signatures[collect]
        if signature is None:
            return []
        ports = signature.inputs[0].name, signature.outputs[0].name
        change = take_out(self._flow, self._library, collect, ports) or remove(self._flow, [collect])
        return [self.seen.remedy("Detach it", change)]

    def _nesting(self, code: str, inner: NodeId, outer: NodeId) -> list[Remedy]:
        """Wires that would put one of two regions whole into the other."""
        is_map = self._tree.graph.structure(outer) is Structure.FOR_EACH
        if code not in {"regions-maps", "regions-enters-loop"} or not is_map:
            return []
        label = f"Run {title_of(self._flow, inner)} for each item of {title_of(self._flow, outer)}"
        return self._connection(label, Socket(outer, PortName("index")), Socket(inner, AFTER))

    def _connection(self, label: str, source: Socket, target: Socket) -> list[Remedy]:
        try:
            return [Remedy(label, connect(self._flow, source, target, self._library).labelled(label))]
        except EditRefusedError:
            return []

    def _cut(self, wires: tuple[Wire, ...]) -> Remedy:
        text = " and ".join(f"{wire.source} → {wire.target}" for wire in wires)
        return Remedy(f"Remove the wire {text}", disconnect(self._flow, wires))


def _there(ports: Iterable[Port]) -> str:
    """Name the ports that there are instead of one that is not."""
    names = [f"`{one.name}`" for one in ports]
    return f"It has {', '.join(names)}." if names else ""


def call_remedies(flow: Flow, library: Library, name: NodeId, node: Node) -> list[Remedy]:
    """Other flows that a node might have been meant to call."""
    if not isinstance(library, CallingLibrary):
        return []
    setting = library.call_setting(node)
    called = library.called_name(node)
    known = library.flows.names()
    near = get_close_matches(called, known, 3, 0.4) if called else _others(flow, library.flows)[:3]
    return [
        Remedy(f"Call {one}", set_setting(flow, name, setting, one).labelled(f"Call {one}")) for one in near
    ]


def _others(flow: Flow, flows: FlowLookup) -> list[str]:
    """The flows that can be read, without the one that would call itself."""
    found: list[str] = []
    for name in flows.names():
        with suppress(UsageError):
            if not _may_be_same(flows.flow(name), flow):
                found.append(name)
    return found


def _may_be_same(one: Flow, other: Flow) -> bool:
    """Whether two flows are one, at two times of its editing, as far as their names and nodes tell."""
    shared = one.nodes.keys() & other.nodes.keys()
    return one.name == other.name and any(one.nodes[node].kind == other.nodes[node].kind for node in shared)


def _ends_in(words: str, fault: str) -> bool:
    return fault != "" and words.endswith(fault)
