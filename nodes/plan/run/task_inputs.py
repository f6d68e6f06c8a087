"""What a task of a plan is done with, once the results are there that its placeholders ask for."""

import json
from collections.abc import Mapping
from typing import Any

from studio.building_blocks.plans.plan import Task
from studio.building_blocks.values.json_kinds import is_list, is_object
from studio.building_blocks.values.json_texts import read_value
from studio.sdk import Json, Tool
from studio.sdk.templates import PLACEHOLDER, as_text, placeholders, value_at


def arguments_filled(task: Task, tool: Tool, known: Mapping[str, Json]) -> Json:
    """What the tool is called with, results in the place of placeholders.

    A placeholder that stands alone is the value itself, read as JSON where the tool wants no text.
    """
    parameters: Mapping[str, Any] = tool.parameters
    named: Mapping[str, Any] = parameters.get("properties", {})
    if is_object(task.given):
        return {name: filled(one, known, named.get(name, {})) for name, one in task.given.items()}
    wanted = parameters.get("required") or [*named]
    return filled(task.given, known, named.get(wanted[0], {}) if wanted else {})


def filled(given: Json, known: Mapping[str, Json], form: Mapping[str, Any]) -> Json:
    """A value with results in the place of placeholders, in all that it consists of."""
    if is_object(given):
        return {name: filled(one, known, {}) for name, one in given.items()}
    if is_list(given):
        return [filled(one, known, {}) for one in given]
    if not isinstance(given, str):
        return given
    alone = PLACEHOLDER.fullmatch(given.strip())
    if alone is None:
        return text_filled(given, known)
    value = found_at(alone[1], alone[2], known)
    if form.get("type") == "string":
        return as_text(value)
    return read_value(value) if isinstance(value, str) else value


def text_filled(text: str, known: Mapping[str, Json]) -> str:
    """A text with results in the place of placeholders."""
    return PLACEHOLDER.sub(lambda found: as_text(found_at(found[1], found[2], known)), text)


def found_at(name: str, path: str, known: Mapping[str, Json]) -> Json:
    """The value of a placeholder; a part of a text is a part of the JSON that it is."""
    value = known.get(name)
    if path and isinstance(value, str):
        return value_at(name, path, {name: read_value(value)})
    return value_at(name, path, known)


def prompt_of(task: Task) -> str:
    """What an agent is asked with a task, before anything stands in the place of placeholders."""
    given = task.given
    if is_object(given) and len(given) == 1:
        [given] = given.values()
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def prompt_filled(task: Task, known: Mapping[str, Json]) -> str:
    """What an agent is asked: behind it stand the results of those it waits for and did not ask for."""
    prompt = prompt_of(task)
    asked = placeholders(prompt)
    others = [
        f'<result of="{one}">\n{as_text(known[one])}\n</result>' for one in task.after if one not in asked
    ]
    return "\n\n".join([text_filled(prompt, known), *others])
