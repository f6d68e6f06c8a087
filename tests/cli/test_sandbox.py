"""The box from the command line: made, tried, and refused with the reason."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call

pytestmark = pytest.mark.box


@pytest.mark.timeout(300)
def test_it_is_tried_and_tells_where_it_lies(call: Call) -> None:
    told = call("sandbox", "--json")
    assert told.code == 0, told.err
    assert Path(json.loads(told.out)["image"]).is_file()
    words = call("sandbox").out
    assert words.startswith("The sandbox is ready: ")
    assert "A warm call takes" in words


def test_where_it_cannot_be_had_the_reason_and_the_remedy_are_said(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stepwire").write_text("a file where a folder belongs")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    told = call("sandbox")
    assert told.code == 1
    assert "can't be built" in told.err
    assert "XDG_CACHE_HOME" in told.err
