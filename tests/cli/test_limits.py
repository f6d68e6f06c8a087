from pathlib import Path

import pytest

from studio.errors import UsageError
from studio.ids import StepId
from studio.runtime.limits.budget import read_limits
from studio.store.reader import RunStore
from studio.trace.fold.state import RunStatus, StepStatus
from tests.app.stored import cut_before
from tests.app.written_projects import write_project
from tests.cli.conftest import Call
from tests.documents import document

SCRIPT = """
rules:
  - name: whatever
    reply: "{{ last }}+"
"""


def looping(**run: object) -> dict[str, object]:
    """Describe a writer that is asked in five rounds; `run` are its run settings."""
    return document(
        "Five",
        {
            "word": {"kind": "io.flow_input", "settings": {"default": "a"}},
            "rounds": {"kind": "control.loop", "settings": {"max_rounds": 5}},
            "writer": {"kind": "llm.chat", "run": run},
            "out": "io.flow_output",
        },
        "word.value -> rounds.start",
        "rounds.value -> writer.prompt",
        "writer.reply -> rounds.again",
        "rounds.result -> out.value",
    )


def test_a_limit_stops_the_run_with_3_and_a_larger_one_lets_it_go_on(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=looping(), script=SCRIPT)
    whole = call("run", project, "--json")
    store = RunStore(project / ".stepwire")
    tokens = store.runs()[0].tokens
    stopped = call("run", project, "--limit-tokens", tokens // 2)
    assert stopped.code == 3
    assert "stepwire resume" in stopped.err
    run = store.runs()[0]
    assert run.status is RunStatus.FAILED
    assert 0 < run.tokens < tokens
    assert [one.limit for one in store.load(run.run).warnings] == ["tokens"]
    assert call("resume", "latest", "--project", project).code == 3  # the limit is kept, and what was spent
    goes_on = call("resume", "latest", "--project", project, "--json", "--limit-tokens", tokens + 1)
    assert (goes_on.code, goes_on.json) == (0, whole.json)
    assert store.runs()[0].tokens == tokens


def test_a_run_that_goes_on_keeps_its_injected_faults(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=looping(), script=SCRIPT)
    fault = ("--fault", "replace writer#chat rate=0.5 seed=2: x")
    whole = call("run", project, "--json", *fault)
    assert call("run", project, "--json").json != whole.json
    assert call("run", project, "--limit-calls", 2, *fault).code == 3
    goes_on = call("resume", "latest", "--project", project, "--json", "--limit-calls", 99)
    assert (goes_on.code, goes_on.json) == (0, whole.json)


def test_a_project_and_a_node_have_limits(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "one", flow=looping(), script=SCRIPT, limits={"calls": 3})
    assert call("run", project).code == 3
    assert [one for one in _chats(project) if one] == [
        f"rounds.{number}/writer#chat.1" for number in (1, 2, 3)
    ]
    project = write_project(tmp_path / "two", flow=looping(limits={"calls": 2}), script=SCRIPT)
    called = call("run", project)
    assert called.code == 3
    assert "node `writer`" in called.err


@pytest.mark.parametrize("limit", ["steps", "calls", "tokens"])
def test_the_limit_that_was_reached_is_the_one_whose_option_is_told_and_lets_the_run_go_on(
    call: Call, tmp_path: Path, limit: str
) -> None:
    project = write_project(tmp_path / "trial", flow=looping(), script=SCRIPT, limits={limit: 3})
    stopped = call("run", project)
    assert stopped.code == 3
    assert f"--limit-{limit} N" in stopped.err
    assert call("resume", "latest", "--project", project, f"--limit-{limit}", 1000).code == 0


@pytest.mark.parametrize("limit", ["tokens", "steps", "calls", "seconds"])
def test_a_run_does_not_go_on_with_less_than_it_has_spent(call: Call, tmp_path: Path, limit: str) -> None:
    project = write_project(tmp_path / "trial", flow=looping(), script=SCRIPT)
    assert call("run", project, "--limit-calls", 3).code == 3
    store = RunStore(project / ".stepwire")
    before = len(list(store.entries(store.runs()[0].run)))
    refused = call("resume", "latest", "--project", project, f"--limit-{limit}", 0.00001)
    assert refused.code == 2
    assert "has already spent" in refused.err
    assert f"`--limit-{limit}`" in refused.err
    assert len(list(store.entries(store.runs()[0].run))) == before


@pytest.mark.parametrize("limits", [{"money": 3}, {"cost": 0}])
def test_a_limit_that_cannot_be_kept_is_refused(call: Call, tmp_path: Path, limits: dict[str, float]) -> None:
    project = write_project(tmp_path / "trial", flow=looping(), script=SCRIPT, limits=limits)
    assert call("run", project).code == 2
    with pytest.raises(UsageError):
        read_limits(limits, "It")
    flow = looping(limits={"seconds": 1})  # a node has no clock of its own
    assert call("run", write_project(tmp_path / "node", flow=flow, script=SCRIPT)).code == 2


@pytest.mark.parametrize("limit", ["nan", "inf"])
def test_a_limit_that_nothing_would_ever_reach_is_refused(call: Call, tmp_path: Path, limit: str) -> None:
    project = write_project(tmp_path / "trial", flow=looping(), script=SCRIPT)
    assert call("run", project, "--limit-cost", limit).code == 2


def test_a_replay_costs_nothing_and_reaches_no_limit_of_money(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=looping(), script=SCRIPT, limits={"calls": 5})
    assert call("run", project).code == 0
    assert call("replay", "latest", "--project", project).code == 0


def test_time_that_is_over_interrupts_a_call_and_more_of_it_lets_the_run_go_on(
    call: Call, tmp_path: Path
) -> None:
    project = write_project(tmp_path / "trial", flow=looping(), script=f"{SCRIPT}    delay: 0.1\n")
    called = call("run", project, "--limit-seconds", 0.25)
    assert called.code == 3
    assert "0.25 s" in called.err
    store = RunStore(project / ".stepwire")
    assert store.load(store.runs()[0].run).steps[StepId("rounds.1/writer")].status is StepStatus.DONE
    goes_on = call("resume", "latest", "--project", project, "--limit-seconds", 60)
    assert (goes_on.code, goes_on.out) == (0, "a+++++\n")
    assert len(_chats(project)) == 5


def test_an_answer_that_came_just_before_the_end_of_a_run_is_not_bought_again(
    call: Call, tmp_path: Path
) -> None:
    project = write_project(tmp_path / "trial", flow=looping(), script=SCRIPT)
    whole = call("run", project, "--json")
    store = RunStore(project / ".stepwire")
    (run,) = store.runs()
    cut_before(project / ".stepwire", "writer", "step_finished")
    goes_on = call("resume", "latest", "--project", project, "--json")
    assert (goes_on.code, goes_on.json) == (0, whole.json)
    assert [one.event.kind for one in store.entries(run.run)].count("chat_answered") == 6
    assert len(_chats(project)) == 5
    assert store.runs()[0].tokens == run.tokens


def _chats(project: Path) -> list[str]:
    """The chats that were paid for; an answer that came as the run ended is told again where it is used."""
    store = RunStore(project / ".stepwire")
    entries = list(store.entries(store.runs()[0].run))
    chats = [str(one.step) for one in entries if one.event.kind == "chat_answered"]
    for one in entries:
        if one.event.kind == "answer_reused":
            chats.remove(one.step)
    return chats
