"""Programs to be written, with tests: HumanEval and MBPP.

`setup` runs first, then `before` with the solution behind it, then each of `tests` (`check.unit_tests`).
"""

import re

from studio.experiments.loaders.columns import list_in, text_in, texts_in
from studio.experiments.readers import Columns, RowError
from studio.flow.records import Json

_NUMPY = re.compile(r"^\s*(?:import|from) numpy\b", re.MULTILINE)
_HUMANEVAL = ("task_id", "prompt", "entry_point", "test")


def humaneval(columns: Columns) -> Columns:
    """HumanEval (Chen et al. 2021, `HumanEval.jsonl.gz`): a head with its description goes on as a function.

    All columns stay; `check` is the Python that a solution has to run through after it.
    """
    if "plus_input" in columns and "test" not in columns:
        raise RowError("EvalPlus's inputs without results are not covered; take the table that has a `test`.")
    missing = [one for one in _HUMANEVAL if not isinstance(columns.get(one), str)]
    if missing:
        raise RowError(f"there is no `{missing[0]}`.")
    if _NUMPY.search(str(columns["test"])):
        raise RowError("its test needs NumPy, which the sandbox does not have.")
    check = f"{columns['test']}\n\ncheck({columns['entry_point']})\n"
    prompt = columns["prompt"]
    return {**columns, "question": prompt, "before": prompt, "setup": "", "tests": [check], "check": check}


def mbpp(columns: Columns) -> Columns:
    """MBPP (Austin et al. 2021): `mbpp.jsonl` and `sanitized-mbpp.json`.

    `question` shows the tests, as the paper's prompt does; `text` is the task alone, `code` the authors'
    solution.
    """
    text = text_in(columns, "text", "prompt")
    tests = [str(one) for one in list_in(columns, "test_list")]
    if not tests:
        raise RowError("`test_list` is empty.")
    shown = "\n".join(tests)
    begun = columns.get("test_setup_code") or ""  # may name what the solution defines
    listed: list[Json] = [f"{begun}\n{one}" if begun else one for one in tests]
    return {
        "id": text_in(columns, "task_id"),
        "question": f"{text}\nYour code should pass these tests:\n\n{shown}",
        "text": text,
        "before": "",
        "setup": "\n".join(texts_in(columns, "test_imports")),
        "tests": listed,
        "more_tests": [*texts_in(columns, "challenge_test_list")],
        "code": columns.get("code"),
    }
