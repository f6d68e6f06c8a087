"""Files are read row by row, in any encoding and dialect; what is wrong has its file, line and column."""

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.errors import ExperimentFileError
from studio.experiments import readers
from studio.experiments.datasets import load_dataset
from studio.experiments.experiment import DatasetUse
from studio.experiments.readers import Source, read_any, read_json_array
from studio.experiments.spilled import HELD, SpilledRows
from tests.examples import examples
from tests.experiments.toys import lines, write

ROWS: list[dict[str, Any]] = [
    {"id": "a", "question": "Größe?\n“2”", "nested": {"x": [1, None]}},
    {"id": "b", "question": "", "nested": {}},
]


def use(file: str, **more: Any) -> DatasetUse:
    return DatasetUse.model_validate({"file": file, **more})


def columns(path: Path) -> list[Any]:
    source = Source(path)
    found = [one.columns for one in read_any(source)]
    source.refuse()
    return found


@pytest.mark.parametrize(
    "data",
    [
        lines(*ROWS).encode(),
        b"\xef\xbb\xbf" + lines(*ROWS).encode(),
        lines(*ROWS).encode("utf-16"),
        gzip.compress(lines(*ROWS).encode()),
        json.dumps(ROWS, ensure_ascii=False).encode(),
        json.dumps(ROWS, indent=2).encode("utf-8-sig"),
        json.dumps({"data": ROWS}, indent=2).encode(),
        lines(*ROWS).replace("\n", "\r\n").encode(),
    ],
    ids=["lines", "BOM", "UTF-16", "gzip", "array", "array, BOM", "object", "CRLF"],
)
def test_the_same_rows_come_out_of_whatever_they_were_packed_into(tmp_path: Path, data: bytes) -> None:
    assert columns(write(tmp_path / "rows", data)) == ROWS


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_table_is_parted_by_what_its_first_line_has_most_of(tmp_path: Path, delimiter: str) -> None:
    head, cells = delimiter.join(["id", '"a,b;c"', "c"]), delimiter.join(["1", '"x\ny, z; ""w"""', ""])
    assert columns(write(tmp_path / "rows.csv", f"{head}\r\n{cells}\r\n\r\n")) == [
        {"id": "1", "a,b;c": 'x\ny, z; "w"', "c": ""}
    ]


def test_what_json_does_not_have_is_nothing(tmp_path: Path) -> None:
    assert columns(write(tmp_path / "rows", '{"a": NaN, "b": [Infinity]}\n')) == [{"a": None, "b": [None]}]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("r.jsonl", b'{"a": 1}\n{"a": }\n{"a" 2}\n', ["line 2, column 7: ", "line 3, column 6: "]),
        ("r.jsonl", b'{"a": 1}\n{"a": "\xe9"}\n', ["line 2, column 8: the byte 0xe9 is not UTF-8"]),
        ("r.json", b'[\n {"a": 1},\n {"a": x}\n]', ["line 3, column 8: this is not JSON"]),
        ("r.json", b'[\n {"a": 1}', ["line 2: the array has no end"]),
        ("r.json", b'[{"a": 1}, 2]', ["line 1: a row is an object"]),
        ("r.json", b'{\n "a": 1,\n}', ["line 3, column 1: this is not JSON"]),
        ("r.csv", b"a;b\n1;2\n3\n", ["line 3: 1 cells, and 2 columns; `b` has none"]),
        ("r.jsonl", b"\x1f\x8b\x08\x00bad", ["could not be read"]),
    ],
)
def test_what_is_wrong_has_its_line_and_column(
    tmp_path: Path, name: str, data: bytes, said: list[str]
) -> None:
    write(tmp_path / name, data)
    with pytest.raises(ExperimentFileError) as caught:
        load_dataset(tmp_path, use(name, **({"as": "json"} if name == "r.json" else {})))
    assert [one for one in said if one not in str(caught.value)] == []


def test_a_file_of_faults_is_read_no_further_than_to_twenty(tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", "{\n" * 1000)
    with pytest.raises(ExperimentFileError) as caught:
        load_dataset(tmp_path, use("rows.jsonl"))
    assert [caught.value.details[place][:8] for place in (0, 19)] == ["line 1, ", "line 20,"]
    assert len(caught.value.details) == 21


def test_a_file_of_a_folder_is_named_with_its_fault(tmp_path: Path) -> None:
    write(tmp_path / "all" / "2.jsonl", '{"a": 1}\n')
    write(tmp_path / "all" / "10.jsonl", '{"a" 1}\n')
    with pytest.raises(ExperimentFileError, match=r"10\.jsonl, line 1"):
        load_dataset(tmp_path, use("all", **{"as": "json"}))


@settings(max_examples=examples(60))
@given(
    st.lists(st.dictionaries(st.text(max_size=3), st.text() | st.integers(), max_size=3), max_size=8),
    st.integers(1, 64),
    st.sampled_from([None, 1]),
)
def test_an_array_is_read_alike_wherever_it_is_cut(
    tmp_path_factory: pytest.TempPathFactory, plain: list[Any], piece: int, indent: int | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "array.json"
    path.write_text(json.dumps(plain, indent=indent, ensure_ascii=False), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readers, "PIECE", piece)
        source = Source(path)
        assert [one.columns for one in read_json_array(source)] == plain
    source.refuse()


def test_rows_beyond_those_wanted_are_not_read(tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", lines(*({"n": n} for n in range(3))) + "this is no row\n" * 3)
    assert len(load_dataset(tmp_path, use("rows.jsonl", first=3)).rows) == 3


def test_many_rows_cost_little_memory_and_are_the_same(tmp_path: Path) -> None:
    count, text = HELD + 1_000, "x" * 400
    with (tmp_path / "rows.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f'{{"n": {n}, "t": "{n}{text}"}}\n' for n in range(count))
    tracemalloc.start()
    found = load_dataset(tmp_path, use("rows.jsonl", where={}))
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < HELD * 1_500
    places = (0, HELD - 1, HELD, count - 1)
    assert [found.rows[place].columns["n"] for place in places] == [*places]
    assert (found.rows[-1].id, found.rows[-1].line) == (str(count), count)
    assert [one.line for one in found.rows[HELD - 1 : HELD + 1]] == [HELD, HELD + 1]


@settings(max_examples=examples(40))
@given(st.lists(st.text(max_size=5), max_size=9), st.integers(0, 4))
def test_rows_on_disk_are_a_sequence_as_any(plain: list[str], held: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("studio.experiments.spilled.HELD", held)
        kept = SpilledRows[str](lambda one: one, str)
        for one in plain:
            kept.append(one)
    assert (len(kept), [*kept], kept[1:3], [*reversed(kept)]) == (len(plain), plain, plain[1:3], plain[::-1])
