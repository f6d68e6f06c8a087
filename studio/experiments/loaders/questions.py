"""Questions with an answer: GSM8K, MMLU (and MMLU-Pro), GPQA, GAIA."""

import re
from collections.abc import Iterator
from itertools import takewhile

from studio.experiments.loaders.columns import (
    LETTERS,
    list_in,
    shuffled,
    text_in,
    unpacked,
    with_choices,
)
from studio.experiments.readers import (
    Columns,
    Read,
    RowError,
    Source,
    cells_of,
    converted,
    files_of_rows,
    kind_of,
    read_any,
)
from studio.flow.records import Json

_FINAL = re.compile(r"(?:####|(?<=\n)A:)\s*\$?(-?[\d.,]+)\s*$")
_MMLU = re.compile(r"(.+?)_(?:test|val|dev|train)$")
_NAMED = {"question", "answer", "subject"}
_GPQA = ("Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")


def gsm8k(columns: Columns) -> Columns:
    """GSM8K (Cobbe et al. 2021, `grade_school_math/data/*.jsonl`): the answer ends with `#### NUMBER`."""
    question, said = columns.get("question"), columns.get("answer", columns.get("ground_truth"))
    final = _FINAL.search(said) if isinstance(said, str) else None
    if final is None or not isinstance(said, str) or not isinstance(question, str):
        raise RowError("there is no `question`, or no `answer` that ends with `#### NUMBER`.")
    reasoning, answer = said[: final.start()].strip(), final[1].replace(",", "").rstrip(".")
    more = {
        name: one for name, one in columns.items() if isinstance(one, dict)
    }  # solutions of the authors' models
    return {"question": question, "answer": answer, "reasoning": reasoning, **more}


def read_mmlu(source: Source) -> Iterator[Read]:
    """MMLU (Hendrycks et al. 2021): the authors' CSV without names, `test/SUBJECT_test.csv`.

    A table with the columns `question`, `choices` (or `options`, as MMLU-Pro has them, or one for each) and
    `answer`, a letter or a place from 0, is read as well.
    """
    if source.path.is_dir():
        for path in files_of_rows(source.path):
            for place, one in enumerate(read_mmlu(source.inside(path))):
                name = one.columns.get("id") or f"{path.stem}/{place}"
                yield Read({**one.columns, "id": name}, one.line, path.name)
        return
    found = _MMLU.match(source.path.stem)
    subject: dict[str, Json] = {"subject": found[1]} if found else {}
    if not _is_bare(source):
        yield from converted(source, read_any(source), lambda columns: {**subject, **_mmlu(columns)})
        return
    for line, cells in cells_of(source):
        if len(cells) != 6 or cells[5] not in set(LETTERS[:4]):
            source.fault(line, "no question, four choices and a letter from A to D.")
            continue
        stem, *choices, answer = cells
        yield Read({**_question(stem, choices, answer), **subject}, line)


def _is_bare(source: Source) -> bool:
    """Whether a file is the authors' table, which has no line of names."""
    if kind_of(source.path) != "table":
        return False
    _, names = next(cells_of(Source(source.path)), (0, ["question"]))
    return "question" not in {one.lower() for one in names}


def choice_columns(columns: Columns) -> list[str]:
    """List the columns of a table that has one for each choice: `A` to `D`, or `choice0` to `choice3`."""
    for names in (LETTERS, [f"choice{place}" for place in range(len(LETTERS))]):
        there = [*takewhile(columns.__contains__, names)]
        if len(there) > 1:
            return there
    return []


def _mmlu(plain: Columns) -> Columns:
    columns = {name.lower() if name.lower() in _NAMED else name: one for name, one in plain.items()}
    named = "choices" if columns.get("choices") is not None else "options"
    listed = (
        list_in(columns, named) if named in columns else [columns[one] for one in choice_columns(columns)]
    )
    choices = [str(one) for one in listed]
    if not choices:
        raise RowError("there are no choices: no `choices`, no `options`, and no `A`, `B`, `C`, `D`.")
    answer = columns.get("answer")
    if isinstance(answer, str) and answer.isdigit():
        answer = int(answer)
    if isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer < len(choices):
        answer = LETTERS[answer]
    if not isinstance(answer, str) or answer not in set(LETTERS[: len(choices)]):
        raise RowError("`answer` is neither the letter of a choice nor its place from 0.")
    more = {name: columns[name] for name in ("subject", "category", "src") if name in columns}
    kept = {"id": str(columns["question_id"])} if "question_id" in columns else {}
    return {**kept, **_question(text_in(columns, "question"), choices, answer), **more}


def gpqa(columns: Columns) -> Columns:
    """GPQA (Rein et al. 2023, `gpqa_*.csv`): the right answer in a place that the row's own text decides."""
    right, *wrong = (text_in(columns, name).strip() for name in _GPQA)
    name = str(columns.get("Record ID") or "")
    stem = text_in(columns, "Question").strip()
    choices = shuffled([right, *wrong], name or stem)
    made = _question(stem, choices, LETTERS[choices.index(right)])
    more = {
        "answer_text": right,
        "explanation": columns.get("Explanation"),
        "domain": columns.get("High-level domain"),
        "subdomain": columns.get("Subdomain"),
    }
    return {**({"id": name} if name else {}), **made, **more}


def read_gaia(source: Source) -> Iterator[Read]:
    """GAIA (Mialon et al. 2023, `metadata.jsonl` or `.parquet`): `file` names an attachment in the project.

    `file_found` says whether it is there. Rows of the test set have the answer `?`, here none.
    """
    folder = source.path if source.path.is_dir() else source.path.parent
    for columns, line, file in read_any(source):
        try:
            question = text_in(columns, "Question", "question")
            name = str(columns.get("file_name") or "")
            level = str(columns.get("Level") or "")
            answer = columns.get("Final answer")
            made: dict[str, Json] = {
                "id": text_in(columns, "task_id"),
                "question": question,
                "answer": None if answer in {None, "?", ""} else str(answer),
                "level": int(level) if level.isdigit() else None,
                "file": None,
                "file_found": False,
                "annotator": unpacked(columns.get("Annotator Metadata")),
            }
        except RowError as error:
            source.fault(line, str(error), file=file)
            continue
        if name:
            inside = f"{file.rpartition('/')[0]}/{name}".lstrip("/")
            place = source.beside(source.path.name) if source.path.is_dir() else source.folder
            made["file"] = f"{place}/{inside}".lstrip("/")
            made["file_found"] = (folder / inside).is_file()
        yield Read(made, line, file)


def _question(stem: str, choices: list[str], answer: str) -> dict[str, Json]:
    listed: list[Json] = [*choices]
    return {"question": with_choices(stem, choices), "stem": stem, "choices": listed, "answer": answer}
