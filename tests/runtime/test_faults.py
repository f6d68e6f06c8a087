"""Faults on purpose: what goes wrong where it was said, is told, and is the same in replays and forks."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepwire_kit import Result, Tools, fork, load, replay, run
from studio.errors import UsageError
from studio.flow.records import Flow
from studio.ids import StepId
from studio.llm.client import Message, ToolCall
from studio.places import resources
from studio.runtime.gates.call_edits import refuse_conversation
from studio.runtime.gates.faults import Fault, fault_of, fault_texts, faults_from_json, faults_to_json
from studio.runtime.gates.spoilt_values import spoilt, with_message
from studio.trace.conversations.messages import conversation
from studio.trace.differences.compare import first_difference
from studio.trace.events import ChatRequested, MemoryRead, StepFaulted
from studio.workspace.project import Project
from tests.app.flows import chain
from tests.app.written_projects import write_project
from tests.llm.builders import client_of
from tests.runtime.agents import FLOW, SCRIPT, TEAM, laid_out
from tests.runtime.bench import flow_of
from tests.runtime.called import UPPER, calls

ASKED = {"question": "What sang?"}
PLAIN = flow_of(
    {
        "question": ("io.flow_input", {"type": "text"}),
        "draft": ("text.template", {"template": "draft on {{q}}"}),
        "critic": ("llm.chat", {"instructions": "You are strict and fair."}),
        "out": "io.flow_output",
    },
    ["question.value -> draft.q", "draft.text -> critic.prompt", "critic.reply -> out.value"],
)
ECHO = 'rules: [{reply: "{{ system }}|{{ last }}"}]'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.open(write_project(laid_out(tmp_path)))


def tools(script: str, *faults: str, **more: Any) -> Tools:
    client = client_of(script)
    return Tools(client, environ={}, is_offline=True, faults=faults, **more)


async def ran(flow: Flow, script: str, *faults: str, project: Project | None = None, **more: Any) -> Result:
    """Run, and see that a replay of it does the same without asking anybody."""
    prepared = load(flow, project=project) if project is not None else load(flow)
    asked = ASKED if "question" in flow.nodes else {}
    result = await run(prepared, asked, tools(script, *faults, **more))
    again = await replay(result.entries, Tools(environ={}), project=project)
    assert first_difference(result.entries, again.entries) is None
    assert again.outputs == result.outputs
    return result


def happened(result: Result) -> list[tuple[str, str, str]]:
    """Which faults happened, at which step, on which side of its work."""
    return [
        (one.event.fault, one.step, one.event.phase)
        for one in result.entries
        if isinstance(one.event, StepFaulted)
    ]


@pytest.mark.parametrize(
    ("fault", "out", "step", "phase"),
    [
        ("replace draft: a lie", "You are strict and fair.|a lie", "draft", "after"),
        ("replace draft.text: a lie", "You are strict and fair.|a lie", "draft", "after"),
        ("replace critic.prompt: a lie", "You are strict and fair.|a lie", "critic", "before"),
        ("replace critic#chat.messages: a lie", "You are strict and fair.|a lie", "critic#chat.1", "before"),
        (
            "replace critic#chat.instructions: Be lax.",
            "Be lax.|draft on What sang?",
            "critic#chat.1",
            "before",
        ),
        ("drop critic#chat.instructions", "|draft on What sang?", "critic#chat.1", "before"),
        ("replace critic#chat: no", "no", "critic#chat.1", "after"),
        ("drop critic#chat.answer", "", "critic#chat.1", "after"),
        ("truncate draft", "You are strict and fair.|draft on ", "draft", "after"),
        ("delay critic: 0", "You are strict and fair.|draft on What sang?", "critic", "before"),
    ],
)
async def test_a_fault_changes_what_is_read_or_given_where_it_stands(
    fault: str, out: str, step: str, phase: str
) -> None:
    result = await ran(PLAIN, ECHO, fault)
    assert result.outputs["out"] == out
    assert happened(result) == [(fault.split(maxsplit=1)[0], step, phase)]
    assert result.state.steps[StepId(step)].faults
    if not fault.startswith("delay"):
        assert "fault" in result.state.outputs["out"].labels


async def test_without_faults_nothing_is_told_of_any() -> None:
    result = await ran(PLAIN, ECHO)
    assert happened(result) == []
    assert result.state.faults == ()
    assert "fault" not in result.state.outputs["out"].labels


async def test_a_corrupted_answer_has_the_same_words_in_another_order() -> None:
    said, spoiled = [(await ran(PLAIN, ECHO, *faults)).outputs["out"] for faults in ((), ("corrupt critic",))]
    assert isinstance(said, str)
    assert isinstance(spoiled, str)
    assert spoiled != said
    assert sorted(spoiled.split()) == sorted(said.split())


async def test_a_dropped_output_is_absent_and_what_reads_it_is_skipped() -> None:
    result = await ran(PLAIN, ECHO, "drop draft")
    assert "out" not in result.outputs
    assert result.state.steps[StepId("critic")].status.value == "skipped"


@pytest.mark.parametrize(("at", "error"), [("critic", "FaultedError"), ("critic#chat", "FaultedChatError")])
async def test_a_step_fails_with_the_message_that_is_said(at: str, error: str) -> None:
    result = await ran(PLAIN, ECHO, f"fail {at}: The line is dead.")
    assert result.error is not None
    assert (result.error.error, result.error.step) == (error, "critic")
    assert "The line is dead." in result.error.message


async def test_the_error_policy_of_a_step_stands_in_for_its_fault() -> None:
    record = PLAIN.nodes[next(one for one in PLAIN.nodes if one == "critic")]
    node = record.model_copy(
        update={"run": record.run.model_copy(update={"on_error": "default", "default": "stand-in"})}
    )
    flow = Flow(
        "bench", "", {**PLAIN.nodes, next(one for one in PLAIN.nodes if one == "critic"): node}, PLAIN.wires
    )
    assert (await ran(flow, ECHO, "fail critic")).outputs["out"] == "stand-in"


@pytest.mark.parametrize(
    ("fault", "read"),
    [
        ("fail agent#tool: The shelf burnt.", "I read: The shelf burnt."),
        ("replace search: A bat sang.", "I read: A bat sang."),
        ("drop agent#tool.answer", "I read: "),
        ('replace agent#tool.arguments: {"query": "dunnock"}', "dunnock"),
    ],
)
async def test_a_tool_lies_fails_or_is_asked_something_else(project: Project, fault: str, read: str) -> None:
    result = await ran(FLOW, SCRIPT, fault, project=project)
    assert read in str(result.outputs["out"])
    (told,) = happened(result)
    assert told[1] == "agent#tool.1"
    answered = next(one for one in conversation(result.state, StepId("agent")) if one.role == "tool")
    assert answered.is_error == fault.startswith("fail")


async def test_an_agent_that_is_lent_is_silent(project: Project) -> None:
    result = await ran(TEAM, SCRIPT, "drop helper", project=project)
    assert result.outputs["out"] == "I read: "


async def test_the_answer_of_a_tool_that_is_left_out_is_said_to_be_missing(project: Project) -> None:
    result = await ran(FLOW, SCRIPT, "drop agent#chat.messages call=2", project=project)
    assert result.outputs["out"] == "I read: (The tool gave no answer.)"
    assert happened(result) == [("drop", "agent#chat.2", "before")]


NOTES = flow_of(
    {
        "question": ("io.flow_input", {"type": "text"}),
        "board": ("memory.notes", {"name": "board"}),
        "put": ("memory.remember", {}, {"texts": ["the wren sang"], "fields": {"key": "a"}}),
        "get": ("memory.recall", {}, {"query": "wren"}),
        "out": "io.flow_output",
    },
    [
        "board.memory -> put.memory",
        "board.memory -> get.memory",
        "put.then -> get.after",
        "get.text -> out.value",
    ],
)


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("replace board#memory: the owl sang", ["the owl sang"]),
        ("drop board#memory", []),
        ("truncate get#memory", ["the wr"]),
        ("drop board#memory which=2", ["the wren sang"]),
    ],
)
async def test_what_is_found_in_a_memory_is_changed_or_lost(fault: str, found: list[str]) -> None:
    result = await ran(NOTES, ECHO, fault)
    reads = [one.event for one in result.entries if isinstance(one.event, MemoryRead)]
    told = [one for one in reads if one.purpose == "recall"][-1]
    assert [one.data["text"] for one in told.found] == found  # type: ignore[index, call-overload]
    assert told.fault == ("" if "which" in fault else " ".join(fault.split()[:2]).removesuffix(":"))


LOOP = flow_of(
    {
        "items": ("value.json", {"value": [str(one) for one in range(40)]}),
        "each": "control.for_each",
        "say": ("text.template", {"template": "item {{x}}"}),
        "all": "control.collect",
        "out": "io.flow_output",
    },
    ["items.value -> each.items", "each.item -> say.x", "say.text -> all.value", "all.values -> out.value"],
)


async def test_a_rate_is_drawn_by_step_and_the_same_seed_draws_the_same() -> None:
    one, same, other = [(await ran(LOOP, ECHO, "corrupt say rate=0.3", seed=seed)) for seed in (1, 1, 2)]
    assert 3 <= len(happened(one)) <= 22
    assert happened(one) == happened(same) != happened(other)


async def test_a_scope_names_the_round_or_item_in_which_it_happens() -> None:
    result = await ran(LOOP, ECHO, "replace say scope=each.7: gone")
    assert [at for at, one in enumerate(list(result.outputs["out"])) if one == "gone"] == [7]  # type: ignore[arg-type]


async def test_a_fork_keeps_the_faults_of_its_run() -> None:
    first = await run(PLAIN, ASKED, tools(ECHO, "corrupt draft", "replace critic#chat: no"))
    again = await fork(first.entries, tools(ECHO), step="critic")
    assert again.outputs == first.outputs == {"out": "no"}
    assert [one[0] for one in happened(again)] == ["corrupt", "replace"]
    draft = again.state.steps[StepId("draft")]
    assert draft.outputs["text"].data == first.state.steps[StepId("draft")].outputs["text"].data


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("fail nobody", "no node `nobody`"),
        ("fail critic.reply", "stands where no port can"),
        ("drop critic.prompt", "an input can't be dropped"),
        ("replace critic.nothing: 1", "no port `nothing`"),
        ("replace critic: x", "name the port"),
        ("corrupt critic#chat.arguments", "a chat has no part `arguments`"),
        ("corrupt critic#code", "no calls `code`"),
        ("delay question#memory", "can be changed, and not delay"),
        ("fail other.json:critic", "no flow `other.json` is called"),
        ("explode critic", "`fault`"),
        ("fail", "a place is missing"),
        ("fail critic rate", "is not NAME=VALUE"),
        ("fail critic rate=2", "`rate`"),
    ],
)
async def test_a_fault_that_means_nothing_is_refused_before_anything_runs(text: str, why: str) -> None:
    with pytest.raises(UsageError) as refused:
        await run(PLAIN, ASKED, tools(ECHO, text))
    assert why in refused.value.message


faults = st.builds(
    Fault,
    fault=st.sampled_from(["fail", "delay", "drop", "replace", "corrupt", "truncate"]),
    at=st.sampled_from(["critic", "critic.reply", "a.json:critic#chat.messages", "*#tool", "notes#memory"]),
    value=st.none() | st.integers(0, 5) | st.sampled_from(["a b", '{"a": 1}x', "no: yes"]),
    scope=st.sampled_from(["", "rounds.2"]),
    call=st.none() | st.integers(1, 3),
    which=st.none() | st.integers(1, 3),
    rate=st.sampled_from([1.0, 0.25]),
    seed=st.none() | st.integers(0, 9),
)


@given(st.lists(faults, max_size=3))
def test_faults_are_kept_in_runs_as_they_were(given: list[Fault]) -> None:
    assert list(faults_from_json(faults_to_json(given))) == given


def test_faults_are_written_one_a_line() -> None:
    told = fault_texts("fail critic: Not now.\n\ncorrupt a.json:b#chat rate=0.5 call=2 seed=3\n")
    assert told[0] == Fault(fault="fail", at="critic", value="Not now.")
    assert told[1] == Fault(fault="corrupt", at="a.json:b#chat", rate=0.5, call=2, seed=3)


plain: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-9, 9) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(plain)
def test_what_is_spoilt_keeps_its_shape_and_is_spoilt_alike_each_time(value: Any) -> None:
    wrong = spoilt(value, "corrupt", "x")
    assert same_shape(value, wrong)
    assert wrong == spoilt(value, "corrupt", "x")
    if isinstance(value, (bool, int, float)) or (isinstance(value, str) and value):
        assert wrong != value


def same_shape(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(same_shape(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_shape, one, other))
    return type(one) is type(other)


TALK = [
    Message("system", "Be brief."),
    Message("user", "Which?"),
    Message("assistant", "", (ToolCall("c", "look", "{}"),)),
    Message("tool", "A wren.", tool_call_id="c"),
    Message("assistant", "A wren."),
    Message("user", "Sure?"),
]


@pytest.mark.parametrize("which", range(1, 7))
def test_whatever_message_is_left_out_the_conversation_can_be_sent(which: int) -> None:
    rest: Sequence[Message] = with_message(TALK, which, None)
    assert not refuse_conversation(rest)
    assert rest[-1].role == "user"
    roles = [one.role for one in rest]
    assert all(pair != ("user", "user") for pair in pairwise(roles))
    assert (rest == TALK) == (which == 6)


CALLING = flow_of(
    {
        "question": ("io.flow_input", {"type": "text"}),
        "loud": calls("upper.json"),
        "out": "io.flow_output",
    },
    ["question.value -> loud.text", "loud.loud -> out.value"],
)


@pytest.mark.parametrize(
    ("fault", "out"),
    [
        ("replace upper.json:join: quiet", "quiet"),
        ("replace upper.json:join scope=loud: quiet", "quiet"),
        ("replace upper.json:join scope=other: quiet", "What sang?!"),
        ("replace loud.loud: quiet", "quiet"),
        ("truncate loud.text", "What !"),
    ],
)
async def test_faults_reach_into_called_flows(fault: str, out: str) -> None:
    prepared = load(CALLING, flows={"upper.json": UPPER})
    result = await run(prepared, ASKED, tools(ECHO, fault))
    assert result.outputs == {"out": out}
    again = await replay(result.entries, Tools(environ={}))
    assert again.outputs == result.outputs
    assert happened(again) == happened(result)


async def test_a_member_of_a_team_can_be_weakened_by_its_instructions() -> None:
    flow = flow_of(
        {
            "question": ("io.flow_input", {"type": "text"}),
            "one": ("team.member", {"name": "one", "instructions": "Be exact."}),
            "two": ("team.member", {"name": "two", "instructions": "Be brief."}),
            "team": ("team.round_robin", {"rounds": 1}),
            "out": "io.flow_output",
        },
        [
            "question.value -> team.task",
            "one.agent -> team.agents[0]",
            "two.agent -> team.agents[1]",
            "team.reply -> out.value",
        ],
    )
    result = await ran(flow, 'rules: [{reply: "{{ system }}"}]', "replace two#chat.instructions: Be lazy.")
    asked = [one.event.request for one in result.entries if isinstance(one.event, ChatRequested)]
    told = [one["messages"][0]["content"] for one in asked]  # type: ignore[index, call-overload]
    assert [("exact" in one, "lazy" in one) for one in told] == [(True, False), (False, True)]  # type: ignore[operator]


async def test_a_chat_that_fails_is_asked_of_whom_its_profile_falls_back_on(tmp_path: Path) -> None:
    profiles = {"first": {"provider": "scripted", "fallback": ["scripted"]}}
    root = write_project(tmp_path, flow=chain(), script=ECHO, chat={"default": "first", "profiles": profiles})
    faulty = Tools("first", environ={}, is_offline=True, faults=["fail writer#chat call=1"])
    result = await run(root, {"question": "Why?"}, faulty)
    assert result.error is None
    assert [step for _, step, _ in happened(result)] == ["writer#chat.1"]
    assert result.state.steps[StepId("writer#chat.2")].profile == "scripted"


def test_every_fault_that_the_guide_shows_is_one() -> None:
    page = (resources() / "guide" / "debugging.md").read_text("utf-8").partition("## Inject faults")[2]
    shown = [line.partition("  ")[0] for line in page.split("```")[1].splitlines()[1:]]
    assert len(shown) == 7
    assert [fault_of(one).fault for one in shown] == [one.split()[0] for one in shown]
