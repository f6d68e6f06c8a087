"""Whether an answer is the one that is wanted, by the rules that published question sets are scored by."""

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple, TypeAlias

from studio.building_blocks.values.json_kinds import is_list, is_object
from studio.sdk.templates import as_text

Fact: TypeAlias = tuple[str, int]
"""A sentence that supports an answer: the title of its paragraph, and its place there from 0."""

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)

_SAID = re.compile(
    r"(?:answer|choice|option)\b(?:\s+is)?\s*[:=]?\s*[*_$]*\(?\\?(?:boxed\{|text\{)*([A-Z])\b(?!\s+[a-z])",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\\boxed\{(?:\\text\{)?\(?([A-Z])\)?\}")
_ALONE = re.compile(r"[*_\s(\[]*([A-Za-z])[*_\s)\].:]*")
_FIRST = re.compile(r"\s*[*_(]*([A-Z])[*_]*[).:]")
_LETTER = re.compile(r"(?<![A-Za-z'’])([A-J])(?![A-Za-z'’])")

_FINAL = re.compile(r"final answer\s*:", re.IGNORECASE)
_UNITS = str.maketrans("", "", "$%,")
_PARTS = re.compile(r"[,;]")


class Match(NamedTuple):
    """How much of what is given is right, and how much of what is right is given."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of both; 0 where both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def word_match(given: str, wanted: str) -> Match:
    """Compare the words of two texts, by the script of SQuAD (Rajpurkar et al. 2016).

    `yes`, `no` and `noanswer` are right or wrong as a whole (HotpotQA, Yang et al. 2018).
    """
    mine, theirs = _words(given), _words(wanted)
    whole = {"yes", "no", "noanswer"}
    if mine != theirs and (" ".join(mine) in whole or " ".join(theirs) in whole):
        return Match(0.0, 0.0)
    shared = sum((Counter(mine) & Counter(theirs)).values())
    if not shared:
        return Match(float(mine == theirs), float(mine == theirs))
    return Match(shared / len(mine), shared / len(theirs))


def joint_match(answer: Match, given: AbstractSet[Fact], wanted: AbstractSet[Fact]) -> Match:
    """Join an answer with its supporting facts, as HotpotQA's script does (Yang et al. 2018)."""
    shared = len(given & wanted)
    precision = shared / len(given) if given else 0.0
    recall = shared / len(wanted) if wanted else 0.0
    return Match(answer.precision * precision, answer.recall * recall)


def texts_of(wanted: Any) -> list[str]:
    """The texts of a list, or the one text."""
    return [as_text(one) for one in wanted] if is_list(wanted) else [as_text(wanted)]


def jointly(given: Mapping[str, Any], goals: Sequence[str], wanted: AbstractSet[Fact]) -> tuple[Match, str]:
    """Join the best match of an answer with that of its facts; says in words what falls short."""
    said, facts = as_text(given.get("answer") or ""), facts_in(given.get("supporting_facts"))
    best = max((word_match(said, one) for one in goals), key=lambda one: one.f1)
    shares = (("answer", best), ("facts", joint_match(Match(1, 1), facts, wanted)))
    reason = " ".join(f"The F1 of the {name} is {one.f1:.2f}." for name, one in shares if one.f1 < 1)
    return joint_match(best, facts, wanted), reason


def facts_in(value: Any) -> set[Fact]:
    """The facts of a list: `[title, place]`, or objects with `title` and `sentence`; no others."""
    found: set[Fact] = set()
    for one in value if is_list(value) else ():
        pair = [one.get("title"), one.get("sentence")] if is_object(one) else one
        if is_list(pair) and len(pair) == 2 and isinstance(pair[1], int):
            found.add((str(pair[0]), pair[1]))
    return found


def chosen_letter(text: str) -> str:
    r"""Give the letter of the choice that a text makes, the last one that it says to be so; empty for none.

    `The answer is (B)`, `Answer: B`, `\boxed{B}`, `B. Wren` and `B` say so; failing these, the last capital
    letter from A to J that stands alone is taken.
    """
    alone = _ALONE.fullmatch(text)
    if alone:
        return alone[1].upper()
    said = [*_SAID.finditer(text), *_BOXED.finditer(text)]
    if said:
        return max(said, key=lambda one: one.start())[1].upper()
    first = _FIRST.match(text)
    if first:
        return first[1]
    letters = _LETTER.findall(text)
    return letters[-1] if letters else ""


def final_answer(text: str) -> str:
    """Give what stands behind the last `FINAL ANSWER:`, as GAIA's prompt asks for it, or else the text."""
    return _FINAL.split(text)[-1].strip()


def is_short_answer(given: str, wanted: str) -> bool:
    """Tell whether an answer is right by the rules of GAIA's scorer (Mialon et al. 2023).

    A number is compared without `$`, `%` and commas; a list (parted by comma or semicolon) item by item in
    order; a text without spaces, punctuation and case.
    """
    if _number(wanted) is not None:
        return _number(given.translate(_UNITS)) == _number(wanted)
    if _PARTS.search(wanted):
        mine, theirs = _PARTS.split(given), _PARTS.split(wanted)
        return len(mine) == len(theirs) and all(
            _number(one.translate(_UNITS)) == _number(goal)
            if _number(goal) is not None
            else _bare(one, keeps_punctuation=True) == _bare(goal, keeps_punctuation=True)
            for one, goal in zip(mine, theirs, strict=True)
        )
    return _bare(given) == _bare(wanted)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _bare(text: str, *, keeps_punctuation: bool = False) -> str:
    joined = "".join(text.split()).lower()
    return joined if keeps_punctuation else joined.translate(_PUNCTUATION)


def _words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()
