"""What is missing says which line installs it, for the way this copy was installed."""

import json
import shlex
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from studio import extras
from studio.building_blocks.memories.embeddings import embedded
from studio.extras import missing_library
from studio.sdk import StepError

METADATA = """Metadata-Version: 2.4
Name: stepwire
Version: 1.0
Requires-Dist: wasmtime>=50
Provides-Extra: vectors
Requires-Dist: tokenizers>=0.20; extra == 'vectors'
"""

Install = Callable[[dict[str, object] | None], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Give what installs `stepwire` as PEP 610 tells it, or from an index."""
    folder = tmp_path / "stepwire-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(METADATA, encoding="utf-8")
    monkeypatch.setattr(metadata, "distribution", lambda _: metadata.PathDistribution(folder))

    def note(origin: dict[str, object] | None) -> None:
        if origin is not None:
            (folder / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")

    return note


def told_by_pip(name: str) -> list[str]:
    words = shlex.split(missing_library(name).removeprefix("Run: "))
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    return words[4:]


def test_an_extra_is_added_to_a_copy_from_an_index_by_name(install: Install) -> None:
    install(None)
    assert told_by_pip("tokenizers") == ["stepwire[vectors]"]


def test_an_extra_is_added_to_a_copy_from_a_file_by_that_file_and_never_by_a_bare_name(
    install: Install,
) -> None:
    url = "file:///downloads/stepwire-1.0-py3-none-any.whl"
    install({"url": url, "archive_info": {}})
    assert told_by_pip("Tokenizers") == [f"stepwire[vectors] @ {url}"]


def test_an_extra_is_added_to_a_copy_from_a_repository_at_its_commit(install: Install) -> None:
    install({"url": "https://host/stepwire", "vcs_info": {"vcs": "git", "commit_id": "4f2a"}})
    assert told_by_pip("tokenizers") == ["stepwire[vectors] @ git+https://host/stepwire@4f2a"]


def test_an_extra_is_added_to_a_checkout_where_it_lies(install: Install) -> None:
    install({"url": "file:///src/stepwire", "dir_info": {"editable": True}})
    assert told_by_pip("tokenizers") == ["-e", "/src/stepwire[vectors]"]


def test_what_belongs_to_every_copy_is_installed_by_its_own_requirement(install: Install) -> None:
    install(None)
    assert told_by_pip("wasmtime") == ["wasmtime>=50"]
    assert told_by_pip("componentize-py") == ["componentize-py"]


@pytest.mark.parametrize(
    ("file", "extra", "library"),
    [
        (
            "uv-receipt.toml",
            "uv tool install --force 'stepwire[vectors]'",
            f"{shlex.quote(sys.executable)} -m pip install 'wasmtime>=50'",
        ),
        (
            "pipx_metadata.json",
            "pipx install --force 'stepwire[vectors]'",
            "pipx inject stepwire 'wasmtime>=50'",
        ),
    ],
)
def test_a_tool_is_completed_by_what_installed_it(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, extra: str, library: str
) -> None:
    install(None)
    (tmp_path / file).touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert missing_library("tokenizers") == f"Run: {extra}"
    assert missing_library("wasmtime") == f"Run: {library}"


def test_an_environment_without_pip_is_completed_by_uv(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(None)
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    line = shlex.join(("uv", "pip", "install", "--python", sys.executable, "stepwire[vectors]"))
    assert missing_library("tokenizers") == f"Run: {line}"


class Refusal:
    """Refuses to find modules of a name, as where their distribution is not installed."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, name: str, *_: object) -> None:
        if name.partition(".")[0] == self.name:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.mark.parametrize("name", ["safetensors", "tokenizers"])
def test_embedded_vectors_say_which_line_installs_what_they_lack(
    name: str, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(None)
    monkeypatch.setattr(sys, "meta_path", [Refusal(name), *sys.meta_path])
    for module in [one for one in sys.modules if one.partition(".")[0] == name]:
        monkeypatch.delitem(sys.modules, module)
    embedded.cache_clear()
    with pytest.raises(StepError, match=f"need `{name}`, which is not installed") as raised:
        embedded()
    assert "install" in raised.value.hint
    assert "[vectors]" in raised.value.hint or name in raised.value.hint
