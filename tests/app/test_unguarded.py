"""Where a script is less careful than the studio, that is said before it is exported."""

from pathlib import Path

from studio.app.unguarded import unguarded
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from tests.app.projects import write_project
from tests.runtime.bench import flow_of

CODE = {"code": "def main() -> str:\n    return 'wren'"}


def test_code_commands_and_private_hosts_are_told_and_nothing_else() -> None:
    flow = flow_of(
        {
            "code": ("control.python", CODE),
            "function": "tools.python_function",
            "rows": ("tools.sqlite_query", {"query": "SELECT 1"}),
            "server": ("tools.mcp_server", {"command": "npx 'a b'"}),
            "far": ("tools.http_request", {"hosts": ["example.org"]}),
            "near": ("tools.http_request", {"hosts": ["nas"], "private": True}),
            "written": "tools.code_interpreter",
        },
        [],
    )
    told = unguarded(flow, builtin_registry())
    assert [one.partition("”")[0].strip("“").casefold() for one in told] == [
        "code",
        "function",
        "written",
        "server",
        "near",
    ]
    assert "not in a sandbox" in told[0]
    assert "only if STEPWIRE_RUN_CODE=1 is set" in told[2]
    assert "the script starts `npx 'a b'` without asking" in told[3]
    assert "nas may be in a private network" in told[4]


def test_a_limit_of_dollars_which_a_script_cannot_keep_is_told() -> None:
    flow = flow_of(
        {
            "limited": ("llm.agent", {"cost": 1.5}),
            "ruled": ("llm.agent", {"stop_when": "turn > 3 and cost >= 1"}),
            "free": ("llm.agent", {"tokens": 500, "stop_when": "'costs' in text"}),
        },
        [],
    )
    told = unguarded(flow, builtin_registry())
    assert [one.partition("”")[0].strip("“").casefold() for one in told] == ["limited", "ruled"]
    assert "Limit the tokens." in told[0]


def test_with_known_prices_only_what_is_kept_otherwise_is_told(tmp_path: Path) -> None:
    limits = {"cost": 1, "steps": 9, "at_once": 2}
    flow = flow_of({"limited": ("llm.agent", {"cost": 1.5})}, [])
    chat = {"default": "first", "profiles": {"first": {"llm": "gpt-5"}, "other": {"llm": "own"}}}
    project = Project.open(write_project(tmp_path, limits=limits, chat=chat))
    told = unguarded(flow, builtin_registry(), project)
    assert [one.partition(" counts")[0].partition(" limits")[0] for one in told] == [
        "The project's step limit",
        "The project's limit of parallel steps",
    ]
    flow = flow_of({"limited": ("llm.agent", {"cost": 1.5, "profile": "other"})}, [])
    told = unguarded(flow, builtin_registry(), project)
    assert told[0].startswith("“limited”: the script does not know what `own` costs")
    assert told[1] == "The cost of `own` is unknown, so the script does not enforce the project's cost limit."
