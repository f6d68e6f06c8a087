"""The flow and its variant that `projects/README.md` shows as written by hand."""

import re
from pathlib import Path

import pytest

from studio import places
from studio.__main__ import main

SCRIPT = 'rules: [{reply: "Heard: {{ last }}"}]'


def test_the_flow_and_its_variant_written_by_hand_run_as_their_page_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (places.projects() / "README.md").read_text("utf-8")
    blocks = re.findall(r"```json\n(\{.*?)```", page, re.DOTALL)
    whole, variant = blocks
    for folder in ("scripts", "data"):
        (tmp_path / folder).mkdir()
    (tmp_path / "flow.json").write_text(whole, "utf-8")
    (tmp_path / "headed.json").write_text(variant, "utf-8")
    (tmp_path / "project.json").write_text('{"format": "stepwire.project", "version": 1}')
    (tmp_path / "scripts" / "answers.yaml").write_text(SCRIPT)
    (tmp_path / "data" / "other.txt").write_text("A wren sang.\n\nFrost at dawn.\n")
    assert main(["check", str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith("no problems\n")
    assert main(["run", str(tmp_path), "--input", "file=data/other.txt"]) == 0
    assert capsys.readouterr().out == "Heard: A wren sang.\nHeard: Frost at dawn.\n"
    assert main(["check", str(tmp_path / "headed.json")]) == 0
    assert capsys.readouterr().out.endswith("no problems\n")
    assert main(["run", str(tmp_path / "headed.json"), "--input", "file=data/other.txt"]) == 0
    assert capsys.readouterr().out == "Remarks\nHeard: A wren sang.\nHeard: Frost at dawn.\n"
