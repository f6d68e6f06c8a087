"""Finding words in flows, and putting others in their place."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.app.documents.find_replace import Query, find_in, find_in_project, replace_in_project, replaced
from studio.app.documents.session import Session
from studio.errors import StepwireError
from studio.flow.edits.texts import texts_of, with_texts
from studio.flow.records import Flow, Frame, Layout, Note
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow, save_flow, versions_of
from tests.flow.builders import flow, node
from tests.flow.strategies import flows

NOTES = replace(
    flow(
        {
            "owl": node("text.template", title="The owl", template="An Owl calls.\nowls answer {{x}}"),
            "list": node("value.json", value={"birds": ["heron", "owl"], "n": 3}),
            "ask": node("text.template", inputs={"who": "the owl"}, template="{{who}}"),
        },
        name="Birds",
    ),
    layout=Layout(frames={"f": Frame("Owls", 0, 0, 9, 9)}, notes={"n": Note("no owl here", 0, 0, 9, 9)}),
)


def found(words: str, *, case: bool = False, word: bool = False, pattern: bool = False) -> list[str]:
    return [
        f"{one.place.name}:{'.'.join(map(str, one.place.path))}@{one.start}"
        for one in find_in(NOTES, Query(words, case, word, pattern))
    ]


def test_titles_ids_settings_typed_values_frames_and_notes_are_found() -> None:
    assert found("owl") == [
        "ask:inputs.who@4",
        "list:settings.value.birds.1@0",
        "owl:title@4",
        "owl:id@0",
        "owl:settings.template@3",
        "owl:settings.template@14",
        "f:title@0",
        "n:text@3",
    ]
    assert found("text.template") == ["ask:kind@0", "owl:kind@0"]


def test_case_and_whole_words_and_patterns_narrow_it() -> None:
    assert found("Owl", case=True) == ["owl:settings.template@3", "f:title@0"]
    assert "owl:settings.template@14" not in found("owl", word=True)
    assert found(r"\{\{\w+\}\}", pattern=True) == ["ask:settings.template@0", "owl:settings.template@26"]
    assert found("owl.") == []


@pytest.mark.parametrize("pattern", ["(", "(a+)+b"])
def test_a_pattern_that_cannot_be_read_or_might_never_end_is_refused(pattern: str) -> None:
    with pytest.raises(StepwireError):
        find_in(NOTES, Query(pattern, is_pattern=True))


def test_chosen_hits_are_replaced_and_nothing_else() -> None:
    query = Query("owl")
    hits = [one for one in find_in(NOTES, query) if one.start != 14 and one.place.name != "n"]
    after = replaced(NOTES, hits, query, "crow").applied_to(NOTES)
    assert after.nodes[NodeId("owl")].settings["template"] == "An crow calls.\nowls answer {{x}}"
    assert after.nodes[NodeId("owl")].title == "The crow"
    assert after.nodes[NodeId("list")].settings["value"] == {"birds": ["heron", "crow"], "n": 3}
    assert after.nodes[NodeId("ask")].inputs == {"who": "the crow"}
    assert after.layout.frames["f"].title == "crows"
    assert after.layout.notes == NOTES.layout.notes
    assert set(after.nodes) == set(NOTES.nodes)


def test_a_pattern_puts_its_groups_into_what_stands_instead() -> None:
    query = Query(r"(\w+) calls", is_pattern=True)
    after = replaced(NOTES, find_in(NOTES, query), query, r"\1 sings").applied_to(NOTES)
    assert after.nodes[NodeId("owl")].settings["template"] == "An Owl sings.\nowls answer {{x}}"
    with pytest.raises(StepwireError):
        replaced(NOTES, find_in(NOTES, query), query, r"\9")


def test_a_text_that_was_edited_since_it_was_found_is_left() -> None:
    query = Query("owl")
    hits = find_in(NOTES, query)
    title = next(one.place for one in hits if one.place.path == ("title",))
    edited = with_texts(NOTES, {title: "An owl of another title"}, "").applied_to(NOTES)
    assert replaced(edited, hits, query, "crow").applied_to(edited).nodes[NodeId("owl")].title == (
        "An owl of another title"
    )


@given(flows(), st.text(max_size=3))
def test_every_text_that_can_change_changes_where_it_stands(made: Flow, words: str) -> None:
    texts = {one.place: one.text for one in texts_of(made) if one.can_change}
    after = with_texts(made, {place: text + words for place, text in texts.items()}, "").applied_to(made)
    assert {one.place: one.text for one in texts_of(after) if one.can_change} == {
        place: text + words for place, text in texts.items()
    }
    back = with_texts(after, texts, "").applied_to(after)
    assert back == made


def project(root: Path) -> Session:
    root.mkdir()
    save_flow(root / "flow.json", NOTES)
    save_flow(root / "second.json", replace(NOTES, name="Second"))
    return Session.open(root, builtin_registry())


def test_flows_of_a_project_are_searched_as_they_are_edited(tmp_path: Path) -> None:
    session = project(tmp_path / "p")
    session.history.do(with_texts(session.flow, {next(texts_of(session.flow)).place: "Herons"}, "x"))
    assert [one.name for one in find_in_project(session, Query("heron"))] == ["flow.json", "second.json"]
    assert [one.title for one in find_in_project(session, Query("heron"))] == ["Herons", "Second"]


def test_replacing_in_a_project_is_one_step_in_open_flows_and_saves_closed_ones(tmp_path: Path) -> None:
    session = project(tmp_path / "p")
    query = Query("heron")
    hits = {one.path: one.hits for one in find_in_project(session, query)}

    def open_flow(path: Path) -> tuple[Session, bool]:
        return (session, True) if path == session.path else (Session.open(path, builtin_registry()), False)

    done = replace_in_project(hits, query, "stork", open_flow, Session.close)
    assert (done.places, done.flows, done.refused) == (2, ["flow.json", "second.json"], [])
    assert session.history.undo_labels == ["Replace “heron”"]
    assert not find_in(session.flow, query)
    assert load_flow(session.path).flow == NOTES
    second = tmp_path / "p" / "second.json"
    assert not find_in(load_flow(second).flow, query)
    assert load_flow(versions_of(second)[0]).flow == replace(NOTES, name="Second")


def test_a_flow_that_cannot_be_saved_is_named_and_the_others_are_done(tmp_path: Path) -> None:
    session = project(tmp_path / "p")
    query = Query("heron")
    hits = {one.path: one.hits for one in find_in_project(session, query)}
    (tmp_path / "p" / "second.json").write_text("{", "utf-8")

    def open_flow(path: Path) -> tuple[Session, bool]:
        return (session, True) if path == session.path else (Session.open(path, builtin_registry()), False)

    done = replace_in_project(hits, query, "stork", open_flow, Session.close)
    assert done.flows == ["flow.json"]
    assert "second.json" in done.refused[0]
