"""Files of problems for simulated solvers, made so that they can be tried at once and edited then."""

import json
from collections.abc import Iterator, Mapping

from studio.errors import StepwireError
from studio.workspace.files import SaveError
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.whole_file import write_whole

FOLDER = "data"
SUMS = ((17, 26), (48, 35), (7, 19), (63, 28), (124, 97), (250, 175))
"""What is asked where the flow has no question of its own, the easiest first."""


def make_problems(project: Project) -> str:
    """Write a file of problems and give its path in the project.

    The questions that the flow's inputs have as defaults come first, with answers to be put right by hand,
    then some sums. Raises `SaveError`.
    """
    names = (f"{FOLDER}/problems{number}.jsonl" for number in ("", *(f"_{one}" for one in range(2, 10_000))))
    name = next(one for one in names if not (project.root / one).exists())
    path = project.root / name
    lines = [json.dumps(one, ensure_ascii=False) for one in (*_asked(project), *_sums())]
    try:
        path.parent.mkdir(exist_ok=True)
        write_whole(path, ("\n".join(lines) + "\n").encode())
    except OSError as error:
        message = f"`{path}` could not be written: {error.strerror or error}."
        raise SaveError(message, hint="Make the project's folder writable.") from error
    return name


def _asked(project: Project) -> Iterator[Mapping[str, object]]:
    """What the flow asks, as problems whose answers nobody has said yet."""
    try:
        flow = read_flow(project.main_flow).flow
    except StepwireError:
        return
    for node, record in flow.nodes.items():
        default = record.settings.get("default")
        if record.kind == "io.flow_input" and isinstance(default, str) and default.strip():
            wrong = ["a wrong answer", "another wrong answer"]
            yield {"id": str(node), "question": default, "answer": "the right answer", "wrong": wrong}


def _sums() -> Iterator[Mapping[str, object]]:
    for at, (one, other) in enumerate(SUMS):
        right = one + other
        yield {
            "id": f"sum_{at + 1}",
            "question": f"What is {one} + {other}?",
            "answer": str(right),
            "wrong": [str(right + 1), str(right - 10)],
            "difficulty": round(at / (len(SUMS) - 1), 2),
        }
