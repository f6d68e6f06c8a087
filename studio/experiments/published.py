"""Rows of published benchmarks, as their files have them; the data are the user's, none comes with Stepwire.

Each reader gives columns that flows and scorers can name: `question`, `answer`, and what else there is.
"""

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from studio.errors import ExperimentFileError
from studio.experiments.readers import Columns, Read, read_json_lines, text_of
from studio.flow.records import Json

LETTERS = "ABCDEFGHIJ"
_HUMANEVAL = ("task_id", "prompt", "entry_point", "test")
_FINAL = re.compile(r"####\s*(-?[\d.,]+)\s*$")


def read_gsm8k(path: Path) -> Sequence[Read]:
    """Read GSM8K (Cobbe et al. 2021): JSON lines of `question` and `answer`, which ends with `#### NUMBER`.

    Gives `question`, `answer` (the number, without separators) and `reasoning`.
    """
    found: list[Read] = []
    wrong: list[str] = []
    for columns, line in read_json_lines(path):
        said = columns.get("answer")
        final = _FINAL.search(said) if isinstance(said, str) else None
        if final is None or not isinstance(said, str) or not isinstance(columns.get("question"), str):
            wrong.append(f"line {line}: there is no `question`, or no `answer` that ends with `#### NUMBER`.")
            continue
        reasoning, answer = said[: final.start()].strip(), final[1].replace(",", "").rstrip(".")
        found.append(Read({"question": columns["question"], "answer": answer, "reasoning": reasoning}, line))
    if wrong:
        raise ExperimentFileError(f"`{path.name}` is not GSM8K.", wrong)
    return found


def read_mmlu(path: Path) -> Sequence[Read]:
    """Read MMLU (Hendrycks et al. 2021): CSV without names, a question, four choices, and the right letter.

    Gives `question` (with its choices, a line each), `stem`, `choices`, and `answer` (the letter).
    """
    lines = csv.reader(text_of(path).splitlines(keepends=True), strict=True)
    found: list[Read] = []
    wrong: list[str] = []
    try:
        for cells in lines:
            if len(cells) != 6 or cells[5] not in LETTERS[:4]:
                wrong.append(f"line {lines.line_num}: no question, four choices and a letter from A to D.")
                continue
            stem, *choices, answer = cells
            asked = "\n".join(
                [stem, *(f"{name}. {one}" for name, one in zip(LETTERS, choices, strict=False))]
            )
            listed: list[Json] = [*choices]
            columns: Columns = {"question": asked, "stem": stem, "choices": listed, "answer": answer}
            found.append(Read(columns, lines.line_num))
    except csv.Error as error:
        wrong.append(f"line {lines.line_num}: {error}.")
    if wrong:
        raise ExperimentFileError(f"`{path.name}` is not MMLU.", wrong)
    return found


def read_humaneval(path: Path) -> Sequence[Read]:
    """Read HumanEval (Chen et al. 2021): JSON lines of `task_id`, `prompt`, `entry_point` and `test`.

    Gives these columns as they are; `check` is the Python that a solution has to run through after them.
    """
    found: list[Read] = []
    wrong: list[str] = []
    for columns, line in read_json_lines(path):
        missing = [one for one in _HUMANEVAL if not isinstance(columns.get(one), str)]
        if missing:
            wrong.append(f"line {line}: there is no `{missing[0]}`.")
            continue
        check = f"{columns['test']}\n\ncheck({columns['entry_point']})\n"
        found.append(Read({**columns, "question": columns["prompt"], "check": check}, line))
    if wrong:
        raise ExperimentFileError(f"`{path.name}` is not HumanEval.", wrong)
    return found
