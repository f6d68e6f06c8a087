"""Simulated solvers, and what is asked of them, for tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from studio.llm.client import Caller
from studio.llm.scripted_answers.script_book import ScriptBook
from studio.llm.solvers.book import SolverBook
from studio.llm.solvers.problems import Problem, Problems
from studio.llm.solvers.solver import SolverProfile

PROBLEMS = Problems(
    [
        Problem(id="gap", question="How wide is the gap?", answer="17", wrong=("12", "21"), difficulty=0.5),
        Problem(id="bird", question='Which bird is "the dun one"?', answer="dunnock", wrong=("wren",)),
    ]
)
GAP = PROBLEMS[0].question


def solvers(rules: ScriptBook | None = None, trial: str = "", **stated: Any) -> SolverBook:
    """A book of solvers of whom this is stated."""
    profile = SolverProfile.read({"problems": "problems.jsonl", **stated}, "solvers")
    return SolverBook(profile, PROBLEMS, rules, trial=trial)


def ask(
    book: SolverBook,
    *said: str | tuple[str, str],
    system: str = "",
    schema: Mapping[str, object] | None = None,
    node: str = "",
    **more: object,
) -> str:
    """Give what is answered to messages; what is no pair was said by the user."""
    return book.answer(body(*said, system=system, schema=schema, **more), Caller(node)).text


def body(
    *said: str | tuple[str, str],
    system: str = "",
    schema: Mapping[str, object] | None = None,
    **more: object,
) -> dict[str, object]:
    """A request of Chat Completions."""
    pairs: Sequence[tuple[str, str]] = [one if isinstance(one, tuple) else ("user", one) for one in said]
    messages = [
        {"role": role, "content": text} for role, text in [("system", system)] * bool(system) + [*pairs]
    ]
    form = {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}}
    return {"model": "simulated", "messages": messages, **(form if schema else {}), **more}


def share(count: int, of: int) -> float:
    """So many of so many."""
    return count / of
