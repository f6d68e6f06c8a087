"""Published tasks run from their files to their scores, in this process, on scripted answers."""

import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from studio.experiments.report import report_of
from studio.experiments.running import Table
from tests.app.written_projects import write_flow, write_project
from tests.experiments import benchmark_flows
from tests.experiments.benchmark_flows import DIALOGUE, END_STATE, FUNCTION_CALLING
from tests.experiments.builders import opened
from tests.experiments.running import run
from tests.experiments.toys import GSM8K, HUMANEVAL, TAU2, lines, write, write_bfcl

FUNCTIONS = """
rules:
  - name: two towns
    when: {last: 'Bath and in Exeter', instructions: You know the weather}
    tool_calls:
      - {name: weather_get, arguments: {city: exeter, days: 2}}
      - {name: weather_get, arguments: {city: Bath}}
  - name: one town, and a number that is a text
    when: {last: in Bath}
    tool_calls: [{name: weather_get, arguments: {city: bath, days: "1"}}]
  - name: nobody
    when: {last: Who are you}
    reply: I am nobody.
"""

SHOP = """
rules:
  - name: the user stops
    when: {instructions: You are a user, last: come back}
    reply: "###STOP###"
  - name: the user asks
    when: {instructions: You are a user}
    reply: "Cancel order #1, please."
  - name: the agent tells
    when: {after_tool: cancel}
    reply: "Done: {{ tool_results[-1].text }}"
  - name: the agent cancels
    when: {has_tool: cancel, instructions: Cancel what is pending}
    tool_calls: [{name: cancel, arguments: {order: "#1", reason: too late}}]
"""


def experiment(
    root: Path, flow: Mapping[str, Any], script: str, dataset: Mapping[str, Any], **more: Any
) -> Path:
    write_project(root, flow=flow, script=script)
    document = {
        "format": "stepwire.experiment",
        "version": 1,
        "dataset": dataset,
        "variants": {"one": {"flow": "flow.json"}},
        "chat": "scripted",
        **more,
    }
    return write(root / "experiments" / "trial.json", json.dumps(document))


def verdicts(path: Path, table: Table, scorer: str) -> Mapping[str, tuple[float | None, str]]:
    """What a scorer said of the first trial of each row."""
    rows = opened(path).dataset.rows
    found = {rows[cell.row].id: table.scores[cell.key, scorer] for cell in reversed(table.cells)}
    return {name: (one.score, one.reason) for name, one in found.items()}


def test_function_calling_is_scored_from_its_files_alone(tmp_path: Path) -> None:
    write_bfcl(tmp_path / "data" / "bfcl")
    path = experiment(tmp_path, FUNCTION_CALLING, FUNCTIONS, {"file": "data/bfcl", "as": "bfcl"})
    assert verdicts(path, run(path), "calls") == {
        "simple_python_0": (0.0, "`days` of `weather.get` is '1', not one of ['', 1]."),
        "live_parallel_multiple_0-0-0": (1.0, ""),
        "irrelevance_0": (1.0, ""),
    }


def test_a_format_fills_the_only_input_and_names_its_scorer(tmp_path: Path) -> None:
    flow = json.loads(json.dumps(FUNCTION_CALLING).replace("question", "asked"))
    flow["nodes"] = {name: flow["nodes"][name] for name in ("asked", "caller", "messages")}
    flow["nodes"]["caller"] = {"kind": "llm.chat"}
    flow["wires"] = ["asked.value -> caller.prompt", "caller.reply -> messages.value"]
    script = (
        "rules:\n  - {name: nests, when: {last: nests}, reply: It is 1200.}\n  - {name: all, reply: '2'}\n"
    )
    write(tmp_path / "test.jsonl", lines(*GSM8K))
    path = experiment(tmp_path, flow, script, {"file": "test.jsonl", "as": "gsm8k"})
    assert [one[0] for one in verdicts(path, run(path), "right").values()] == [0.0, 1.0]


@pytest.mark.box
def test_programs_are_scored_by_their_tests(tmp_path: Path) -> None:
    flow = json.loads(json.dumps(FUNCTION_CALLING))
    flow["nodes"] = {name: flow["nodes"][name] for name in ("question", "messages")}
    flow["nodes"]["caller"] = {"kind": "llm.chat"}
    flow["wires"] = ["question.value -> caller.prompt", "caller.reply -> messages.value"]
    code = "```python\n      def total(eggs):\n          return 3\n      ```"
    script = f"rules:\n  - name: all\n    reply: |\n      {code}\n"
    other = {**HUMANEVAL, "task_id": "Toy/1", "test": "def check(one):\n    assert one([2, 2]) == 4\n"}
    other["prompt"] = f"# again\n{HUMANEVAL['prompt']}"
    write(tmp_path / "he.jsonl", lines(HUMANEVAL, other))
    path = experiment(tmp_path, flow, script, {"file": "he.jsonl", "as": "humaneval"})
    found = verdicts(path, run(path), "tests")
    assert found == {"Toy/0": (1.0, ""), "Toy/1": (0.0, "Test 1 of 1: AssertionError")}


def dialogues(
    root: Path, tasks: list[dict[str, Any]], flow: Mapping[str, Any] = DIALOGUE, **more: Any
) -> Path:
    """Dialogues over a shop's orders, scored by the end state and what was said."""
    write(root / "data/tasks.json", json.dumps(tasks))
    write(root / "data/policy.md", "Cancel what is pending.")
    write_flow(root / "end_state.json", END_STATE)
    columns = {"initial": "row.initial.agent_data", "actions": "row.actions", "outputs": "row.outputs"}
    left = {"state": "outputs.state", "messages": "outputs.messages"}
    return experiment(
        root,
        flow,
        SHOP,
        {"file": "data/tasks.json", "as": "tau2-bench", "inputs": {"initial": "initial.agent_data"}},
        scorers={"reward": {"flow": "end_state.json", "given": {**columns, **left}}},
        **more,
    )


@pytest.mark.box
def test_a_dialogue_is_scored_by_the_end_state_and_what_was_said(tmp_path: Path) -> None:
    orders = {"orders": {"#1": {"status": "pending", "price": "12.50"}}}
    wanted = {
        "right": ("too late", "12.50"),
        "other state": ("too dear", "12.50"),
        "unsaid": ("too late", "13"),
    }
    tasks: list[dict[str, Any]] = [
        {
            **TAU2,
            "id": name,
            "user_scenario": {"persona": None, "instructions": f"You are Ada ({name})."},
            "initial_state": {"initialization_data": {"agent_data": orders, "user_data": None}},
            "evaluation_criteria": {
                "actions": [
                    {"action_id": "0", "name": "get_order", "arguments": {"order": "#9"}},
                    {"action_id": "1", "name": "cancel", "arguments": {"order": "#1", "reason": reason}},
                ],
                "communicate_info": [said],
            },
        }
        for name, (reason, said) in wanted.items()
    ]
    path = dialogues(tmp_path, tasks, repeats=2)
    table = run(path)
    assert verdicts(path, table, "reward") == {
        "right": (1.0, ""),
        "other state": (0.0, "The database is not as expected."),
        "unsaid": (0.0, "It did not say 13."),
    }


@pytest.mark.box
def test_repeated_dialogues_say_how_often_all_of_k_come_out_right(tmp_path: Path) -> None:
    orders = {"orders": {"#1": {"status": "pending", "price": "12.50"}}}
    actions = [{"action_id": "0", "name": "cancel", "arguments": {"order": "#1", "reason": "too late"}}]
    task = {
        **TAU2,
        "initial_state": {"initialization_data": {"agent_data": orders, "user_data": None}},
        "evaluation_criteria": {"actions": actions, "communicate_info": ["12.50"]},
    }
    forgetful = "import random\n\n\n" + benchmark_flows.SHOP.replace(
        'status="cancelled"', 'status=random.choice(["cancelled", "lost"])'
    )
    flow = json.loads(json.dumps(DIALOGUE))
    for name in ("shop", "office"):
        flow["nodes"][name]["settings"]["code"] = forgetful
    path = dialogues(tmp_path, [task], flow, repeats=8)
    table = run(path)
    right = [table.scores[cell.key, "reward"].score == 1 for cell in table.cells]
    assert 1 < sum(right) < 8
    [figures] = report_of(opened(path), table).figures
    for tries in (2, 4):
        drawn = [*combinations(right, tries)]
        chances = [sum(map(which, drawn)) / len(drawn) for which in (any, all)]
        assert figures.passes[tries] == pytest.approx(chances)
