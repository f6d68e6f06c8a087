"""When there is a value at each socket of a flow, when a failure stands there, and when a step takes place.

Without a catch, a race or a map that tolerates failures, a step that fails ends the script. Where failures
are taken in, the step is *sheltered*: its failure is kept in a variable, and whoever would have read its
outputs fails with it, unrun. Where that comes to the same, the failure is raised instead (`Shelters`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from studio.export.python.constants import Constants
from studio.export.python.lifter import Lifter
from studio.export.structure.called import CalledFlow
from studio.export.structure.chart import Chart, Input, ports_after
from studio.export.structure.conditions import ALWAYS, NEVER, Condition, Way, all_of, any_of, when
from studio.export.structure.outputs import Outputs
from studio.export.structure.races import Racer, feeds_of, find_races
from studio.export.structure.remembering import find_remembering_maps
from studio.export.structure.sharing import find_writing_maps
from studio.flow.ports import AFTER, ERROR, THEN, Structure
from studio.flow.records import Socket, Wire
from studio.flow.regions import Region
from studio.flow.shelter import sheltered
from studio.ids import NodeId

WHOLE, BROKEN = "whole", "broken"
RETURNS = frozenset({"again", "done", "also"})
CALLS = frozenset({None, Structure.SUBFLOW})
"""What a step is that calls one function, and gives what that returns."""
FAILURE = "!failure"
"""Stands for the port of the variable that holds a step's failure; no port is called so."""


@dataclass(frozen=True, slots=True)
class Block:
    """Steps one after the other that stand in one `try`, for one catch."""

    catch: NodeId
    steps: tuple[NodeId, ...]


@dataclass(frozen=True, slots=True)
class Shelters:
    """Which sheltered steps raise their failures."""

    blocks: Mapping[NodeId, "Block"] = field(default_factory=dict[NodeId, "Block"])
    """To the `try` of a catch, by step."""
    raising: frozenset[NodeId] = frozenset()
    """Out of the round or item in which they stand, which then has failed."""
    breaking: Mapping[NodeId, bool] | None = None
    """Which loops and maps can fail; None to find out."""


class Presence(Outputs):
    """The condition of every socket, worked out once."""

    def __init__(
        self,
        chart: Chart,
        lifter: Lifter,
        constants: Constants,
        variables: Mapping[NodeId, str],
        flows: Mapping[str, CalledFlow],
        shelters: Shelters | None = None,
    ) -> None:
        super().__init__(chart, lifter, constants, variables, flows)
        self.shelters = shelters or Shelters()
        self.sheltered = sheltered(chart.flow, chart.registry, chart.tree)
        self.racers = find_races(self, self.sheltered)
        """The lanes of each race."""
        for race, lanes in self.racers.items():  # what fails before all lanes of a race fails the race
            if race not in self.sheltered:
                self.sheltered -= feeds_of(chart, race, lanes)
        self.writing = find_writing_maps(chart)
        """The maps whose items write to run variables."""
        self.remembering = find_remembering_maps(chart)
        """The maps whose items use memories."""
        self._plain = {
            one: (race, racer)
            for race, lanes in self.racers.items()
            for racer in lanes
            for step in racer.steps
            for one in (step, *(chart.owned[step].collects if step in chart.owned else ()))
            if racer.is_plain
        }
        """The lanes of races in which one step follows the other, by step."""
        self._reached: dict[NodeId, Condition] = {}
        self._stuck: dict[NodeId, Condition] = {}
        self._failures: dict[NodeId, Way | None] = {}
        self.patience: dict[str, bool] = {}
        """Which statements take time, as far as it is known, by key."""

    # --- steps ---------------------------------------------------------------------------------------------

    def runs(self, node: NodeId) -> Condition:
        """When the step of a node takes place, seen from the whole flow."""
        return self.reached(node) & ~self.stuck(node)

    def is_given_last(self, output: NodeId) -> bool:
        """Whether a flow output is there at the end in any case, and given once."""
        return self.chart.tree.of(output) is self.chart.tree.root and self.runs(output) == ALWAYS

    def reached(self, node: NodeId) -> Condition:
        """When the step of a node is not skipped: it takes place, or fails with what it was to read."""
        if node not in self._reached:
            for one in self._unknown_before(node):
                _ = self.reached(one) if one in self.chart.owned else self.whole(one)
            self._reached[node] = self._reached_condition(node)
        return self._reached[node]

    def _unknown_before(self, node: NodeId) -> list[NodeId]:
        """What has to be known before, in the order in which it is asked: long chains go too deep."""
        found: dict[NodeId, None] = {}
        waiting = [(node, iter(self._sources(node)))]
        entered = {node}
        while waiting:
            last, sources = waiting[-1]
            source = next((one for one in sources if one not in entered), None)
            if source is None:
                found[last] = None
                waiting.pop()
            elif source not in self._reached:
                entered.add(source)
                waiting.append((source, iter(self._sources(source))))
        return [one for one in found if one != node]

    def _sources(self, node: NodeId) -> list[NodeId]:
        """Whose outputs decide whether a step is reached."""
        if self.chart.record(node).run.state == "muted" or node in self.racers:
            return []
        region = self.chart.owned.get(node)
        wires = [*ports_after(self.chart, node)]
        for one in self.chart.inputs(node):
            if one.port.required and not (region is not None and one.port.name in RETURNS):
                wires += one.wires
        return [wire.source.node for wire in wires]

    def stuck(self, node: NodeId) -> Condition:
        """When a step fails without having begun, because of a failure that it was to read."""
        if node not in self._stuck:
            found = any_of(self.fails(wire) for wire in self.failing_wires(node))
            self._stuck[node] = self.reached(node) & found if found != NEVER else NEVER
        return self._stuck[node]

    def _reached_condition(self, node: NodeId) -> Condition:
        chart = self.chart
        is_given_on = chart.structure(node) is not Structure.FLOW_OUTPUT
        if chart.record(node).run.state == "muted" or (chart.record(node).run.state and not is_given_on):
            return NEVER
        region = chart.owned.get(node)
        conditions = [self._inside(chart.tree.of(node) if region is None else region.parent)]
        conditions += [self.comes(wire) | self.fails(wire) for wire in ports_after(chart, node)]
        conditions += [self.begun(node)] if node in self.racers else []
        for one in chart.inputs(node):
            if node in self.racers or (region is not None and one.port.name in RETURNS):
                continue
            if one.port.required:
                conditions.append(self.arrives(node, one) | any_of(self.fails(wire) for wire in one.wires))
        return all_of(conditions)

    def _inside(self, region: Region | None) -> Condition:
        """When what stands in a region happens at all."""
        if region is None or region.owner is None:
            return ALWAYS
        if self.chart.record(region.owner).run.state == "bypassed":
            return NEVER
        return self.runs(region.owner)

    # --- sockets -------------------------------------------------------------------------------------------

    def arrives(self, node: NodeId, one: Input) -> Condition:
        """When a value arrives at an input, or was typed there."""
        if not one.wires:
            return ALWAYS if one.port.name in self.chart.record(node).inputs else NEVER
        found = [self.comes(wire) for wire in one.wires]
        return any_of(found) if one.port.many else found[0]

    def comes(self, wire: Wire) -> Condition:
        """When there is a value at the far end of a wire, seen from where the wire ends."""
        found = self.present(wire.source)
        for owner in self.chart.left(wire):
            found &= NEVER if self._is_map(owner) else self._finished(owner)
        return found

    def fails(self, wire: Wire) -> Condition:
        """When a failure stands at the far end of a wire, seen from where the wire ends."""
        found = self.failed(wire.source)
        for owner in self.chart.left(wire):
            found = NEVER if self._is_map(owner) else found & self._finished(owner)
            found |= self.broken(owner)
        return found

    def _is_map(self, owner: NodeId) -> bool:
        """Whether nothing of its body is there after it, so that what comes after an item never comes."""
        return self.chart.structure(owner) is Structure.FOR_EACH

    def present(self, socket: Socket) -> Condition:
        """When there is a value at an output, seen from where its node stands."""
        chart, node, port = self.chart, socket.node, str(socket.port)
        if node in chart.owned:
            return self._region_present(node, port)
        runs = self.whole(node)
        if port == THEN or runs == NEVER:
            return runs
        if chart.structure(node) is Structure.CATCH and not chart.record(node).run.state:
            return runs & self._caught(node, port)
        if chart.record(node).run.state == "bypassed":
            passed = self.passed(node, port)
            return runs & self.arrives(node, passed) if passed is not None else NEVER
        failing = self.failure(node)
        if port == ERROR:
            return runs & when(failing, "failed") if failing is not None else NEVER
        if failing is not None and (self.policy(node) == "output" or port not in self.stand_ins(node)):
            runs &= when(failing, "done")
        if chart.structure(node) is Structure.BRANCH:
            return runs & when(self.choice(node), port)
        if any(not self._ends(racer.wire, runs) for racer in self.racing_in(node)):
            return runs & when(self.given(node, port), "given")
        if chart.structure(node) in CALLS and self.fields(node)[port].is_optional:
            return runs & when(self.given(node, port), "given")
        return runs

    def racing_in(self, race: NodeId) -> list[Racer]:
        """The lanes of a race in which anything may happen."""
        lanes = self.racers.get(race, ())
        return [one for one in lanes if any(self.reached(step) != NEVER for step in one.steps)]

    def begun(self, race: NodeId) -> Condition:
        """When anything may happen in the lanes of a race."""
        steps = [step for racer in self.racing_in(race) for step in racer.steps]
        begun = any_of(self.reached(root) for root in self.roots_of(race))
        inside = self._inside(self.chart.tree.of(race)) if steps else NEVER
        return begun if all(self.reached(step).implies(begun) for step in steps) else inside

    def is_simple(self, race: NodeId) -> bool:
        """Whether in all lanes of a race one step follows the other, and none begins after a failure."""
        racers = self.racers.get(race, ())
        roots = [root for one in racers for root in one.begins_with() if self.reached(root) != NEVER]
        stuck = {self.stuck(root) for root in roots}
        is_even = len(stuck) < 2 and len({self.runs(root) for root in roots}) < 2
        return (
            all(one.is_plain for one in racers) and is_even and (race in self.sheltered or stuck <= {NEVER})
        )

    def _ends_lane(self, node: NodeId) -> bool:
        """Whether the failure of a step is raised to the end of its lane in a race."""
        if node not in self._plain:
            return False
        race, racer = self._plain[node]
        return self.is_simple(race) or all(self.stuck(root) == NEVER for root in racer.begins_with())

    def roots_of(self, race: NodeId) -> list[NodeId]:
        """The steps with which the lanes of a race begin; none for what is no race."""
        found: list[NodeId] = []
        for racer in self.racing_in(race):
            dead = [step for step in racer.steps if self.reached(step) == NEVER]
            found += racer.begins_with(dead)
        return found

    def _ends(self, wire: Wire, known: Condition) -> bool:
        """Whether a lane of a race is sure to give a value, or to fail."""
        return known.implies(self.comes(wire) | self.fails(wire))

    def _caught(self, node: NodeId, port: str) -> Condition:
        """What a catch that takes place gives."""
        wires = self.chart.input(node, "value").wires
        if port == ERROR:
            return any_of(self.fails(wire) for wire in wires)
        return all_of(self.comes(wire) for wire in wires)

    def _region_present(self, node: NodeId, port: str) -> Condition:
        """When a loop, a for-each or a collect gives something."""
        structure = self.chart.structure(node)
        if structure is Structure.FOR_EACH or (structure is Structure.LOOP and port in {"value", "round"}):
            return self._inside(self.chart.owned[node])
        if port == "history" and self.chart.record(node).run.state == "bypassed":
            return NEVER
        if port == ERROR:
            whole, failing = self.whole(node), self.failure(node)
            return whole & when(failing, "failed") if failing is not None else NEVER
        return self.whole(node) if port == THEN else self._finished(node, port)

    def _finished(self, node: NodeId, port: str = "") -> Condition:
        """When a loop or map has come to its end, or something stands in for what it gives at a port."""
        whole, failing = self.whole(node), self.failure(node)
        if failing is None or (self.policy(node) == "default" and port in self.stand_ins(node)):
            return whole
        return whole & when(failing, "done")

    def failed(self, socket: Socket) -> Condition:
        """When a failure stands at an output, seen from where its node stands."""
        node, port = socket.node, str(socket.port)
        structure = self.chart.structure(node)
        if structure is Structure.FOR_EACH or (structure is Structure.LOOP and port in {"value", "round"}):
            return NEVER
        return self.broken(node)

    def is_used(self, node: NodeId, port: str) -> bool:
        """Whether a result is more than waited for by a catch that hands nothing on."""
        chart = self.chart
        is_optional = node not in chart.owned and self.fields(node)[port].is_optional
        if chart.structure(node) not in {*CALLS, Structure.LOOP, Structure.COLLECT} or is_optional:
            return chart.is_read(node, port)
        return any(
            self._is_wanted(wire.target.node)
            for wire in chart.wires_from(node, port)
            if wire.target.port != AFTER
        )

    def _is_wanted(self, target: NodeId) -> bool:
        """Whether a node does anything with what it is given, other than to wait for it."""
        match self.chart.structure(target):
            case Structure.CATCH:
                return bool(self.chart.record(target).run.state) or self.chart.is_read(target, "value")
            case Structure.COLLECT:
                owners = [one for one in self.chart.owned.values() if target in one.collects]
                return not owners or self.is_collect_given(owners[0], target)
            case _:
                return True

    def is_collect_given(self, region: Region, node: NodeId) -> bool:
        """Whether each item gives something to a collect: to all where these decide what it leaves."""
        is_writing = len(region.collects) > 1 and region.owner in self.writing | self.remembering
        return is_writing or self.is_collect_read(node)

    def is_collect_read(self, node: NodeId) -> bool:
        """Whether a collect is looked at, or may fail."""
        settings = self.chart.registry.settings(self.chart.record(node))
        is_read = any(self.chart.is_read(node, port) for port in ("values", "kept", ERROR))
        if self.policy(node) != "fail":
            return is_read
        fails = settings["failed"] == "fail" and any(
            self.fails(wire) != NEVER for wire in self.chart.input(node, "value").wires
        )
        return is_read or settings["absent"] == "fail" or fails

    # --- failures ------------------------------------------------------------------------------------------

    def whole(self, node: NodeId) -> Condition:
        """When a step has taken place without a failure that travels."""
        chart = self.chart
        way = self.travelling(node)
        reached = self.reached(node)
        if chart.structure(node) is Structure.COLLECT:
            reached = self.attempted(node)
        return reached if way is None else reached & when(way, WHOLE)

    def attempted(self, node: NodeId) -> Condition:
        """When a collect gathers its items."""
        chart = self.chart
        owner = chart.owned[node].owner or node
        way = self.travelling(node)
        found = self.whole(owner) if self.policy(node) == "fail" else self.runs(owner)
        if way is not None:
            found = self.reached(owner) & when(way, WHOLE)
        if chart.record(node).run.state == "muted":
            return NEVER
        return found & all_of(self.comes(wire) for wire in ports_after(chart, node))

    def broken(self, node: NodeId) -> Condition:
        """When a failure stands at all outputs of a step."""
        way = self.travelling(node)
        if way is None:
            return NEVER
        return self.set(node) & when(way, BROKEN)

    def set(self, node: NodeId) -> Condition:
        """When the variable that holds a step's failure has been set."""
        block = self.shelters.blocks.get(node)
        if block is not None:
            return self.reached(block.steps[0])
        if self.chart.structure(node) is Structure.COLLECT:
            return self.reached(self.chart.owned[node].owner or node)
        return self.reached(node)

    def travelling(self, node: NodeId) -> Way | None:
        """The variable that holds the failure of a step; None where none can travel from it."""
        if node in self.shelters.raising:
            return None
        if node not in self._failures:
            self._failures[node] = self._travelling(node)
        return self._failures[node]

    def _travelling(self, node: NodeId) -> Way | None:
        if node in self.shelters.blocks:
            block = self.shelters.blocks[node]
            self.reached(block.steps[0])  # what decides whether it is set at all is asked before it
            return self.of_block(block)
        if self.reached(node) == NEVER or self._ends_lane(node):
            return None
        is_stuck = self.stuck(node) != NEVER
        if self.chart.structure(node) is Structure.COLLECT:
            owner = self.chart.owned[node].owner or node
            takes_in = self.policy(node) != "fail"
            fails = self.stuck(owner) != NEVER if takes_in else self.travelling(owner) is not None
            is_stuck = is_stuck or fails
        if not self.breaks(node):
            return self._passed_on(node) if is_stuck else None
        name = self.failure_name(node)
        return self.way(node, FAILURE, name, _failure_tests(name))

    def _passed_on(self, node: NodeId) -> Way:
        """The failure of a step that only ever has that of another: the same, where there is just one."""
        own = self.failure_name(node)
        if self.chart.structure(node) is Structure.COLLECT and self.policy(node) != "fail":
            return self.way(node, FAILURE, own, _failure_tests(own))  # it passes on no more than some of it
        found: list[Way] = []
        if self.chart.structure(node) is Structure.COLLECT:
            way = self.travelling(self.chart.owned[node].owner or node)
            found += [] if way is None else [way]
        for wire in self.failing_wires(node):
            if self.failed(wire.source) == NEVER:  # such as an item: what its map fails with is not its own
                continue
            for source in [*self.chart.left(wire), wire.source.node]:
                way = self.travelling(source)
                if way is not None:
                    is_set = self.reached(node).implies(self.set(source))
                    found.append(way if is_set else self.way(node, FAILURE, own, _failure_tests(own)))
        if len(set(found)) == 1:
            return found[0]
        return self.way(node, FAILURE, own, _failure_tests(own))

    def of_block(self, block: Block) -> Way:
        """The variable of the failure that a `try` took in."""
        name = f"{self.variables.get(block.catch, block.catch)}_failure"
        return self.way(block.catch, FAILURE, name, _failure_tests(name))

    def kept(self, node: NodeId) -> Way | None:
        """The variable that a step keeps its own failure in, if it does."""
        way = self.travelling(node)
        is_own = way is not None and node not in self.shelters.blocks and way.name == self.failure_name(node)
        return way if is_own else None

    def failure_name(self, node: NodeId) -> str:
        """What the variable of a failure is called."""
        return f"{self.variables.get(node, node)}_failure"

    def breaks(self, node: NodeId) -> bool:
        """Whether a step may fail by itself, and its failure travels."""
        record = self.chart.record(node)
        if node not in self.sheltered or record.run.state:
            return False
        if node in self.chart.owned:
            known = self.shelters.breaking
            return self._region_breaks(node) if known is None else known[node]
        return node in self.racers or (self.may_fail(node) and self.policy(node) == "fail")

    def _region_breaks(self, node: NodeId) -> bool:
        chart = self.chart
        region, settings = chart.owned[node], chart.registry.settings(chart.record(node))
        run = chart.record(node).run
        if chart.structure(node) is not Structure.FOR_EACH and run.on_error != "fail":
            return False
        if chart.structure(node) is Structure.FOR_EACH and self.mended_by(region) is not None:
            return False
        if run.time_limit is not None:
            return True
        match chart.structure(node):
            case Structure.COLLECT:
                return self.may_not_gather(node)
            case Structure.LOOP:
                if settings["on_limit"] == "fail" or settings["stop_when"]:
                    return True
                ends = [wire for port in sorted(RETURNS) for wire in chart.input(node, port).wires]
                return any(self.fails(wire) != NEVER for wire in ends)
            case _:
                lists = [wire for one in chart.inputs(node) for wire in one.wires]
                is_sure = len(lists) == 1 and all(chart.output_type(one.source).depth for one in lists)
                stops = self.stops_all(region) and self._any_collected_fails(region)
                is_sure = is_sure and node not in self.writing | self.remembering
                return not is_sure or stops or (self.fails_whole(region) and self.exposes(region))

    def may_not_gather(self, collect: NodeId) -> bool:
        """Whether a collect may refuse what the items of a map that did not fail gave."""
        chart = self.chart
        region, settings = chart.owned[collect], chart.registry.settings(chart.record(collect))
        fails = any(self.fails(wire) != NEVER for wire in chart.input(collect, "value").wires)
        is_strict = settings["failed"] == "fail" and not self.stops_all(region)
        return settings["absent"] == "fail" or (fails and is_strict)

    def _any_collected_fails(self, region: Region) -> bool:
        return any(
            self.fails(wire) != NEVER
            for node in region.collects
            for wire in self.chart.input(node, "value").wires
        )

    def stops_all(self, region: Region) -> bool:
        """Whether one failed item stops the others, and is what the whole map fails with."""
        return all(
            self._on_failed(node) == "fail" and (node in self.sheltered or self._has_policy(node))
            for node in region.collects
        )

    def is_tolerant(self, region: Region) -> bool:
        """Whether a map goes on when an item fails."""
        takes_in = all(self._on_failed(node) != "fail" or self._has_policy(node) for node in region.collects)
        return takes_in and not self.fails_whole(region)

    def fails_whole(self, region: Region) -> bool:
        """Whether whatever fails in an item is a failure of the map, for which its collects have policies."""
        return all(self._on_failed(node) == "fail" and self._has_policy(node) for node in region.collects)

    def mended_by(self, region: Region) -> NodeId | None:
        """The only collect of a map, where its error policy speaks for all that was begun."""
        owner, node = region.owner, region.collects[0] if len(region.collects) == 1 else None
        if owner is None or node is None or self.policy(node) == "fail":
            return None
        is_apart = ports_after(self.chart, node) or self.stuck(owner) != NEVER
        return None if is_apart else node

    def _has_policy(self, node: NodeId) -> bool:
        return self.chart.record(node).run.on_error != "fail"

    def _on_failed(self, collect: NodeId) -> str:
        return self.chart.registry.settings(self.chart.record(collect))["failed"]

    def failing_wires(self, node: NodeId) -> Iterator[Wire]:
        """The wires over which a failure keeps a step from running, in the order in which they are blamed."""
        chart = self.chart
        yield from ports_after(chart, node)
        for root in self.roots_of(node) if self.is_simple(node) else ():
            yield from self.failing_wires(root)
        takes_in = chart.structure(node) is Structure.CATCH and not chart.record(node).run.state
        for one in chart.inputs(node):
            is_returned = node in chart.owned and one.port.name in RETURNS
            is_collected = chart.structure(node) is Structure.COLLECT
            if not (node in self.racers or takes_in or is_returned or is_collected):
                yield from one.wires

    def causes(self, wire: Wire) -> list[tuple[Condition, Way]]:
        """The variables that may hold the failure at the far end of a wire, with when they are set."""
        found: list[tuple[Condition, Way]] = []
        for node in [*reversed(self.chart.left(wire)), wire.source.node]:
            is_passed_on = node != wire.source.node or self.failed(wire.source) != NEVER
            way = self.travelling(node) if is_passed_on else None
            if way is not None:
                found.append((self.set(node), way))
        return found

    def blame(self, wires: list[Wire], known: Condition) -> str:
        """The expression of the first failure that stands at any of the wires, or None."""
        parts: list[str] = []
        for wire in wires:
            for condition, way in self.causes(wire):
                given = condition.given(known)
                part = way.name if given == ALWAYS else f"({way.name} if {given.test()} else None)"
                if given != NEVER and part not in parts:
                    parts.append(part)
        return " or ".join(parts) or "None"

    def raised(self, wire: Wire, known: Condition) -> list[tuple[Condition, str]]:
        """Which failures stand at the far end of a wire, and when, one excluding the other."""
        found: list[tuple[Condition, str]] = []
        for condition, way in self.causes(wire):
            given = (condition & when(way, BROKEN)).given(known)
            if given != NEVER:
                found.append((given, way.name))
                known &= ~given
        return found

    def is_mixed(self, region: Region) -> bool:
        """Whether some of what fails in a loop or map stops at its end, and some does not."""
        owner = region.owner
        if owner is None or self.kept(owner) is None or self.policy(owner) != "fail":
            return False
        return self.exposes(region) and not (region.kind == "map" and self.fails_whole(region))

    def exposes(self, region: Region) -> bool:
        """Whether a step inside a loop or map may fail in a way that does not stop at its end."""
        return any(
            node not in self.sheltered
            and not self.chart.record(node).run.state
            and (node in self.chart.owned or (self.may_fail(node) and self.policy(node) == "fail"))
            for node in region.body
        )


def _failure_tests(name: str) -> dict[str, str]:
    return {WHOLE: f"{name} is None", BROKEN: f"{name} is not None"}
