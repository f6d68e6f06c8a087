"""No module is reached again from what it imports: whoever reads one reads what it knows first."""

import grimp
import networkx as nx
import pytest

ROOTS = ("studio", "nodes", "stepwire_kit")


def circles(edges: set[tuple[str, str]]) -> set[tuple[str, ...]]:
    found = nx.strongly_connected_components(nx.DiGraph(list(edges)))
    return {tuple(sorted(one)) for one in found if len(one) > 1}


@pytest.mark.parametrize("for_types", [False, True], ids=["at run time", "for types as well"])
def test_imports_go_round_in_no_circle_inside_functions_neither(*, for_types: bool) -> None:
    graph = grimp.build_graph(*ROOTS, exclude_type_checking_imports=not for_types, cache_dir=None)
    edges = {(one, seen) for one in graph.modules for seen in graph.find_modules_directly_imported_by(one)}
    assert len(edges) > len(graph.modules) > 1_000, "the whole tree is looked at"
    assert circles(edges) == set()


def test_a_circle_is_found_however_long_it_is() -> None:
    chain = {("a", "b"), ("b", "c"), ("c", "d")}
    assert circles(chain) == set()
    assert circles({*chain, ("d", "b")}) == {("b", "c", "d")}
