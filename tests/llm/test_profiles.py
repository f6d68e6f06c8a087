"""Chat profiles become clients, or a sentence that says what is missing."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from studio.errors import ChatRefusedError, ChatUnreachableError, UsageError
from studio.llm.client import ChatProfile, Usage
from studio.llm.limits import TimeLimits
from studio.llm.prices import Prices
from studio.llm.profiles import BUILT_IN, OPENAI_URL, TRUSTED_VARIABLE, open_client
from tests.llm.builders import ECHO, ONCE, ask, book_of

KEY = {"OPENAI_API_KEY": "sk-secret", "OPENAI_MODEL": "gpt-4o"}


async def test_the_scripted_profile_answers_without_key_or_network() -> None:
    client = open_client(BUILT_IN["scripted"], environ={}, book=book_of(ECHO), offline=True, pace=0)
    assert (await client.answer(ask("hello"))).message.content == "hello"
    await client.close()


def test_the_openai_profile_reads_the_environment_and_hides_the_key() -> None:
    environ = {**KEY, "OPENAI_BASE_URL": "https://llm.example.org/v1"}
    client = open_client(BUILT_IN["openai"], environ=environ, book=None)
    assert repr(client) == "OpenAIClient('https://llm.example.org/v1', llm='gpt-4o')"


async def test_an_endpoint_on_this_machine_needs_no_key() -> None:
    profile = ChatProfile("local", base_url="http://127.0.0.1:9/v1", llm="m")
    client = open_client(profile, environ={}, book=None, retries=ONCE)
    with pytest.raises(ChatUnreachableError, match=r"http://127\.0\.0\.1:9/v1"):
        await client.answer(ask("x"))
    await client.close()


THEIRS = "https://llm.example.org/v1"


@pytest.mark.parametrize(
    ("profile", "environ"),
    [
        (ChatProfile("openai", base_url=THEIRS, llm="m"), {}),
        (ChatProfile("mine", base_url=THEIRS, llm="m", key_env="GITHUB_TOKEN"), {}),
        (ChatProfile("mine", llm="m", key_env="GITHUB_TOKEN"), {}),
        (ChatProfile("mine", base_url=OPENAI_URL, llm="m"), {"OPENAI_BASE_URL": THEIRS}),
        (ChatProfile("mine", base_url=f"{OPENAI_URL}@llm.example.org", llm="m"), {}),
        (
            ChatProfile("mine", base_url=THEIRS, llm="m", key_env="GITHUB_TOKEN"),
            {TRUSTED_VARIABLE: f"OPENAI_API_KEY={THEIRS}"},
        ),
    ],
)
def test_a_project_cannot_aim_a_key(profile: ChatProfile, environ: dict[str, str]) -> None:
    keys = {"OPENAI_API_KEY": "sk-secret", "GITHUB_TOKEN": "ghp-secret"}
    with pytest.raises(UsageError, match="but only the project") as refused:
        open_client(profile, environ={**keys, **environ}, book=None)
    assert "secret" not in str(refused.value)
    # What the hint says is what helps.
    remedy = refused.value.hint.partition(f"{TRUSTED_VARIABLE}=")[2]
    open_client(
        profile, environ={**keys, **environ, TRUSTED_VARIABLE: f"A=https://a.example {remedy}/"}, book=None
    )


async def test_an_endpoint_on_this_machine_is_sent_no_key_that_it_was_not_given() -> None:
    heard: list[str] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        heard.append(next(line for line in head.decode().splitlines() if line.lower().startswith("auth")))
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    profile = ChatProfile("local", base_url=url, llm="m")
    for environ in (KEY, {**KEY, TRUSTED_VARIABLE: f"OPENAI_API_KEY={url}"}, {**KEY, "OPENAI_BASE_URL": url}):
        client = open_client(profile, environ=environ, book=None, retries=ONCE)
        with pytest.raises(ChatRefusedError):
            await client.answer(ask("x"))
        await client.close()
    server.close()
    assert [line.split()[-1] for line in heard] == ["none", "sk-secret", "sk-secret"]


@pytest.mark.parametrize(
    ("profile", "environ", "offline", "complaint"),
    [
        (BUILT_IN["openai"], KEY, True, "`openai` needs the network.*Use the profile `scripted`"),
        (BUILT_IN["openai"], {"OPENAI_MODEL": "m"}, False, "OPENAI_API_KEY is not set.*Set OPENAI_API_KEY"),
        (BUILT_IN["openai"], {"OPENAI_API_KEY": "k"}, False, "name a model.*OPENAI_MODEL"),
        (ChatProfile("mine", key_env="MY_KEY", llm="m"), KEY, False, "MY_KEY is not set"),
        (ChatProfile("mine", base_url="file:///etc", llm="m"), KEY, False, "base URL.*`file:///etc`"),
        (BUILT_IN["scripted"], {}, False, "there are none"),
        (ChatProfile("s", "scripted", base_url="https://example.org"), {}, False, "on this machine only"),
        (ChatProfile("s", "scripted", time_limits={"idel": 3}), {}, False, "`idel` is not a time limit"),
        (ChatProfile("s", "scripted", time_limits={"idle": 0}), {}, False, "`idle` is `0`"),
    ],
)
def test_what_is_missing_is_said_with_the_remedy(
    profile: ChatProfile, environ: dict[str, str], complaint: str, *, offline: bool
) -> None:
    with pytest.raises(UsageError, match=complaint):
        open_client(profile, environ=environ, book=None, offline=offline)


@pytest.mark.parametrize("key", ["ké", "one\ntwo", "\u201cquoted\u201d"])
def test_a_key_that_no_header_carries_is_refused_and_not_shown(key: str) -> None:
    environ = {"OPENAI_API_KEY": key, "OPENAI_MODEL": "m"}
    with pytest.raises(UsageError, match="OPENAI_API_KEY contains characters") as refused:
        open_client(BUILT_IN["openai"], environ=environ, book=None)
    assert key not in str(refused.value)


@pytest.mark.process
def test_opening_a_client_loads_no_provider_library() -> None:
    code = """
import sys
from studio.llm.scripted_answers import server
from studio.llm.profiles import BUILT_IN, open_client
open_client(BUILT_IN["openai"], environ={"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m"}, book=None)
sys.exit(len({"openai", "httpx2", "httpx", "pydantic"} & set(sys.modules)))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603


def test_the_limits_of_a_profile_replace_the_defaults() -> None:
    assert TimeLimits.from_mapping({"idle": 5}) == TimeLimits(idle=5.0)


PRICES = Prices.load(Path(__file__).parents[2] / "resources" / "prices.toml")


@pytest.mark.parametrize(
    ("llm", "usage", "cost"),
    [
        ("scripted", Usage(1_000_000, 1_000_000), 2.0),
        ("GPT-4o-mini-2024-07-18", Usage(2_000_000, 0, 1_000_000), 0.225),
        ("gpt-4o-mini", Usage(0, 1_000_000), 0.6),
        ("gpt-4o-audio-preview", Usage(1, 1), None),
        ("unheard-of", Usage(1, 1), None),
    ],
)
def test_the_price_list_knows_what_tokens_cost(llm: str, usage: Usage, cost: float | None) -> None:
    assert PRICES.cost(llm, usage) == (None if cost is None else pytest.approx(cost))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[price]]\ninput = 1\noutput = 1", "price 1 does not say"),
        ("[[price]]\nllm = 'a'\ninput = 1", "`output` is `None`"),
        ("[[price]]\nllm = 'a'\ninput = -1\noutput = 1", "`input` is `-1`"),
        ("price = 3", "is not a list"),
        ("price = [", "can't be read"),
    ],
)
def test_a_wrong_price_list_is_refused_naming_the_price(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        Prices.load(text)
