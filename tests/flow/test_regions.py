from itertools import combinations

from hypothesis import given, settings

from studio.flow.checks.check import check
from studio.flow.records import Flow
from studio.flow.structure.regions import Region, RegionTree, region_tree
from studio.ids import NodeId
from tests.examples import examples
from tests.flow.builders import LIBRARY, flow, review
from tests.flow.strategies import nested_flows, wired_flows


def tree_of(some: Flow) -> RegionTree:
    return region_tree(some, LIBRARY)


def drawn(region: Region) -> dict[str, object]:
    """A region as its direct steps and, by owner, what lies in it."""
    return {"steps": sorted(region.direct)} | {str(one.owner): drawn(one) for one in region.children}


def codes(some: Flow) -> list[str]:
    return [one.code for one in tree_of(some).problems]


def blamed(some: Flow) -> list[list[str]]:
    return [[str(wire) for wire in one.wires] for one in tree_of(some).problems]


def test_a_loop_stands_in_its_parent_and_its_body_in_the_loop() -> None:
    tree = tree_of(review())
    assert tree.problems == ()
    assert drawn(tree.root) == {
        "steps": ["answer", "question", "rounds"],
        "rounds": {"steps": ["critic", "verdict", "writer"]},
    }
    assert tree.of(NodeId("rounds")) is tree.root
    assert tree.of(NodeId("critic")).owner == "rounds"
    assert tree.of(NodeId("files")) is tree.root


def test_a_map_has_its_sinks_and_several_collects() -> None:
    some = flow(
        {
            "split": "text.split",
            "each": "control.for_each",
            "up": "text.upper",
            "log": "text.write",
            "loud": "control.collect",
            "plain": "control.collect",
            "join": "text.join",
        },
        "split.parts -> each.items[0]",
        "each.item -> up.text",
        "each.item -> log.text",
        "up.text -> loud.item",
        "each.item -> plain.item",
        "loud.items -> join.parts[0]",
        "plain.items -> join.parts[1]",
    )
    tree = tree_of(some)
    assert tree.problems == ()
    assert drawn(tree.root) == {
        "steps": ["each", "join", "loud", "plain", "split"],
        "each": {"steps": ["log", "up"]},
    }
    assert tree.root.children[0].collects == ("loud", "plain")


def nested_maps() -> Flow:
    return flow(
        {
            "split": "text.split",
            "outer": "control.for_each",
            "words": "text.split",
            "inner": "control.for_each",
            "up": "text.upper",
            "first": "control.collect",
            "join": "text.join",
            "last": "control.collect",
        },
        "split.parts -> outer.items[0]",
        "outer.item -> words.text",
        "words.parts -> inner.items[0]",
        "inner.item -> up.text",
        "up.text -> first.item",
        "first.items -> join.parts[0]",
        "join.text -> last.item",
    )


def test_a_collect_closes_the_innermost_map() -> None:
    tree = tree_of(nested_maps())
    assert tree.problems == ()
    assert drawn(tree.root) == {
        "steps": ["last", "outer", "split"],
        "outer": {"steps": ["first", "inner", "join", "words"], "inner": {"steps": ["up"]}},
    }
    assert {"up", "inner", "first"} < tree.root.children[0].body


def test_a_loop_in_a_map_and_a_map_in_a_loop() -> None:
    some = flow(
        {
            "split": "text.split",
            "each": "control.for_each",
            "rounds": "control.loop",
            "words": "text.split",
            "inner": "control.for_each",
            "up": "text.upper",
            "log": "text.write",
            "collect": "control.collect",
            "join": "text.join",
            "all": "control.collect",
        },
        "split.parts -> each.items[0]",
        "each.item -> rounds.start",
        "rounds.value -> words.text",
        "words.parts -> inner.items[0]",
        "inner.item -> up.text",
        "inner.item -> log.text",
        "up.text -> collect.item",
        "collect.items -> join.parts[0]",
        "join.text -> rounds.again",
        "rounds.result -> all.item",
    )
    tree = tree_of(some)
    assert tree.problems == ()
    assert drawn(tree.root) == {
        "steps": ["all", "each", "split"],
        "each": {
            "steps": ["rounds"],
            "rounds": {"steps": ["collect", "inner", "join", "words"], "inner": {"steps": ["log", "up"]}},
        },
    }
    assert tree.of(NodeId("log")).depth == 3


def test_a_constant_list_scattered_in_each_round_is_pulled_into_the_loop_whole() -> None:
    some = flow(
        {
            "start": "text.text",
            "parts": "text.split",
            "each": "control.for_each",
            "pair": "text.pair",
            "log": "text.write",
            "collect": "control.collect",
            "join": "text.join",
            "rounds": "control.loop",
        },
        "start.text -> rounds.start",
        "start.text -> parts.text",
        "parts.parts -> each.items[0]",
        "each.item -> pair.one",
        "each.item -> log.text",
        "rounds.value -> pair.two",
        "pair.text -> collect.item",
        "collect.items -> join.parts[0]",
        "join.text -> rounds.again",
    )
    tree = tree_of(some)
    assert tree.problems == ()
    assert drawn(tree.root) == {
        "steps": ["parts", "rounds", "start"],
        "rounds": {"steps": ["collect", "each", "join"], "each": {"steps": ["log", "pair"]}},
    }


def test_a_list_pulled_into_a_loop_that_stands_in_a_map_clashes_with_nothing() -> None:
    some = flow(
        {
            "list": "text.split",
            "zouter": "control.for_each",
            "rounds": "control.loop",
            "ainner": "control.for_each",
            "pair": "text.pair",
            "collect": "control.collect",
            "join": "text.join",
            "all": "control.collect",
        },
        "list.parts -> zouter.items[0]",
        "list.parts -> ainner.items[0]",
        "zouter.item -> rounds.start",
        "rounds.value -> pair.one",
        "ainner.item -> pair.two",
        "pair.text -> collect.item",
        "collect.items -> join.parts[0]",
        "join.text -> rounds.again",
        "rounds.result -> all.item",
    )
    tree = tree_of(some)
    assert tree.problems == ()
    assert drawn(tree.root)["zouter"] == {
        "steps": ["rounds"],
        "rounds": {"steps": ["ainner", "collect", "join"], "ainner": {"steps": ["pair"]}},
    }


def test_an_inner_loop_with_a_start_from_outside_is_pulled_in() -> None:
    some = flow(
        {"t": "text.text", "outer": "control.loop", "inner": "control.loop", "pair": "text.pair"},
        "t.text -> outer.start",
        "t.text -> inner.start",
        "inner.value -> pair.one",
        "outer.value -> pair.two",
        "pair.text -> inner.again",
        "inner.result -> outer.again",
    )
    tree = tree_of(some)
    assert tree.problems == ()
    assert drawn(tree.root) == {
        "steps": ["outer", "t"],
        "outer": {"steps": ["inner"], "inner": {"steps": ["pair"]}},
    }


def test_what_a_body_feeds_without_leading_back_runs_once_after_the_loop() -> None:
    some = flow(
        {
            "t": "text.text",
            "rounds": "control.loop",
            "up": "text.upper",
            "page": "text.upper",
            "log": "text.write",
        },
        "t.text -> rounds.start",
        "rounds.value -> up.text",
        "up.text -> rounds.again",
        "up.text -> page.text",
        "page.text -> log.text",
    )
    tree = tree_of(some)
    assert tree.problems == ()
    assert tree.run_once == {"page", "log"}
    assert tree.fed_by == {"page": "rounds"}
    assert tree.of(NodeId("log")) is tree.root


def test_a_wire_into_also_makes_a_step_run_in_every_round() -> None:
    some = flow(
        {"t": "text.text", "rounds": "control.loop", "up": "text.upper", "page": "text.upper"},
        "t.text -> rounds.start",
        "rounds.value -> up.text",
        "up.text -> rounds.again",
        "up.text -> page.text",
        "page.text -> rounds.also[0]",
    )
    tree = tree_of(some)
    assert tree.run_once == frozenset()
    assert tree.of(NodeId("page")).owner == "rounds"


def test_order_wires_count_and_binding_wires_do_not() -> None:
    some = flow(
        {"t": "text.text", "rounds": "control.loop", "ask": "text.text", "pair": "text.pair"},
        "t.text -> rounds.start",
        "rounds.round -> ask.after",
        "ask.text -> pair.one",
        "pair.text -> rounds.again",
    )
    assert tree_of(some).of(NodeId("ask")).owner == "rounds"
    lent = flow(
        {"a": "llm.agent", "tool": "tools.agent", "b": "llm.agent", "back": "tools.agent", "t": "text.text"},
        "t.text -> a.prompt",
        "a.reply -> b.prompt",
        "a.agent -> tool.agent",
        "tool.tool -> b.tools[0]",
        "b.agent -> back.agent",
        "back.tool -> a.tools[0]",
    )
    assert codes(lent) == []


def test_an_agent_that_is_only_lent_is_no_step() -> None:
    some = flow(
        {"a": "llm.agent", "debate": "team.debate", "t": "text.text"},
        "t.text -> debate.topic",
        "a.agent -> debate.members[0]",
    )
    assert tree_of(some).graph.steps == {"debate", "t"}
    working = flow({"a": "llm.agent", "d": "team.debate"}, "a.agent -> d.members[0]", "a.reply -> d.topic")
    assert tree_of(working).graph.steps == {"a", "d"}


def test_a_cycle_without_a_loop_is_named_with_its_wires() -> None:
    some = flow({"a": "text.upper", "b": "text.upper"}, "a.text -> b.text", "b.text -> a.text")
    assert codes(some) == ["cycle"]
    assert blamed(some) == [["b.text -> a.text", "a.text -> b.text"]]


def test_two_loops_wired_crosswise_are_refused() -> None:
    some = flow(
        {"t": "text.text", "a": "control.loop", "b": "control.loop", "x": "text.upper", "y": "text.upper"},
        "t.text -> a.start",
        "t.text -> b.start",
        "a.value -> x.text",
        "x.text -> b.again",
        "b.value -> y.text",
        "y.text -> a.again",
    )
    assert codes(some) == ["regions-crosswise"]
    assert set(blamed(some)[0]) == {
        "a.value -> x.text",
        "x.text -> b.again",
        "b.value -> y.text",
        "y.text -> a.again",
    }


def test_loops_that_overlap_without_nesting_are_refused() -> None:
    some = flow(
        {"t": "text.text", "a": "control.loop", "b": "control.loop", "x": "text.upper", "m": "control.merge"},
        "t.text -> a.start",
        "a.value -> b.start",
        "b.value -> x.text",
        "x.text -> a.again",
        "x.text -> b.again",
        "b.result -> m.values[0]",
    )
    assert codes(some) == ["regions-crossing"]


def test_two_maps_that_share_a_step_are_refused_unless_one_stands_in_the_other() -> None:
    nodes = {
        "list": "text.split",
        "a": "control.for_each",
        "b": "control.for_each",
        "pair": "text.pair",
        "c": "control.collect",
    }
    wires = (
        "list.parts -> a.items[0]",
        "list.parts -> b.items[0]",
        "a.item -> pair.one",
        "b.item -> pair.two",
        "pair.text -> c.item",
    )
    assert codes(flow(nodes, *wires))[0] == "regions-maps"
    nodes |= {"c2": "control.collect"}
    assert codes(flow(nodes, *wires, "a.index -> b.after", "c.items -> c2.item")) == []


def test_a_flow_output_in_a_map_is_refused() -> None:
    some = flow(
        {"l": "text.split", "a": "control.for_each", "c": "control.collect", "out": "io.flow_output"},
        "l.parts -> a.items[0]",
        "a.item -> c.item",
        "a.item -> out.value",
    )
    assert codes(some) == ["output-in-map"]
    assert blamed(some) == [["a.item -> out.value"]]


def test_one_item_and_the_collected_list_used_together_are_refused() -> None:
    some = flow(
        {
            "l": "text.split",
            "a": "control.for_each",
            "c": "control.collect",
            "d": "text.join",
            "pair": "text.pair",
        },
        "l.parts -> a.items[0]",
        "a.item -> c.item",
        "c.items -> d.parts[0]",
        "d.text -> pair.two",
        "a.item -> pair.one",
    )
    assert codes(some) == ["item-and-list"]
    assert blamed(some) == [["c.items -> d.parts[0]"]]
    problem = tree_of(some).problems[0]
    assert problem.node == "pair"


def test_a_map_without_a_collect_and_a_collect_without_a_map_are_refused() -> None:
    some = flow(
        {
            "l": "text.split",
            "a": "control.for_each",
            "log": "text.write",
            "t": "text.text",
            "c": "control.collect",
        },
        "l.parts -> a.items[0]",
        "a.item -> log.text",
        "t.text -> c.item",
    )
    assert codes(some) == ["map-without-collect", "collect-without-map"]


def test_a_loop_that_starts_outside_a_map_whose_items_it_uses_is_refused() -> None:
    nodes = {
        "t": "text.text",
        "l": "text.split",
        "a": "control.for_each",
        "rounds": "control.loop",
        "pair": "text.pair",
        "c": "control.collect",
    }
    wires = (
        "l.parts -> a.items[0]",
        "t.text -> rounds.start",
        "rounds.value -> pair.one",
        "a.item -> pair.two",
        "pair.text -> rounds.again",
        "rounds.result -> c.item",
    )
    assert "regions-enters-loop" in codes(flow(nodes, *wires))
    assert codes(flow(nodes, *wires, "a.index -> rounds.after")) == []


def test_single_items_do_not_leave_a_map_for_the_end_of_a_loop() -> None:
    some = flow(
        {
            "t": "text.text",
            "r": "control.loop",
            "s": "text.split",
            "a": "control.for_each",
            "c": "control.collect",
        },
        "t.text -> r.start",
        "r.value -> s.text",
        "s.parts -> a.items[0]",
        "a.item -> r.again",
        "a.item -> c.item",
        "c.items -> r.also[0]",
    )
    assert codes(some) == ["regions-leaves-map"]
    assert blamed(some) == [["a.item -> r.again"]]


def test_a_map_of_which_one_collect_leaves_the_loop_is_refused() -> None:
    some = flow(
        {
            "t": "text.text",
            "r": "control.loop",
            "s": "text.split",
            "a": "control.for_each",
            "c": "control.collect",
            "d": "control.collect",
        },
        "t.text -> r.start",
        "r.value -> s.text",
        "s.parts -> a.items[0]",
        "a.item -> c.item",
        "a.item -> d.item",
        "c.items -> r.also[0]",
    )
    assert codes(some) == ["regions-crossing"]


def vertex_names(region: Region) -> set[str]:
    """A region with all that belongs to it: owner, collects, body."""
    return {str(region.owner), *region.collects, *region.body}


def waits(tree: RegionTree, region: Region) -> dict[str, set[str]]:
    """What each item of a region waits for, read off the wires: an item is a step or a whole child region."""
    item_of = {str(node): str(node) for node in region.direct}
    for child in region.children:
        item_of |= dict.fromkeys(vertex_names(child), str(child.owner))
    found: dict[str, set[str]] = {item: set() for item in item_of.values()}
    for wires in tree.graph.edges.values():
        for one in wires:
            source, target = item_of.get(one.source.node), item_of.get(one.target.node)
            if source is not None and target is not None and source != target:
                found[target].add(source)
    return found


@settings(max_examples=examples(250), deadline=None)
@given(wired_flows() | nested_flows())
def test_a_flow_without_problems_can_be_run_region_by_region(some: Flow) -> None:
    tree = tree_of(some)
    regions = list(tree.root.walk())
    assert frozenset().union(*(region.direct for region in regions)) == tree.graph.steps
    assert sum(len(region.direct) for region in regions) == len(tree.graph.steps)
    if tree.problems:
        return
    for one, other in combinations(regions[1:], 2):
        shared = vertex_names(one) & vertex_names(other)
        assert not shared or vertex_names(one) <= other.body or vertex_names(other) <= one.body
    for region in regions:
        waiting = waits(tree, region)
        while waiting:
            ready = {item for item, before in waiting.items() if not before & waiting.keys()}
            assert ready, f"deadlock in {region.owner}: {waiting}"
            waiting = {item: before for item, before in waiting.items() if item not in ready}


@settings(max_examples=examples(200), deadline=None)
@given(wired_flows() | nested_flows())
def test_every_refusal_of_a_region_names_something_to_blame_and_checking_never_raises(some: Flow) -> None:
    for problem in check(some, LIBRARY):
        for remedy in problem.remedies:
            after = remedy.change.applied_to(some)
            assert remedy.change.inverted().applied_to(after) == some
    for one in tree_of(some).problems:
        assert one.wires or one.code in {"map-without-collect", "collect-without-map"}, one
