"""Keys outside of projects: kept for one base URL each, and sent nowhere else."""

import json
from pathlib import Path

import pytest

from studio.app.runs.run_host import keys_first
from studio.errors import UsageError
from studio.host.protocol import StartRun
from studio.ids import RunId
from studio.llm.client import ChatProfile
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.profiles import open_client
from studio.workspace.chats import Chats
from studio.workspace.project import Project
from studio.workspace.secrets import HeldKeys, Secrets, SecretsError
from studio.workspace.user_folder import CONFIG_VARIABLE
from tests.app.rings import LockedRing, MemoryRing
from tests.app.written_projects import write_project

OURS, THEIRS = "https://ours.example/v1", "https://theirs.example/v1"
KEY = "k" * 164
KEYRING = ChatProfile("ours", base_url=OURS, llm="m", key_from="keyring")


def of_ring(folder: Path, ring: MemoryRing) -> Secrets:
    return Secrets(folder, lambda: ring)


def key_of(client: OpenAIClient) -> str:
    return client._endpoint.key


def test_a_key_goes_to_the_url_it_was_entered_for_and_to_no_other(tmp_path: Path) -> None:
    keys = of_ring(tmp_path, MemoryRing())
    keys.keep(f"{OURS}/", KEY)
    assert key_of(open_client(KEYRING, environ={}, book=None, keys=keys)) == KEY
    for url in (THEIRS, f"{OURS}@theirs.example", f"{OURS}/../v2", f"{OURS}?x"):
        stolen = ChatProfile("ours", base_url=url, llm="m", key_from="keyring")
        with pytest.raises(UsageError, match="no key for"):
            open_client(stolen, environ={}, book=None, keys=keys)


def test_a_key_of_the_environment_goes_where_the_users_settings_say(tmp_path: Path) -> None:
    keys = of_ring(tmp_path, MemoryRing())
    ours = ChatProfile("ours", base_url=OURS, llm="m", key_env="MY_KEY")
    theirs = ChatProfile("ours", base_url=THEIRS, llm="m", key_env="MY_KEY")
    keys.trust("MY_KEY", f"{OURS}/")
    assert key_of(open_client(ours, environ={"MY_KEY": KEY}, book=None, keys=keys)) == KEY
    with pytest.raises(UsageError, match="but only the project"):
        open_client(theirs, environ={"MY_KEY": KEY}, book=None, keys=keys)
    keys.distrust("MY_KEY", OURS)
    with pytest.raises(UsageError, match="but only the project"):
        open_client(ours, environ={"MY_KEY": KEY}, book=None, keys=keys)


def test_pairs_are_kept_without_keys(tmp_path: Path) -> None:
    of_ring(tmp_path, MemoryRing()).trust("MY_KEY", OURS)
    assert of_ring(tmp_path, MemoryRing()).is_trusted("MY_KEY", OURS)
    assert json.loads((tmp_path / "trusted_urls.json").read_text()) == {"pairs": [f"MY_KEY={OURS}"]}


def test_a_keyring_that_cuts_long_values_is_refused_before_a_key_is_lost_in_it(tmp_path: Path) -> None:
    ring = MemoryRing(longest=100)
    with pytest.raises(SecretsError, match="as long as this key"):
        of_ring(tmp_path, ring).keep(OURS, KEY)
    assert not ring.kept


def test_a_keyring_that_cannot_be_used_is_said_in_its_own_words(tmp_path: Path) -> None:
    keys = of_ring(tmp_path, LockedRing())
    with pytest.raises(SecretsError, match=r"The collection is locked\. Put the key in an environment"):
        open_client(KEYRING, environ={}, book=None, keys=keys)


def test_a_forgotten_key_is_gone(tmp_path: Path) -> None:
    ring = MemoryRing()
    keys = of_ring(tmp_path, ring)
    keys.keep(OURS, KEY)
    keys.forget(OURS)
    keys.forget(OURS)
    assert not ring.kept


def test_runs_hide_the_keys_of_the_keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = MemoryRing()
    monkeypatch.setattr("keyring.get_keyring", lambda: ring)
    of_ring(tmp_path, ring).keep(OURS, KEY)
    chat = {"profiles": {"ours": {"base_url": OURS, "llm": "m", "key_from": "keyring"}}}
    project = Project.open(write_project(tmp_path / "trial", chat=chat))
    chats = Chats(project, None, {CONFIG_VARIABLE: str(tmp_path)})
    assert KEY in chats.secrets


def test_keys_that_were_read_beforehand_are_not_asked_for_again_a_refusal_included(tmp_path: Path) -> None:
    class Counting(MemoryRing):
        asked = 0

        def get_password(self, service: str, username: str, /) -> str | None:
            self.asked += 1
            return super().get_password(service, username)

    ring = Counting()
    of_ring(tmp_path, ring).keep(OURS, KEY)
    keys = HeldKeys(tmp_path, lambda: ring)
    keys.fetch({OURS, THEIRS})
    asked = ring.asked
    assert [keys.key_for(f"{OURS}/"), keys.key_for(THEIRS)] == [KEY, ""]
    assert ring.asked == asked
    of_ring(tmp_path, ring).keep(THEIRS, KEY)
    assert keys.key_for(THEIRS) == ""
    keys.fetch({THEIRS})
    assert keys.key_for(THEIRS) == KEY, "the next run reads it anew"
    locked = HeldKeys(tmp_path, LockedRing)
    locked.fetch({OURS})
    for _ in range(2):
        with pytest.raises(SecretsError, match="locked"):
            locked.key_for(OURS)


def test_a_host_reads_the_keys_of_a_project_before_its_runs_and_of_others_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = MemoryRing()
    monkeypatch.setattr("keyring.get_keyring", lambda: ring)
    of_ring(tmp_path, ring).keep(OURS, KEY)
    environ = {CONFIG_VARIABLE: str(tmp_path)}
    keys = HeldKeys(tmp_path)
    first = keys_first(keys, environ)
    chat = {"profiles": {"ours": {"base_url": OURS, "llm": "m", "key_from": "keyring"}}}
    with_key = StartRun(RunId("one"), str(write_project(tmp_path / "trial", chat=chat)), "")
    without = StartRun(RunId("two"), str(write_project(tmp_path / "plain")), "")
    assert first(without) is None
    assert first(StartRun(RunId("three"), str(tmp_path / "gone"), "")) is None
    work = first(with_key)
    assert work is not None
    work()
    ring.kept.clear()
    assert keys.key_for(OURS) == KEY
