"""A bandit comes to choose what pays, still tries the rest, and learns from what it was told."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.memory.experience import experience
from nodes.plan.bandit import bandit
from nodes.plan.bandit.policies import Line, Record, Try, counted, lin_ucb, thompson
from studio.sdk import StepError
from studio.sdk.testing import ScriptedContext, open_binding, run_bench
from tests.nodes.plan.lenders import Asked, answering

CHANCE = Random(3)  # noqa: S311  # chance of a test, which is to be known


def test_thompson_comes_to_choose_what_pays_and_has_tried_all() -> None:
    pays, tries, draws = {"poor": 0.1, "good": 0.9, "middling": 0.5}, list[Try](), CHANCE
    for _ in range(200):
        arm = thompson(counted(list(pays), tries), draws)
        tries.append(Try(arm, float(draws.random() < pays[arm])))
    chosen = [one.arm for one in tries]
    assert set(chosen[:30]) == set(pays)
    assert chosen[-50:].count("good") >= 45


def test_lin_ucb_learns_which_arm_pays_in_which_case() -> None:
    tries: list[Try] = []
    right = 0
    for number in range(60):
        features = [float(number % 2), float(number % 3) / 2]
        arm = lin_ucb({"even": Record(), "odd": Record()}, tries, features, 0.5)
        reward = float((arm == "odd") == bool(number % 2))
        right += number >= 20 and bool(reward)
        tries.append(Try(arm, reward, features))
    assert right == 40


CASES = st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.floats(0, 1)), max_size=12)


@given(CASES)
def test_a_line_is_what_its_normal_equations_say(cases: list[tuple[float, float, float]]) -> None:
    line = Line(2)
    matrix, paid = [[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0]
    for a, b, reward in cases:
        line.add([a, b], reward)
        for row, x in enumerate((a, b)):
            paid[row] += reward * x
            for column, y in enumerate((a, b)):
                matrix[row][column] += x * y
    product = [
        [sum(matrix[row][k] * line.inverse[k][column] for k in (0, 1)) for column in (0, 1)] for row in (0, 1)
    ]
    assert product == [pytest.approx([1, 0], abs=1e-6), pytest.approx([0, 1], abs=1e-6)]
    assert line.paid == pytest.approx(paid)


async def chosen(context: ScriptedContext | None = None, **given: Any) -> dict[str, Any]:
    inputs = {
        name: given.pop(name) for name in ("task", "features", "agents", "tools", "memory") if name in given
    }
    return await run_bench(bandit, inputs, given, context)


async def test_the_arm_is_given_the_task_and_what_it_is_worth_is_kept_in_the_variable() -> None:
    context = ScriptedContext()
    score = Asked("score", lambda reply: 1 if reply == "a wren" else 0, "reply")
    for _ in range(12):
        agents = [answering("ada", ["a wren"]), answering("ben", ["no idea"])]
        await chosen(context, task="What sang?", agents=agents, tools=[score.tool], acts=True, score="score")
    tries: Any = context.state.variables["tries"]
    assert [one["reward"] for one in tries] == [1.0 if one["arm"] == "ada" else 0.0 for one in tries]
    counts = [one["arm"] for one in tries]
    assert counts.count("ada") > counts.count("ben") >= 1
    assert len(score.asked) == 12


async def test_a_memory_of_experience_keeps_what_was_tried_by_situation() -> None:
    context = ScriptedContext()
    lending = open_binding(experience, {"name": "routes"}, context)
    memory = await anext(lending)
    score = Asked("score", lambda reply: float(reply == "metal"), "reply")
    for _ in range(10):
        agents = [answering("smith", ["metal"]), answering("baker", ["bread"])]
        await chosen(
            context,
            task="Forge a horseshoe of iron",
            agents=agents,
            tools=[score.tool],
            memory=[memory],
            acts=True,
            score="score",
        )
    found = await chosen(context, task="Forge a horseshoe of iron", arms=["smith", "baker"], memory=[memory])
    record = found["record"]
    assert record["smith"]["tries"] + record["baker"]["tries"] == 10
    assert record["smith"]["mean"] == pytest.approx(1)
    assert record["smith"]["tries"] > record["baker"]["tries"]
    assert "tries" not in context.state.variables
    elsewhere = await chosen(context, task="xylophone lessons", arms=["smith", "baker"], memory=[memory])
    assert elsewhere["record"]["smith"]["tries"] == 0
    await lending.aclose()


async def test_without_acting_nothing_is_called_and_the_flow_keeps_the_trial() -> None:
    found = await chosen(features=[2.0], arms=["only"])
    assert (found["arm"], found["trial"]) == ("only", {"arm": "only", "features": [2.0]})
    assert not {"reply", "reward"} & found.keys()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "nothing to choose"),
        ({"arms": ["name"], "acts": True}, "no agent or tool `name`"),
        ({"arms": ["a"], "variable": "odd"}, "needs an `arm`"),
        (
            {"arms": ["a"], "variable": "short", "features": [1.0, 2.0], "method": "LinUCB"},
            "another one has 1",
        ),
    ],
)
async def test_what_cannot_be_chosen_or_read_is_said(given: dict[str, Any], problem: str) -> None:
    context = ScriptedContext(
        variables={"odd": [{"arm": "a", "reward": 7}], "short": [{"arm": "a", "reward": 1, "features": [1]}]}
    )
    with pytest.raises(StepError, match=problem):
        await chosen(context, **given)
