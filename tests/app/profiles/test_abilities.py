"""What a test of an endpoint found is kept for the user, and what could not be found out is not made up."""

import json
from pathlib import Path

import pytest

from studio.app.profiles.profile_tests import try_profile
from studio.llm.client import ChatProfile, ChatRequest, Message, SchemaBy
from studio.llm.endpoints.probes import Capability, Finding, Verdict
from studio.llm.profiles import NoKeys
from studio.llm.scripted_answers.server import serve
from studio.workspace.abilities import FILE, Abilities
from studio.workspace.chats import Chats
from studio.workspace.project import Project
from studio.workspace.user_folder import CONFIG_VARIABLE
from tests.app.written_projects import write_project
from tests.llm.builders import book_of
from tests.llm.test_probing import ABLE, LLAMA, PICKY

SPEAKS_WORDS = """
rules:
  - name: told in words
    when: {instructions: It has to fit this JSON Schema}
    reply: '{"number": 7}'
  - name: whatever
    reply: ok
"""
LOCAL = ChatProfile("local", base_url="http://127.0.0.1:9/v1", llm="tiny")
FINDINGS = tuple(Finding(one, Verdict.YES, "It did.", "") for one in Capability)


async def chats_after(script: str, root: Path) -> Chats:
    """Test the one profile of a project, and give the chats of a later run."""
    environ = {CONFIG_VARIABLE: str(root / "config")}
    async with await serve(book_of(script), pace=0) as server:
        plain = {"base_url": server.base_url, "llm": "m"}
        write_project(root, chat={"default": "here", "profiles": {"here": plain}})
        project = Project.open(root)
        profile = project.profiles["here"]
        assert [one async for one in try_profile(profile, project, environ, NoKeys())]
    return Chats(project, profile, environ)


async def test_a_later_run_knows_what_the_test_of_its_profile_found(tmp_path: Path) -> None:
    able = await chats_after(ABLE, tmp_path / "able")
    assert [able.can("", one.value) for one in Capability] == [True] * len(Capability)
    picky = await chats_after(PICKY, tmp_path / "picky")
    assert picky.can("here", "JSON schema") is False
    assert picky.can("here", "images") is None  # the test could not tell


async def test_a_form_is_asked_for_in_words_where_the_test_found_that_a_schema_does_nothing(
    tmp_path: Path,
) -> None:
    schema = {"type": "object", "properties": {"number": {"type": "integer"}}}
    request = ChatRequest((Message("user", "Which?"),), response_schema=schema)
    environ = {CONFIG_VARIABLE: str(tmp_path / "config")}
    async with await serve(book_of(SPEAKS_WORDS), pace=0) as server:
        plain = {"base_url": server.base_url, "llm": "m"}
        write_project(tmp_path, chat={"default": "here", "profiles": {"here": plain}})
        project = Project.open(tmp_path)
        profile = project.profiles["here"]
        said: list[str] = []
        for is_tested in (False, True):
            if is_tested:
                assert [one async for one in try_profile(profile, project, environ, NoKeys())]
            chats = Chats(project, profile, environ)
            said.append((await chats("").answer(request)).message.content)
            await chats.close()
    assert said == ["ok", '{"number": 7}']


@pytest.mark.parametrize("by", ["auto", "native"])
async def test_where_the_test_found_that_alone_a_schema_goes_beside_json_object(
    by: SchemaBy, tmp_path: Path
) -> None:
    environ = {CONFIG_VARIABLE: str(tmp_path / "config")}
    schema = {"type": "object", "properties": {"kestrel": {"type": "integer"}}}
    request = ChatRequest((Message("user", "Which?"),), response_schema=schema, schema_by=by)
    async with await serve(book_of(LLAMA), pace=0) as server:
        plain = {"base_url": server.base_url, "llm": "m"}
        write_project(tmp_path, chat={"default": "here", "profiles": {"here": plain}})
        project = Project.open(tmp_path)
        profile = project.profiles["here"]
        assert [one async for one in try_profile(profile, project, environ, NoKeys())]
        chats = Chats(project, profile, environ)
        assert (await chats("").answer(request)).message.content == '{"kestrel": 7}'
        await chats.close()


def test_another_language_model_at_the_same_place_has_not_been_tested(tmp_path: Path) -> None:
    abilities = Abilities(tmp_path, lambda: 86_400.0)
    assert abilities.keep(LOCAL, {}, FINDINGS)
    assert abilities.of(ChatProfile("other", base_url=LOCAL.base_url, llm="large"), {}) is None
    same = abilities.of(ChatProfile("renamed", base_url=f"{LOCAL.base_url}/", llm="tiny"), {})
    assert same is not None
    assert (same.date, same.findings) == ("1970-01-02", FINDINGS)


def test_nothing_is_learnt_from_an_endpoint_that_is_not_there_or_a_test_that_was_broken_off(
    tmp_path: Path,
) -> None:
    abilities = Abilities(tmp_path)
    gone = (Finding(Capability.ANSWERS, Verdict.NO, "Not there.", ""), *FINDINGS[1:])
    assert not abilities.keep(LOCAL, {}, gone)
    assert not abilities.keep(LOCAL, {}, FINDINGS[:3])
    assert not abilities.keep(ChatProfile("scripted", "scripted"), {}, FINDINGS)
    assert abilities.of(LOCAL, {}) is None


def test_what_cannot_be_read_counts_as_never_tested(tmp_path: Path) -> None:
    abilities = Abilities(tmp_path)
    abilities.keep(LOCAL, {}, FINDINGS)
    (key, entry), *_ = json.loads((tmp_path / FILE).read_text("utf-8")).items()
    for damaged in (7, {}, {**entry, "findings": [["flying", "yes", "", ""]]}, {**entry, "findings": [1]}):
        (tmp_path / FILE).write_text(json.dumps({key: damaged}), "utf-8")
        assert abilities.of(LOCAL, {}) is None
