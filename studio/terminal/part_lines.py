"""What steps made as they went, in lines for people and as JSON for programs."""

from collections.abc import Iterator, Mapping

from studio.flow.plain_text import excerpt
from studio.trace.events.parts import PartTold
from studio.trace.fold.idle import status_word
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState
from studio.trace.growth import Grown, Growth

LONGEST = 100
"""Characters of what came of a part."""
INDENT = 2


def part_line(step: StepState, told: PartTold) -> str:
    """Say of a part that a step tells of where it stands: `part     team: Look for birds · running`."""
    return f"  part     {step.id}: {part_words(told)}"


def part_words(told: PartTold) -> str:
    """Say what a part is, where it stands, what came of it, and why it was dropped."""
    said = [told.title or told.part, told.status]
    said += [f"{name} {excerpt(value, LONGEST)}" for name, value in told.detail.items() if _is_short(value)]
    if told.text and told.status != "running":
        said.append(excerpt(told.text, LONGEST))
    return " · ".join(said)


def growth_lines(state: RunState) -> Iterator[str]:
    """What grew in a run as a tree of lines; none where nothing did."""
    growth = Growth()
    growth.update(state, state.order)
    rows = growth.rows(state)
    depths: dict[str, int] = {}
    for row in rows:
        depth = depths[row.key] = depths.get(row.above, -1) + 1
        yield f"  grew     {' ' * INDENT * depth}{_words(row, state)}"


def plain_parts(step: StepState) -> list[dict[str, object]]:
    """The parts of a step for programs, as they were told last."""
    return [
        {
            "part": told.part,
            "title": told.title,
            "status": told.status,
            "of": told.of,
            "after": list(told.after),
            "node": told.sort,
            "settings": _plain(told.settings),
            "text": told.text,
            "detail": _plain(told.detail),
        }
        for told in step.parts.values()
    ]


def _words(row: Grown, state: RunState) -> str:
    if row.told is not None:
        return part_words(row.told)
    step = state.steps[row.step]
    return (
        f"{step.tool} · {status_word(step.status)}"
        if row.sort == "turn"
        else f"{step.id} · {status_word(step.status)}"
    )


def _is_short(value: object) -> bool:
    """What is a list or an object of its own is left to the JSON."""
    return isinstance(value, str | int | float) and value != ""


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    return dict(values)
