from hypothesis import given
from hypothesis import strategies as st

from studio.store.run_ids import new_run_id

moments = st.floats(0, 4e9)


def test_a_run_is_named_by_its_start_in_utc() -> None:
    assert new_run_id(lambda: 1795225495.5).startswith("20261121-014455-800")


@given(moments, moments)
def test_runs_sort_by_their_start(one: float, other: float) -> None:
    if abs(one - other) > 0.001:
        assert (new_run_id(lambda: one) < new_run_id(lambda: other)) == (one < other)


def test_two_runs_of_one_moment_differ() -> None:
    assert len({new_run_id(lambda: 1.0) for _ in range(20)}) > 15
