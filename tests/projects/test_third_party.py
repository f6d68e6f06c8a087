"""The examples through a server of the OpenAI protocol that others have written: LiteLLM's proxy.

Left out where it is not installed. It brings much with it, so by hand, into an environment of its own:
`python -m venv FOLDER; FOLDER/bin/pip install 'litellm[proxy]'`, and `STEPWIRE_LITELLM=FOLDER/bin/litellm`.
It hands requests on to the project's scripted answers, and makes up others itself.
"""

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest

from studio.errors import ChatRefusedError
from studio.llm.client import ChatRequest, Message
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.endpoints.probes import Capability, Verdict, probe
from studio.llm.endpoints.retry import RetryLimits, RetryPlan
from studio.llm.scripted_answers.script_book import ScriptBook
from studio.llm.scripted_answers.server import Server
from studio.trace.fold.state import RunState
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare, run_here
from tests.llm.strict_endpoint import StrictEndpoint
from tests.projects.running import SHOWN, copied, ran

PROXY = os.environ.get("STEPWIRE_LITELLM") or shutil.which("litellm") or ""
pytestmark = [
    pytest.mark.skipif(not PROXY, reason="STEPWIRE_LITELLM names no proxy"),
    pytest.mark.timeout(300),
]
KEY = "sk-of-this-test-alone-0123456789"
ONCE = RetryPlan(RetryLimits(attempts=1))
MODELS = """
model_list:
  - model_name: scripted
    litellm_params: {{model: openai/scripted, api_base: "{url}", api_key: none}}
  - model_name: invented
    litellm_params: {{model: openai/invented, api_key: none, mock_response: "A wren sang."}}
  - model_name: crowded
    litellm_params: {{model: openai/crowded, api_key: none, mock_response: "litellm.RateLimitError"}}
router_settings: {{num_retries: 0}}
"""


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@asynccontextmanager
async def proxied(book: ScriptBook, folder: Path) -> AsyncGenerator[tuple[str, StrictEndpoint]]:
    """Serve a script through the proxy; gives the proxy's base URL and what stands behind it."""
    endpoint = StrictEndpoint(book, pace=0)
    async with Server(endpoint, "127.0.0.1") as behind:
        await behind.start(0)
        config = folder / "models.yaml"
        config.write_text(MODELS.format(url=behind.base_url), "utf-8")
        port = free_port()
        names = {"LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_COLOR": "1"}
        process = await asyncio.create_subprocess_exec(
            *(PROXY, "--config", str(config), "--host", "127.0.0.1", "--port", str(port)),
            env={**os.environ, **names},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stderr is not None
        try:
            async for line in process.stderr:
                if b"running on" in line:
                    break
            else:
                pytest.fail("the proxy did not start")
            # What it says is read on, or it would wait for somebody who does.
            reading = asyncio.ensure_future(process.stderr.read())
            yield f"http://127.0.0.1:{port}/v1", endpoint
            reading.cancel()
        finally:
            process.terminate()
            await process.wait()


async def run_by(project: Project, url: str) -> RunState:
    """Run the main flow on an endpoint that is no script."""
    environ = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": KEY, "OPENAI_MODEL": "scripted"}
    registry = project_registry(project, builtin_registry())
    flow = load_flow(project.main_flow).flow
    return await run_here(prepare(project, flow, registry, environ=environ, profile="openai"))


@pytest.mark.parametrize("name", sorted(path.name for path in SHOWN))
async def test_an_example_gives_the_same_through_the_proxy(name: str, tmp_path: Path) -> None:
    project = copied(name, tmp_path)
    expected = await ran(copied(name, tmp_path / "other"))  # a memory begins empty in each
    assert project.scripts is not None
    async with proxied(ScriptBook.load(project.scripts), tmp_path) as (url, endpoint):
        state = await run_by(project, url)
        assert endpoint.refused == []
    assert state.error is None
    assert state.outputs == expected.outputs
    assert state.tokens == expected.tokens > 0


@asynccontextmanager
async def asking(
    url: str, llm: str, api: Literal["chat", "responses"] = "chat"
) -> AsyncGenerator[OpenAIClient]:
    client = OpenAIClient(url, KEY, llm, retries=ONCE, api=api)
    yield client
    await client.close()


async def test_the_proxy_is_understood_when_it_answers_refuses_and_is_tried(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text("rules: [{reply: ok}]", "utf-8")
    request = ChatRequest((Message("user", "What sang?"),))
    async with proxied(ScriptBook.load(script), tmp_path) as (url, _):
        async with asking(url, "invented") as client:
            pieces: list[str] = []
            answer = await client.answer(request, on_text=pieces.append)
            assert "".join(pieces) == answer.message.content == "A wren sang."
            assert answer.usage.total > 0
            found = {one.capability: one.verdict async for one in probe(client)}
            assert found[Capability.ANSWERS] is found[Capability.STREAMING] is Verdict.YES
        async with asking(url, "scripted", "responses") as client:
            assert (await client.answer(request)).message.content == "ok"
        for llm, status in (("crowded", 429), ("unheard-of", 400)):
            async with asking(url, llm) as client:
                with pytest.raises(ChatRefusedError) as refused:
                    await client.answer(request)
                assert refused.value.status == status
