"""Function calling: the Berkeley Function Calling Leaderboard (Patil et al. 2025), versions 1 to 4.

The authors' files are JSON lines called `.json`: questions in `BFCL_v4_simple_python.json`, what counts as
right in `possible_answer/` beside them, under the same name and ids (`bfcl_eval/data` of their repository).
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from studio.experiments.loaders.columns import Object, objects_in
from studio.experiments.readers import Columns, Read, RowError, Source, read_any, read_json_lines
from studio.flow.records import Json

ANSWERS = "possible_answer"
QUESTIONS = "BFCL_v*.json"
KINDS = ("parallel_multiple", "parallel", "multiple", "simple", "irrelevance", "relevance")
"""Kinds of rows that are covered; what else a category says (`live_`, `_python`) changes nothing."""

NO_ANSWERS = ("irrelevance", "relevance")
_COVERED = re.compile(rf"(?:live_)?({'|'.join(KINDS)})(?:_python|_function)?")
_ID = re.compile(r"(.+?)_\d+(?:-\d+)*$")
_STEM = re.compile(r"(?:BFCL_v\d+_|gorilla_openfunctions_v1_test_)(.+)")
_INVERTED = "gorilla_openfunctions_v1_test_relevance"
"""The first version called by `relevance` what is `irrelevance` from then on."""


def read_bfcl(source: Source) -> Iterator[Read]:
    """Read a file of questions with its possible answers; of a folder, the files of the categories covered.

    `wanted` is what `check.function_calls` compares with: the kind, the functions, and the answers.
    """
    if source.path.is_dir():
        for path in sorted(source.path.glob("*.json")):
            if _kind(_category({}, path)):
                yield from (one._replace(file=path.name) for one in read_bfcl(source.inside(path)))
        return
    answers = _answers(source)
    refused: set[str] = set()
    for place, (columns, line, _) in enumerate(read_any(source)):
        category = _category(columns, source.path)
        if not _kind(category):
            if category not in refused:  # once, for a file has hundreds of them
                source.fault(line, f"rows of the category `{category or source.path.stem}` are not covered.")
            refused.add(category)
            continue
        try:
            yield Read(_row(columns, category, source.path.name, answers, place), line)
        except RowError as error:
            source.fault(line, str(error))


def _row(columns: Columns, category: str, file: str, answers: Mapping[str, Json], place: int) -> Columns:
    """Join a question with its answers, which files without ids have in the same order."""
    kind = _kind(category)
    if "ground_truth" in columns and "question" not in columns:
        raise RowError(f"these are answers; name the file of the questions, which stands above `{ANSWERS}`.")
    messages = _messages(columns)
    functions: list[Json] = [dict(one) for one in objects_in(columns, "function")]
    name = str(columns.get("id") or f"{category}_{place}")
    wanted = answers.get(name, answers.get(str(place)))
    if wanted is None and kind not in NO_ANSWERS:
        raise RowError(f"`{ANSWERS}/{file}` beside the file has no answers for `{name}`.")
    system = [str(one["content"]) for one in messages if one["role"] == "system"]
    said: list[Json] = [dict(one) for one in messages if one["role"] != "system"]
    last = cast("dict[str, Json]", said[-1])
    return {
        "id": name,
        "category": category,
        "question": last["content"],
        "system": "\n".join(system),
        "history": said[:-1],
        "functions": functions,
        "wanted": {"kind": kind, "functions": functions, "answers": wanted or []},
    }


def _answers(source: Source) -> dict[str, Json]:
    """Read what counts as right by the id of its question, or by its place where answers have no ids."""
    path = source.path.parent / ANSWERS / source.path.name
    if not path.is_file():
        return {}
    inner = Source(path, source.folder, source.faults, f"{ANSWERS}/{path.name}")
    found: dict[str, Json] = {}
    for place, one in enumerate(read_json_lines(inner)):
        if "ground_truth" in one.columns:
            found[str(one.columns.get("id", place))] = one.columns["ground_truth"]
        else:
            found[str(place)] = [{name: wanted} for name, wanted in one.columns.items()]
    return found


def _messages(columns: Columns) -> list[Object]:
    """The messages of the one turn: a text, a list of messages, or a list of turns that are such lists."""
    asked = columns.get("question")
    if isinstance(asked, str):
        return [{"role": "user", "content": asked}]
    turns = asked if isinstance(asked, list) else []
    if turns and all(isinstance(one, list) for one in turns):
        if len(turns) > 1:
            raise RowError("dialogues of several turns are not covered.")
        turns = cast("list[Json]", turns[0])
    if not turns or not all(isinstance(one, dict) and isinstance(one.get("content"), str) for one in turns):
        raise RowError("`question` is neither a text nor a list of messages.")
    messages = [{"role": one.get("role"), "content": one["content"]} for one in cast("list[Object]", turns)]
    if messages[-1]["role"] != "user":
        raise RowError("the last message of `question` is not the user's.")
    return cast("list[Object]", messages)


def _category(columns: Columns, path: Path) -> str:
    named = _ID.match(str(columns.get("id") or ""))
    if named:
        return named[1]
    if path.stem == _INVERTED:
        return "irrelevance"
    found = _STEM.match(path.stem)
    return found[1] if found else ""


def _kind(category: str) -> str:
    found = _COVERED.fullmatch(category)
    return found[1] if found else ""
