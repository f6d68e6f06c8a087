"""Chat profiles are written into the project, keys are not; and they are tested before they are saved."""

import json
import socket
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.app.profiles.profile_edits import DraftKeys, check_profiles, save_profiles
from studio.app.profiles.profile_tests import BackgroundTest
from studio.errors import ProjectError, UsageError
from studio.llm.client import ChatProfile
from studio.llm.endpoints.probes import Verdict
from studio.llm.profiles import open_client
from studio.workspace.project import Project
from studio.workspace.secrets import Secrets
from tests.app.rings import MemoryRing
from tests.app.written_projects import write_flow, write_project

URL = "https://llm.example/v1"


def test_saving_changes_the_profiles_and_nothing_else(tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path, limits={"cost": 2}, keep={"runs": 3}))
    profiles = [
        ChatProfile("mine", base_url=URL, llm="m", at_once=2, time_limits={"idle": 5.0}, fallback=("spare",)),
        ChatProfile("spare", "scripted"),
    ]
    saved = save_profiles(project, profiles, "mine")
    assert list(saved.profiles.values()) == profiles
    assert (saved.default_profile, saved.limits, saved.keeping.runs) == ("mine", {"cost": 2}, 3)
    assert json.loads((tmp_path / "project.json").read_text())["chat"]["profiles"]["spare"] == {
        "provider": "scripted"
    }


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zs"]), min_size=1, max_size=8)


@given(
    st.lists(
        st.builds(
            ChatProfile,
            names,
            st.sampled_from(["openai", "scripted"]),
            st.sampled_from(["", URL, "http://127.0.0.1:1/v1"]),
            names,
            st.just("MY_KEY"),
            st.dictionaries(st.sampled_from(["connect", "total"]), st.floats(0.1, 100)),
            st.integers(0, 9),
            st.integers(0, 9),
            st.integers(0, 90_000),
            st.sampled_from(["", "ollama"]),
            st.sampled_from(["environment", "keyring"]),
            st.sampled_from(["auto", "chat", "responses"]),
            st.just(("openai",)),
        ).filter(lambda one: one.name.strip() == one.name != "openai" and one.llm.strip() == one.llm),
        max_size=3,
        unique_by=lambda one: one.name,
    )
)
def test_what_is_saved_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, profiles: list[ChatProfile]
) -> None:
    project = Project.open(write_project(tmp_path_factory.mktemp("trial")))
    assert list(save_profiles(project, profiles, "").profiles.values()) == profiles


def test_a_flow_on_its_own_gets_a_project_with_its_first_profile(tmp_path: Path) -> None:
    project = Project.open(write_flow(tmp_path / "alone.json"))
    saved = save_profiles(project, [ChatProfile("mine", base_url=URL, llm="m")], "mine")
    assert saved.is_folder
    assert saved.main_flow == project.main_flow
    assert Project.open(tmp_path).main_flow == project.main_flow


def test_a_damaged_project_is_not_written_over(tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path))
    (tmp_path / "project.json").write_text("{ half")
    with pytest.raises(ProjectError, match="is not JSON"):
        save_profiles(project, [], "")
    assert (tmp_path / "project.json").read_text() == "{ half"


@pytest.mark.parametrize(
    ("profile", "complaint"),
    [
        (ChatProfile(""), "needs a name"),
        (ChatProfile("a", base_url="llm.example/v1"), "must start with"),
        (ChatProfile("a", base_url="https://me:secret@llm.example/v1"), "can't contain a user, password"),
        (
            ChatProfile("a", base_url=f"{URL}?key=secret"),
            "can't contain a user, password or query, because projects",
        ),
        (ChatProfile("a", fallback=("nope",)), "no profile `nope`"),
        (ChatProfile("a", fallback=("a",)), "on itself"),
        (ChatProfile("a", time_limits={"idle": 0}), "`idle` is `0`"),
    ],
)
def test_a_wrong_profile_is_refused_with_the_reason(
    tmp_path: Path, profile: ChatProfile, complaint: str
) -> None:
    project = Project.open(write_project(tmp_path))
    before = (tmp_path / "project.json").read_bytes()
    assert complaint in check_profiles(project, [profile])[0]
    with pytest.raises(UsageError, match=complaint):
        save_profiles(project, [profile], "")
    assert (tmp_path / "project.json").read_bytes() == before


def test_a_typed_key_can_be_tried_before_it_is_kept_and_only_at_its_url(tmp_path: Path) -> None:
    secrets = Secrets(tmp_path, MemoryRing)
    keys = DraftKeys(secrets, URL, "typed")
    mine = ChatProfile("mine", base_url=URL, llm="m", key_from="keyring")
    assert open_client(mine, environ={}, book=None, keys=keys)._endpoint.key == "typed"
    other = ChatProfile("mine", base_url="https://other.example/v1", llm="m", key_from="keyring")
    with pytest.raises(UsageError, match="no key"):
        open_client(other, environ={}, book=None, keys=keys)


def wait_over(test: BackgroundTest) -> None:
    for _ in range(1000):
        if test.is_over:
            return
        threading.Event().wait(0.01)
    pytest.fail("the test did not come to its end")


def test_a_test_in_the_background_finds_and_ends(tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path, script="rules: [{reply: ok}]"))
    test = BackgroundTest(ChatProfile("scripted", "scripted"), project, {}, Secrets(tmp_path, MemoryRing))
    wait_over(test)
    assert test.poll()[0].verdict is Verdict.YES
    assert test.error is None


def test_a_profile_that_lacks_something_is_not_tested(tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path))
    test = BackgroundTest(ChatProfile("mine"), project, {}, Secrets(tmp_path, MemoryRing))
    wait_over(test)
    assert "a model" in str(test.error)
    assert test.poll() == []


def test_a_test_that_waits_is_cancelled_at_once(tmp_path: Path) -> None:

    with socket.create_server(("127.0.0.1", 0)) as deaf:
        profile = ChatProfile("deaf", base_url=f"http://127.0.0.1:{deaf.getsockname()[1]}/v1", llm="m")
        project = Project.open(write_project(tmp_path))
        test = BackgroundTest(profile, project, {}, Secrets(tmp_path, MemoryRing))
        connection, _ = deaf.accept()
        test.cancel()
        wait_over(test)
        connection.close()
    assert test.poll() == []
    assert test.error is None
