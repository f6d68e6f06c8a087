r"""Judge: let a model score a value by a rubric, with a reason.

Each criterion has a label and, where the label does not say enough, what it means. The judge gives its reason
first, then a mark from 1 to the top of the scale for each criterion; the score is their mean, from 0 (all 1)
to 1. More judges are further chat profiles, each asked as often as *Times each* says; their scores are put
together as their mean, their median or the lowest. `verdicts` has what each of them said.

`question` is what the value answers, `reference` an answer that is known to be good. With something at
`against`, nothing is marked: each judge says which of the two is better, asked twice with their places
swapped, for many prefer what they read first. The score is then the share of wins, a draw counting half.

The value leaves at `passed` where the score is *Enough*, and at `failed` otherwise. In a loop, hand `reason`
on with `failed`, so that the next round knows what to mend.

```json
{
  "settings": {"criteria": [{"label": "Brief"}, {"label": "True", "when": "says nothing that is not so"}]},
  "inputs": {"value": "A wren sang.", "question": "What sang?"},
  "chat": ["{\"reason\": \"Short, and right.\", \"brief\": 5, \"true\": 4}"],
  "outputs": {"passed": "A wren sang.", "ok": true, "score": 0.875, "reason": "Short, and right."}
}
```
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator

from studio.building_blocks.answers.check_result import checked
from studio.building_blocks.answers.rubrics import (
    Together,
    Verdict,
    asked_of_all,
    judging_request,
    put_together,
    reasons_of,
    told,
)
from studio.building_blocks.settings.checks import OnFailure, Threshold, VerdictRepairs
from studio.building_blocks.settings.models import ChatProfile, Temperature
from studio.sdk import Context, Effect, In, Json, Out, Setting, node
from studio.sdk.branch_cases import Case, case_ports, checked_cases
from studio.sdk.values import to_plain

BEST = 10
TASK = "You judge an answer. Be strict and fair, and mark only what is asked for."
COMPARISON: dict[str, Json] = {"better": {"type": "string", "enum": ["A", "B", "neither"]}}
RUBRIC = (Case("Good", "does what it was asked for, correctly and completely"),)


def rubric(criteria: tuple[Case, ...]) -> tuple[Case, ...]:
    """Validate the criteria: at least one, each with a label; raises `ValueError`."""
    if "reason" in case_ports(checked_cases(criteria)):
        raise ValueError("`reason` is the judge's reason: choose another label")
    return criteria


@dataclass(frozen=True, slots=True)
class Judged:
    """The value at one of two ports, and the verdict, of all judges and of each."""

    passed: Annotated[Any | None, Out("passed", "The value if it passes; otherwise absent", type="T")]
    failed: Annotated[Any | None, Out("failed", "The value if it fails", type="T")]
    ok: Annotated[bool, Out("ok", "Whether it passes")]
    score: Annotated[float, Out("score", "Score from 0 to 1")]
    reason: Annotated[str, Out("reason", "The judges' reasons")]
    verdicts: Annotated[
        list[Json], Out("verdicts", "Each judge's verdict: score, reason, marks", type="json[]")
    ]


@node(
    "check.judge",
    title="Judge",
    effect=Effect.PAID_READ,
    keywords=("rubric", "criteria", "marks", "grade", "evaluate", "critic", "compare", "pairwise"),
)
async def judge(
    context: Context,
    value: Annotated[Any, In("The value to judge", type="T")],
    question: Annotated[str, In("The question it answers")] = "",
    reference: Annotated[Any, In("A reference answer", type="json")] = None,
    against: Annotated[Any, In("Another value to compare with: which is better?", type="json")] = None,
    *,
    criteria: Annotated[
        tuple[Case, ...],
        Setting("Criteria", editor="criteria", help="A name for each criterion, and what it means"),
        AfterValidator(rubric),
    ] = RUBRIC,
    instructions: Annotated[
        str, Setting("Instructions", editor="text", help="Who the judge is, and how to judge")
    ] = TASK,
    scale: Annotated[
        int, Setting("Scale", minimum=2, maximum=BEST, help="Highest mark; the lowest is 1")
    ] = 5,
    enough: Threshold = 0.6,
    profile: ChatProfile = "",
    judges: Annotated[
        tuple[str, ...],
        Setting("Additional judges", editor="profiles", help="Further chat profiles, one per line"),
    ] = (),
    times: Annotated[int, Setting("Samples per agent", minimum=1, maximum=20)] = 1,
    together: Annotated[
        Together, Setting("Combine by", help="How several judges' scores are combined")
    ] = "mean",
    temperature: Temperature = None,
    repairs: VerdictRepairs = 1,
    at_fault: OnFailure = "go on",
) -> Judged:
    """Mark `value` by each criterion, or compare it."""
    asked = [one for one in (profile, *judges) for _ in range(times)]
    material: dict[str, Json] = {"question": question or None, "reference": reference}
    if against is None:
        names = [str(one) for one in case_ports(criteria)]
        material["answer"] = to_plain(value)
        task = f"{instructions}\n\n{marks_wanted(criteria, names, scale)}"
        request = judging_request(task, material, marks_form(names, scale), temperature)
        answers = await asked_of_all(context, [(request, one) for one in asked], repairs=repairs)
        verdicts = [marks_given(one, names, scale) for one in answers]
    else:
        task = f"{instructions}\n\n{comparison_wanted(criteria)}"
        ours, theirs = to_plain(value), to_plain(against)
        requests = [
            judging_request(task, {**material, "A": first, "B": second}, COMPARISON, temperature)
            for first, second in ((ours, theirs), (theirs, ours))
        ]
        every = [(request, one) for request in requests for one in asked]
        answers = await asked_of_all(context, every, repairs=repairs)
        places = ["A"] * len(asked) + ["B"] * len(asked)
        verdicts = [better_one(one, place) for one, place in zip(answers, places, strict=True)]
    score = put_together([one.score for one in verdicts], together)
    found = checked(value, score, reasons_of(verdicts), least=enough, at_fault=at_fault)
    return Judged(found.passed, found.failed, found.ok, found.score, found.reason, told(verdicts))


def marks_wanted(criteria: Sequence[Case], names: Sequence[str], scale: int) -> str:
    """Say what is to be marked."""
    described = "\n".join(
        f"- {name} ({one.label}): {one.when}" if one.when else f"- {name}: {one.label}"
        for name, one in zip(names, criteria, strict=True)
    )
    return f"Give each of these a mark from 1 (not at all) to {scale} (fully):\n{described}"


def marks_form(names: Sequence[str], scale: int) -> dict[str, Json]:
    """What marks look like as JSON."""
    return {name: {"type": "integer", "minimum": 1, "maximum": scale} for name in names}


def marks_given(said: Mapping[str, Any], names: Sequence[str], scale: int) -> Verdict:
    """Read marks; the score is their mean."""
    score = sum(said[name] - 1 for name in names) / len(names) / (scale - 1)
    return Verdict(score, said["reason"], {name: said[name] for name in names})


def comparison_wanted(criteria: Sequence[Case]) -> str:
    """Say in what respects one of two values is to be better."""
    described = "\n".join(f"- {one.label}: {one.when}" if one.when else f"- {one.label}" for one in criteria)
    return f"Say which of two answers, A or B, is better in these respects:\n{described}"


def better_one(said: Mapping[str, Any], place: str) -> Verdict:
    """Read which of two values is better, where ours stood at `place`; a draw counts half."""
    better = said["better"]
    share = 0.5 if better == "neither" else float(better == place)
    return Verdict(share, said["reason"], {"stood_at": place, "better": better})
