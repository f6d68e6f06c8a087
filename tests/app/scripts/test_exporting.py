"""Where a script is put."""

from pathlib import Path

import pytest

from studio.app.scripts.script_files import ScriptToSave
from studio.errors import PlaceError

SCRIPT = """'''It reads
from afar.'''

import json


def asked() -> None:
    from openai.types import Model


print(json, asked)
"""


@pytest.mark.parametrize(
    "name",
    ["json.py", "openai.py", "types.py", "anyio.py", "httpx2.py", "pydantic.py", "typing_extensions.py"],
)
def test_a_script_is_not_called_as_what_it_imports_or_what_that_imports(tmp_path: Path, name: str) -> None:
    with pytest.raises(PlaceError, match=r"import itself|would hide"):
        ScriptToSave(tmp_path / name, SCRIPT).save()
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["typist.py", "afar.py"])
def test_any_other_name_will_do(tmp_path: Path, name: str) -> None:
    written = ScriptToSave(tmp_path / name, SCRIPT).save()
    assert (tmp_path / name).read_text("utf-8") == written.text
    assert written.text.endswith(SCRIPT)
