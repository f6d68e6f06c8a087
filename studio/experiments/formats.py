"""The formats of datasets by name: files as they are, kept cases, and published benchmarks."""

from pathlib import Path
from typing import NamedTuple

from studio.errors import ExperimentFileError
from studio.experiments.published import read_gsm8k, read_humaneval, read_mmlu
from studio.experiments.readers import Reader, read_csv, read_json_lines, read_parquet


class Format(NamedTuple):
    """How a file is read, what it is, and what of it is not covered."""

    read: Reader
    summary: str
    not_covered: str = ""
    id: str = ""
    """The column that names its rows, where the format says so."""


FORMATS: dict[str, Format] = {
    "jsonl": Format(read_json_lines, "JSON lines: an object a row"),
    "csv": Format(
        read_csv, "CSV with a line of column names", "Cells are texts; other inputs read them as JSON."
    ),
    "parquet": Format(read_parquet, "Parquet", "Dates and binary values become texts."),
    "cases": Format(
        read_json_lines,
        "the kept cases of a flow, `cases/FLOW.jsonl`",
        "What a case expects is a column (`expected.PORT.value`); how it compares is left to the scorers.",
        "name",
    ),
    "gsm8k": Format(
        read_gsm8k,
        "GSM8K: grade school mathematics (Cobbe et al. 2021)",
        "The steps of the reasoning are a text, and are not checked.",
    ),
    "mmlu": Format(
        read_mmlu,
        "MMLU: questions with four choices (Hendrycks et al. 2021)",
        "The examples that come with each subject are not put before its questions.",
    ),
    "humaneval": Format(
        read_humaneval,
        "HumanEval: functions to be written, with tests (Chen et al. 2021)",
        "Nothing runs the tests by itself: a scorer that is a flow runs `check` in the sandbox.",
        "task_id",
    ),
}
"""All formats by name; the first three are also known by the ending of a file's name."""

_ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet"}


def format_of(path: Path, name: str = "") -> Format:
    """Give the format called `name`, or else that of the file's ending; raises `ExperimentFileError`."""
    name = name or _ENDINGS.get(path.suffix.lower(), "")
    if name not in FORMATS:
        known = ", ".join(f"`{one}`" for one in FORMATS)
        message = (
            f"There is no format `{name}` for datasets." if name else f"Of which format is `{path.name}`?"
        )
        raise ExperimentFileError(message, hint=f"Formats are {known}; name one as `as`, or with `--as`.")
    return FORMATS[name]
