"""What others have said in a conversation, as a simulated solver hears it: which answers, by whom."""

import re
from collections.abc import Mapping, Sequence

from studio.llm.script_request import ScriptMessage
from studio.llm.solvers.problems import Problem

SPEAKER = re.compile(r"^[ \t>*\[]*([A-Za-z][\w .-]{0,47}?)[\]*]*:[ \t*]", re.MULTILINE)
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
        text = problem.without_question(message.text)
        for name, part in _parts(text):
            answers = problem.answers_in(part)
            if name and answers:
                by_name[name] = answers[-1]
            else:
                by_name |= {f"{at} {len(by_name)}": one for one in answers}
    return list(by_name.values())


def said_by(names: Sequence[str], messages: Sequence[ScriptMessage], problem: Problem) -> Mapping[str, str]:
    """Give the answer that stands behind each name, up to the next name; the last time that it is named."""
    marks = re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in sorted(names, key=len)[::-1]))
    found: dict[str, str] = {}
    for message in messages:
        if message.role not in {"user", "tool", "assistant"}:
            continue
        text = problem.without_question(message.text)
        hits = list(marks.finditer(text))
        ends = [*(hit.start() for hit in hits[1:]), len(text)]
        for hit, end in zip(hits, ends, strict=False):  # without a hit there still is an end
            if answers := problem.answers_in(text[hit.end() : end]):
                found[hit.group()] = answers[-1]
    return found


def _parts(text: str) -> list[tuple[str, str]]:
    """Take a text apart by its speakers; what stands before the first has no name."""
    hits = [hit for hit in SPEAKER.finditer(text) if hit[1].casefold() not in NO_SPEAKERS]
    starts = [0, *(hit.end() for hit in hits)]
    ends = [*(hit.start() for hit in hits), len(text)]
    names = ["", *(hit[1] for hit in hits)]
    return [(name, text[start:end]) for name, start, end in zip(names, starts, ends, strict=True)]
