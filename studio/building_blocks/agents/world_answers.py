"""What a tool of an environment answers: what came of it, and perhaps a reward, and whether all is over."""

from dataclasses import dataclass

from studio.building_blocks.values.json_kinds import is_number, is_object
from studio.building_blocks.values.json_texts import read_value
from studio.sdk import Json


@dataclass(frozen=True, slots=True)
class WorldAnswer:
    """An answer, read; `reward` is None where the environment gives none."""

    result: Json
    reward: float | None = None
    is_done: bool = False


def world_answer(text: str) -> WorldAnswer:
    """Read an answer; an object with `result` is one of an environment that has `reward` or `done`."""
    found = read_value(text)
    if not is_object(found):
        return WorldAnswer(found)
    reward = found.get("reward")
    result = found.get("result", found)
    return WorldAnswer(result, reward if is_number(reward) else None, found.get("done") is True)
