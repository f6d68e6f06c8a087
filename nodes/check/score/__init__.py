r"""Score: score how close a value is to an expected one, from 0 to 1.

*exact* wants the same text or JSON. *contains* wants a text, or each text of a list: the score is the share
that is there. *regular expression* is the same for patterns, which have half a second each. *number* takes
the last number of a text, and wants it within the tolerance. *words* is the F1 of words as for SQuAD, without
articles and punctuation, with the best of the texts that are wanted. *answer and facts* is HotpotQA's joint
F1: both sides have `answer` and `supporting_facts`, each the title of a paragraph and the place of a sentence
in it, from 0. *choice* reads which letter an answer
chooses. *short answer* wants a number, a list or a text, compared as GAIA does. *JSON* compares place by
place: all of it, or what is wanted and perhaps more, or only the places that are named (`verdict.marks.0`);
the score is the share of places that agree. *tool calls* looks at what was called in a conversation, or in a
list of objects with `name` and `arguments`: each call that is wanted has to be there with the arguments that
are wanted, and perhaps more. *Python* is a function `score(value, wanted)` that gives a flag, a number from 0
to 1, or an object with `score` and `reason`; it runs in a box, without files and network.

What scores *Enough* or more leaves at `passed`, all else at `failed`; the other is absent.

```json
{
  "settings": {"by": "contains", "ignore_case": true, "enough": 0.5},
  "inputs": {"value": "A Wren sang.", "wanted": ["wren", "dunnock"]},
  "outputs": {"passed": "A Wren sang.", "ok": true, "score": 0.5, "reason": "It has no \"dunnock\"."}
}
```
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator

from nodes.check.score.answer_match import (
    chosen_letter,
    facts_in,
    final_answer,
    is_short_answer,
    jointly,
    texts_of,
    word_match,
)
from studio.bounds.patterns import is_found
from studio.building_blocks.agents.made_calls import calls_in
from studio.building_blocks.agents.wanted_calls import calls_score
from studio.building_blocks.answers.check_result import AtFault, Checked, checked
from studio.building_blocks.settings.checks import OnFailure, Threshold
from studio.building_blocks.values.json_kinds import is_object
from studio.building_blocks.values.json_paths import value_at
from studio.building_blocks.values.likeness import is_alike, is_near, leaves
from studio.sdk import Context, In, Json, Setting, StepError, boxed_code, node, read_signature, variant
from studio.sdk.templates import as_text
from studio.sdk.values import to_plain

By = Literal[
    "exact",
    "contains",
    "regular expression",
    "number",
    "words",
    "answer and facts",
    "choice",
    "short answer",
    "JSON",
    "tool calls",
    "Python",
]
JsonAs = Literal["all of it", "at least this", "at the places"]

NUMBER = re.compile(r"(?:(?<![\w.])[-+])?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?")
SAID = 3
"""How many faults are said at once."""

CODE = '''def score(value: object, wanted: object) -> float:
    """Say how good it is, from 0 to 1."""
    return 1.0 if value == wanted else 0.0
'''


def scoring_code(code: str) -> str:
    """Validate code that has to score; raises `ValueError`."""
    boxed_code(code)
    signature = read_signature(code)
    names = [str(port.name) for port in signature.inputs]
    if signature.function != "score" or names != ["value", "wanted"]:
        raise ValueError("it must define `score(value, wanted)`, and nothing else that is public")
    return code


@node(
    "check.score",
    title="Score",
    accesses={"code": "by=Python"},
    keywords=("exact", "contains", "regex", "numeric", "accuracy", "evaluate", "tool calls", "compare"),
)
async def score(
    context: Context,
    value: Annotated[Any, In("The value to score", type="T")],
    wanted: Annotated[Any, In("What is expected: a value, texts, patterns, or calls", type="json")] = None,
    *,
    by: Annotated[By, Setting("Score by")] = "exact",
    enough: Threshold = 1.0,
    ignore_case: Annotated[bool, Setting("Ignore case", help="Treat upper and lower case as equal")] = False,
    tolerance: Annotated[
        float, Setting("Tolerance", minimum=0, help="For numbers: the largest allowed difference")
    ] = 0,
    relative: Annotated[
        bool, Setting("Relative", help="For numbers: tolerance is a fraction of the expected value")
    ] = False,
    json_as: Annotated[JsonAs, Setting("JSON: compare")] = "all of it",
    places: Annotated[
        tuple[str, ...], Setting("JSON: paths", editor="list", help="Dotted paths, such as verdict.marks.0")
    ] = (),
    in_order: Annotated[
        bool, Setting("Tool calls: in order", help="In the expected order; others may come in between")
    ] = True,
    extra_calls: Annotated[
        bool, Setting("Tool calls: allow extra", help="Unexpected calls do not lower the score")
    ] = True,
    code: Annotated[
        str,
        Setting("Python", editor="code", help="Defines score(value, wanted)"),
        AfterValidator(scoring_code),
    ] = CODE,
    at_fault: OnFailure = "go on",
) -> Checked:
    """Score `value` by what `by` says."""
    match by:
        case "exact":
            return score_exactly(value, wanted, ignore_case=ignore_case, enough=enough, at_fault=at_fault)
        case "contains":
            return score_parts(value, wanted, ignore_case=ignore_case, enough=enough, at_fault=at_fault)
        case "regular expression":
            return score_patterns(value, wanted, ignore_case=ignore_case, enough=enough, at_fault=at_fault)
        case "number":
            return score_number(
                value, wanted, tolerance=tolerance, relative=relative, enough=enough, at_fault=at_fault
            )
        case "words" | "choice" | "short answer":
            return score_answer(value, wanted, by=by, enough=enough, at_fault=at_fault)
        case "answer and facts":
            return score_jointly(value, wanted, enough=enough, at_fault=at_fault)
        case "JSON":
            return score_json(
                value,
                wanted,
                json_as=json_as,
                places=places,
                tolerance=tolerance,
                enough=enough,
                at_fault=at_fault,
            )
        case "tool calls":
            return score_calls(
                value,
                wanted,
                in_order=in_order,
                extra_calls=extra_calls,
                tolerance=tolerance,
                enough=enough,
                at_fault=at_fault,
            )
        case "Python":
            return await score_by_code(context, value, wanted, code=code, enough=enough, at_fault=at_fault)


@variant(score, by="exact", heavy=True)
def score_exactly(
    value: Any,
    wanted: Any = None,
    *,
    ignore_case: bool = False,
    enough: float = 1.0,
    at_fault: AtFault = "go on",
) -> Checked:
    """Want the same text, but for spaces around it, or the same JSON."""
    if isinstance(wanted, str):
        given = as_text(value).strip()
        is_same = folded(given, ignore_case) == folded(wanted.strip(), ignore_case)
    else:
        given = to_plain(value)
        is_same = is_alike(given, wanted)
    reason = "" if is_same else f"It is {short(given)}, not {short(wanted)}."
    return checked(value, float(is_same), reason, least=enough, at_fault=at_fault)


@variant(score, by="contains", heavy=True)
def score_parts(
    value: Any,
    wanted: Any = None,
    *,
    ignore_case: bool = False,
    enough: float = 1.0,
    at_fault: AtFault = "go on",
) -> Checked:
    """Want a text, or each text of a list, to be in the value."""
    text = folded(as_text(value), ignore_case)
    parts = texts_of(wanted)
    missing = [one for one in parts if folded(one, ignore_case) not in text]
    return shared(value, len(parts), [f"It has no {short(one)}." for one in missing], enough, at_fault)


@variant(score, by="regular expression", heavy=True)
def score_patterns(
    value: Any,
    wanted: Any = None,
    *,
    ignore_case: bool = False,
    enough: float = 1.0,
    at_fault: AtFault = "go on",
) -> Checked:
    """Want a pattern, or each pattern of a list, to be found in the value."""
    text = as_text(value)
    patterns = texts_of(wanted)
    start = "(?i)" if ignore_case else ""
    missing = [one for one in patterns if not is_found(f"{start}{one}", text)]
    return shared(value, len(patterns), [f"Nothing in it is like {one}" for one in missing], enough, at_fault)


@variant(score, by="number", heavy=True)
def score_number(
    value: Any,
    wanted: Any = None,
    *,
    tolerance: float = 0,
    relative: bool = False,
    enough: float = 1.0,
    at_fault: AtFault = "go on",
) -> Checked:
    """Want the number, or the last number of the text, to be near another; raises `StepError`."""
    goal = number_of(wanted)
    if goal is None:
        message = "The expected value is not a number."
        raise StepError(message, hint="Pass a number, or text with one, at `wanted`.")
    given = number_of(value)
    if given is None:
        return checked(value, 0.0, "It contains no number.", least=enough, at_fault=at_fault)
    fits = is_near(given, goal, tolerance * abs(goal) if relative else tolerance)
    reason = "" if fits else f"It is {given:g}, not {goal:g}."
    return checked(value, float(fits), reason, least=enough, at_fault=at_fault)


@variant(score, by="words", heavy=True)
@variant(score, by="choice", heavy=True)
@variant(score, by="short answer", heavy=True)
def score_answer(
    value: Any, wanted: Any = None, *, by: By = "words", enough: float = 1.0, at_fault: AtFault = "go on"
) -> Checked:
    """Compare an answer as question sets do, by `by`; raises `StepError` where none is wanted."""
    given, goals = as_text(value), texts_of(wanted) if wanted is not None else []
    if by == "choice":
        given, goals = chosen_letter(given), [chosen_letter(one) for one in goals]
    if not any(one.strip() for one in goals):
        what = "letter" if by == "choice" else "answer"
        raise StepError(f"No expected {what} was passed.", hint=f"Wire the expected {what} to `wanted`.")
    if by == "words":
        share = max(word_match(given, one).f1 for one in goals)
    elif by == "choice":
        share = float(given in goals)
    else:
        given = final_answer(given)
        share = float(any(is_short_answer(given, one) for one in goals))
    reason = "" if share == 1 else f"It is {short(given)}, not {short(wanted)}."
    return checked(value, share, reason, least=enough, at_fault=at_fault)


@variant(score, by="answer and facts", heavy=True)
def score_jointly(
    value: Any, wanted: Any = None, *, enough: float = 1.0, at_fault: AtFault = "go on"
) -> Checked:
    """Multiply precision and recall of an answer with those of its facts.

    Raises `StepError` where none are wanted.
    """
    goal: Mapping[str, Any] = wanted if is_object(wanted) else {}
    goals, right = texts_of(goal.get("answer") or []), facts_in(goal.get("supporting_facts"))
    if not goals or not right:
        message = "No expected `answer` with its `supporting_facts` was passed."
        raise StepError(message, hint="Wire an object with both to `wanted`.")
    try:
        plain = json.loads(value) if isinstance(value, str) else to_plain(value)
    except (ValueError, RecursionError) as error:
        return checked(value, 0.0, f"The text is not JSON: {error}.", least=enough, at_fault=at_fault)
    joint, reason = jointly(plain if is_object(plain) else {}, goals, right)
    return checked(value, joint.f1, reason, least=enough, at_fault=at_fault)


@variant(score, by="JSON", heavy=True)
def score_json(
    value: Any,
    wanted: Any = None,
    *,
    json_as: JsonAs = "all of it",
    places: Sequence[str] = (),
    tolerance: float = 0,
    enough: float = 1.0,
    at_fault: AtFault = "go on",
) -> Checked:
    """Compare place by place; a text is read as JSON first."""
    try:
        given = json.loads(value) if isinstance(value, str) else to_plain(value)
        goal = json.loads(wanted) if isinstance(wanted, str) and not isinstance(given, str) else wanted
    except (ValueError, RecursionError) as error:
        return checked(value, 0.0, f"The text is not JSON: {error}.", least=enough, at_fault=at_fault)
    if json_as == "at the places":
        there, asked = picked(given, places), picked(goal, places)
    else:
        there, asked = leaves(given), leaves(goal)
    compared = list(dict.fromkeys([*asked, *there] if json_as == "all of it" else asked))
    faults = [
        f"`{place or 'the value'}` is {short(there[place]) if place in there else 'missing'}"
        + (f", not {short(asked[place])}." if place in asked else ", but not expected.")
        for place in compared
        if place not in there or place not in asked or not is_alike(there[place], asked[place], tolerance)
    ]
    return shared(value, len(compared), faults, enough, at_fault)


@variant(score, by="tool calls", heavy=True)
def score_calls(
    value: Any,
    wanted: Any = None,
    *,
    in_order: bool = True,
    extra_calls: bool = True,
    tolerance: float = 0,
    enough: float = 1.0,
    at_fault: AtFault = "go on",
) -> Checked:
    """Want each of these calls to have been made."""
    share, faults = calls_score(
        calls_in(value), calls_in(wanted), in_order=in_order, extra_calls=extra_calls, tolerance=tolerance
    )
    return checked(value, share, " ".join(faults[:SAID]), least=enough, at_fault=at_fault)


@variant(score, by="Python")
async def score_by_code(
    context: Context,
    value: Any,
    wanted: Any = None,
    *,
    code: str = CODE,
    enough: float = 1.0,
    at_fault: AtFault = "go on",
) -> Checked:
    """Let a function of one's own say; raises `StepError` where it gives no score."""
    given: dict[str, Json] = {"value": to_plain(value), "wanted": wanted}
    said: Any = await context.run_code(code, "score", given)
    reason = ""
    if isinstance(said, Mapping):
        told = cast("Mapping[str, Any]", said)
        said, reason = told.get("score"), str(told.get("reason") or "")
    if not isinstance(said, bool | int | float) or not 0 <= said <= 1:
        message = f"`score` returned {short(said)}, which is not a number from 0 to 1."
        raise StepError(message, hint="Return a flag, a number from 0 to 1, or an object with `score`.")
    return checked(value, float(said), reason, least=enough, at_fault=at_fault)


def shared(value: Any, total: int, faults: Sequence[str], enough: float, at_fault: AtFault) -> Checked:
    """Score by the share that is without fault; raises `StepError` where nothing is wanted."""
    if not total:
        message = "No expected value was passed."
        raise StepError(message, hint="Wire the expected value to `wanted`.")
    said = " ".join(faults[:SAID])
    return checked(value, (total - len(faults)) / total, said, least=enough, at_fault=at_fault)


def number_of(value: Any) -> float | None:
    """The number that a value is, or the last one that its text has."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(f"{value}")  # a whole number may be larger than any other can be
    found = NUMBER.findall(as_text(value))
    return float(found[-1].replace(",", "")) if found else None


def picked(value: Json, places: Sequence[str]) -> dict[str, Json]:
    """What stands at these places, as far as there is something."""
    found: dict[str, Json] = {}
    for place in places:
        try:
            found[place] = value_at(value, place)
        except StepError:
            continue
    return found


def folded(text: str, ignore_case: bool) -> str:  # noqa: FBT001  # a setting handed on
    """The text, in one case where that is all the same."""
    return text.casefold() if ignore_case else text


def short(value: Any) -> str:
    """A value in a few words."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:59]}…"
