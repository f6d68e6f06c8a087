"""Prices come from the studio's list and, before it, from the user's; what has none is said to be unknown."""

from pathlib import Path

import pytest

from studio.llm.client import Usage
from studio.terminal.trace import ending
from studio.trace.events import ChatAnswered, ChatRequested
from studio.trace.figures import cost
from studio.trace.fold.state import fold
from studio.workspace.prices import load_prices
from studio.workspace.user_folder import CONFIG_VARIABLE
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project
from tests.cli.conftest import Call
from tests.trace.builders import numbered

MINE = """
[[price]]
llm = ["gpt-4o", "house-model*"]
input = 1
cached = 0.5
output = 2
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setenv(CONFIG_VARIABLE, str(folder))
    return folder


def test_the_users_price_counts_and_the_others_stay(config: Path) -> None:
    (config / "prices.toml").write_text(MINE, "utf-8")
    prices = load_prices({CONFIG_VARIABLE: str(config)})
    million = Usage(1_000_000, 1_000_000)
    assert prices.cost("gpt-4o", million) == pytest.approx(3)
    assert prices.cost("house-model-2", million) == pytest.approx(3)
    assert prices.cost("gpt-4o-mini", Usage(0, 1_000_000)) == pytest.approx(0.6)


def test_the_table_says_whose_a_price_is_and_where_to_change_it(call: Call, config: Path) -> None:
    first = call("prices")
    assert str(config / "prices.toml") in first.err
    assert "[[price]]" in first.err
    (config / "prices.toml").write_text(MINE, "utf-8")
    shown = call("prices")
    assert shown.out.startswith(
        "* gpt-4o, house-model*: $1 input, $0.5 cached input, $2 output, per million tokens\n"
    )
    assert len(shown.out.splitlines()) == len(first.out.splitlines()) + 1


@pytest.mark.usefixtures("config")
def test_a_price_that_nobody_named_is_unknown(call: Call) -> None:
    assert call("prices", "unheard-of").out == "unheard-of: no price is known\n"
    assert call("prices", "unheard-of", "--json").json == {"llm": "unheard-of", "price": None}


def test_runs_are_priced_by_the_users_list(call: Call, config: Path, tmp_path: Path) -> None:
    root = write_project(tmp_path / "trial", flow=chain(), script=SCRIPT)
    (config / "prices.toml").write_text('[[price]]\nllm = "scripted"\ninput = 90000\noutput = 0', "utf-8")
    assert " · $0.18" in call("run", root, "--input", "question=owl").err


def test_a_run_says_which_of_its_tokens_have_no_price_and_which_came_from_a_cache() -> None:
    answered = ChatAnswered({"role": "assistant", "content": "x"}, "stop", 100, 20, 64, None, "house")
    state = fold(numbered(("writer#chat.1", ChatRequested("", {})), ("writer#chat.1", answered)))
    assert (state.tokens, state.cached, state.unpriced, state.cost) == (120, 64, 120, 0.0)
    said = "120 tokens · price unknown · 64 of 100 input tokens (64 %) from the provider's cache"
    assert said in ending(state)
    assert cost(0.5, 120) == "$0.5000 + unknown"


def test_a_wrong_list_is_refused_with_its_place(call: Call, config: Path) -> None:
    (config / "prices.toml").write_text('[[price]]\nllm = "a"\ninput = -1\noutput = 0', "utf-8")
    refused = call("prices")
    assert refused.code == 2
    assert "prices.toml, price 1, `input` is `-1`" in refused.err
