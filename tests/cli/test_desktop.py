"""The menu entry: written where this user's data lie, once, and removed to the last file."""

import configparser
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from studio.app.desktop_entry import ENTRY, FLOW_TYPE, RUN_TYPE, data_folder, quoted, refuse_other_systems
from studio.errors import UsageError
from studio.flow.files.codec import dumps
from studio.store.bundle import SUFFIX
from tests.cli.conftest import Call
from tests.runtime.bench import flow_of

NAMESPACE = {"mime": "http://www.freedesktop.org/standards/shared-mime-info"}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's data folder, on a system without the desktop's tools, and with one command `stepwire`."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "stepwire").touch(mode=0o755)
    return tmp_path / "data"


def files_in(folder: Path) -> list[str]:
    return sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file())


def test_it_is_installed_once_and_removed_to_the_last_file(call: Call, data: Path) -> None:
    first = call("desktop", "--install", "--json")
    assert first.code == 0, first.err
    installed = [
        "applications/stepwire.desktop",
        "icons/hicolor/scalable/apps/stepwire.svg",
        "mime/packages/stepwire.xml",
    ]
    assert files_in(data) == installed
    assert sorted(json.loads(first.out)["changed"]) == [str(data / one) for one in installed]
    assert call("desktop", "--install").out == "Nothing to change: it is installed.\n"
    (data / installed[0]).write_text("of a version before", encoding="utf-8")
    assert call("desktop", "--install").out == f"Wrote {data / installed[0]}\n"
    removed = call("desktop", "--uninstall")
    assert removed.out.splitlines() == [f"Removed {data / one}" for one in installed]
    assert files_in(data) == []
    assert call("desktop", "--uninstall").out == "Nothing to remove.\n"


def test_the_menu_starts_this_installation_with_the_file_that_is_opened(call: Call, data: Path) -> None:
    call("desktop", "--install")
    entry = configparser.RawConfigParser()
    entry.optionxform = str  # type: ignore[assignment]
    entry.read(data / "applications" / "stepwire.desktop", encoding="utf-8")
    told = entry["Desktop Entry"]
    program = data.parent / "bin" / "stepwire"
    assert told["Exec"] == f'"{program}" %f'
    assert told["TryExec"] == str(program)
    assert told["MimeType"] == f"{FLOW_TYPE};{RUN_TYPE};"
    assert (data / "icons" / "hicolor" / "scalable" / "apps" / f"{told['Icon']}.svg").is_file()


def test_flows_are_known_by_how_they_begin_and_bundles_by_their_name(call: Call, data: Path) -> None:
    call("desktop", "--install")
    types = ET.parse(data / "mime" / "packages" / "stepwire.xml").getroot()  # noqa: S314  our own file
    found = {one.get("type"): one for one in types.findall("mime:mime-type", NAMESPACE)}
    match = found[FLOW_TYPE].find("mime:magic/mime:match", NAMESPACE)
    assert match is not None
    first, last = (int(one) for one in match.attrib["offset"].split(":"))
    begins = dumps(flow_of({"question": "io.flow_input"}, []))
    assert first <= begins.index(match.attrib["value"]) <= last
    globs = [one.get("pattern") for one in found[RUN_TYPE].findall("mime:glob", NAMESPACE)]
    assert globs == [f"*{SUFFIX}"]


@pytest.mark.process
def test_where_the_desktop_cannot_be_told_this_is_said(call: Call, data: Path) -> None:
    told = call("desktop", "--install").err
    assert "`update-mime-database` is not installed" in told
    tool = data.parent / "bin" / "update-mime-database"
    tool.write_text(f'#!/bin/sh\necho "$1" > {data.parent}/told\n', encoding="utf-8")
    tool.chmod(0o755)
    assert "update-mime-database" not in call("desktop", "--uninstall").err
    assert (data.parent / "told").read_text(encoding="utf-8") == f"{data / 'mime'}\n"


def test_a_relative_data_folder_does_not_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_folder({"XDG_DATA_HOME": "data"}) == tmp_path / ".local" / "share"
    assert data_folder({}) == tmp_path / ".local" / "share"


def test_a_path_is_quoted_so_that_the_desktop_reads_it_back() -> None:
    assert quoted("/opt/a b/stepwire") == '"/opt/a b/stepwire"'
    assert quoted('/opt/"100%" $x/stepwire') == r'"/opt/\\"100%%\\" \\$x/stepwire"'
    assert "Exec={command} %f" in ENTRY


@pytest.mark.usefixtures("data")
def test_a_copy_without_a_command_is_told(call: Call, tmp_path: Path) -> None:
    (tmp_path / "bin" / "stepwire").unlink()
    told = call("desktop", "--install")
    assert told.code == 2
    assert "`stepwire` is not installed" in told.err


def test_a_folder_that_cannot_be_written_is_told(call: Call, data: Path) -> None:
    data.write_text("a file", encoding="utf-8")
    told = call("desktop", "--install")
    assert told.code == 2
    assert "XDG_DATA_HOME" in told.err


@pytest.mark.parametrize(("platform", "name"), [("darwin", "macOS"), ("win32", "Windows")])
def test_other_systems_are_told_how_the_window_is_started_there(platform: str, name: str) -> None:
    with pytest.raises(UsageError, match=f"not available on {name}") as raised:
        refuse_other_systems(platform)
    assert "`stepwire PROJECT`" in raised.value.hint
    refuse_other_systems("linux")
