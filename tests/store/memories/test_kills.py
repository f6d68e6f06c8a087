import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.memories.kept import opened, texts

pytestmark = pytest.mark.process


@pytest.mark.parametrize("seen", [1, 40, 300])
def test_what_was_saved_before_a_kill_is_there_after_it(tmp_path: Path, seen: int) -> None:
    command = [sys.executable, "-m", "tests.store.memories.writing", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:  # noqa: S603
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(seen)]
        process.kill()
        # The last line may be cut, and was then not yet told.
        told += process.stdout.read().rpartition("\n")[0].splitlines()
    memory = opened(tmp_path)
    memory.close()
    assert memory.trouble == ""
    assert len(told) <= memory.version <= len(told) + 1
    last = {text[0]: int(text.split()[1]) for text in texts(tmp_path)}
    assert sorted(last.values()) == list(range(memory.version))[-10:]
