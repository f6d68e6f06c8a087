from hypothesis import given
from hypothesis import strategies as st

from studio.ids import StepId
from studio.trace.fold.cost_curve import Payment, Spending, Spent

payments = st.lists(
    st.builds(Payment, st.integers(0, 20).map(float), st.just(StepId("a")), st.integers(0, 9), st.just(0.5))
)


@given(payments, st.integers(0, 20), st.integers(0, 20))
def test_what_was_paid_in_a_span_is_the_sum_of_its_payments(
    paid: list[Payment], first: int, last: int
) -> None:
    paid.sort()
    spending = Spending()
    spending.update(paid[: len(paid) // 2])
    spending.update(paid)
    within = [one for one in paid if first <= one.time <= last]
    assert spending.between(first, last) == Spent(
        sum(one.tokens for one in within), sum(one.cost for one in within)
    )
    assert spending.until(20.0) == spending.total
