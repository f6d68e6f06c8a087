"""What writes make of run variables."""

import pytest

from studio.errors import StepError
from studio.trace.fold.variable_state import changed


@pytest.mark.parametrize(
    ("before", "more"), [(1e308, 1e308), (-1e308, -1e308), (2**64 - 1, 1), (-(2**63), -1), (10**400, 0.5)]
)
def test_no_sum_gets_larger_than_what_a_file_can_keep(before: float, more: float) -> None:
    with pytest.raises(StepError, match="`sum` would become too large to store"):
        changed("sum", before, "add", more)


def test_numbers_are_added_up_to_the_largest_that_can_be_kept() -> None:
    assert changed("sum", 2**64 - 2, "add", 1) == 2**64 - 1
    assert changed("sum", 1e308, "add", 5e307) == 1.5e308
