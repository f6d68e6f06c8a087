"""Keys outside of projects: kept for one base URL each, and sent nowhere else."""

import json
from pathlib import Path

import pytest

from studio.app.chats import Chats
from studio.app.project import Project
from studio.app.secrets import Secrets, SecretsError
from studio.app.settings import CONFIG_VARIABLE
from studio.errors import UsageError
from studio.llm.client import ChatProfile
from studio.llm.openai_client import OpenAIClient
from studio.llm.profiles import open_client
from tests.app.projects import write_project
from tests.app.rings import LockedRing, MemoryRing

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
    with pytest.raises(UsageError, match="nobody but the project"):
        open_client(theirs, environ={"MY_KEY": KEY}, book=None, keys=keys)
    keys.distrust("MY_KEY", OURS)
    with pytest.raises(UsageError, match="nobody but the project"):
        open_client(ours, environ={"MY_KEY": KEY}, book=None, keys=keys)


def test_pairs_are_kept_without_keys(tmp_path: Path) -> None:
    of_ring(tmp_path, MemoryRing()).trust("MY_KEY", OURS)
    assert of_ring(tmp_path, MemoryRing()).is_trusted("MY_KEY", OURS)
    assert json.loads((tmp_path / "trusted_urls.json").read_text()) == {"pairs": [f"MY_KEY={OURS}"]}


def test_a_keyring_that_cuts_long_values_is_refused_before_a_key_is_lost_in_it(tmp_path: Path) -> None:
    ring = MemoryRing(longest=100)
    with pytest.raises(SecretsError, match="as long as keys are"):
        of_ring(tmp_path, ring).keep(OURS, KEY)
    assert not ring.kept


def test_a_keyring_that_cannot_be_used_is_said_in_its_own_words(tmp_path: Path) -> None:
    keys = of_ring(tmp_path, LockedRing())
    with pytest.raises(SecretsError, match=r"The collection is locked\. Keep the key in an environment"):
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
