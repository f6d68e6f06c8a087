"""A script asks whom its chat profile falls back on, as the studio does."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from openai import AsyncOpenAI

from studio.app.exporting import export_flow, save_script
from studio.errors import ChatError
from studio.export.forms.signature import signed
from studio.export.lifted.context import Context
from studio.llm.answer_server import serve
from studio.llm.client import ChatRequest, Message
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from tests.app.flows import chain
from tests.app.projects import write_project
from tests.export.scripts import Scripted
from tests.llm.builders import book_of

REFUSES = "rules: [{error: {status: 400, message: not today}}]"
SECOND = "rules: [{reply: 'the second hears {{ last }}'}]"
ASKED = ChatRequest((Message("user", "?"),))


def scripted(root: Path) -> Path:
    """Export a flow whose default profile falls back on another."""
    profiles = {"first": {"llm": "m", "fallback": ["plan b"]}, "plan b": {"llm": "m"}}
    write_project(root, flow=chain(), chat={"default": "first", "profiles": profiles})
    text = export_flow(root / "flow.json")
    save_script(root / "script.py", text)
    return root / "script.py"


async def ran(script: Path, environ: Mapping[str, str]) -> Scripted:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    command = [sys.executable, str(script), "--question=x"]
    given = {**plain, "OPENAI_API_KEY": "usual", "OPENAI_MODEL": "m", **environ}
    ended = await asyncio.to_thread(
        subprocess.run, command, env=given, capture_output=True, text=True, timeout=60, check=False
    )
    return Scripted(ended.returncode, ended.stdout, ended.stderr)


async def test_a_script_asks_the_second_where_the_first_refuses(tmp_path: Path) -> None:
    script = scripted(tmp_path)
    async with (
        await serve(book_of(REFUSES), pace=0) as first,
        await serve(book_of(SECOND), pace=0) as second,
    ):
        usual = {"OPENAI_BASE_URL": first.base_url}
        elsewhere = {"OPENAI_BASE_URL_PLAN_B": second.base_url, "OPENAI_API_KEY_PLAN_B": "own"}
        ended = await ran(script, {**usual, **elsewhere})
    assert list(ended.outputs.values()) == ["the second hears x"]
    assert "not today" in ended.err
    assert "Trying `plan b` instead." in ended.err


async def test_who_is_not_there_is_passed_over_and_the_last_error_is_told() -> None:
    async with await serve(book_of(SECOND), pace=0) as second:
        client = AsyncOpenAI(api_key="k", base_url="http://127.0.0.1:9/v1", max_retries=0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENAI_BASE_URL_B", second.base_url)
            patch.setenv("OPENAI_API_KEY_B", "own")
            context = Context(client=client, model="m", fallbacks={"": ["a", "b"], "b": ["a"]})
            assert (await context.chat(ASKED)).message.content == "the second hears ?"
        with pytest.raises(ChatError, match=r"127\.0\.0\.1:9/v1/ could not be reached"):
            await context.chat(ASKED)
        await client.close()


async def test_the_usual_key_goes_to_no_other_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL_FAR_1", "http://far.example/v1")
    context = Context(client=AsyncOpenAI(api_key="usual", base_url="http://127.0.0.1:9/v1"), model="m")
    with pytest.raises(ChatError, match="`far-1` has an endpoint of its own, but no key"):
        await context.chat(ASKED, profile="far-1")


def test_a_script_says_whom_it_asks_only_where_there_is_somebody(tmp_path: Path) -> None:
    text = scripted(tmp_path).read_text("utf-8")
    assert 'fallbacks={"": ["plan b"]}' in text
    assert "plan b is tried: OPENAI_MODEL_NAME sets" in " ".join(text.split())
    project = Project.open(tmp_path)
    flow = read_flow(project.main_flow).flow
    assert "fallbacks={" not in export_flow(flow)
    assert signed(export_flow(flow, project=project, name="flow.json")) == text
