"""Random flows: well nested structures, built on purpose, and then wires across that may break every rule."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import Phase
from hypothesis import strategies as st

from studio.flow.checks.check import check, errors_of
from studio.flow.records import Flow, Node, RunSettings, Socket, Wire
from studio.flow.subflows.calls import GivenFlows
from studio.ids import NodeId, PortName
from studio.sdk.registry import Registry
from tests.reference.probes import PROBES
from tests.reference.profile import PHASES

CASES = [
    {
        "label": "Yes",
        "when": "endswith(value, '0') or endswith(value, '1') or endswith(value, '2')"
        " or endswith(value, '3') or endswith(value, '4')",
    },
    {"label": "No"},
]


MISCHIEFS = (
    "crosswise",
    "crosswise",
    "overlap",
    "cycle",
    "uncollected",
    "given_out",
    "item_and_list",
    "leak",
    "leak",
    "stray",
    "misfit",
    "unfed",
    "crowded",
    "same_place",
    "unknown",
    "dangling",
    "no_such_port",
    "senseless",
)

NESTINGS = (
    (),
    ("branch",),
    ("loop", "loop"),
    ("each", "each"),
    ("race", "loop"),
    ("race", "each"),
    ("loop", "each", "loop"),
    ("each", "loop", "each"),
    ("loop", "race", "race"),
    ("each", "race", "convert"),
    ("each", "race"),
    ("convert", "branch"),
    ("ask", "write"),
    ("loop", "ask"),
    ("each", "ask", "write"),
    ("race", "ask"),
    ("convert", "convert"),
    ("race", "convert"),
    ("retry", "lists"),
    ("loop", "retry"),
    ("each", "retry", "retry"),
    ("retry", "retry"),
    ("loop", "lists"),
    ("loop", "race"),
    ("call", "branch"),
    ("loop", "call"),
    ("each", "each"),
    ("each", "loop", "each"),
    ("recursion", "branch"),
    ("recursion", "branch"),
    ("failing", "branch"),
    ("each", "failing"),
    ("recursion", "failing"),
    ("recursion", "loop", "race"),
    ("repeating", "branch"),
    ("repeating", "failing"),
    ("retry", "retry", "ask"),
    ("retry", "repeating"),
)
"""What is built first, from the outside in."""

LISTS = {"parts", "values", "texts", "tools"}
"""Inputs that take several wires in an order."""


@dataclass(frozen=True, repr=False)
class Case:
    """A flow, what its flow inputs are given, and the flows that it may call."""

    flow: Flow
    given: dict[str, str]
    flows: dict[str, Flow] = field(default_factory=dict[str, Flow])

    @property
    def registry(self) -> Registry:
        """The node types, bound to the flows that may be called."""
        return PROBES.with_flows(GivenFlows(self.flows))

    @property
    def is_refused(self) -> bool:
        """Whether one of its flows breaks the rules."""
        return any(errors_of(check(one, self.registry)) for one in self.all_flows)

    @property
    def all_flows(self) -> list[Flow]:
        """The flow, and those that it may call."""
        return [self.flow, *self.flows.values()]

    @property
    def kinds(self) -> set[str]:
        """The kinds of all nodes."""
        return {node.kind for flow in self.all_flows for node in flow.nodes.values()}

    def node(self, step: str) -> Node:
        """The node of a step or a call of it, whichever flow it stands in; those called alike are alike."""
        name = NodeId(step.rpartition("/")[2].partition("#")[0])
        return next(flow.nodes[name] for flow in self.all_flows if name in flow.nodes)

    def breakpoints(self, step: str) -> set[str]:
        """What to call the node of a step, so that it is held there."""
        name = NodeId(step.rpartition("/")[2])
        called = {f"{flow}:{name}" for flow, one in self.flows.items() if name in one.nodes}
        return called | ({str(name)} if name in self.flow.nodes else set())

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # noqa: FBT001  # as IPython's printers do
        printer.text(repr(self))

    def __repr__(self) -> str:
        lines: list[str] = []
        for name, flow in {"": self.flow, **self.flows}.items():
            lines += [
                name,
                *(
                    " ".join(
                        map(
                            str,
                            (id_, one.settings, one.inputs or "", one.run.model_dump(exclude_defaults=True)),
                        )
                    )
                    for id_, one in flow.nodes.items()
                ),
                *map(str, flow.wires),
            ]
        return "\n".join((*lines, str(self.given)))


Draw = Callable[[int, int], int]
"""Some number between two, either of which it may be."""


@dataclass
class Builder:
    """Grows one flow."""

    draw: Draw
    nodes: dict[NodeId, Node] = field(default_factory=dict[NodeId, Node])
    wires: list[Wire] = field(default_factory=list[Wire])
    raw: list[Wire] = field(default_factory=list[Wire])
    """Wires that are kept whatever is wrong with them."""
    lenders: list[str] = field(default_factory=list[str])
    room: int = 18
    """How many more nodes there may be."""
    wanted: list[str] = field(default_factory=list[str])
    """Structures to come next, each in the body of the one before."""
    flows: dict[str, Flow] = field(default_factory=dict[str, Flow])
    """The flows that may be called."""
    own_name: str = ""
    """What it is called by, if it is called."""
    first_number: int = 0
    is_calm: bool = False
    """Whether its probes only do what they are for."""
    salt: str = ""

    def one_of(self, *things: object) -> object:
        """Any of the things."""
        return things[self.draw(0, len(things) - 1)]

    def happens(self, of_ten: int) -> bool:
        """True as often as that."""
        return self.draw(0, 9) < of_ten

    def add(self, kind: str, settings: dict[str, object] | None = None, **run: object) -> str:
        """Add a node; its name tells its kind."""
        stem = kind.partition(".")[2]
        name = f"{stem}_{self.first_number + len(self.nodes)}"
        given = dict(settings or {})
        if kind.startswith("test."):
            given["name"] = name
        if kind in {"test.scatter", "test.giver"}:
            del given["name"]
        self.nodes[NodeId(name)] = Node(kind=kind, settings=given, run=RunSettings(**run))  # type: ignore[arg-type]
        self.room -= 1
        return name

    def join(self, source: str, target: str, index: int | None = None) -> None:
        """Draw a wire between two sockets, `node.port`."""
        ends = [Socket(NodeId(node), PortName(port)) for node, port in (source.split("."), target.split("."))]
        self.wires.append(Wire(ends[0], ends[1], index))

    def flow(self) -> Flow:
        """The flow as it stands; a second wire into a single input is left out."""
        kept: dict[tuple[Socket, int | None], Wire] = {}
        seen: set[tuple[Socket, Socket]] = set()
        for wire in self.wires:
            many = wire.target.port in {"after", "also", *LISTS}
            place = (wire.target, len(kept) if many else None)
            if place not in kept and (wire.source, wire.target) not in seen:
                index = wire.index if wire.target.port in LISTS else None
                if wire.target.port == "also":
                    index = len(kept)
                kept[place] = Wire(wire.source, wire.target, index)
                seen.add((wire.source, wire.target))
        ordered = sorted([*kept.values(), *self.raw], key=lambda wire: wire.sort_key)
        return Flow("random", "", self.nodes, tuple(ordered))

    # --- structures: each takes a text socket, and gives one ---------------------------------------------

    def probe(self, feed: str, around: list[str]) -> str:
        """A step, which may also use something from further out."""
        settings, run = self.troubles()
        name = self.add("test.probe", settings, **run)
        if self.happens(1) and self.happens(5) and not self.is_calm:
            self.type_in(name, "one", "typed instead of a wire")
        else:
            self.join(feed, f"{name}.one")
        self.beside(name, around)
        if self.happens(1):
            return self.caught(f"{name}.text")
        if run.get("on_error") == "output":
            after = self.add("test.probe", {})
            self.join(f"{name}.error", f"{after}.one")
            either = self.add("control.merge")
            self.join(f"{name}.text", f"{either}.values", 0)
            self.join(f"{after}.text", f"{either}.values", 1)
            name = self.add("test.probe", {})
            self.join(f"{either}.value", f"{name}.one")
        return f"{name}.text"

    def troubles(self) -> tuple[dict[str, object], dict[str, object]]:
        """What may happen to a probe, and what is done about it: its settings, and those of its run."""
        settings: dict[str, object] = {"turns": self.draw(0, 3)}
        run: dict[str, object] = {}
        if self.is_calm:
            return settings, run
        if self.happens(2):
            settings["gives_nothing"] = 30
        if self.happens(2):
            settings["fails"] = 25
            run["on_error"] = self.one_of("fail", "fail", "output", "default")
            run["retries"] = self.one_of(0, 0, 0, 1)
        elif self.happens(1):
            settings["flaky"] = self.draw(1, 2)
            run["retries"] = 2
        if "flaky" not in settings and self.happens(2):
            seconds = settings["seconds"] = 100 * self.draw(1, 900)
            if self.happens(6):
                run["time_limit"] = seconds + int(str(self.one_of(50, -50)))
                run["on_error"] = self.one_of("fail", "output", "default")
        if run.get("on_error") == "default":
            run["default"] = {"text": "777"}
        if self.happens(1) and self.happens(6):
            run["state"] = self.one_of("muted", "bypassed")
        return settings, run

    def type_in(self, node: str, port: str, value: object) -> None:
        """Type a value at a port."""
        record = self.nodes[NodeId(node)]
        inputs = {**record.inputs, PortName(port): value}
        self.nodes[NodeId(node)] = record.model_copy(update={"inputs": inputs})

    def beside(self, node: str, around: list[str]) -> None:
        """What else a probe reads, or only waits for."""
        if around and self.happens(4):
            self.join(str(self.one_of(*around)), f"{node}.two")
        elif self.happens(1):
            self.type_in(node, "two", self.one_of(7, [True, None], {"typed": "at the port"}))
        if around and self.happens(1):
            self.join(str(self.one_of(*around)), f"{node}.said")
        if around and self.happens(1):
            self.join(str(self.one_of(*around)), f"{node}.after")

    def caught(self, feed: str) -> str:
        """A catch, and a step for each of its ways."""
        catch = self.add("control.catch")
        self.join(feed, f"{catch}.value")
        last = self.add("test.probe")
        self.type_in(last, "one", "typed at the port")
        self.join(f"{catch}.error", f"{last}.parts", 1)
        self.join(f"{catch}.value", f"{last}.parts", 0)
        return f"{last}.text"

    def branch(self, feed: str, around: list[str]) -> str:
        """Two ways that may come together again."""
        fork = self.add("control.branch", {"cases": CASES})
        self.join(feed, f"{fork}.value")
        ways = [self.probe(f"{fork}.{way}", around) for way in ("yes", "no")]
        if self.happens(3):
            return str(self.one_of(*ways))
        either = self.add("control.merge", {"gives": self.one_of("first", "first", "all")})
        for index, way in enumerate(ways):
            self.join(way, f"{either}.values", index)
        last = self.add("test.probe", {})
        self.join(f"{either}.value", f"{last}.one")
        if self.happens(8):
            self.join(str(self.one_of(*ways)), f"{last}.two")
        return f"{last}.text"

    def delay(self, feed: str) -> str:
        """A while, which is unlike all others."""
        node = self.add("control.delay", {"seconds": 100 * self.draw(1, 860)})
        self.join(feed, f"{node}.value")
        return f"{node}.value"

    def race(self, feed: str, around: list[str], depth: int) -> str:
        """Some that start together, and are not as quick as one another."""
        inner = [*around, feed]
        lanes: list[str] = []
        is_lost = self.happens(2)
        for _ in range(self.draw(2, 3)):
            lane = self.lane(feed, inner, depth)
            if is_lost:
                lost = self.add("test.probe", {str(self.one_of("fails", "gives_nothing")): 100})
                self.join(lane, f"{lost}.one")
                lane = f"{lost}.text"
            lanes.append(self.delay(lane) if self.happens(2) else lane)
        node = self.add("control.race", {})
        for index, lane in enumerate(dict.fromkeys(lanes)):
            self.join(lane, f"{node}.values", index)
        if self.happens(1):
            self.join(str(self.one_of(*inner)), f"{node}.after")
        if self.happens(1):
            self.probe(str(self.one_of(*lanes)), around)  # one that leads elsewhere as well
        if self.happens(2):
            return self.caught(f"{node}.value")
        return self.probe(f"{node}.value", around)

    def lane(self, feed: str, inner: list[str], depth: int) -> str:
        """One of those that race."""
        lane = self.delay(feed) if self.happens(9) else feed
        kinds = [
            "none",
            "probe",
            "probe",
            "ask",
            "retry",
            *(["loop", "each"] if depth > 0 and self.room > 6 else []),
        ]
        wanted = self.wanted.pop(0) if self.wanted else ""
        match wanted or self.one_of(*kinds):
            case "loop":
                lane = self.loop(lane, inner, depth - 1)
            case "each":
                lane = self.each(lane, inner, depth - 1)
            case "race":
                lane = self.race(lane, inner, depth - 1)
            case "ask" | "convert" | "retry" | "call" as simple:
                lane = getattr(self, simple)(lane)
            case "none":
                pass
            case _:
                lane = self.probe(lane, inner)
        return lane

    def ask(self, feed: str) -> str:
        """Somebody who asks a chat, and may use a tool."""
        node = self.add("test.asker", {"asks": self.draw(0, 2)})
        self.join(feed, f"{node}.one")
        if self.happens(6):
            self.join(f"{self.lender()}.tool", f"{node}.tools", 0)
        return f"{node}.text"

    def lender(self) -> str:
        """Somebody who lends a tool, which may refuse some words."""
        if not self.lenders or self.happens(4):
            self.lenders.append(self.lending(int(str(self.one_of(0, 60, 95)))))
        return str(self.one_of(*self.lenders))

    def lending(self, fails: int) -> str:
        """A node that lends a tool, which refuses or fails at that many words of a hundred."""
        effect = self.one_of("pure", "paid_read", "side_effect")
        return self.add("test.lender", {"effect": effect, "fails": fails})

    def retry(self, feed: str) -> str:
        """Somebody who asks one tool after the other, until one of them answers."""
        settings = {"attempts": self.draw(1, 2), "pause": 100 * self.draw(0, 9)}
        run: dict[str, object] = {}
        if self.happens(3):
            run["on_error"] = self.one_of("output", "default")
        if run.get("on_error") == "default":
            run["default"] = {"result": "777"}
        node = self.add("control.retry", settings, **run)
        self.join(feed, f"{node}.input")
        lenders = [self.lender() for _ in range(self.draw(1, 2))]
        if self.happens(5):  # one that mostly fails before all others, and one that never does after them
            lenders = [self.lending(95), *lenders, self.lending(0)]
        for place, lender in enumerate(lenders):
            self.join(f"{lender}.tool", f"{node}.tools", place)
        if self.happens(3):
            return self.caught(f"{node}.result")
        last = self.add("test.probe")
        self.join(f"{node}.result", f"{last}.one")
        self.join(f"{node}.used", f"{last}.two")
        return f"{last}.text"

    def write(self, feed: str) -> str:
        """A step that changes the world."""
        node = self.add("test.writer")
        self.join(feed, f"{node}.one")
        return f"{node}.text"

    def convert(self, feed: str) -> str:
        """One value of each type, and a step that wants other types."""
        giver, taker = self.add("test.giver"), self.add("test.taker")
        self.join(feed, f"{giver}.one")
        gifts = ["text", "number", "flag", "json", "thing", "message"]
        fitting = {
            "text": gifts,
            "number": ["number", "json", "thing"],
            "flag": ["flag", "json", "thing"],
            "json": [*gifts, "texts", "numbers"],
            "texts": ["text", "number", "flag", "message", "texts", "numbers"],
            "message": ["message", "text", "thing"],
            "last": gifts,
        }
        sure = {"json", "thing"} if self.happens(3) else set[str]()  # what is checked on arrival seldom fits
        for port, found in fitting.items():
            offered = [one for one in found if one not in sure or port in {"json", "last"}]
            if not self.happens(5):
                continue
            self.join(f"{giver}.{self.one_of(*offered)}", f"{taker}.{port}", 0)
            if port == "texts" and self.happens(5):
                self.join(f"{giver}.{self.one_of(*offered)}", f"{taker}.{port}", 1)
        self.join(f"{giver}.text", f"{taker}.after")
        return f"{taker}.text"

    def loop(self, feed: str, around: list[str], depth: int) -> str:
        """A loop around a body."""
        node = self.add(
            "control.loop",
            {
                "max_rounds": self.draw(1, 3),
                "stop_when": self.one_of("", "", "round == 2", "again > '400'"),
                "on_limit": self.one_of("take the last", "take the last", "take the last", "fail"),
                "rounds_kept": self.one_of(10_000, 10_000, 0, 1, 2),
            },
        )
        self.join(feed, f"{node}.start")
        inner = [*around, f"{node}.value", f"{node}.round"]
        last = self.body(f"{node}.value", inner, depth)
        way = self.one_of("again", "again", "done", "both", "round")
        if way == "both":
            fork = self.add("control.branch", {"cases": CASES})
            self.join(last, f"{fork}.value")
            self.join(f"{fork}.yes", f"{node}.done")
            self.join(f"{fork}.no", f"{node}.again")
        elif way == "round":  # a number, which has to become a text
            self.join(f"{node}.round", f"{node}.again")
            self.join(last, f"{node}.also")
        else:
            self.join(last, f"{node}.{way}")
        if self.happens(2):
            aside = self.probe(f"{node}.round", inner)
            self.join(aside, f"{node}.also")
        if self.happens(2):
            self.probe(f"{node}.value", around)  # it leads to no exit, so it runs once, after the loop
        if self.happens(2):
            return self.probe(f"{node}.history", around)
        return f"{node}.result"

    def lists(self, feed: str, around: list[str], depth: int) -> str:
        """A map over several lists."""
        return self.each(feed, around, depth, beside_of_ten=10)

    def each(self, feed: str, around: list[str], depth: int, *, beside_of_ten: int = 2) -> str:
        """A map around a body."""
        if self.happens(2) and around:
            given, feed = feed, str(self.one_of(*around))  # a list from outside, the same in every round
        else:
            given = ""
        listed = self.add("test.scatter", {"most": self.draw(1, 3)})
        self.join(feed, f"{listed}.one")
        node = self.add("control.for_each", {"at_once": self.draw(1, 3)})
        self.join(f"{listed}.texts", f"{node}.items")
        inner = [*around, f"{node}.item", f"{node}.index"]
        if self.happens(beside_of_ten):
            self.beside_items(node, listed)
            inner.append(f"{node}.others_item")
        last = self.body(f"{node}.item", inner, depth)
        collect = self.collect(last)
        other = self.collect(self.probe(f"{node}.index", inner)) if self.happens(3) else ""
        if self.happens(2):
            self.probe(f"{node}.item", inner)  # a step that nothing collects
        port = self.one_of("values", "values", "kept")
        last = self.probe(f"{collect}.{port}", around)
        if given:
            self.join(given, last.replace(".text", ".said"))
        if other:
            self.join(f"{other}.values", last.replace(".text", ".parts"), 7)
        return last

    def beside_items(self, node: str, listed: str) -> None:
        """A second list for a map, now and then one that is longer or shorter than the first."""
        self.nodes[NodeId(node)].settings["more"] = ["others"]
        if self.happens(5):
            other = self.add("test.scatter", {"most": self.draw(1, 3)})
            self.join(f"{listed}.texts", f"{other}.one")
            self.join(f"{other}.texts", f"{node}.others")
        else:
            self.join(f"{listed}.texts", f"{node}.others")

    def call(self, feed: str) -> str:
        """A step that runs another flow, or the one that it stands in."""
        if self.own_name and self.happens(6):
            return self.recur(feed)
        known = [name for name in self.flows if name > self.own_name]
        if len(self.flows) < 3 and (not known or self.happens(6)):
            known = [self.called_flow()]
        return (
            self.calling(feed, str(self.one_of(*known)) if known else "") if known else self.probe(feed, [])
        )

    def calling(self, feed: str, flow: str) -> str:
        """A step that runs the flow of that name, and what is done when that fails."""
        settings: dict[str, object] = {"flow": flow, "max_depth": (1, 1, 2, 3)[self.lot(4)]}
        run: dict[str, object] = {}
        if self.lot(5) < 2:
            run["on_error"] = ("output", "default")[self.lot(2)]
        if run.get("on_error") == "default":
            run["default"] = {"gives": "777"}
        if self.happens(2):
            run["retries"] = 1
        elif self.happens(4):
            run["time_limit"] = 100 * self.draw(1, 300) + 25
        node = self.add("control.subflow", settings, **run)
        self.join(feed, f"{node}.given")
        if self.happens(2):
            return self.caught(f"{node}.gives")
        return f"{node}.gives"

    def recur(self, feed: str) -> str:
        """A flow that calls itself, for some of what it is given."""
        rules = [{"label": "Yes", "when": "not endswith(value, '4')"}, {"label": "No"}]
        fork = self.add("control.branch", {"cases": rules})
        self.join(feed, f"{fork}.value")
        deeper = self.calling(f"{fork}.yes", self.own_name)
        either = self.add("control.merge")
        self.join(deeper, f"{either}.values", 0)
        self.join(f"{fork}.no", f"{either}.values", 1)
        return f"{either}.value"

    def recursion(self, feed: str) -> str:
        """A step that runs a flow that calls itself."""
        return self.calling(feed, self.called_flow("recur") if len(self.flows) < 3 else min(self.flows))

    def failing(self, feed: str) -> str:
        """A step that runs a flow in which something fails."""
        return self.calling(feed, self.called_flow("stumble") if len(self.flows) < 3 else min(self.flows))

    def repeating(self, feed: str) -> str:
        """A step that runs a flow with a loop or map."""
        name = self.called_flow(("loop", "each")[self.lot(2)]) if len(self.flows) < 3 else min(self.flows)
        return self.calling(feed, name)

    def stumble(self, feed: str) -> str:
        """A step that mostly fails."""
        node = self.add("test.probe", {"fails": 75})
        self.join(feed, f"{node}.one")
        return self.caught(f"{node}.text") if self.lot(2) else f"{node}.text"

    def called_flow(self, *wanted: str) -> str:
        """A flow with one input and one output, which may call itself and those that come after it."""
        name = f"called_{len(self.flows)}.json"
        self.flows[name] = Flow("called", "", {}, ())  # taken, until it is there
        number = 100 * len(self.flows)
        inner = Builder(self.draw, room=7, flows=self.flows, own_name=name, first_number=number)
        inner.is_calm = bool(wanted) or self.lot(3) > 0
        inner.salt = f"{self.salt}{self.nodes}"
        inner.nodes[NodeId("given")] = Node(kind="io.flow_input", settings={"type": "text"})
        inner.nodes[NodeId("gives")] = Node(kind="io.flow_output")
        some = ("call", "each", "loop", "race", "branch")[self.lot(5)]
        inner.wanted = list(wanted or (some,))
        last = inner.probe(inner.body("given.value", ["given.value"], 1), [])
        inner.join(last, "gives.value")
        self.flows[name] = inner.flow()
        return name

    def collect(self, feed: str) -> str:
        """The end of a map."""
        settings = {
            "failed": self.one_of("fail", "drop", "keep"),
            "absent": self.one_of("drop", "drop", "null", "fail"),
        }
        node = self.add("control.collect", settings)
        self.join(feed, f"{node}.value")
        return node

    def body(self, feed: str, around: list[str], depth: int) -> str:
        """Some structures one after the other."""
        last = self.probe(feed, around)
        for _ in range(max(len(self.wanted[:1]), self.draw(0, 2))):
            if self.room < 4 and not self.wanted:
                break
            around = [*around, last]
            kinds = ["step", "branch", "convert", "delay", "ask", "write", "retry", "call"]
            kinds += ["loop", "each", "loop", "each", "race"] if depth > 0 else []
            match self.wanted.pop(0) if self.wanted else self.one_of(*kinds):
                case "loop":
                    last = self.loop(last, around, depth - 1)
                case "each" | "lists" as area:
                    last = getattr(self, area)(last, around, depth - 1)
                case "race":
                    last = self.race(last, around, depth - 1)
                case "branch":
                    last = self.branch(last, around)
                case (
                    "convert"
                    | "delay"
                    | "ask"
                    | "write"
                    | "retry"
                    | "call"
                    | "recursion"
                    | "failing"
                    | "repeating" as simple
                ):
                    last = getattr(self, simple)(last)
                case "recur" | "stumble" as simple:
                    last = getattr(self, simple)(last)
                case _:
                    last = self.probe(last, around)
        return last

    # --- what breaks the rules --------------------------------------------------------------------------

    def mischief(self, feed: str) -> None:
        """A structure that no reading of the rules allows, each as often as any other."""
        getattr(self, MISCHIEFS[self.lot(len(MISCHIEFS))])(feed)

    def lot(self, most: int) -> int:
        """One of so many numbers, each as often as any other: what is drawn comes in clumps."""
        return zlib.crc32(f"{self.salt}{self.nodes} {self.wires}".encode()) // 7 % most

    def crosswise(self, feed: str) -> None:
        """Two loops, each of which waits for a step inside the other."""
        loops = [self.add("control.loop") for _ in range(2)]
        bodies: list[list[str]] = []
        for loop in loops:
            self.join(feed, f"{loop}.start")
            first = self.probe(f"{loop}.value", [])
            last = self.add("test.probe")
            self.join(first, f"{last}.one")
            self.join(f"{last}.text", f"{loop}.again")
            bodies.append([first, last])
        self.join(bodies[0][0], f"{bodies[1][1]}.two")
        self.join(bodies[1][0], f"{bodies[0][1]}.two")

    def overlap(self, feed: str) -> None:
        """Two maps whose items meet in one step."""
        items = [f"{self.scattered(feed)}.item" for _ in range(2)]
        meeting = self.probe(items[0], [])
        self.join(items[1], meeting.replace(".text", ".parts"), 0)
        inner = self.collect(meeting)
        self.collect(f"{inner}.values")

    def cycle(self, feed: str) -> None:
        """Steps that wait for one another, without a loop."""
        first = self.probe(feed, [])
        last = self.probe(first, [])
        self.join(last, first.replace(".text", ".parts"), 0)

    def uncollected(self, feed: str) -> None:
        """A map without a collect."""
        self.probe(f"{self.scattered(feed)}.item", [])

    def given_out(self, feed: str) -> None:
        """A flow output that would get a value for each item."""
        each = self.scattered(feed)
        inner = self.probe(f"{each}.item", [])
        self.collect(inner)
        end = self.add("io.flow_output")
        self.join(inner, f"{end}.value")

    def item_and_list(self, feed: str) -> None:
        """A step that uses one item, and the list of what came of all of them."""
        each = self.scattered(feed)
        collect = self.collect(self.probe(f"{each}.item", []))
        both = self.probe(f"{each}.item", [])
        self.join(f"{collect}.values", both.replace(".text", ".parts"), 0)

    def stray(self, feed: str) -> None:
        """A collect where nothing was scattered."""
        self.collect(feed)

    def leak(self, feed: str) -> None:
        """A map in a loop, whose single items reach the loop's end."""
        loop = self.add("control.loop")
        self.join(feed, f"{loop}.start")
        inner = self.probe(f"{self.scattered(f'{loop}.value')}.item", [])
        self.collect(inner)
        self.join(inner, f"{loop}.again")

    def odd(self, source: str, target: str, index: int | None = None) -> None:
        """A wire that is kept whatever is wrong with it."""
        self.join(source, target, index)
        self.raw.append(self.wires.pop())

    def misfit(self, feed: str) -> None:
        """A wire between types of which neither becomes the other."""
        giver, taker = self.add("test.giver"), self.add("test.taker")
        self.join(feed, f"{giver}.one")
        pairs = [
            ("text", "number"),
            ("texts", "text"),
            ("message", "flag"),
            ("then", "text"),
            ("flag", "number"),
        ]
        source, target = self.one_of(*pairs)  # type: ignore[misc]
        self.odd(f"{giver}.{source}", f"{taker}.{target}")

    def unfed(self, feed: str) -> None:
        """A step that lacks what it needs."""
        probe = self.add("test.probe")
        self.join(feed, f"{probe}.two")

    def crowded(self, feed: str) -> None:
        """Two wires into an input that takes one."""
        probe = self.probe(feed, []).replace(".text", ".two")
        for _ in range(2):
            self.odd(self.probe(feed, []), probe)

    def same_place(self, feed: str) -> None:
        """Two wires at the same place of a list."""
        either = self.add("control.merge")
        for _ in range(2):
            self.odd(self.probe(feed, []), f"{either}.values", 4)

    def unknown(self, feed: str) -> None:
        """A kind that is not installed."""
        self.odd(feed, f"{self.add('strange.kind')}.one")

    def dangling(self, feed: str) -> None:
        """A wire to a node that is not there."""
        self.odd(feed, "nobody.one")

    def no_such_port(self, feed: str) -> None:
        """A wire to a port that is not there."""
        self.odd(feed, self.probe(feed, []).replace(".text", ".nothing"))

    def senseless(self, feed: str) -> None:
        """Settings that do not fit."""
        self.odd(feed, f"{self.add('control.loop', {'max_rounds': 0})}.start")

    def scattered(self, feed: str) -> str:
        """A for-each over a list made from a text."""
        listed = self.add("test.scatter")
        self.join(feed, f"{listed}.one")
        each = self.add("control.for_each")
        self.join(f"{listed}.texts", f"{each}.items")
        return each

    def cross(self) -> None:
        """A wire between any two nodes, order or data, mostly in the direction of the flow."""
        names = [str(one) for one in self.nodes]
        source = str(self.one_of(*names))
        if self.happens(8):
            names = names[names.index(source) + 1 :]
        probes = [one for one in names if one.startswith("probe")]
        waiting = [one for one in names if not one.startswith("collect")]
        if not probes:
            return
        if self.happens(3):
            self.join(f"{source}.then", f"{self.one_of(*waiting)}.after")
            return
        ports = {
            "probe": ["text"],
            "merge": ["value"],
            "branch": ["yes", "no"],
            "scatter": ["texts"],
            "loop": ["value", "round", "result", "history"],
            "for_each": ["item", "index"],
            "retry": ["result", "used"],
            "subflow": ["gives"],
            "collect": ["values", "kept"],
            "flow_input": ["value"],
            "race": ["value"],
            "delay": ["value"],
            "asker": ["text"],
            "writer": ["text"],
            "taker": ["text"],
            "giver": ["text", "texts"],
        }.get(source.rpartition("_")[0], ["then"])
        port = self.one_of(*ports)
        if port == "then":
            self.join(f"{source}.then", f"{self.one_of(*waiting)}.after")
            return
        end = self.one_of("two", "parts", "also")
        loops = [one for one in names if one.startswith("loop")]
        if end == "also" and loops:
            self.join(f"{source}.{port}", f"{self.one_of(*loops)}.also")
        elif end == "parts":
            self.join(f"{source}.{port}", f"{self.one_of(*probes)}.parts", len(self.wires))
        else:
            self.join(f"{source}.{port}", f"{self.one_of(*probes)}.two")


def case_of(
    draw: Draw, most_crossings: int = 0, of_ten_broken: int = 0, nesting: tuple[str, ...] | None = None
) -> Case:
    """A flow with nested regions, up to that many wires across, and broken on purpose that often."""
    builder = Builder(draw, wanted=list(NESTINGS[draw(0, len(NESTINGS) - 1)] if nesting is None else nesting))
    builder.is_calm = builder.wanted[:1] in (["call"], ["recursion"], ["failing"], ["repeating"])
    start = builder.add("io.flow_input", {"type": "text"})
    last = builder.body(f"{start}.value", [f"{start}.value"], 3)
    end = builder.add("io.flow_output")
    builder.join(last, f"{end}.value")
    if of_ten_broken and builder.happens(of_ten_broken):
        builder.mischief(f"{start}.value")
    for _ in range(draw(0, most_crossings)):
        builder.cross()
    return Case(builder.flow(), {start: str(draw(100, 199))}, builder.flows)


@st.composite
def cases(draw: st.DrawFn, most_crossings: int = 0, of_ten_broken: int = 0) -> Case:
    """Random flows; evenly drawn, except where a flow that fails is to shrink."""
    if Phase.shrink in PHASES:
        return case_of(lambda low, high: draw(st.integers(low, high)), most_crossings, of_ten_broken)
    return case_of(Random(draw(st.integers(0, 2**48))).randint, most_crossings, of_ten_broken)  # noqa: S311  # no secret
