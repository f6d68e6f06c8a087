"""What others have said in a conversation, as a simulated solver hears it: which answers, by whom."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from studio.llm.scripted_answers.request import ScriptMessage
from studio.llm.solvers.problems import Problem

SPEAKER = re.compile(r"^[ \t>*\[]*([A-Za-z][\w .-]{0,47}?)[\]*]*:[ \t*]", re.MULTILINE)
WHO = ("speaker", "agent", "name", "who", "voter", "author")
"""Under which of an object's names stands who said the rest of it."""

NO_SPEAKERS = frozenset(
    ("answer", "final answer", "the answer", "reply", "solution", "result", "candidate", "draft", "verdict")
)
"""What stands before a colon and speaks for nobody."""


def position_of(messages: Sequence[ScriptMessage], problem: Problem) -> str:
    """Give the answer that the one who is asked has given before; empty where it has given none."""
    for message in reversed(messages):
        if message.role == "assistant" and (stated := problem.stated_in(message.text)):
            return stated
    return ""


def voices(messages: Sequence[ScriptMessage], problem: Problem) -> list[str]:
    """Give what each of the others said last: one answer for each name, and for each without a name."""
    by_name: dict[str, str] = {}
    for at, message in enumerate(messages):
        if message.role not in {"user", "tool"}:
            continue
        for name, part in _parts(problem.without_question(in_lines(message.text))):
            answers = problem.given_in(part)
            if name and answers:
                by_name[name] = answers[-1]
            else:
                first = len(by_name)
                by_name |= {f"{at} {first + number}": one for number, one in enumerate(answers)}
    return list(by_name.values())


def said_by(names: Sequence[str], messages: Sequence[ScriptMessage], problem: Problem) -> Mapping[str, str]:
    """Give the answer that stands behind each name, up to the next name; the last time that it is named."""
    marks = re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in sorted(names, key=len)[::-1]))
    found: dict[str, str] = {}
    for message in messages:
        if message.role not in {"user", "tool", "assistant"}:
            continue
        text = problem.without_question(in_lines(message.text))
        hits = list(marks.finditer(text))
        ends = [*(hit.start() for hit in hits[1:]), len(text)]
        for hit, end in zip(hits, ends, strict=False):  # without a hit there still is an end
            if stated := problem.stated_in(text[hit.end() : end]):
                found[hit.group()] = stated
    return found


def in_lines(text: str) -> str:
    """Write JSON as people talk, a line for each thing that is said, behind the name of who says it."""
    if text[:1] in {"{", "["}:
        try:
            return "\n".join(_lines(json.loads(text)))
        except (ValueError, RecursionError):
            pass
    return text.replace("\\n", "\n")


def _lines(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        who = next((key for key in WHO if isinstance(fields.get(key), str)), None)
        if who is not None:
            yield f"{fields[who]}: "
        for key, one in fields.items():
            if key != who:
                # What is no list may have been said by whoever the key names; the blank makes it a speaker.
                yield "" if who is not None or type(one) is list else f"{key}: "
                yield from _lines(cast("object", one))
    elif isinstance(value, list):
        for one in cast("list[object]", value):
            yield from _lines(one)
    elif value is not None:
        yield str(value)


def _parts(text: str) -> list[tuple[str, str]]:
    """Take a text apart by its speakers; what stands before the first has no name."""
    hits = [hit for hit in SPEAKER.finditer(text) if hit[1].casefold() not in NO_SPEAKERS]
    starts = [0, *(hit.end() for hit in hits)]
    ends = [*(hit.start() for hit in hits), len(text)]
    names = ["", *(hit[1] for hit in hits)]
    return [(name, text[start:end]) for name, start, end in zip(names, starts, ends, strict=True)]
