from hypothesis import given
from hypothesis import strategies as st

from studio.ids import RunId
from studio.store.family import as_tree, children_of
from studio.store.summary import RunSummary


def runs(*pairs: tuple[str, str]) -> list[RunSummary]:
    return [RunSummary(RunId(run), forked_from=origin) for run, origin in pairs]


def test_forks_stand_beneath_their_origin_and_forks_of_forks_deeper() -> None:
    listed = runs(("e", "b"), ("d", ""), ("c", "a"), ("b", "a"), ("a", ""))
    assert [(depth, one.run) for depth, one in as_tree(listed)] == [
        (0, "d"),
        (0, "a"),
        (1, "c"),
        (1, "b"),
        (2, "e"),
    ]
    assert [one.run for one in children_of(RunId("a"), listed)] == ["c", "b"]


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["", *"abcdefg"])))
def test_every_run_stands_in_the_tree_once_whatever_they_claim(origins: dict[str, str]) -> None:
    assert sorted(one.run for _, one in as_tree(runs(*origins.items()))) == sorted(origins)
