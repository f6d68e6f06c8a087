"""What an export costs grows as its flow does."""

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType

from studio.export.script import make_script
from studio.flow.records import Flow
from tests.export.equality import Row, both
from tests.runtime.bench import REGISTRY, flow_of

STEP = ("text.template", {"template": "{{x}}"})


def chain(length: int) -> Flow:
    """Steps one after the other."""
    nodes: dict[str, object] = {"word": "io.flow_input", "out": "io.flow_output"}
    names = [f"step_{number}" for number in range(length)]
    nodes |= dict.fromkeys(names, STEP)
    wires = [f"{one}.text -> {other}.x" for one, other in pairwise(names)]
    return flow_of(nodes, [f"word.value -> {names[0]}.x", *wires, f"{names[-1]}.text -> out.value"])


def maps(depth: int) -> Flow:
    """Maps in maps, with one step in the innermost."""
    nodes: dict[str, object] = {"list": ("value.json", {"value": []}), "out": "io.flow_output", "step": STEP}
    into, out = "list.value", "step.text"
    wires: list[str] = []
    for level in range(depth):
        nodes |= {f"each_{level}": "control.for_each"}
        wires.append(f"{into} -> each_{level}.items")
        into = f"each_{level}.item"
    for level in reversed(range(depth)):
        nodes |= {f"all_{level}": "control.collect"}
        wires.append(f"{out} -> all_{level}.value")
        out = f"all_{level}.values"
    return flow_of(nodes, [*wires, f"{into} -> step.x", f"{out} -> out.value"])


def wide(width: int) -> Flow:
    """Steps beside one another, and one that reads them all."""
    nodes: dict[str, object] = {"word": "io.flow_input", "out": "io.flow_output", "all": "text.join"}
    names = [f"step_{number}" for number in range(width)]
    nodes |= {name: ("llm.chat", {}) for name in names}
    wires = [f"word.value -> {name}.prompt" for name in names]
    wires += [f"{name}.reply -> all.parts[{place}]" for place, name in enumerate(names)]
    return flow_of(nodes, [*wires, "all.text -> out.value"])


def work(flow: Flow) -> int:
    """How many lines of the exporter an export executes, those of loops each time."""
    count = 0

    def line(_frame: FrameType, event: str, _argument: object) -> object:
        nonlocal count
        count += event == "line"
        return line

    def entered(frame: FrameType, _event: str, _argument: object) -> object:
        return line if "/studio/export/" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(entered)  # pyright: ignore[reportArgumentType]
    try:
        make_script(flow, REGISTRY, source_name="bench")
    finally:
        sys.settrace(before)
    return count


def growth(make: Callable[[int], Flow], size: int) -> float:
    """By how much what is added for the second doubling of a size is more than what was for the first."""
    small, twice, four_times = (work(make(count)) for count in (size, 2 * size, 4 * size))
    return (four_times - twice) / (twice - small)


def test_an_export_of_twice_as_many_steps_does_twice_the_work() -> None:
    work(chain(1))  # what is read once in a process
    assert growth(chain, 40) < 2.2


def test_an_export_of_steps_side_by_side_grows_with_their_pairs() -> None:
    work(wide(2))
    assert growth(wide, 6) < 4


def test_an_export_of_maps_twice_as_deep_does_no_more_than_four_times_the_work() -> None:
    work(maps(1))
    assert growth(maps, 3) < 5  # each line stands as far in as it is deep


def test_a_flow_of_hundreds_of_steps_is_exported_and_runs(tmp_path: Path) -> None:
    found = both(Row(chain(200), {"word": "a"}), tmp_path)
    assert found.differences() == []
    assert found.text.count("await template(") == 200
