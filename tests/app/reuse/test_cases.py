"""A step that is known becomes a case, is kept beside the flows, and is run again alone."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.app.compose import Application
from studio.app.documents.session import Session
from studio.app.reuse.case_runs import CaseRuns
from studio.app.reuse.cases import Case, Expected, case_of, judge, keep_case, read_cases, remove_case
from studio.errors import UsageError
from studio.ids import NodeId, RunId, StepId
from studio.trace.events import Entry, RunFinished, RunStarted
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunStatus, fold
from studio.workspace.files import SaveError
from studio.workspace.project import Project
from tests.app.flows import SCRIPT, SLOW_SCRIPT, chain
from tests.app.pumping import pump
from tests.app.written_projects import write_project


@pytest.fixture
def session(application: Application, tmp_path: Path) -> Session:
    return application.open(write_project(tmp_path / "trial", flow=chain(), script=SCRIPT))


def written(application: Application, session: Session) -> Case:
    """A case of the writer's step in a run."""
    run = application.runs.start(session, {"question": "Why?"})
    pump(application, lambda: run.is_over)
    step = run.state.steps[StepId("writer")]
    return case_of(step, run.run, session.flow, session.name, session.registry)


def test_a_step_s_case_has_what_it_read_and_gave_and_passes(
    application: Application, session: Session
) -> None:
    case = keep_case(session.project, written(application, session))
    assert case.inputs["prompt"] == "Why?"
    assert case.expected["reply"] == Expected("You asked: Why?")
    runs = CaseRuns(session, application.runs)
    runs.begin(read_cases(session.project))
    assert runs.is_running(case)
    pump(application, lambda: not runs.is_busy)
    verdict = runs.verdict(case)
    assert verdict is not None
    assert verdict.is_passed
    old = application.runs.open_old(session.project.private, verdict.run)
    pump(application, lambda: old.status.is_final)
    assert StepId("writer") in old.state.steps
    runs.close()


def test_a_case_that_gives_something_else_says_what(application: Application, session: Session) -> None:
    case = written(application, session)
    wrong = Case("wrong", case.flow, case.node, {"prompt": "How?"}, {"reply": Expected("You asked: Why?")})
    part = Case("part", case.flow, case.node, {"prompt": "How?"}, {"reply": Expected("asked", "contains")})
    gone = Case("gone", case.flow, "nobody", {}, {})
    runs = CaseRuns(session, application.runs)
    session.breakpoints.cycle("writer")  # a case is not held at what holds the flow
    runs.begin([wrong, part, gone])
    pump(application, lambda: not runs.is_busy)
    found = {name: verdict.reasons for (_, name), verdict in runs.verdicts.items()}
    assert found["part"] == ()
    assert found["wrong"] == ('`reply`: it is "You asked: How?", not "You asked: Why?"',)
    assert "The ports" in found["gone"][0]
    runs.close()


def test_checks_of_any_kind_say_how_good_it_is_and_why(application: Application, session: Session) -> None:
    case = written(application, session)

    def checked(name: str, kind: str, value: object = None, **settings: object) -> Case:
        expected = {"reply": Expected(value, "check", kind, settings)}
        return Case(name, case.flow, case.node, {"prompt": "How?"}, expected)

    runs = CaseRuns(session, application.runs)
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
    pump(application, lambda: not runs.is_busy)
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
    runs.close()


JUDGED = """
rules:
  - when: {schema: true}
    reply: {reason: "{{ 'A hedge.' in question }}", kind: 5}
  - reply: "You asked: {{ last }}"
"""


def test_a_judge_is_asked_about_a_case_and_its_reason_is_kept(
    application: Application, tmp_path: Path
) -> None:
    session = application.open(write_project(tmp_path / "judged", flow=chain(), script=JUDGED))
    case = written(application, session)
    expected = {"reply": Expected("A hedge.", "check", "check.judge", {"criteria": [{"label": "Kind"}]})}
    runs = CaseRuns(session, application.runs)
    runs.begin([Case("judged", case.flow, case.node, {"prompt": "How?"}, expected)])
    pump(application, lambda: not runs.is_busy)
    [verdict] = runs.verdicts.values()
    assert verdict.remarks == ("`reply`: 1.00 · True",)
    runs.close()


def test_a_case_that_runs_is_cancelled_with_its_flow(application: Application, session: Session) -> None:
    case = written(application, session)
    (session.project.root / "scripts" / "answers.yaml").write_text(SLOW_SCRIPT, "utf-8")
    runs = CaseRuns(session, application.runs)
    runs.begin([case])
    (run,) = application.runs.running
    runs.close()
    pump(application, lambda: run.is_over)
    assert run.status is RunStatus.CANCELLED


def test_what_is_no_step_that_works_alone_is_refused(application: Application, session: Session) -> None:
    run = application.runs.start(session, {"question": "Why?"})
    pump(application, lambda: run.is_over)
    for step, why in (("writer#chat.1", "part of a step"), ("question", "nodes around")):
        with pytest.raises(UsageError, match=why):
            case_of(run.state.steps[StepId(step)], run.run, session.flow, session.name, session.registry)


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


def test_an_output_that_was_not_there_is_not_to_be_there_now() -> None:
    happened = (RunStarted("f", "{}"), RunFinished({"no": Shown(1)}))
    none = StepId("")
    state = fold(Entry(RunId("r"), at, none, none, at, event) for at, event in enumerate(happened, 1))
    case = Case("one", "flow.json", "branch", {}, {"yes": Expected(1)}, ("no",))
    found = judge(case, state, {"yes": NodeId("yes"), "no": NodeId("no")})
    assert found.reasons == ("`yes`: it was not produced", "`no` was produced")


def test_a_case_of_made_up_answers_says_so_in_its_file_and_so_does_how_it_went(
    application: Application, session: Session
) -> None:
    run = application.runs.start(session, {"question": "Why?"}, profile="made-up")
    pump(application, lambda: run.is_over)
    step = run.state.steps[StepId("writer")]
    case = keep_case(session.project, case_of(step, run.run, session.flow, session.name, session.registry))
    assert case.made_up
    assert read_cases(session.project) == [case]
    kept = (session.project.root / "cases" / "flow.jsonl").read_text("utf-8")
    assert json.loads(kept)["made_up"] is True
    real = written(application, session)
    assert not real.made_up
    keep_case(session.project, real)
    runs = CaseRuns(session, application.runs)
    runs.begin([case], profile="made-up")
    pump(application, lambda: not runs.is_busy)
    (verdict,) = runs.verdicts.values()
    assert verdict.is_passed
    assert verdict.remarks == ("answers were made up, so this says nothing about a real model",)
    runs.close()
