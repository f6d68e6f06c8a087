"""Names, lengths and reasons: the exceptions are listed, and become fewer."""

import itertools
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTS = Path(__file__).parent / "exceptions"
CODE = sorted(path for top in ("studio", "nodes", "stepwire_kit") for path in (ROOT / top).rglob("*.py"))

LONGEST = 400
"""Lines of a file."""

LONGEST_FUNCTION = 60
"""Lines of a function, from its name on."""

FEWEST = 2.0
"""Comments in a hundred lines of a room: where a reason is needed, it stands at its line."""

NOUNS = frozenset(
    {
        *("bed", "binding", "drawing", "embed", "embedding", "feed", "heading", "listing", "need", "ranking"),
        *("recording", "ring", "seed", "setting", "spacing", "speed", "string", "thing", "wiring"),
    }
)
"""Words that end as participles do and name a thing, or as `llm.embed` a kind of node."""

FUNCTION = re.compile(r"( *)(?:async )?def (\w+)\(")

COMMENT = re.compile(r"(?:^\s*|\S  )# (?!noqa|pyright:|type:)")
"""As the formatter puts it: a line of its own, or two blanks behind the code."""

IRREGULAR = frozenset(
    {
        *(
            "begun",
            "bought",
            "built",
            "caught",
            "chosen",
            "done",
            "drawn",
            "fallen",
            "found",
            "given",
            "gone",
        ),
        *("gone", "held", "hidden", "kept", "known", "left", "lent", "lost", "made", "said", "seen", "sent"),
        *("shown", "spent", "taken", "told", "torn", "undone", "written"),
    }
)


def is_participle(module: str) -> bool:
    """Tell by the last word of a module's name, which the others only describe."""
    last = module.strip("_").rpartition("_")[2]
    return last in IRREGULAR or (last not in NOUNS and last.endswith(("ing", "ed")))


def participles() -> set[str]:
    """Names of modules and rooms that say what is done, and not what is there."""
    names = {path.parent.name if path.name == "__init__.py" else path.stem for path in CODE}
    return {name for name in names if is_participle(name)}


def long_files() -> set[str]:
    """Files of more lines than one reads at a sitting."""
    return {named(path) for path in CODE if len(lines(path)) > LONGEST}


def long_functions() -> set[str]:
    """Functions of more lines than stand on a screen."""
    found: set[str] = set()
    for path in CODE:
        text = lines(path)
        for at, line in enumerate(text):
            head = FUNCTION.match(line)
            if head is not None and is_long(text, at, len(head[1])):
                found.add(f"{named(path)}:{head[2]}")
    return found


def is_long(text: Sequence[str], at: int, depth: int) -> bool:
    """Tell by what is indented deeper than the function at this line; the end of its head is not."""
    body = itertools.takewhile(
        lambda one: not one or one[: depth + 1].isspace() or one.lstrip()[0] == ")", text[at + 1 :]
    )
    last = max((number for number, one in enumerate(body, 2) if one), default=1)
    return last > LONGEST_FUNCTION


def rooms_without_reasons() -> set[str]:
    """Rooms that have fewer comments than reasons are needed."""
    return {room for room, paths in rooms().items() if comments_in_a_hundred(paths) < FEWEST}


MEASURES = {
    "participles": participles,
    "long_files": long_files,
    "long_functions": long_functions,
    "rooms_without_reasons": rooms_without_reasons,
}
"""What is measured, each with the list of its exceptions in `exceptions/`."""


@pytest.mark.parametrize("measure", MEASURES)
def test_no_exception_is_added(measure: str) -> None:
    assert sorted(MEASURES[measure]() - listed(measure)) == []


@pytest.mark.parametrize("measure", MEASURES)
def test_what_is_none_any_more_leaves_the_list(measure: str) -> None:
    assert sorted(listed(measure) - MEASURES[measure]()) == [], f"take it out of {measure}.txt"


@pytest.mark.parametrize("measure", MEASURES)
def test_the_list_is_in_order(measure: str) -> None:
    there = (LISTS / f"{measure}.txt").read_text("utf-8").splitlines()
    assert there == sorted(set(there))


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("folding", True),
        ("step_known", True),
        ("run_told", True),
        ("edited_gate", False),
        ("embedding", False),
        ("string", False),
        ("_served", True),
        ("frame", False),
    ],
)
def test_a_participle_is_known_by_its_last_word(module: str, *, expected: bool) -> None:
    assert is_participle(module) is expected


@pytest.mark.parametrize(("more", "expected"), [(LONGEST_FUNCTION - 2, False), (LONGEST_FUNCTION - 1, True)])
def test_a_function_is_measured_from_its_name_to_its_last_line(more: int, *, expected: bool) -> None:
    text = ["def f(", ") -> None:", *["    pass"] * more, "", "x = 1"]
    assert is_long(text, 0, 0) is expected


def test_comments_are_counted_and_marks_for_tools_are_not() -> None:
    text = "# A reason.\nx = 1  # noqa: S101\ny = '# none'\nz = 2  # pyright: ignore[x]  # why"
    assert len(comments(text.splitlines())) == 2


def listed(measure: str) -> set[str]:
    return set((LISTS / f"{measure}.txt").read_text("utf-8").split())


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def lines(path: Path) -> Sequence[str]:
    return path.read_text("utf-8").splitlines()


def rooms() -> Mapping[str, Sequence[Path]]:
    """The files of each room at the top, those of the window by its own rooms."""
    found: dict[str, list[Path]] = {}
    for path in CODE:
        parts = path.relative_to(ROOT).parts[:-1]
        depth = 3 if parts[:2] == ("studio", "ui") else 2 if parts[0] == "studio" else 1
        found.setdefault("/".join(parts[:depth]), []).append(path)
    return found


def comments_in_a_hundred(paths: Sequence[Path]) -> float:
    every = [line for path in paths for line in lines(path)]
    return 100 * len(comments(every)) / len(every) if every else FEWEST


def comments(text: Sequence[str]) -> list[str]:
    """The lines with a comment for people; what only tells a tool something is none."""
    return [line for line in text if "# " in line and COMMENT.search(line)]
