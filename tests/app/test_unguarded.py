"""Where a script is less careful than the studio, that is said before it is exported."""

from pathlib import Path

from studio.app.catalog import builtin_registry
from studio.app.project import Project
from studio.app.unguarded import unguarded
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
    assert "in no box" in told[0]
    assert "only where STEPWIRE_RUN_CODE=1 is set" in told[2]
    assert "`npx 'a b'` is started there without asking" in told[3]
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
    assert [one.partition(" counts")[0].partition(" is one")[0] for one in told] == [
        "The project's limit of steps",
        "The project's limit of steps at a time",
    ]
    flow = flow_of({"limited": ("llm.agent", {"cost": 1.5, "profile": "other"})}, [])
    told = unguarded(flow, builtin_registry(), project)
    assert told[0].startswith("“limited”: what `own` costs is unknown there")
    assert told[1] == "What `own` costs is unknown, so the project's limit of dollars is not kept there."
