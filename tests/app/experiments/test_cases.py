"""A step that is known becomes a case, is kept beside the flows, and is tried again alone."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.app.documents.session import Session
from studio.app.reuse.cases import case_of
from studio.errors import UsageError
from studio.experiments.cases.case_files import Case, Expected, keep_case, read_cases, remove_case
from studio.experiments.cases.case_trials import try_cases
from studio.flow import edits
from studio.ids import NodeId, StepId
from studio.store.reader import RunStore
from studio.trace.fold.state import RunState, fold
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import SaveError
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.experiments.attending import CasesHere
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project
from tests.documents import document
from tests.trusted import HERE


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    found = Session.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT), builtin_registry())
    yield found
    found.close()


@pytest.fixture
def runs(session: Session) -> Iterator[CasesHere]:
    found = CasesHere(session)
    yield found
    found.close()


def ran(session: Session, profile: str = "") -> RunState:
    """A run of the flow."""
    materials = prepare(
        session.project,
        session.flow,
        session.registry,
        environ=HERE,
        inputs={"question": "Why?"},
        profile=profile,
    )
    return asyncio.run(run_here(materials))


def written(session: Session, profile: str = "") -> Case:
    """A case of the writer's step in a run."""
    state = ran(session, profile)
    step = state.steps[StepId("writer")]
    return case_of(step, state.run, session.flow, session.name, session.registry)


def test_a_step_s_case_has_what_it_read_and_gave_and_passes(session: Session, runs: CasesHere) -> None:
    case = keep_case(session.project, written(session))
    assert case.inputs["prompt"] == "Why?"
    assert case.expected["reply"] == Expected("You asked: Why?")
    runs.begin(read_cases(session.project))
    assert runs.is_running(case)
    runs.wait()
    verdict = runs.verdict(case)
    assert verdict is not None
    assert verdict.is_passed
    state = fold(RunStore(session.project.private).entries(verdict.run))
    assert StepId("writer") in state.steps


def test_a_case_that_gives_something_else_says_what(session: Session, runs: CasesHere) -> None:
    wrong = Case("wrong", "flow.json", "writer", {"prompt": "How?"}, {"reply": Expected("You asked: Why?")})
    part = Case("part", "flow.json", "writer", {"prompt": "How?"}, {"reply": Expected("asked", "contains")})
    gone = Case("gone", "flow.json", "nobody", {}, {})
    lost = Case("lost", "other.json", "writer", {}, {})
    number = Case("number", "flow.json", "writer", {"prompt": 5}, {"reply": Expected("")})
    session.breakpoints.cycle("writer")  # a case is not held at what holds the flow
    runs.begin([wrong, part, gone, lost, number])
    runs.wait()
    assert runs.reasons["part"] == ()
    assert runs.reasons["wrong"] == ('`reply`: it is "You asked: How?", not "You asked: Why?"',)
    assert "The ports" in runs.reasons["gone"][0]
    assert "other.json" in runs.reasons["lost"][0]
    assert "`prompt` does not fit" in runs.reasons["number"][0]


def test_a_case_runs_the_flow_as_it_is_edited(session: Session, runs: CasesHere) -> None:
    case = written(session)
    session.history.do(edits.remove(session.flow, [NodeId("writer")]))
    runs.begin([case])
    runs.wait()
    assert "The ports" in runs.reasons[case.name][0]


def test_checks_of_any_kind_say_how_good_it_is_and_why(runs: CasesHere) -> None:
    def checked(name: str, kind: str, value: object = None, **settings: object) -> Case:
        expected = {"reply": Expected(value, "check", kind, settings)}
        return Case(name, "flow.json", "writer", {"prompt": "How?"}, expected)

    runs.begin(
        [
            checked("share", "check.score", ["How", "Why"], by="contains", enough=0.5),
            checked("too little", "check.score", ["How", "Why"], by="contains", at_fault="fail"),
            checked("rule", "check.expect", rule="len(value) > 3"),
            checked("schema", "check.schema", schema={"type": "object"}),
            checked("guard", "check.guard", forbidden=["ask"]),
            checked("unknown", "check.nobody"),
        ]
    )
    runs.wait()
    found = {
        name: (verdict.is_passed, verdict.reasons, verdict.remarks)
        for (_, name), verdict in runs.verdicts.items()
    }
    assert found["share"] == (True, (), ('`reply`: 0.50 · It has no "Why".',))
    assert found["too little"] == (False, ('`reply`: 0.50 · It has no "Why".',), ())
    assert found["rule"] == (True, (), ("`reply`: 1.00",))
    assert "The text is not JSON" in found["schema"][1][0]
    assert found["guard"][1] == ("`reply`: It has something that is forbidden: ask",)
    assert "check.nobody" in found["unknown"][1][0]


JUDGED = """
rules:
  - when: {schema: true}
    reply: {reason: "{{ 'A hedge.' in question }}", kind: 5}
  - reply: "You asked: {{ last }}"
"""


def test_a_judge_is_asked_about_a_case_and_its_reason_is_kept(session: Session, runs: CasesHere) -> None:
    (session.project.root / "scripts" / "answers.yaml").write_text(JUDGED, "utf-8")
    expected = {"reply": Expected("A hedge.", "check", "check.judge", {"criteria": [{"label": "Kind"}]})}
    runs.begin([Case("judged", "flow.json", "writer", {"prompt": "How?"}, expected)])
    runs.wait()
    [verdict] = runs.verdicts.values()
    assert verdict.remarks == ("`reply`: 1.00 · True",)


def test_stopping_begins_no_more_and_what_did_not_end_has_no_verdict(runs: CasesHere) -> None:
    case = {"flow": "flow.json", "node": "writer", "inputs": {"prompt": "How?"}}
    runs.begin([Case(str(number), **case) for number in range(100)])
    runs.begin([Case("later", **case)])
    runs.stop()
    runs.wait()
    assert len(runs.verdicts) < 100
    assert "later" not in runs.reasons
    runs.begin([Case("again", **case)])
    runs.wait()
    assert runs.reasons["again"] == ()


def test_what_keeps_all_from_being_run_is_said_of_each(session: Session, runs: CasesHere) -> None:
    case = written(session)
    runs.begin([case], profile="nobody")
    runs.wait()
    assert "`nobody`" in runs.reasons[case.name][0]


def test_what_is_no_step_that_works_alone_is_refused(session: Session) -> None:
    run = ran(session)
    for step, why in (("writer#chat.1", "part of a step"), ("question", "nodes around")):
        with pytest.raises(UsageError, match=why):
            case_of(run.steps[StepId(step)], run.run, session.flow, session.name, session.registry)


words = st.text(max_size=10)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**50), 2**50) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


@given(values=st.dictionaries(st.sampled_from(["a", "b"]), plain), wanted=plain)
def test_cases_are_read_back_as_they_were_kept(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, object], wanted: object
) -> None:
    project = Project.open(write_project(tmp_path_factory.mktemp("p") / "trial", flow=chain()))
    first = keep_case(
        project, Case("one", "flow.json", "writer", values, {"reply": Expected(wanted)}, ("x",))
    )
    second = keep_case(project, first)
    assert read_cases(project) == [first, second]
    assert second.name == "one 2"
    remove_case(project, first)
    assert read_cases(project) == [second]


def test_lines_from_before_there_were_checks_are_read_and_written_as_they_were(tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path / "trial", flow=chain()))
    line = json.dumps(
        {
            "name": "one",
            "flow": "flow.json",
            "node": "writer",
            "inputs": {"prompt": "Why?"},
            "expected": {"reply": {"value": "x", "match": "contains"}},
            "absent": [],
            "run": "",
            "step": "",
        }
    )
    file = project.root / "cases" / "flow.jsonl"
    file.parent.mkdir()
    file.write_text(f"{line}\n", "utf-8")
    [case] = read_cases(project)
    assert case.expected == {"reply": Expected("x", "contains")}
    remove_case(project, case)
    keep_case(project, case)
    assert file.read_text("utf-8") == f"{line}\n"
    checked = Case(
        "two", "flow.json", "writer", {}, {"reply": Expected([1], "check", "check.score", {"by": "JSON"})}
    )
    assert keep_case(project, checked) == checked
    assert read_cases(project) == [case, checked]


def test_a_file_that_cannot_be_read_is_never_written_over(tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path / "trial"))
    keep_case(project, Case("one", "flow.json", "writer"))
    path = project.root / "cases" / "flow.jsonl"
    path.write_bytes(path.read_bytes() + b"\xff\n")
    before = path.read_bytes()
    assert read_cases(project) == []
    with pytest.raises(SaveError, match="left unchanged"):
        keep_case(project, Case("two", "flow.json", "writer"))
    assert path.read_bytes() == before


def test_lines_that_nobody_understands_stay(tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path / "trial", flow=chain()))
    file = project.root / "cases" / "flow.jsonl"
    file.parent.mkdir()
    file.write_text('{"from": "elsewhere"}\nno json\n', "utf-8")
    case = keep_case(project, Case("one", "flow.json", "writer"))
    assert read_cases(project) == [case]
    remove_case(project, case)
    assert file.read_text("utf-8") == '{"from": "elsewhere"}\nno json\n'


@given(value=plain, other=plain)
def test_equal_means_the_same_json(value: object, other: object) -> None:
    is_same = json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (Expected(value).refusal(other) == "") is is_same


ROUTED = document(
    "Routed",
    {
        "route": {
            "kind": "control.branch",
            "settings": {"cases": [{"label": "Long", "when": "len(value) > 3"}, {"label": "Short"}]},
        }
    },
)


def test_an_output_that_was_not_there_is_not_to_be_there_now(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", flow=ROUTED)
    case = Case("one", "flow.json", "route", {"value": "longer"}, {"short": Expected("longer")}, ("long",))
    found = dict[str, tuple[str, ...]]()
    project = Project.open(root)
    flows = {"flow.json": read_flow(project.main_flow).flow}
    try_cases(project, [case], flows, lambda one, verdict: found.update({one.name: verdict.reasons}), {})
    assert found["one"] == ("`short`: it was not produced", "`long`: it was produced")


def test_texts_that_look_like_json_reach_a_step_as_the_texts_that_they_are(tmp_path: Path) -> None:
    flow = document("Any", {"same": {"kind": "value.formula", "settings": {"formula": "given"}}})
    project = Project.open(write_project(tmp_path / "p", flow=flow))
    given: list[Any] = ["5", 5, "null", {"a": ["1"]}, "a"]
    cases = [
        Case(str(at), "flow.json", "same", {"given": one}, {"value": Expected(one)})
        for at, one in enumerate(given)
    ]
    found = dict[str, tuple[str, ...]]()
    flows = {"flow.json": read_flow(project.main_flow).flow}
    try_cases(project, cases, flows, lambda one, verdict: found.update({one.name: verdict.reasons}), {})
    assert found == dict.fromkeys(map(str, range(len(given))), ())


def test_a_case_of_made_up_answers_says_so_in_its_file_and_so_does_how_it_went(
    session: Session, runs: CasesHere
) -> None:
    case = keep_case(session.project, written(session, "made-up"))
    assert case.made_up
    assert read_cases(session.project) == [case]
    kept = (session.project.root / "cases" / "flow.jsonl").read_text("utf-8")
    assert json.loads(kept)["made_up"] is True
    real = written(session)
    assert not real.made_up
    keep_case(session.project, real)
    runs.begin([case], profile="made-up")
    runs.wait()
    (verdict,) = runs.verdicts.values()
    assert verdict.is_passed
    assert verdict.remarks == ("answers were made up, so this says nothing about a real model",)
