"""What goes between an experiment and its worker processes: JSON, one message a line."""

from dataclasses import asdict
from typing import Any

import orjson

from studio.experiments.scores import Score
from studio.experiments.trials import Cell, Job, Outcome, Trial, TrialState


def line_of(kind: str, **told: object) -> bytes:
    """Write a message as a line."""
    return orjson.dumps({"kind": kind, **told}) + b"\n"


def message_of(line: bytes) -> dict[str, Any]:
    """Read one."""
    return orjson.loads(line)


def plain_job(job: Job) -> dict[str, object]:
    """Write a job as JSON."""
    known = None if job.known is None else asdict(job.known)
    return {
        "cell": list(job.cell),
        "run": job.run,
        "scorers": list(job.scorers),
        "known": known,
        "budget": job.budget,
    }


def job_of(plain: dict[str, Any]) -> Job:
    """Read it."""
    known = None if plain["known"] is None else _trial(plain["known"])
    return Job(Cell(*plain["cell"]), plain["run"], plain["scorers"], known, plain["budget"])


def plain_outcome(outcome: Outcome) -> dict[str, object]:
    """Write an outcome as what is JSON by `line_of`, which knows records."""
    return {
        "trial": outcome.trial,
        "scores": {name: list(one) for name, one in outcome.scores.items()},
    }


def outcome_of(plain: dict[str, Any]) -> Outcome:
    """Read it."""
    return Outcome(_trial(plain["trial"]), {name: Score(*one) for name, one in plain["scores"].items()})


def _trial(plain: dict[str, Any]) -> Trial:
    told: dict[str, Any] = {**plain, "state": TrialState(plain["state"])}
    return Trial(**told)
