"""The script that the guide shows does what the drawn example does."""

import re
import shutil
from collections.abc import Iterable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from studio.kit import Tools, run
from studio.places import projects, resources
from studio.script.flow import Flow
from studio.store.reader import RunStore
from studio.trace.events import ChatRequested, Entry
from tests.trusted import HERE


async def test_the_script_of_the_guide_asks_and_gives_what_the_drawn_flow_does(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    shutil.copytree(projects() / "field_notes", folder, ignore=shutil.ignore_patterns(".stepwire", "out"))
    flow = _script(folder)
    flow.is_kept = True
    written = await flow.run(tools=Tools(is_offline=True, environ=HERE))
    drawn = await run(folder, {}, Tools(is_offline=True, environ=HERE))
    assert written == drawn.outputs
    store = RunStore(folder / ".stepwire")
    (kept,) = store.runs()
    assert asked(store.entries(kept.run)) == asked(drawn.entries)
    assert (folder / "out" / "answer.md").is_file()


def asked(entries: Iterable[Entry]) -> dict[str, ChatRequested]:
    """What language models were asked, by step."""
    return {str(one.step): one.event for one in entries if isinstance(one.event, ChatRequested)}


def _script(folder: Path) -> Flow:
    """The page's script, saved where the page says."""
    file = folder / "answer.py"
    file.write_text(shown_script(), "utf-8")
    made = spec_from_file_location("answer_of_the_guide", file)
    assert made is not None
    assert made.loader is not None
    module = module_from_spec(made)
    made.loader.exec_module(module)
    return module.flow


def shown_script() -> str:
    """The script that the page shows."""
    page = (resources() / "guide" / "python.md").read_text("utf-8")
    (shown,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    return shown
