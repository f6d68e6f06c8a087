"""Azure is asked as it wants to be: by its v1 interface as OpenAI, by a dated version with its own URLs."""

from collections.abc import Mapping

import httpx2
import pytest

from studio.errors import ChatRefusedError, UsageError
from studio.llm.client import ChatProfile, ChatRequest, Message
from studio.llm.embeddings import EmbedRequest
from studio.llm.endpoints.openai_client import OpenAIClient, azure_place
from studio.llm.presets import PRESETS, preset_of
from studio.llm.profiles import open_client
from studio.llm.scripted_answers.endpoint import ScriptedEndpoint
from studio.llm.scripted_answers.response_parts import Served
from studio.llm.scripted_answers.server import serve
from studio.llm.scripted_answers.transport import scripted_http_client
from tests.llm.builders import ECHO, ONCE, book_of

ASKED = ChatRequest((Message("user", "a wren"),))
RESOURCE = "https://mine.openai.azure.com"


class Deployment(ScriptedEndpoint):
    """Answers where a deployment is, as Azure does."""

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Served:
        return super().handle(method, f"/v1{path.partition('/deployments/my gpt')[2]}", headers, body)


async def test_a_dated_version_names_the_deployment_and_sends_the_key_in_its_own_header(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "a-token-for-somebody-else")
    endpoint, asked = Deployment(book_of(ECHO), pace=0), list[httpx2.Request]()

    async def note(request: httpx2.Request) -> None:
        asked.append(request)

    def watched() -> httpx2.AsyncClient:
        made = scripted_http_client(endpoint)
        made.event_hooks = {"request": [note]}
        return made

    client = OpenAIClient(
        RESOURCE,
        "the-key",
        "my gpt",
        http_client=watched,
        azure_version="2024-10-21",
        retries=ONCE,
    )
    assert (await client.answer(ASKED)).message.content == "a wren"
    assert len((await client.embed(EmbedRequest(("a",)))).vectors) == 1
    await client.close()
    paths = [str(one.url) for one in asked]
    root = "https://mine.openai.azure.com/openai/deployments/my%20gpt"
    version = "api-version=2024-10-21"
    assert paths == [f"{root}/chat/completions?{version}", f"{root}/embeddings?{version}"]
    for one in asked:
        assert one.headers["api-key"] == "the-key"
        assert "authorization" not in one.headers
        assert "a-token-for-somebody-else" not in str(one.headers)


@pytest.mark.parametrize("url", [RESOURCE, f"{RESOURCE}/", f"{RESOURCE}/openai", f"{RESOURCE}/openai/v1/"])
def test_the_base_url_may_be_that_of_the_resource_in_any_of_its_forms(url: str) -> None:
    place = f"{RESOURCE}/openai/deployments/a%2Fb"
    assert azure_place(url, "a/b") == place
    assert azure_place(f"{place}/", "other") == place


async def test_a_profile_says_which_version() -> None:
    async with await serve(book_of(ECHO), pace=0) as server:
        root = server.base_url.removesuffix("/v1")
        profile = ChatProfile("azure", base_url=root, llm="gpt", api_version="2024-10-21")
        client = open_client(profile, environ={}, book=None, retries=ONCE)
        with pytest.raises(
            ChatRefusedError, match=r"There is no POST /openai/deployments/gpt/chat/completions"
        ):
            await client.answer(ASKED)
        await client.close()


def test_a_dated_version_has_no_responses_interface() -> None:
    profile = ChatProfile("azure", base_url="http://127.0.0.1:1", llm="gpt", api_version="x", api="responses")
    with pytest.raises(UsageError, match="does not support the Responses API"):
        open_client(profile, environ={}, book=None)


def test_every_preset_that_has_a_place_is_spoken_to_by_an_interface_of_version_1() -> None:
    assert all(one.base_url.endswith("/v1") for one in PRESETS if one.base_url)
    assert preset_of("azure").base_url.endswith(".openai.azure.com/openai/v1")
