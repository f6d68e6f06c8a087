"""Opening, checking and describing a project runs nothing, starts nothing and connects nowhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.flows import chain
from tests.app.written_projects import write_project

pytestmark = pytest.mark.process

LOOK = """
import sys
from pathlib import Path

from studio.app.compose import compose
from studio.workspace.profiles import profile_names

config, harmless, hostile = map(Path, sys.argv[1:])


def look(root: Path) -> list[str]:
    application = compose({"OPENAI_API_KEY": "sk-secret"}, config)
    session = application.open(root)
    list(session.registry)  # as the list of node types does
    session.refresh_problems()
    session.input_fields()
    profile_names(session.project)
    application.debugger(session)
    application.close()
    return [one.code for one in session.problems]


look(harmless)  # whatever is loaded late is loaded now
heard = []
BAD = ("subprocess.", "socket.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "exec", "ctypes.")
sys.addaudithook(lambda name, _: heard.append(name) if name.startswith(BAD) else None)
codes = look(hostile)
print(codes, heard, file=sys.stderr)
sys.exit(bool(heard) or not codes)
"""
CODE = "__import__('os').system('touch {}')"


def test_a_hostile_project_can_be_looked_at(tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    code = CODE.format(trace)
    flow = chain()
    flow["nodes"] |= {  # pyright: ignore[reportOperatorIssue]
        "branch": {"kind": "control.branch", "settings": {"cases": [{"label": "A", "when": code}]}},
        "rounds": {"kind": "control.loop", "settings": {"stop_when": code}},
        "text": {"kind": "text.template", "settings": {"template": f"{{{{ x.__class__ }}}} {{% {code} %}}"}},
        "strange": {"kind": f"os.{code}", "settings": {"__reduce__": code}},
        "away": {"kind": "io.read_file", "settings": {"file": "../../../etc/passwd"}},
        "fetch": {"kind": "llm.chat", "settings": {"profile": "theirs"}},
    }
    theirs = {"base_url": "http://127.0.0.1:9/v1", "llm": "m", "key_env": "OPENAI_API_KEY"}
    root = write_project(
        tmp_path / "hostile", flow=flow, chat={"default": "theirs", "profiles": {"theirs": theirs}}
    )
    (root / "nodes").mkdir()
    (root / "nodes" / "evil.py").write_text(code, "utf-8")
    (root / "scripts").mkdir()
    (root / "scripts" / "evil.yaml").write_text(f"!!python/object/apply:os.system ['touch {trace}']", "utf-8")
    (root / ".stepwire").mkdir()
    (root / ".stepwire" / "breakpoints.json").write_text(json.dumps({"flow.json": {code: True}}), "utf-8")
    os.mkfifo(root / "waits_for_ever.json")
    loop = {"rounds": {"kind": "control.loop"}}  # a loop loads what sorts out regions
    plain = chain() | {"nodes": loop, "wires": []}
    harmless = write_project(tmp_path / "harmless", flow=plain, script="rules: []")
    command = [sys.executable, "-c", LOOK, str(tmp_path / "config"), str(harmless), str(root)]
    done = subprocess.run(command, check=False, timeout=60, capture_output=True, text=True)  # noqa: S603
    assert done.returncode == 0, done.stderr
    assert not trace.exists()
