import json
from pathlib import Path

import pytest

from studio.errors import StepwireError
from studio.workspace.stored_documents import Kept


def test_what_was_kept_is_read_back(tmp_path: Path) -> None:
    Kept(tmp_path / "deep" / "one.json").write({"theme": "dark", "text": "Grüße"})
    assert Kept(tmp_path / "deep" / "one.json").read() == {"theme": "dark", "text": "Grüße"}


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe"])
def test_a_damaged_file_counts_as_empty(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "one.json").write_bytes(content)
    assert Kept(tmp_path / "one.json").read() == {}


def test_a_file_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "one.json")
    kept.write({"a": "long " * 100})
    kept.write({"a": 1})
    assert json.loads((tmp_path / "one.json").read_text()) == {"a": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["one.json"]


def test_the_private_folder_of_a_project_stays_out_of_version_control(tmp_path: Path) -> None:
    Kept(tmp_path / ".stepwire" / "one.json").write({})
    assert (tmp_path / ".stepwire" / ".gitignore").read_text() == "*\n"


def test_a_disk_that_refuses_is_told_once_and_the_work_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    troubles: list[StepwireError] = []
    kept = Kept(tmp_path / "file" / "one.json", troubles.append)
    assert not kept.write({})
    assert not kept.write({})
    assert len(troubles) == 1
    assert "one.json" in troubles[0].message
