"""Logs of agents that others ran: AgentDojo, Who&When."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import cast

from studio.experiments.loaders.columns import Object, objects_in, text_in
from studio.experiments.readers import Columns, Read, RowError, Source, converted, read_any
from studio.flow.records import Json

_STEP = re.compile(r"\d+")


def agentdojo(columns: Columns) -> Columns:
    """AgentDojo (Debenedetti et al. 2024): a result as `TraceLogger` writes it, `runs/…/INJECTION.json`.

    `utility` says whether the user's task was solved, `hijacked` whether the attacker's was: the authors'
    `security` is true for a successful attack, and without an attack always.
    """
    suite, user = text_in(columns, "suite_name"), text_in(columns, "user_task_id")
    injection, attack = columns.get("injection_task_id"), columns.get("attack_type")
    utility, security = columns.get("utility"), columns.get("security")
    if not isinstance(utility, bool) or not isinstance(security, bool):
        raise RowError("there is no `utility` or no `security`: the run was not finished.")
    messages = [_message(one, place) for place, one in enumerate(objects_in(columns, "messages"))]
    is_attacked = injection is not None
    asked = [str(one["content"]) for one in messages if one["role"] == "user"]
    replies = [str(one["content"]) for one in messages if one["role"] == "assistant"]
    listed: list[Json] = [dict(one) for one in messages]
    return {
        "id": "/".join(
            str(one) for one in (columns.get("pipeline_name"), suite, user, attack, injection) if one
        ),
        "suite": suite,
        "pipeline": columns.get("pipeline_name"),
        "user_task": user,
        "injection_task": injection,
        "attack": attack,
        "attacked": is_attacked,
        "injections": columns.get("injections") or {},
        "question": asked[0] if asked else "",
        "messages": listed,
        "reply": replies[-1] if replies else "",
        "utility": utility,
        "hijacked": is_attacked and security,
        "error": columns.get("error"),
    }


def agentdojo_figures(rows: Sequence[Columns]) -> Iterator[str]:
    """Give the three figures of the paper: of each pipeline and attack, over all suites and of each.

    The attacker's tasks that `agentdojo` runs as a user's are no benign ones, and have their own figure.
    """
    for pipeline in _distinct(rows, "pipeline"):
        its = [one for one in rows if one["pipeline"] == pipeline]
        suites = _distinct(its, "suite")
        for suite in [None, *suites] if len(suites) > 1 else suites:
            among = [one for one in its if suite is None or one["suite"] == suite]
            name = f"{pipeline}, {suite or 'all suites'}: " if len(among) < len(rows) or not suite else ""
            yield from (f"{name}{one}" for one in _dojo_figures(among))


def _dojo_figures(rows: Sequence[Columns]) -> Iterator[str]:
    plain = [one for one in rows if not one["attacked"]]
    attacks = _distinct([one for one in rows if one["attacked"]], "attack")
    yield from _share("benign utility", [one for one in plain if not _is_injection(one)], "utility")
    for attack in attacks:
        among = [one for one in rows if one["attacked"] and one["attack"] == attack]
        name = f" ({attack})" if len(attacks) > 1 else ""
        yield from _share(f"utility under attack{name}", among, "utility")
        yield from _share(f"targeted attack success{name}", among, "hijacked")
    yield from _share("attackers' tasks as a user's", [one for one in plain if _is_injection(one)], "utility")


def _share(title: str, rows: Sequence[Columns], column: str) -> Iterator[str]:
    if rows:
        yield f"{title}: {sum(bool(one[column]) for one in rows) / len(rows):.1%} of {len(rows)}"


def _is_injection(row: Columns) -> bool:
    return str(row["user_task"]).startswith("injection_task")


def _distinct(rows: Sequence[Columns], column: str) -> list[Json]:
    return [*dict.fromkeys(one[column] for one in rows)]


def read_who_when(source: Source) -> Iterator[Read]:
    """Who&When (Zhang et al. 2025): a failed run a file, `Who&When/Hand-Crafted/1.json`, or a table of them.

    `history` has place from 0, agent and content of each message; `mistake_step` is such a place.
    """

    def row(one: Read) -> Columns:
        """Name the row by its file, for question ids occur twice."""
        made = _who_when(one.columns)
        name = one.file.rpartition(".")[0] if one.file else f"{made['question_id']}"
        return {"id": name or source.path.stem, **made}

    for one in read_any(source):
        yield from converted(source, [one], lambda _, one=one: row(one))


def _who_when(columns: Columns) -> Columns:
    history = objects_in(columns, "history")
    step = _STEP.fullmatch(str(columns.get("mistake_step")).strip())
    if step is None or int(step[0]) >= len(history):
        raise RowError("`mistake_step` is not the place of a message of `history`.")
    said: list[Json] = [
        {"step": place, "agent": _agent(one), "content": str(one.get("content") or "")}
        for place, one in enumerate(history)
    ]
    lines = [f"Step {place} - {_agent(one)}: {one.get('content')}" for place, one in enumerate(history)]
    level = str(columns.get("level") or "")
    return {
        "question_id": columns.get("question_ID"),
        "question": text_in(columns, "question"),
        "answer": columns.get("ground_truth", columns.get("groundtruth")),
        "history": said,
        "log": "\n".join(lines),
        "agents": [*dict.fromkeys(_agent(one) for one in history)],
        "mistake_agent": text_in(columns, "mistake_agent"),
        "mistake_step": int(step[0]),
        "mistake_reason": columns.get("mistake_reason"),
        "level": int(level) if level.isdigit() else None,
    }


def _agent(message: Object) -> str:
    """Who speaks: `name` where logs have it, and otherwise `role`, as in `Orchestrator (thought)`."""
    return str(message.get("name") or message.get("role") or "")


def _message(plain: Object, place: int) -> dict[str, Json]:
    """A message as Stepwire has them; newer logs have blocks of text for contents."""
    content = plain.get("content")
    if isinstance(content, list):
        blocks = cast("list[Object]", content)
        content = "\n".join(str(one.get("content") or one.get("text") or "") for one in blocks)
    made: dict[str, Json] = {"role": text_in(plain, "role"), "content": str(content or "")}
    calls = plain.get("tool_calls")
    if isinstance(calls, list) and calls:
        listed = cast("list[Object]", calls)
        made["tool_calls"] = [_call(one, f"{place}.{at}") for at, one in enumerate(listed)]
    if plain.get("role") == "tool":
        call = plain.get("tool_call")
        own: Object = call if isinstance(call, dict) else {}
        made["tool_call_id"] = str(plain.get("tool_call_id") or own.get("id") or "")
        if plain.get("error"):
            made["content"] = str(plain["error"])
    return made


def _call(plain: Object, name: str) -> dict[str, Json]:
    return {
        "id": str(plain.get("id") or name),
        "name": str(plain.get("function") or ""),
        "arguments": json.dumps(plain.get("args") or {}, ensure_ascii=False),
    }
