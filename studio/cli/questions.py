"""What waits for a person, told at a terminal with what may be answered and how."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.terminal.output import print_json, write_line

if TYPE_CHECKING:
    from studio.past.open_runs import Waiting
    from studio.store.reader import RunStore


def list_questions(store: "RunStore", project: Path, *, as_json: bool) -> int:
    """List what waits in all runs of a project, those first that have waited longest."""
    from studio.past.doubts import doubts_waiting
    from studio.past.open_runs import waiting_in
    from studio.workspace.catalog import builtin_registry

    runs = store.runs()
    found = [*waiting_in(store, runs), *doubts_waiting(store, runs, builtin_registry())]
    found.sort(key=lambda one: one.since)
    if as_json:
        print_json([plain_question(one) for one in found])
        return 0
    for one in found:
        write_line(f"{one.run}  {one.flow_name}")
        print_questions([one], project)
    if not found:
        write_line("Nothing is waiting for a person.")
    return 0


def print_questions(questions: "Sequence[Waiting]", project: Path) -> None:
    """Print each question, its fields, and the line that answers it in the same folder."""
    from studio.runtime.resources.people import example_answer
    from studio.runtime.resources.typed_answers import field_prompt, part_of
    from studio.sdk import Form

    for one in questions:
        first, *more = one.asked.question.splitlines() or [""]
        write_line(f"  asked    {one.step}: {first}")
        for line in [*more, *_shown(one.asked.schema)]:
            write_line(f"           {line}")
        fields: dict[str, Any] = dict(one.asked.schema).get("properties", {})
        for name, part in fields.items():
            plain = {**part_of(part, one.asked.schema), "title": name}
            if "approval" in one.asked.schema and name == "value":
                del plain["default"]  # it has just been shown
            write_line(f"  field    {field_prompt(name, plain)}")
        example = example_answer(one.step, Form(one.asked.question, one.asked.schema))
        where = "" if project == Path() else f" --project {shlex.quote(str(project))}"
        how = f"stepwire resume {one.run} --answer {example}{where}"
        write_line(f"  answer   {how}" if one.is_over else "  answer   where it runs, or stop it first")


def plain_question(one: "Waiting") -> dict[str, object]:
    """Give a question as JSON."""
    return {
        "run": one.run,
        "step": one.step,
        "flow_name": one.flow_name,
        "question": one.asked.question,
        "schema": one.asked.schema,
        "since": one.since,
        "is_over": one.is_over,
    }


def _shown(schema: Mapping[str, Any]) -> list[str]:
    """The value that is to be approved, where it is that."""
    from studio.building_blocks.answers.approvals import shown

    return shown(schema["approval"]["value"]).splitlines() if "approval" in schema else []
