"""Chat profiles become clients, or a sentence that says what is missing."""

import subprocess
import sys
from pathlib import Path

import pytest

from studio.errors import ChatUnreachableError, UsageError
from studio.llm.client import ChatProfile, Usage
from studio.llm.limits import TimeLimits
from studio.llm.prices import Prices
from studio.llm.profiles import BUILT_IN, open_client
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


@pytest.mark.parametrize(
    ("profile", "environ", "offline", "complaint"),
    [
        (BUILT_IN["openai"], KEY, True, "`openai` needs a network.*Use the profile `scripted`"),
        (BUILT_IN["openai"], {"OPENAI_MODEL": "m"}, False, "OPENAI_API_KEY is not set.*Set OPENAI_API_KEY"),
        (BUILT_IN["openai"], {"OPENAI_API_KEY": "k"}, False, "which language model.*OPENAI_MODEL"),
        (ChatProfile("mine", key_env="MY_KEY", llm="m"), KEY, False, "MY_KEY is not set"),
        (ChatProfile("mine", base_url="file:///etc", llm="m"), KEY, False, "base URL.*`file:///etc`"),
        (BUILT_IN["scripted"], {}, False, "there is no script"),
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


def test_opening_a_client_loads_no_provider_library() -> None:
    code = """
import sys
from studio.llm import answer_server
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
