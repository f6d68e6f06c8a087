"""Programs that an agent might start, and why none is started."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.tools.shell import command_lines, is_allowed, shell
from studio.app.scripts.flow_export import export_flow
from studio.errors import BoxMissingError, FlowProblemsError
from studio.flow.checks.check import check, errors_of
from studio.llm.client import ToolCall
from studio.sdk.testing import ScriptedContext, call_tools
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import remedy_of
from tests.runtime.bench import flow_of, run

FLOW = flow_of(
    {
        "call": ("control.call_tool", {}, {"arguments": {"command": ["touch", "made"]}}),
        "shell": ("tools.shell", {"commands": ["touch *"]}),
        "out": "io.flow_output",
    },
    ["shell.tool -> call.tool[0]", "call.text -> out.value"],
)


@pytest.mark.parametrize(
    ("line", "command", "fits"),
    [
        ("git status", "git status", True),
        ("git status", "git", False),
        ("git status", "git status --short", False),
        ("git log *", "git log main", True),
        ("git log *", "git log", False),
        ("git log *", "git log a b", False),
        ("git log *", "git log --output=x", False),
        ("ls ...", "ls", True),
        ("ls ...", "ls -l 'a b'", True),
        ("ls ...", "rm -l", False),
        ("cat 'a b'", "cat 'a b'", True),
        ("cat 'a b'", "cat a b", False),
        ("echo ok", "echo 'ok; rm -r /'", False),
    ],
)
def test_a_line_allows_what_it_says_and_no_more(line: str, command: str, *, fits: bool) -> None:
    assert is_allowed(shlex.split(command), shlex.split(line)) == fits


@given(st.lists(st.text(min_size=1).filter(lambda part: part not in {"*", "..."}), min_size=1))
def test_a_line_without_marks_allows_itself_and_nothing_longer(command: list[str]) -> None:
    assert is_allowed(command, command)
    assert not is_allowed([*command, "x"], command)
    assert is_allowed([*command, "x"], [*command, "..."])


@pytest.mark.parametrize("line", ["", "* a", "...", "ls ... a", "echo 'a"])
def test_what_names_no_program_is_a_problem_of_the_setting(line: str) -> None:
    with pytest.raises(ValueError, match=r"names no program|in the middle|quotation"):
        command_lines((line,))


async def test_what_is_allowed_is_not_started_either() -> None:
    call = ToolCall("1", "shell", '{"command": ["true"]}')
    with pytest.raises(BoxMissingError, match="isolated"):
        await call_tools(shell, {"commands": ["true"]}, [call], ScriptedContext())


def test_a_flow_with_it_is_neither_run_nor_exported_and_says_what_to_do_instead() -> None:
    [problem] = errors_of(check(FLOW, builtin_registry()))
    assert problem.node == "shell"
    assert "tool server instead" in problem.message
    with pytest.raises(FlowProblemsError, match="isolated"):
        export_flow(FLOW)


async def test_where_nobody_checked_the_flow_the_step_fails() -> None:
    ran = await run(FLOW)
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert "isolated" in ran.outcome.error.message


def test_no_setting_is_named_as_the_remedy_where_none_helps() -> None:
    registry = builtin_registry()
    problem = next(one for one in errors_of(check(FLOW, registry)) if one.node == "shell")
    assert remedy_of(problem, FLOW, registry) == "Remove the node; no setting fixes this."
