"""Small builders for tests that talk to the scripted endpoint."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from studio.llm.client import ChatRequest, Message, Role, ToolSpec
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.endpoints.retry import RetryLimits, RetryPlan
from studio.llm.limits import ByteLimits, TimeLimits
from studio.llm.prices import Prices
from studio.llm.scripted_answers.endpoint import ScriptedEndpoint
from studio.llm.scripted_answers.script_book import ScriptBook
from studio.llm.scripted_answers.transport import scripted_http_client

ECHO = 'rules: [{reply: "{{ last }}"}]'
TOOLS = """
rules:
  - when: {after_tool: search}
    reply: "Found {{ tool_results[-1].text }}"
  - when: {has_tool: search}
    reply: "I look it up."
    tool_calls:
      - {name: search, arguments: {query: "{{ question }}", limit: 3}}
"""
SEARCH = ToolSpec(
    "search", "Looks things up", {"type": "object", "properties": {"query": {"type": "string"}}}
)

ONCE = RetryPlan(RetryLimits(attempts=1))
SHORT = TimeLimits(connect=1.0, first_token=0.1, idle=0.1, total=0.2)


def book_of(text: str) -> ScriptBook:
    """Read a script from text."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "script.yaml")
        path.write_text(text, encoding="utf-8")
        return ScriptBook.load(path)


def client_of(
    script: str,
    *,
    faults: Sequence[str] = (),
    pace: float = 0.0,
    retries: RetryPlan = ONCE,
    times: TimeLimits | None = None,
    byte_limits: ByteLimits | None = None,
    prices: Prices | None = None,
    api: Literal["chat", "responses"] = "chat",
) -> OpenAIClient:
    """Give the real client, speaking to an endpoint in process that answers from `script`."""
    endpoint = ScriptedEndpoint(book_of(script), faults=faults, pace=pace)
    return OpenAIClient(
        "http://scripted.invalid/v1",
        "sk-secret-of-the-test",
        "scripted",
        time_limits=times,
        byte_limits=byte_limits,
        http_client=lambda: scripted_http_client(endpoint),
        prices=prices,
        retries=retries,
        send_caller=True,
        api=api,
    )


def ask(
    text: str, *, tools: Sequence[ToolSpec] = (), stream: bool = True, role: Role = "user"
) -> ChatRequest:
    """Give a request of one message."""
    return ChatRequest((Message(role, text),), tools=tuple(tools), stream=stream)
