"""Where values come from, in random flows: the words that a text is made of say it themselves."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from studio.flow.records import Flow
from studio.flow.structure.regions import region_tree
from studio.flow.subflows.calls import GivenFlows
from studio.trace.events.values import Values
from studio.trace.lineage.provenance import Provenance
from studio.trace.lineage.sources import Beginning
from studio.trace.lineage.wire_sources import Spot
from tests.runtime.bench import REGISTRY, flow_of, run
from tests.runtime.called import calls

MARKED = flow_of(
    {
        "text": "io.flow_input",
        "mark": ("io.flow_input", {"default": "!"}),
        "join": ("text.join", {"separator": " "}),
        "loud": "io.flow_output",
    },
    ["text.value -> join.parts[0]", "mark.value -> join.parts[1]", "join.text -> loud.value"],
)
FLOWS = {"marked.json": MARKED}
WORDS = ("ash", "birch", "cedar", "date", "elm")


@dataclass
class Drawing:
    """A flow that grows: sockets in a pool give texts whose words tell of all that they were made of."""

    draw: st.DrawFn
    nodes: dict[str, Any] = field(default_factory=dict[str, Any])
    wires: list[str] = field(default_factory=list[str])

    def add(self, kind: Any) -> str:
        """Add a node and name it."""
        name = f"n{len(self.nodes)}"
        self.nodes[name] = kind
        return name

    def joined(self, *sockets: str) -> str:
        """A text of all these, in this order."""
        name = self.add(("text.join", {"separator": " "}))
        self.wires += [f"{one} -> {name}.parts[{at}]" for at, one in enumerate(sockets)]
        return f"{name}.text"

    def some(self, pool: list[str], most: int = 3) -> list[str]:
        """Some of the pool."""
        return self.draw(st.lists(st.sampled_from(pool), min_size=1, max_size=most))

    def grow(self, pool: list[str], depth: int) -> list[str]:
        """Add a few nodes that read from the pool; gives the pool with what they give."""
        pool = list(pool)
        kinds = ["join", "choose", "call"] + (["loop", "map"] * 2 if depth else [])
        for kind in self.draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3)):
            pool += getattr(self, f"_{kind}")(pool, depth)
        return pool

    def _join(self, pool: list[str], _depth: int) -> list[str]:
        return [self.joined(*self.some(pool))]

    def _call(self, pool: list[str], _depth: int) -> list[str]:
        name = self.add(calls("marked.json"))
        self.wires.append(f"{self.joined(*self.some(pool))} -> {name}.text")
        if self.draw(st.booleans()):
            self.wires.append(f"{self.joined(*self.some(pool))} -> {name}.mark")
        return [f"{name}.loud"]

    def _choose(self, pool: list[str], _depth: int) -> list[str]:
        word = self.draw(st.sampled_from(WORDS))
        name = self.add(("control.branch", {"cases": [{"label": "has it", "when": f"'{word}' in value"}]}))
        self.wires.append(f"{self.draw(st.sampled_from(pool))} -> {name}.value")
        one, other = self.joined(f"{name}.has_it", *self.some(pool)), self.joined(f"{name}.otherwise")
        merge = self.add("control.merge")
        self.wires += [f"{one} -> {merge}.values[0]", f"{other} -> {merge}.values[1]"]
        return [f"{merge}.value"]

    def _loop(self, pool: list[str], depth: int) -> list[str]:
        name = self.add(("control.loop", {"max_rounds": self.draw(st.integers(1, 3))}))
        self.wires.append(f"{self.draw(st.sampled_from(pool))} -> {name}.start")
        inner = self.grow([*pool, self.joined(f"{name}.value"), self.joined(f"{name}.round")], depth - 1)
        end = self.joined(inner[-1], f"{name}.value", *self.some(inner))
        self.wires.append(f"{end} -> {name}.again")
        if self.draw(st.booleans()):
            word = self.draw(st.sampled_from(WORDS))
            check = self.add(
                ("control.branch", {"cases": [{"label": "has it", "when": f"'{word}' in value"}]})
            )
            self.wires += [f"{end} -> {check}.value", f"{check}.has_it -> {name}.done"]
        return [f"{name}.result", end]

    def _map(self, pool: list[str], depth: int) -> list[str]:
        items = self.add(("control.merge", {"gives": "all"}))
        parts = self.some(pool, 4)
        self.wires += [f"{one} -> {items}.values[{at}]" for at, one in enumerate(parts)]
        name, collect = self.add("control.for_each"), self.add("control.collect")
        inner = self.grow([*pool, self.joined(f"{name}.item"), self.joined(f"{name}.index")], depth - 1)
        end = self.joined(f"{name}.item", *self.some(inner))
        self.wires += [f"{items}.value -> {name}.items", f"{end} -> {collect}.value"]
        return [self.joined(f"{collect}.values")]


@st.composite
def drawn_flows(draw: st.DrawFn) -> Flow:
    """Flows with loops, maps, branches and calls in one another."""
    drawing = Drawing(draw)
    pool = [f"{drawing.add(('io.flow_input', {'default': word}))}.value" for word in WORDS]
    drawing.grow(pool, 2)
    return flow_of(drawing.nodes, drawing.wires)


def _words(value: object) -> set[str]:
    if isinstance(value, list):
        return {word for one in cast("list[object]", value) for word in _words(one)}
    return set(str(value).split())


def _said(provenance: Provenance, spot: Spot) -> set[str]:
    """The words of all that a value began with."""
    found: set[str] = set()
    for source in provenance.beginnings(spot):
        assert source.beginning in {Beginning.GIVEN, Beginning.NUMBER, Beginning.TYPED}, source
        if source.beginning is Beginning.TYPED:
            found.add("!")  # the default of what the called flow is given
        else:
            shown = provenance.value(source.spot)
            assert shown is not None, source
            found |= _words(shown.data)
    return found


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(drawn_flows())
def test_all_that_a_text_is_made_of_is_found_and_nothing_else(flow: Flow) -> None:
    assume(not region_tree(flow, REGISTRY).problems)
    ran = asyncio.run(run(flow, flows=FLOWS))
    provenance = Provenance(ran.state, flow, REGISTRY.with_flows(GivenFlows(FLOWS)))
    for step in ran.state.steps.values():
        sides: Sequence[tuple[Literal["input", "output"], Values]] = (
            ("input", step.inputs),
            ("output", step.outputs),
        )
        for side, values in sides:
            for port, shown in values.items():
                if port in {"kept", "after"}:
                    continue
                assert _said(provenance, Spot(step.id, side, port)) == _words(shown.data)
