import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.errors import FlowFileError
from studio.flow.files.codec import digest_text, dumps, loads
from studio.flow.files.file_text import WIDTH
from studio.flow.records import Flow, Frame, Layout, Note, Point, RunSettings
from studio.ids import NodeId
from tests.examples import examples
from tests.flow.builders import flow, node, review, wire
from tests.flow.strategies import flows

EXPECTED = """\
{
  "format": "stepwire.flow",
  "version": 1,
  "name": "Draft",
  "description": {"$lines": ["Two", "lines"]},
  "nodes": {
    "critic": {
      "kind": "llm.agent", "version": 2, "title": "Critic",
      "settings": {"instructions": {"$lines": ["You are strict — and fair.", ""]}, "tone": "dry"},
      "inputs": {"prompt": "typed"}, "run": {"retries": 2}
    },
    "join": {
      "kind": "text.join",
      "settings": {"separator": {"$lines": [
        "This is a separator that is so long that it does not fit on one line of a file, and has the next",
        "."
      ]}}
    }
  },
  "wires": [
    "critic.reply -> join.parts[2]", "critic.reply -> join.parts[10]",
    "join.text -> critic.prompt"
  ],
  "layout": {
    "nodes": {"critic": [320, 80]},
    "frames": {
      "one": {"title": "Area", "at": [0, 0], "size": [10, 20]}
    },
    "bends": {"critic.reply -> join.parts[2]": [[1, 2], [3, 4]]}
  }
}
"""
DIGESTED = """\
{
  "format": "stepwire.flow",
  "version": 1,
  "name": "",
  "description": "",
  "nodes": {
    "a": {
      "kind": "text.text",
      "settings": {
        "text": "x"
      }
    }
  },
  "wires": [],
  "policies": [],
  "layout": {
    "nodes": {
      "a": [1, 2]
    },
    "frames": {},
    "notes": {},
    "bends": {}
  }
}
"""


def critic() -> Flow:
    one = node(
        "llm.agent",
        title="Critic",
        inputs={"prompt": "typed"},
        tone="dry",
        instructions="You are strict — and fair.\n",
    )
    one = one.model_copy(update={"version": 2, "run": RunSettings(retries=2)})
    said = ("critic.reply -> join.parts[2]", "critic.reply -> join.parts[10]", "join.text -> critic.prompt")
    wires = tuple(map(wire, said))
    bends = {str(wires[0]): (Point(1, 2), Point(3, 4))}
    layout = Layout({NodeId("critic"): Point(320, 80)}, {"one": Frame("Area", 0, 0, 10, 20)}, {}, bends)
    separator = (
        "This is a separator that is so long that it does not fit on one line of a file, and has the next\n."
    )
    records = {NodeId("join"): node("text.join", separator=separator), NodeId("critic"): one}
    return Flow("Draft", "Two\nlines", records, wires, (), layout)


def problems_of(text: str) -> str:
    with pytest.raises(FlowFileError) as caught:
        loads(text)
    return "\n".join(caught.value.details)


def document(**changes: object) -> str:
    return json.dumps(json.loads(dumps(review())) | changes, indent=2)


def test_a_flow_is_written_as_people_read_it() -> None:
    assert dumps(critic()) == EXPECTED


def test_many_places_stand_side_by_side_in_lines_of_the_width() -> None:
    places = {NodeId(f"node_{number}"): Point(number, -number) for number in range(40)}
    some = Flow(nodes={name: node("text.text") for name in places}, layout=Layout(places))
    text = dumps(some)
    assert loads(text).flow == some
    assert max(map(len, text.splitlines())) < WIDTH
    assert len(text.splitlines()) < 40 + 30


def test_versions_are_told_by_a_text_that_never_changes() -> None:
    some = Flow(nodes={NodeId("a"): node("text.text", text="x")}, layout=Layout({NodeId("a"): Point(1, 2)}))
    assert digest_text(some) == DIGESTED
    assert loads(DIGESTED).flow == some


@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(flows())
def test_what_is_written_reads_back_as_it_was(some: Flow) -> None:
    text = dumps(some)
    again = loads(text)
    assert again.flow == some
    assert dumps(again.flow) == text
    assert not again.notices


def test_the_order_in_which_nodes_were_made_does_not_show_in_the_file() -> None:
    one = critic()
    other = Flow("Draft", "Two\nlines", dict(reversed(one.nodes.items())), one.wires, (), one.layout)
    assert dumps(other) == dumps(one)


def test_a_note_keeps_its_text_line_by_line() -> None:
    some = Flow(layout=Layout(notes={"n": Note("one\ntwo", 1, 2, 3, 4)}))
    assert loads(dumps(some)).flow == some
    assert '"$lines": ["one", "two"]' in dumps(some)


def test_unknown_kinds_keep_everything() -> None:
    some = flow({"x": node("company.secret", title="Ours", inputs={"a": [1]}, deep={"er": None})})
    assert loads(dumps(some)).flow == some


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_cannot_say_is_not_saved(number: float) -> None:
    with pytest.raises(FlowFileError) as caught:
        dumps(flow({"a": node("text.text", deep=[{"x": number}])}))
    assert "nodes.a.settings.deep[0].x" in str(caught.value)


@pytest.mark.parametrize("word", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_json_does_not_have_is_not_read(word: str) -> None:
    text = dumps(review()).replace('"version": 1', f'"version": 1, "policies": [{word}]')
    line = text[: text.index(word)].count("\n") + 1
    assert f"line {line}:" in problems_of(text)


def test_keys_that_occur_twice_are_named_with_both_lines() -> None:
    text = (
        '{\n"format": "stepwire.flow",\n"version": 1,\n"nodes": {\n"a": {"kind": "x"},\n"a": {"kind": "y"}}}'
    )
    assert problems_of(text) == "nodes.a: the key occurs twice, on line 5 and on line 6."


def test_every_problem_is_reported_at_once_with_its_line() -> None:
    text = document(
        nodes={"Bad": {"kind": 3}, "b": {"kind": "x", "run": {"retries": -1}, "extra": 1}},
        wires=["a.b", 5, "a.b -> c.d[01]"],
        layout={"nodes": {"b": [1.5, 2]}},
        version=1,
    )
    found = problems_of(text)
    for expected in (
        "nodes.Bad: `Bad` cannot be an id",
        "nodes.Bad.kind: this must be text",
        "nodes.b.run.retries: Input should be greater than or equal to 0",
        "nodes.b.extra: `extra` means nothing here",
        "wires[0]: a wire is written",
        "wires[1]: a wire is written",
        "wires[2]: a wire is written",
        "layout.nodes.b: this must be two whole numbers",
    ):
        assert expected in found
    line = text[: text.index('"retries"')].count("\n") + 1
    assert f"line {line}: nodes.b.run.retries" in found
    assert len(found.splitlines()) == 8


def test_a_wire_that_stands_twice_is_kept_once_and_said() -> None:
    loaded = loads(document(wires=["a.b -> c.d", "a.b -> c.d"]))
    assert [str(one) for one in loaded.flow.wires] == ["a.b -> c.d"]
    assert "was listed twice" in loaded.notices[0]


def test_a_file_of_a_newer_version_opens_read_only() -> None:
    loaded = loads(document(version=2, novelty={"x": 1}))
    assert loaded.read_only
    assert loaded.flow == review()
    assert "version 2" in loaded.notices[0]


@pytest.mark.parametrize("text", ["", "{", "[]", "nul", '"x"', "{}", '{"format": 1}', "\ufeff{}"])
def test_what_is_no_flow_is_refused_with_a_reason(text: str) -> None:
    assert problems_of(text)


def test_nesting_that_would_exhaust_the_reader_is_refused() -> None:
    assert "nested deeper" in problems_of("[" * 100_000)


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_a_damaged_file_is_reported_and_never_crashes_the_reader(data: st.DataObject) -> None:
    text = dumps(critic())
    place = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:place] + data.draw(st.text(max_size=2)) + text[place + data.draw(st.integers(0, 3)) :]
    try:
        loads(damaged)
    except FlowFileError as error:
        said = error.details
    else:
        said = ("nothing was wrong",)
    assert said


def test_lone_surrogates_can_be_encoded_and_come_back() -> None:
    some = flow({"a": node("text.text", text="x\ud800y")})
    assert loads(dumps(some).encode().decode()).flow == some


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "cut", ['{"a": "' + '\\"' * 1_000_000, '{"a": ' + '"' * 1_000_001, '"\\' * 1_000_000]
)
def test_a_file_that_was_cut_in_the_middle_is_refused_at_once(cut: str) -> None:
    with pytest.raises(FlowFileError):
        loads(cut)


@pytest.mark.parametrize(
    "layout",
    [
        {"nodes": {"review": [2**31, 0]}},
        {"nodes": {"review": [0, -(10**12)]}},
        {"frames": {"f": {"title": "", "at": [0, 0], "size": [10**12, 10]}}},
        {"notes": {"n": {"text": "", "at": [10**12, 0], "size": [10, 10]}}},
    ],
)
def test_places_beyond_every_canvas_are_refused(layout: dict[str, object]) -> None:
    document = {**json.loads(dumps(review())), "layout": layout}
    with pytest.raises(FlowFileError) as caught:
        loads(json.dumps(document))
    assert "from -100,000,000 to 100,000,000" in " ".join(caught.value.details)
