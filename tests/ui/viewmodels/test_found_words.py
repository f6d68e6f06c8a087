"""What was found, in words."""

from studio.app.documents.find_replace import Query, find_in
from studio.ui.viewmodels.words.found_words import excerpt, place_words
from tests.flow.builders import flow, node

LONG = "first line\nwhoever walks along the pond in June sees a heron, and more " + "of them " * 20 + "\nlast"
BIRDS = flow({"walk": node("text.template", title="Walk", template=LONG)}, name="heron")


def test_a_hit_is_shown_with_the_line_around_it_and_with_what_would_stand_there() -> None:
    hit = next(one for one in find_in(BIRDS, Query("heron")) if one.place.owner == "node")
    assert excerpt(hit).startswith("…June sees a heron, and more of them of them")
    assert excerpt(hit).endswith("…")
    assert "last" not in excerpt(hit)
    assert excerpt(hit, "stork").startswith("…June sees a stork, and")


def test_the_place_of_a_hit_names_node_and_field() -> None:
    assert [place_words(BIRDS, one) for one in find_in(BIRDS, Query("heron"))] == [
        "Flow · name",
        "Walk · template",
    ]
