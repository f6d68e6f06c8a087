"""`stepwire datasets` knows a published file by its content, and writes the rows of any as JSON lines."""

import json
from pathlib import Path
from typing import Any, cast

from studio.experiments.formats import FORMATS
from tests.cli.conftest import Call
from tests.experiments.toys import GSM8K, lines, write, write_toys


def test_all_formats_are_listed_with_their_source_and_what_is_not_covered(call: Call) -> None:
    called = call("datasets", "list")
    assert called.code == 0
    for one in FORMATS.values():
        assert f"\n{one.name} " in f"\n{called.out}"
        assert one.not_covered in called.out
        assert one.source in called.out
    listed = cast("list[dict[str, Any]]", call("datasets", "list", "--json").json)
    assert [one["name"] for one in listed] == [*FORMATS]


def test_what_is_guessed_is_said_and_how_to_name_it(call: Call, tmp_path: Path) -> None:
    path = write(tmp_path / "test.jsonl", lines(*GSM8K))
    called = call("datasets", "check", path)
    assert called.code == 0, called.err
    assert "read as GSM8K" in called.out
    assert 'guessed from its content; in an experiment, write `"as": "gsm8k"`' in called.out
    assert "scored by: right" in called.out
    named = call("datasets", "check", path, "--as", "jsonl")
    assert "guessed" not in named.out
    assert "read as JSON lines" in named.out


def test_figures_of_results_are_those_of_their_authors(call: Call, tmp_path: Path) -> None:
    called = call("datasets", "check", write_toys(tmp_path)["agentdojo"])
    assert "targeted attack success: 50.0% of 2" in called.out


def test_a_converted_file_has_the_same_rows(call: Call, tmp_path: Path) -> None:
    toy = write_toys(tmp_path)["tau-bench"]
    called = call("datasets", "convert", toy, "--as", "tau-bench", "-o", tmp_path / "rows.jsonl")
    assert called.code == 0, called.err
    first, second = map(json.loads, (tmp_path / "rows.jsonl").read_text("utf-8").splitlines())
    assert (first["outputs"], second["id"]) == (["12.5"], "1")
    again = call("datasets", "convert", toy, "-o", tmp_path / "rows.jsonl")
    assert again.code == 2
    assert "is already there" in again.err


def test_a_file_that_breaks_off_leaves_nothing_behind(call: Call, tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", '{"a": 1}\n{"a"')
    called = call("datasets", "convert", path, "-o", tmp_path / "out.jsonl")
    assert called.code == 2
    assert "line 2, column 5" in called.err
    assert not (tmp_path / "out.jsonl").exists()


def test_a_file_that_is_not_there_is_told(call: Call, tmp_path: Path) -> None:
    assert "There is no dataset `none.json`" in call("datasets", "check", tmp_path / "none.json").err
