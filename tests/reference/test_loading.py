"""Whatever a flow file has become, reading it ends: in a flow, or in every reason why not."""

import json
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from studio.errors import FlowFileError
from studio.flow.checks.check import check
from studio.flow.files.codec import dumps, loads
from studio.places import projects
from studio.workspace.files import load_flow
from tests.examples import ARE_FEW, ARE_MANY, examples
from tests.reference.generator import Case, cases
from tests.reference.probes import PROBES
from tests.reference.profile import random_flows

FILES = sorted(projects().glob("*/*.json"))
TEXTS = [
    text
    for text in (path.read_text("utf-8") for path in FILES)
    if "stepwire.flow" in text and '"of":' not in text  # what differs from another file is read with that
]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def assert_read_or_refused(text: str) -> None:
    """A text is refused with every reason why not, or is a flow that says the same and can be written."""
    reasons: tuple[str, ...] = ()
    try:
        flow = loads(text).flow
    except FlowFileError as refused:
        flow, reasons = None, refused.details
    assert (flow is None) == any(reasons)
    if flow is None:
        return
    check(flow, PROBES)
    assert loads(dumps(flow)).flow == flow
    document = json.loads(text.removeprefix("\ufeff"))
    assert {name: node.kind for name, node in flow.nodes.items()} == {
        name: node["kind"] for name, node in document.get("nodes", {}).items()
    }
    assert {str(wire) for wire in flow.wires} == set(document.get("wires", []))


def assert_refused_at_every_end(text: str) -> None:
    """No beginning of a flow file is a flow: one behind each mark of its structure, and others between.

    In the loop only behind some of its marks.
    """
    whole = text.rstrip()
    every = 1 if ARE_MANY else 16
    marks = [end for end in range(len(whole)) if end % every == 0 or whole[end - 1] in "{}[]:,"]
    for end in marks[:: 8 if ARE_FEW else 1]:
        with pytest.raises(FlowFileError):
            loads(whole[:end])


@pytest.mark.parametrize("text", TEXTS)
def test_a_file_that_ends_too_soon_is_refused_wherever_it_ends(text: str) -> None:
    assert_refused_at_every_end(text)


@settings(random_flows, max_examples=examples(8), phases=[Phase.generate])
@given(cases())
def test_random_flows_that_end_too_soon_are_refused_as_well(case: Case) -> None:
    assert_refused_at_every_end(dumps(case.flow))


@random_flows
@given(st.sampled_from(TEXTS), st.data())
def test_flipped_bits_never_crash_the_reader(text: str, data: st.DataObject) -> None:
    raw = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place] ^= 1 << data.draw(st.integers(0, 7))
    assert_read_or_refused(raw.decode("utf-8", "replace"))


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every list or object in a document, with each of its keys."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        held = cast("Any", value)
        keys: Iterable[Any] = held if isinstance(value, dict) else range(len(held))
        for key in keys:
            found += [(held, key), *_places(held[key])]
    return found


@random_flows
@given(st.sampled_from(TEXTS), st.data())
def test_anything_anywhere_in_a_document_is_read_or_refused(text: str, data: st.DataObject) -> None:
    document = json.loads(text)
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = data.draw(st.sampled_from(_places(document)))
        held: Any = holder
        if data.draw(st.booleans()):
            holder[key] = data.draw(json_values)
        elif isinstance(holder, dict):
            kept = held.pop(key)
            held[data.draw(st.text(max_size=6))] = kept
        else:
            holder.insert(key, data.draw(st.sampled_from(holder)))
    assert_read_or_refused(json.dumps(document))


MONSTERS = (
    "[" * 100_000,
    '{"a":' * 100_000,
    "[" * 100_000 + "]" * 100_000,
    "9" * 100_000,
    "1e999999999",
    "-" * 10_000,
    '"' + "\\u0000" * 10_000 + '"',
    '"\\ud800"',
    "NaN",
    "-Infinity",
    '{"x": 1, "x": 2}',
    '{"": {"": {"": []}}}',
    '"' + "x" * 300_000 + '"',
)
"""What a value in a file should never be."""

CLOCK = 2.0
"""Seconds that reading may take, of the processor's time."""


@pytest.mark.parametrize("monster", MONSTERS, ids=[one[:12] for one in MONSTERS])
def test_a_monster_in_the_place_of_any_value_is_read_or_refused_in_time(monster: str) -> None:
    before = time.process_time()
    assert_read_or_refused(monster)
    for text in TEXTS[:2]:
        document = json.loads(text)
        places = _places(document)
        for holder, key in places[:: max(1, len(places) // (3 if ARE_FEW else 12))]:
            kept, holder[key] = holder[key], "MONSTER"
            began = time.process_time()
            assert_read_or_refused(json.dumps(document).replace('"MONSTER"', monster))
            assert time.process_time() - began < CLOCK
            holder[key] = kept
    assert time.process_time() - before < 20 * CLOCK


def test_every_key_said_twice_is_refused() -> None:
    for text in TEXTS[:3]:
        lines = {one.strip() for one in text.splitlines() if re.fullmatch(r'\s*"\w+": ".*",', one)}
        assert lines
        for line in lines:
            with pytest.raises(FlowFileError):
                loads(text.replace(line, f"{line} {line}", 1))


def test_a_broken_file_is_left_as_it_is(tmp_path: Path) -> None:
    for number, text in enumerate(TEXTS):
        path = tmp_path / f"{number}.json"
        broken = text.encode()[: len(text) // 2] + b"\xff\x00"
        path.write_bytes(broken)
        with pytest.raises(FlowFileError):
            load_flow(path)
        assert path.read_bytes() == broken
    assert len(list(tmp_path.iterdir())) == len(TEXTS)
