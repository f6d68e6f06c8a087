"""The formats of datasets by name: how each is read, where it comes from, what it is scored by."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from studio.errors import ExperimentFileError
from studio.experiments.loaders.dialogues import read_tau2_bench, read_tau_bench
from studio.experiments.loaders.function_calling import QUESTIONS, read_bfcl
from studio.experiments.loaders.logs import agentdojo, agentdojo_figures, read_who_when
from studio.experiments.loaders.multihop import multihop, read_2wiki
from studio.experiments.loaders.own import read_files, read_runs
from studio.experiments.loaders.programs import humaneval, mbpp
from studio.experiments.loaders.questions import choice_columns, gpqa, gsm8k, read_gaia, read_mmlu
from studio.experiments.readers import (
    Columns,
    Read,
    Reader,
    Source,
    cells_of,
    converted,
    kind_of,
    read_any,
    read_csv,
    read_json_lines,
    read_parquet,
)

Fits = Callable[[Columns], bool]


@dataclass(frozen=True)
class Format:
    """How a file is read, where its form comes from, and what of it is not covered."""

    name: str
    read: Reader
    summary: str
    source: str = ""
    """Who published it, and where; empty for files of one's own."""
    not_covered: str = ""
    id: str = ""
    """The column that names its rows, where the format says so."""
    asks: str = ""
    """The column that fills the only input of a flow, whatever that is called."""
    under: str = ""
    """The column whose fields are named as inputs are."""
    scorers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """What scores its rows where an experiment names no scorers, as its file would have them."""
    fits: Fits = lambda _: False
    """Whether columns, as a file has them, are of this format."""
    files: str = ""
    """What its files are called, where that tells more than their first row; `*` stands for anything."""
    figures: Callable[[Sequence[Columns]], Iterator[str]] | None = None
    """What its authors make of rows that have results already."""


def _has(*names: str) -> Fits:
    return lambda columns: all(name in columns for name in names)


def _rows(make: Callable[[Columns], Columns]) -> Reader:
    return partial(_made, make)


def _made(make: Callable[[Columns], Columns], source: Source) -> Iterator[Read]:
    return converted(source, read_any(source), make)


def _score(by: str, wanted: str = "row.answer") -> Mapping[str, Any]:
    return {"check": "check.score", "settings": {"by": by}, "given": {"wanted": wanted}}


def _is_gsm8k(columns: Columns) -> bool:
    said = columns.get("answer", columns.get("ground_truth"))
    return "question" in columns and ("\n####" in str(said) or "\nA: " in str(columns.get("ground_truth")))


def _is_mmlu(columns: Columns) -> bool:
    cells = [*columns]
    names = {one.lower() for one in cells}
    return ("question" in names and bool({"choices", "options"} & names or choice_columns(columns))) or (
        len(cells) == 6 and cells[5] in {"A", "B", "C", "D"}
    )


def _is_task(columns: Columns) -> bool:
    info = columns.get("info")
    return _has("instruction", "actions")(columns) or (isinstance(info, dict) and "traj" in columns)


_TESTS = {
    "check": "check.unit_tests",
    "given": {"wanted": "row.tests", "setup": "row.setup", "before": "row.before"},
}

_ALL = (
    Format("jsonl", read_json_lines, "JSON lines: an object a row"),
    Format(
        "csv",
        read_csv,
        "CSV with a line of column names, parted by comma, semicolon, tab or bar",
        not_covered="Cells are texts; other inputs read them as JSON.",
    ),
    Format("parquet", read_parquet, "Parquet", not_covered="Dates and binary values become texts."),
    Format("json", read_any, "JSON: a list of objects, or an object with one"),
    Format(
        "files",
        read_files,
        "a folder of files, a row a file",
        not_covered="Files that are not UTF-8, or above 16 MiB, have a path and no text.",
        asks="text",
    ),
    Format(
        "runs",
        read_runs,
        "recorded runs of the project, `.stepwire/runs`",
        not_covered="Steps are not columns: only what a run was given and what it gave.",
        under="inputs",
    ),
    Format(
        "cases",
        read_json_lines,
        "the kept cases of a flow, `cases/FLOW.jsonl`",
        not_covered=(
            "What a case expects is a column (`expected.PORT.value`); how it compares is left to the scorers."
        ),
        id="name",
        under="inputs",
    ),
    Format(
        "gsm8k",
        _rows(gsm8k),
        "GSM8K: grade school mathematics",
        "Cobbe et al. 2021, github.com/openai/grade-school-math",
        "The steps of the reasoning are a text, and are not checked.",
        asks="question",
        scorers={"right": _score("number")},
        fits=_is_gsm8k,
    ),
    Format(
        "mmlu",
        read_mmlu,
        "MMLU and MMLU-Pro: questions with four to ten choices",
        "Hendrycks et al. 2021, github.com/hendrycks/test; Wang et al. 2024",
        "The examples that come with each subject are not put before its questions.",
        asks="question",
        scorers={"right": _score("choice")},
        fits=_is_mmlu,
    ),
    Format(
        "gpqa",
        _rows(gpqa),
        "GPQA: graduate questions with four choices",
        "Rein et al. 2023, github.com/idavidrein/gpqa",
        "The order of the choices is fixed by the row's text; the authors draw it anew.",
        asks="question",
        scorers={"right": _score("choice")},
        fits=_has("Question", "Correct Answer", "Incorrect Answer 1"),
    ),
    Format(
        "hotpotqa",
        _rows(multihop),
        "HotpotQA: questions over several paragraphs, with supporting facts",
        "Yang et al. 2018, github.com/hotpotqa/hotpot",
        "The joint score needs a flow that gives an object with `answer` and `supporting_facts`, and "
        "`check.score` by `answer and facts` with `row.wanted`.",
        asks="question",
        scorers={"f1": _score("words")},
        fits=lambda columns: _has("context", "supporting_facts")(columns) and "evidences" not in columns,
    ),
    Format(
        "2wiki",
        read_2wiki,
        "2WikiMultihopQA: questions over several paragraphs, with evidence",
        "Ho et al. 2020, github.com/Alab-NII/2wikimultihop",
        "Supporting facts and evidences are columns; there is no joint score with evidences. Other names of "
        "answers need the authors' `id_aliases.json` beside the file.",
        asks="question",
        scorers={"f1": _score("words", "row.answers")},
        fits=_has("context", "supporting_facts", "evidences"),
    ),
    Format(
        "gaia",
        read_gaia,
        "GAIA: questions for assistants, some with an attached file",
        "Mialon et al. 2023, `metadata.jsonl`",
        "Attachments are paths (`file`); the flow reads them. The test set has no answers.",
        asks="question",
        scorers={"right": _score("short answer")},
        fits=lambda columns: _has("task_id", "Level")(columns) and "question" in {*map(str.lower, columns)},
    ),
    Format(
        "humaneval",
        _rows(humaneval),
        "HumanEval: functions to be written, with tests",
        "Chen et al. 2021, github.com/openai/human-eval",
        "Tests run in the sandbox: the pure part of the standard library, and no packages. Of EvalPlus, rows "
        "whose tests need NumPy, or that have inputs without results, are refused.",
        id="task_id",
        asks="question",
        scorers={"tests": _TESTS},
        fits=_has("task_id", "prompt", "entry_point"),
    ),
    Format(
        "mbpp",
        _rows(mbpp),
        "MBPP and its sanitized part: short programs, with tests",
        "Austin et al. 2021, github.com/google-research/google-research/tree/master/mbpp",
        "The challenge tests are a column (`more_tests`), and are not run, nor is what EvalPlus adds; no "
        "examples precede the task.",
        asks="question",
        scorers={"tests": _TESTS},
        fits=_has("task_id", "test_list", "code"),
    ),
    Format(
        "bfcl",
        read_bfcl,
        "BFCL: which functions are called, and with what",
        "Patil et al. 2025, github.com/ShishirPatil/gorilla",
        "Java, JavaScript, executable, REST, multi-turn, memory, web search and format sensitivity rows are "
        "refused by name. Descriptions of functions are given as the file has them.",
        asks="question",
        scorers={"calls": {"check": "check.function_calls", "given": {"wanted": "row.wanted"}}},
        fits=_has("question", "function"),
        files=QUESTIONS,
    ),
    Format(
        "tau-bench",
        read_tau_bench,
        "tau-bench: dialogues with a user over a database, tasks or results of runs",
        "Yao et al. 2024, github.com/sierra-research/tau-bench",
        "The tools of a domain are Python of the authors: the flow's environment has to have them. Tasks in "
        "Python are read, and never executed.",
        asks="instruction",
        fits=_is_task,
    ),
    Format(
        "tau2-bench",
        read_tau2_bench,
        "tau²-bench: dialogues with a user over a database, who may have tools as well",
        "Barres et al. 2025, github.com/sierra-research/tau2-bench",
        "The tools of a domain are Python of the authors: the flow's environment has to have them. "
        "Assertions and the user's own calls are columns; results of runs and voice tasks are not read.",
        asks="instruction",
        fits=lambda columns: "user_scenario" in columns or _has("base_seed", "configs")(columns),
    ),
    Format(
        "agentdojo",
        _rows(agentdojo),
        "AgentDojo: recorded runs under prompt injection",
        "Debenedetti et al. 2024, github.com/ethz-spylab/agentdojo",
        "Suites are Python, and are not run: only results that `agentdojo` wrote (`runs/…/*.json`) are read.",
        asks="question",
        fits=_has("suite_name", "user_task_id", "messages"),
        figures=agentdojo_figures,
    ),
    Format(
        "who-when",
        read_who_when,
        "Who&When: failed runs, with the agent and the step at fault",
        "Zhang et al. 2025, github.com/mingyin1/Agents_Failure_Attribution",
        "A step counts where it is the same number; the authors' script also takes one that contains it.",
        asks="log",
        scorers={
            "agent": {
                "check": "check.score",
                "settings": {"by": "contains"},
                "given": {"value": "outputs.agent", "wanted": "row.mistake_agent"},
            },
            "step": {
                "check": "check.score",
                "settings": {"by": "number"},
                "given": {"value": "outputs.step", "wanted": "row.mistake_step"},
            },
        },
        fits=_has("mistake_agent", "mistake_step", "history"),
    ),
)

FORMATS: Mapping[str, Format] = {one.name: one for one in _ALL}
"""All formats by name."""

ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "csv", ".parquet": "parquet"}
"""Formats by the ending of a file's name, where a dataset names none."""


def format_of(path: Path, name: str = "") -> Format:
    """Give the format called `name`, or that of the file's ending, or else what its content looks like.

    Raises `ExperimentFileError` for a name that there is not, and where a file tells nothing.
    """
    name = name or ENDINGS.get(path.suffix.lower(), "")
    if name in FORMATS:
        return FORMATS[name]
    known = ", ".join(f"`{one}`" for one in FORMATS)
    hint = f"Formats are {known}; name one as `as`, or with `--as`."
    if name:
        raise ExperimentFileError(f"There is no format `{name}` for datasets.", hint=hint)
    if not path.exists():
        raise ExperimentFileError(f"There is no dataset `{path.name}`.")
    found = guessed(path)
    if found is None:
        raise ExperimentFileError(f"Of which format is `{path.name}`?", hint=hint)
    return found


def guessed(path: Path) -> Format | None:
    """Tell by its content of which format a file is: a published one, or plain JSON; None for nothing."""
    if path.is_dir() and (path.name == "runs" or (path / "runs").is_dir()) and any(path.rglob("*.db")):
        return FORMATS["runs"]
    if path.suffix == ".py":
        return FORMATS["tau-bench"]
    called = next((one for one in FORMATS.values() if one.files and _is_called(path, one.files)), None)
    if called is not None:
        return called
    is_table = path.is_file() and kind_of(path) == "table"
    try:
        first = next(read_any(Source(path)), None)
        names = next(cells_of(Source(path)), (0, [""]))[1] if is_table else []
    except ExperimentFileError:
        return FORMATS["files"] if path.is_dir() else None
    columns: Columns = first.columns if first is not None else dict.fromkeys(names)
    found = next((one for one in FORMATS.values() if one.fits(columns)), None)
    if found is not None or path.is_dir():
        return found or FORMATS["files"]
    if is_table:
        return FORMATS["csv"] if len(names) > 1 else None
    return FORMATS["json"] if first is not None else None


def _is_called(path: Path, pattern: str) -> bool:
    return any(path.glob(pattern)) if path.is_dir() else path.match(pattern)
