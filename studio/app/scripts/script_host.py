"""The process in which the scripts that the window shows are written: formatting holds an interpreter up.

It is given drafts on its standard input and answers each on its standard output, until the input ends.
"""

import os
import pickle
import sys
from collections.abc import Sequence

from studio.app.scripts.script_preview import write_script
from studio.workspace.catalog import builtin_registry


def main(argv: Sequence[str] | None = None) -> int:
    """Answer the window that started this process."""
    del argv
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else is to come between the answers
    registry = builtin_registry()
    while True:
        try:
            draft = pickle.load(sys.stdin.buffer)  # noqa: S301  # only the window writes here
        except EOFError:
            return 0
        pickle.dump(write_script(draft, registry), answers)
        answers.flush()
