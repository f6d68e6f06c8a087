"""A run in one file: whole, without keys and paths, and harmless to open, whoever made it."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.app.documents.session import Session
from studio.app.runs.bundles import open_bundle, save_bundle
from studio.errors import StoreError, UsageError
from studio.flow.files import codec
from studio.ids import RunId, StepId
from studio.store.bundle import ENTRIES, HEAD, is_bundle
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Entry, LogWritten, RunFinished, RunStarted, StepFinished, StepStarted
from studio.trace.events.values import Shown
from studio.workspace.catalog import builtin_registry
from studio.workspace.private_folder import private_folder
from tests.app.flows import chain

RUN = RunId("20260102-030405-abcdef0")
WREN = b"a wren"
HASH = hashlib.sha256(WREN).hexdigest()
KEY = "tsk-quite-a-secret-42"
FLOW = codec.loads(json.dumps({**chain(), "name": "A chain"})).flow


def stored(root: Path, *said: str, flows: dict[str, str] | None = None, name: str = "A chain") -> RunStore:
    """A project's store with one run that is over, in which this was said and a picture sent."""
    store = RunStore(private_folder(root))
    flow = codec.dumps(FLOW)
    picture = Shown([{"path": "wren.png", "sha256": HASH, "type": "image/png"}])
    happened = [
        (StepId(""), RunStarted(name, flow, project=str(root), flows=flows or {})),
        (StepId("ask"), StepStarted({"pictures": picture})),
        *((StepId("ask"), LogWritten(one)) for one in said),
        (StepId("ask"), StepFinished({"text": Shown("done")})),
        (StepId(""), RunFinished()),
    ]
    writer = RunWriter(store.new_run_path(RUN), lambda _: None)
    for number, (step, event) in enumerate(happened, 1):
        writer.put(Entry(RUN, number, step, StepId(""), 1_000.0 + number, event))
    writer.close()
    store.images.keep(HASH, WREN)
    return store


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of a run."""
    path = tmp_path / "one.swrun"
    save_bundle(stored(tmp_path / "trial", "a line"), RUN, path)
    return path


def test_what_is_opened_elsewhere_is_the_run_with_its_flow_and_pictures(tmp_path: Path) -> None:
    store = stored(tmp_path / "trial", "a line")
    path = tmp_path / "one.swrun"
    size = save_bundle(store, RUN, path)
    assert size == path.stat().st_size
    assert is_bundle(path)
    folder, run = open_bundle(path, tmp_path / "cache")
    there = RunStore(private_folder(folder))
    before, after = list(store.entries(RUN)), list(there.entries(run))
    assert after[1:] == before[1:]
    assert replace(after[0].event, project="") == replace(before[0].event, project="")
    assert there.images.read(HASH) == WREN
    session = Session.open(folder, builtin_registry())
    assert session.flow == FLOW


@given(said=st.lists(st.text(max_size=30), max_size=4))
def test_any_words_come_through_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, said: list[str]
) -> None:
    root = tmp_path_factory.mktemp("words")
    store = stored(root / "trial", *said)
    save_bundle(store, RUN, root / "one.swrun")
    folder, _ = open_bundle(root / "one.swrun", root / "cache")
    assert list(RunStore(private_folder(folder)).entries(RUN))[1:] == list(store.entries(RUN))[1:]


def test_no_key_no_path_of_this_machine_and_no_hidden_word_is_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home of ada"
    monkeypatch.setenv("HOME", str(home))
    root = home / "trial"
    quoted = orjson.dumps({"key": KEY, "place": str(root / "data")}).decode()
    store = stored(root, f"{KEY} in {home}/notes", quoted, "Acme pays")
    path = tmp_path / "one.swrun"
    save_bundle(store, RUN, path, secrets=[KEY], more=["Acme"])
    with zipfile.ZipFile(path) as archive:
        text = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert KEY not in text
    assert "home of ada" not in text
    assert "Acme" not in text
    assert "~/notes" in text
    assert "./data" in text


def test_the_name_of_the_flow_is_hidden_wherever_it_stands(tmp_path: Path) -> None:
    store = stored(tmp_path / "trial")
    path = tmp_path / "one.swrun"
    save_bundle(store, RUN, path, more=["chain"])
    with zipfile.ZipFile(path) as archive:
        assert all(b"chain" not in archive.read(name) for name in archive.namelist())


def test_a_home_that_is_reached_through_a_link_is_hidden_by_both_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "disk ada").mkdir()
    (tmp_path / "home ada").symlink_to(tmp_path / "disk ada")
    monkeypatch.setenv("HOME", str(tmp_path / "home ada"))
    store = stored(tmp_path / "home ada" / "trial", *(f"{tmp_path}/{one} ada/x" for one in ("disk", "home")))
    path = tmp_path / "one.swrun"
    save_bundle(store, RUN, path)
    with zipfile.ZipFile(path) as archive:
        assert b" ada" not in archive.read(ENTRIES)


@pytest.mark.parametrize("name", ["Project", "Bundle"])
def test_a_flow_may_be_called_as_a_file_of_the_project_is(tmp_path: Path, name: str) -> None:
    store = stored(tmp_path / "trial", name=name)
    save_bundle(store, RUN, tmp_path / "one.swrun")
    folder, _ = open_bundle(tmp_path / "one.swrun", tmp_path / "cache")
    assert Session.open(folder, builtin_registry()).flow == FLOW


def test_what_came_in_a_bundle_is_open_for_reading_only_until_it_is_saved_elsewhere(
    bundle: Path, tmp_path: Path
) -> None:
    folder, _ = open_bundle(bundle, tmp_path / "cache")
    session = Session.open(folder, builtin_registry())
    assert session.is_read_only
    assert any("bundle" in one for one in session.notices)
    with pytest.raises(UsageError, match="read-only"):
        session.save()
    session.save_as(tmp_path / "own.json")
    session.save()
    assert not session.is_read_only


def test_a_bundle_that_is_opened_again_is_unpacked_once(bundle: Path, tmp_path: Path) -> None:
    first, _ = open_bundle(bundle, tmp_path / "cache")
    (first / "mark").touch()
    again, _ = open_bundle(bundle, tmp_path / "cache")
    assert again == first
    assert (again / "mark").exists()


def test_a_run_that_goes_on_is_not_bundled(tmp_path: Path) -> None:
    store = RunStore(private_folder(tmp_path))
    writer = RunWriter(store.new_run_path(RUN), lambda _: None)
    writer.put(Entry(RUN, 1, StepId(""), StepId(""), 1.0, RunStarted("f", "{}")), durable=True)
    writer.commit(is_durable=True)
    try:
        with pytest.raises(UsageError, match="still running"):
            save_bundle(store, RUN, tmp_path / "one.swrun")
    finally:
        writer.close()


def test_what_stands_in_the_place_of_the_file_stays_when_writing_fails(tmp_path: Path) -> None:
    store = stored(tmp_path / "trial")
    (tmp_path / "one.swrun").mkdir()
    with pytest.raises(UsageError, match="could not be written"):
        save_bundle(store, RUN, tmp_path / "one.swrun")
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".tmp"] == []


def changed(bundle: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The bundle with its files changed."""
    with zipfile.ZipFile(bundle) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    other = bundle.with_name("changed.swrun")
    with zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return other


def _newer(files: dict[str, bytes]) -> None:
    files[HEAD] = files[HEAD].replace(b'"version": 1', b'"version": 9')


def _elsewhere(files: dict[str, bytes]) -> None:
    files["../../evil"] = b"x"


def _nameless(files: dict[str, bytes]) -> None:
    files[HEAD] = files[HEAD].replace(RUN.encode(), b"../../run")


def _unknown(files: dict[str, bytes]) -> None:
    files[ENTRIES] = files[ENTRIES].replace(b'"log_written"', b'"never_heard"')


def _empty(files: dict[str, bytes]) -> None:
    files[ENTRIES] = b""


def _headless(files: dict[str, bytes]) -> None:
    del files[HEAD]


def _told(old: bytes, new: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        assert old in files[ENTRIES]
        files[ENTRIES] = files[ENTRIES].replace(old, new)

    return change


_UNSOUND = [
    _told(b'"step":"ask"', b'"step":"ask@x"'),
    _told(b'"step":"ask"', b'"step":"ask@%s"' % (b"9" * 5_000)),
    _told(b'"step":"ask"', b'"step":"rounds.%s/ask"' % (b"9" * 5_000)),
    _told(b'"step":"ask"', b'"step":"///"'),
    _told(b'"parent":""', b'"parent":"@@"'),
    _told(b'"time":1002.0', b'"time":1e300'),
    _told(b'"time":1002.0', b'"time":NaN'),
    _told(b'"time":1002.0', b'"time":-1'),
]
"""What no run that is shown could be shown with."""


@pytest.mark.parametrize("change", [_newer, _elsewhere, _nameless, _unknown, _empty, _headless, *_UNSOUND])
def test_a_bundle_that_is_not_one_is_refused_in_a_sentence_and_nothing_is_left(
    bundle: Path, tmp_path: Path, change: Callable[[dict[str, bytes]], None]
) -> None:
    cache = tmp_path / "cache"
    with pytest.raises(StoreError):
        open_bundle(changed(bundle, change), cache)
    assert not cache.exists() or not [*cache.glob("bundles/*")]
    assert not (tmp_path / "evil").exists()


def test_flows_are_written_below_their_folder_alone(tmp_path: Path) -> None:
    text = codec.dumps(FLOW)
    names = (
        "../out.json",
        "/out.json",
        "a/../../out.json",
        ".stepwire/out.json",
        "project.json",
        "C:/out.json",
    )
    store = stored(tmp_path / "trial", flows={**dict.fromkeys(names, text), "parts/inner.json": text})
    save_bundle(store, RUN, tmp_path / "one.swrun")
    folder, _ = open_bundle(tmp_path / "one.swrun", tmp_path / "cache")
    assert (folder / "parts" / "inner.json").is_file()
    assert sorted(one.name for one in folder.rglob("*.json")) == [
        "a_chain.json",
        "bundle.json",
        "inner.json",
        "project.json",
    ]
    assert not [*tmp_path.rglob("out.json")]


@given(at=st.integers(0, 10_000), flip=st.integers(1, 255))
def test_a_damaged_byte_is_refused_or_does_no_harm(
    tmp_path_factory: pytest.TempPathFactory, at: int, flip: int
) -> None:
    root = tmp_path_factory.mktemp("bits")
    path = root / "one.swrun"
    save_bundle(stored(root / "trial", "a line"), RUN, path)
    data = bytearray(path.read_bytes())
    data[at % len(data)] ^= flip
    path.write_bytes(data)
    is_bundle(path)
    try:
        open_bundle(path, root / "cache")
    except StoreError:
        assert not [*(root / "cache").glob("bundles/*")]


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bundle_that_is_packed_in_another_way_is_refused(
    bundle: Path, tmp_path: Path, packing: int
) -> None:
    other = tmp_path / "other.swrun"
    with zipfile.ZipFile(bundle) as archive, zipfile.ZipFile(other, "w", packing) as packed:
        for name in archive.namelist():
            packed.writestr(name, archive.read(name))
    with pytest.raises(StoreError, match="compression"):
        open_bundle(other, tmp_path / "cache")


def test_half_a_bundle_is_refused(bundle: Path, tmp_path: Path) -> None:
    half = tmp_path / "half.swrun"
    half.write_bytes(bundle.read_bytes()[:-30])
    assert not is_bundle(half)
    with pytest.raises(StoreError, match="not a readable run bundle"):
        open_bundle(half, tmp_path / "cache")


def test_an_archive_that_claims_to_be_huge_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(HEAD, b"{}")
        archive.writestr(ENTRIES, b"x")
    size = (1).to_bytes(4, "little")
    claimed = made.getvalue().replace(size + size, size + (2**32 - 2).to_bytes(4, "little"))
    path = tmp_path / "huge.swrun"
    path.write_bytes(claimed)
    with pytest.raises(StoreError, match=r"GB|no bundle"):
        open_bundle(path, tmp_path / "cache")
