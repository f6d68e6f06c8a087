"""Simulated solvers answer whatever they are asked in the form in which it is asked."""

import json
from pathlib import Path
from typing import Any

import pytest

from studio.errors import ScriptedAnswerMissingError, UsageError
from studio.llm.client import Caller, ChatProfile, ChatRequest, Message
from studio.llm.endpoints.answer_form import instructed
from studio.llm.profiles import open_client
from studio.llm.solvers.book import SolverBook
from studio.llm.solvers.client import SolverClient
from studio.llm.solvers.problems import Problems
from tests.llm.builders import book_of
from tests.llm.solvers.builders import GAP, ask, body, solvers

SURE: dict[str, Any] = {"accuracy": 1, "sensitivity": 1, "specificity": 1}


def form(**fields: object) -> dict[str, object]:
    return {"type": "object", "properties": fields, "required": list(fields)}


def test_in_words_the_answer_is_said_as_the_profile_has_it() -> None:
    assert ask(solvers(**SURE), GAP) == "The answer is 17."
    assert ask(solvers(**SURE, says="ANSWER: {answer}"), GAP) == "ANSWER: 17"


def test_a_problem_is_found_within_what_is_asked_in_json_as_well() -> None:
    said = json.dumps({"question": 'Which bird is "the dun one"?', "value": "wren"})
    assert ask(solvers(**SURE, sway_wrong=0), said) == "The answer is dunnock."


def test_who_is_asked_on_remembers_which_problem_it_was() -> None:
    book = solvers(**SURE)
    with pytest.raises(ScriptedAnswerMissingError, match="contains no problem"):
        ask(book, "Are you sure?")
    ask(book, GAP)
    assert ask(book, "Are you sure?") == "The answer is 17."


def test_a_schema_is_filled_in_by_the_types_and_names_of_its_fields() -> None:
    schema = form(
        answer={"type": "string"},
        reason={"type": "string"},
        accept={"type": "boolean"},
        is_flawed={"type": "boolean"},
        mark={"type": "integer", "minimum": 1, "maximum": 5},
        case={"type": "string", "enum": ["12", "17"]},
        next={"type": "array", "items": {"type": "string"}},
    )
    right = json.loads(ask(solvers(**SURE), GAP, "ADA: 17", schema=schema))
    assert right.pop("next")
    assert (right["answer"], right["case"], right["reason"]) == ("17", "17", "It holds.")
    assert (right["accept"], right["is_flawed"]) == (True, False)
    assert right["mark"] in (4, 5)
    wrong = json.loads(ask(solvers(**SURE, sway_wrong=0), GAP, "ADA: 12", schema=schema))
    assert (wrong["accept"], wrong["is_flawed"], wrong["answer"]) == (False, True, "17")
    assert wrong["mark"] in (1, 2)


def test_names_are_chosen_ranked_and_marked_by_what_stands_behind_them() -> None:
    names = {"type": "string", "enum": ["ada", "ben", "cid"]}
    row = form(name=names, score={"type": "number"})
    schema = form(
        best=names, ranking={"type": "array", "items": names}, marks={"type": "array", "items": row}
    )
    said = json.loads(ask(solvers(**SURE), GAP, "ada: 12\nben: 17\ncid: 21", schema=schema))
    assert said["best"] == "ben"
    assert said["ranking"][0] == "ben"
    assert sorted(said["ranking"]) == ["ada", "ben", "cid"]
    marks = {one["name"]: one["score"] for one in said["marks"]}
    assert marks["ben"] >= 0.75
    assert max(marks["ada"], marks["cid"]) <= 0.25


def test_a_schema_that_is_told_in_words_is_filled_in_as_well() -> None:
    request = ChatRequest((Message("user", GAP),), response_schema=form(answer={"type": "string"}))
    messages = [(one.role, one.content) for one in instructed(request).messages]
    assert json.loads(ask(solvers(**SURE), *messages)) == {"answer": "17"}


def test_a_tool_that_has_to_be_called_is_called_with_the_answer_and_others_are_not() -> None:
    tool = {"type": "function", "function": {"name": "submit", "parameters": form(answer={"type": "string"})}}
    called = solvers(**SURE).answer(body(GAP, tools=[tool], tool_choice="required"))
    assert [(one.name, json.loads(one.arguments)) for one in called.tool_calls] == [
        ("submit", {"answer": "17"})
    ]
    assert solvers(**SURE).answer(body(GAP, tools=[tool])).text == "The answer is 17."


def test_rules_of_the_profile_go_first_and_may_ask_the_solver() -> None:
    rules = book_of(
        """
rules:
  - when: {instructions: you verify}
    reply: "{% if solver.verdict() %}PASS{% else %}FAIL on {{ solver.candidate }}{% endif %}"
  - when: {instructions: you plan}
    reply: {tasks: [{do: "Solve {{ solver.problem.id }}"}]}
"""
    )
    book = solvers(rules, **SURE)
    assert ask(book, GAP, "ADA: 17", system="You verify.") == "PASS"
    assert ask(book, GAP, "ADA: 12", system="You verify.") == "FAIL on 12"
    assert ask(book, GAP, system="You plan.") == '{"tasks": [{"do": "Solve gap"}]}'
    assert ask(book, GAP) == "The answer is 17."


def test_some_agents_and_topics_are_of_another_accuracy() -> None:
    book = solvers(accuracy=0, agents=[{"instructions": "expert", "solver": {"accuracy": 1}}])
    assert ask(book, GAP, system="You are an expert.") == "The answer is 17."
    assert ask(book, GAP, system="You are a layman.") != "The answer is 17."


def test_an_answer_takes_the_tokens_the_seconds_and_the_dollars_that_are_stated() -> None:
    dear = {"instructions": "expert", "solver": {"input_price": 10, "tokens": 400}}
    book = solvers(
        tokens=100, seconds=0.5, tokens_per_second=50, input_price=1, output_price=2, agents=[dear]
    )
    reply = book.answer(body(GAP))
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.delay) == (7, 100, 2.5)
    assert book.prices().cost(reply.llm, reply.usage) == pytest.approx((7 + 200) / 1e6)
    reply = book.answer(body(GAP, system="expert"))
    assert book.prices().cost(reply.llm, reply.usage) == pytest.approx((90 + 800) / 1e6)


def test_several_samples_of_one_request_differ() -> None:
    book = solvers(accuracy=0.5, correlation=0)
    reply = book.answer(body(GAP, n=20))
    assert len({one.text for one in (reply, *reply.others)}) > 1
    assert reply.usage.output_tokens == 20 * 200


async def test_the_endpoint_and_the_client_of_measurements_give_the_same() -> None:
    request = ChatRequest((Message("user", GAP),), response_schema=form(answer={"type": "string"}))
    book = solvers(accuracy=0.5, correlation=0, seconds=0, tokens=1, tokens_per_second=1e6)
    profile = ChatProfile("solvers", "simulated")
    served = open_client(profile, environ={}, book=book, prices=book.prices(), offline=True)
    callers = [Caller("writer", "rounds.2", 3, f"vote#tool.{turn}") for turn in range(12)]
    answers = [
        [await one.answer(request, caller=caller) for caller in callers]
        for one in (served, SolverClient(book))
    ]
    await served.close()
    assert answers[0] == answers[1]
    assert answers[0][0].cost is not None
    assert len({one.message.content for one in answers[0]}) > 1


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "problems"),
    ({"problems": "p", "accuracy": 1.5}, "accuracy"),
    ({"problems": "p", "acuracy": 0.5}, "acuracy"),
    ({"problems": "p", "correlation": 0.5, "correlation_of_samples": 0.2}, "is less than"),
    ({"problems": "p", "says": "I know."}, "answer"),
    ({"problems": "p", "agents": [{"solver": {"accuracy": 2}}]}, "accuracy"),
    ({"problems": "p", "agents": [{"instructions": "(", "solver": {}}]}, "regular expression"),
    ({"problems": "../p"}, "outside the project"),
]


@pytest.mark.parametrize(("stated", "said"), WRONG)
def test_what_is_stated_wrongly_is_refused_in_words(
    stated: dict[str, object], said: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        SolverBook.load(tmp_path, stated, "solvers")
    assert "`solvers`" in str(refused.value)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "no problems"),
        ("{}", "line 1.*answer"),
        ('{"id": "a", "question": "q", "answer": "1", "wrong": ["1"]}', "is also listed as wrong"),
        ('{"id": "a", "question": "q", "answer": "1", "wrong": []}', "wrong"),
        ('{"id": "a", "question": "q", "answer": "1", "wrong": ["2"]}\n' * 2, "two problems"),
    ],
)
def test_a_file_that_has_no_problems_is_refused_in_words(lines: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text(lines, "utf-8")
    with pytest.raises(UsageError, match=said):
        Problems.load(path)
    with pytest.raises(UsageError, match="could not be read"):
        Problems.load(tmp_path / "none.jsonl")


def test_an_answer_is_a_whole_word_or_number() -> None:
    problem = solvers().problems[0]
    assert problem.answers_in("2.17, 117, 17a, 17.5; 17, 12. It is 21.") == ["17", "12", "21"]


def test_a_rule_hangs_on_a_slip_whose_chance_the_profile_states() -> None:
    rules = book_of(
        """
rules:
  - when: {holds: "solver.slips(solver.chances.forgets)"}
    reply: "Forgotten."
  - reply: "Not forgotten: {{ solver.problem.facts | length }}"
"""
    )
    assert ask(solvers(rules, chances={"forgets": 1}), GAP) == "Forgotten."
    assert ask(solvers(rules, chances={"forgets": 0}), GAP) == "Not forgotten: 0"
    with pytest.raises(UsageError, match="forgets"):
        ask(solvers(rules), GAP)
    with pytest.raises(UsageError, match="chances"):
        solvers(chances={"forgets": 2})


def test_agents_may_slip_with_chances_of_their_own() -> None:
    rules = book_of('rules: [{reply: "{{ solver.slips(solver.chances.forgets) }}"}]')
    careful = {"instructions": "careful", "solver": {"chances": {"forgets": 0}}}
    book = solvers(rules, chances={"forgets": 1}, agents=[careful])
    assert [ask(book, GAP, system=who) for who in ("You are careful.", "")] == ["False", "True"]
