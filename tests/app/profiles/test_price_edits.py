"""Prices are edited as rows, written whole with their day, and read back as they were."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.app.profiles.price_edits import PriceRow, read_rows, save_prices
from studio.errors import UsageError
from studio.llm.prices import Price, Prices
from studio.workspace.prices import load_prices, shipped_prices, user_file, user_prices
from studio.workspace.user_folder import CONFIG_VARIABLE

TODAY = date(2026, 3, 1)
dollars = st.floats(0, 999_999, allow_nan=False)
names = st.lists(st.text(min_size=1, max_size=9).map(str.casefold), min_size=1, max_size=3).map(tuple)
prices = st.builds(Price, names, dollars, dollars, dollars, st.sampled_from(["", "2026-03-01"]))


@given(st.lists(prices, max_size=4))
def test_what_is_written_is_read_back(entries: list[Price]) -> None:
    written = Prices(tuple(entries)).dump("# mine\n")
    assert Prices.load(written).entries == tuple(entries)


def test_a_row_that_is_edited_prices_the_next_run_and_keeps_the_head_of_the_file(tmp_path: Path) -> None:
    environ = {CONFIG_VARIABLE: str(tmp_path)}
    user_file(environ).write_text("# from the bill of May\n\n[[price]]\nllm = 'x'\ninput = 1\noutput = 1\n")
    rows = [PriceRow("House-*, tiny", "$1", "", "2"), PriceRow("x", "1", "0.5", "1", "2025-05-01")]
    save_prices(read_rows(rows, TODAY), environ)
    assert user_file(environ).read_text().startswith("# from the bill of May\n\n[[price]]\n")
    found = load_prices(environ).find("house-7")
    assert found == Price(("house-*", "tiny"), 1.0, 2.0, 1.0, "2026-03-01")
    assert [PriceRow.of(one) for one in user_prices(environ).entries] == [
        PriceRow("house-*, tiny", "1", "1", "2", "2026-03-01"),
        PriceRow("x", "1", "0.5", "1", "2025-05-01"),
    ]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (PriceRow(" , ", "1", "", "1"), "needs the name"),
        (PriceRow("m", "cheap", "", "1"), "The price “cheap” of `m`"),
        (PriceRow("m", "1", "", ""), "The price “” of `m`"),
        (PriceRow("m", "1", "-1", "1"), "The price “-1”"),
        (PriceRow("m", "1", "nan", "1"), "The price “nan”"),
    ],
)
def test_a_row_that_is_wrong_is_refused_in_words(row: PriceRow, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_rows([PriceRow("fine", "1", "", "1"), row], TODAY)


def test_prices_that_come_with_the_studio_have_a_day() -> None:
    assert all(one.as_of for one in shipped_prices().entries)


def test_a_disk_that_refuses_leaves_the_prices_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="could not be written"):
        save_prices(Prices(), {CONFIG_VARIABLE: str(tmp_path / "file")})
