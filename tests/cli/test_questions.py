"""Questions that wait are listed at the terminal, and answered there."""

import re
import shlex
from pathlib import Path

from tests.app.approvals import approving
from tests.app.flows import SCRIPT
from tests.app.written_projects import write_project
from tests.cli.conftest import Call


def test_an_approval_waits_is_listed_with_its_value_and_is_answered_from_the_command_line(
    call: Call, tmp_path: Path
) -> None:
    project = write_project(tmp_path / "trial", flow=approving(), script=SCRIPT)
    assert call("run", project).code == 4
    assert "waiting for you" in call("runs", "list", "--project", project).out
    for listing in ("waiting", "show latest"):
        told = call("runs", *listing.split(), "--project", project).out
        assert "asked    approve#ask.1: Send it?\n           You asked: Why?\n" in told
        assert "field    decision (Approve, Edit, Reject)\n" in told
        assert "field    reason\n" in told
    line = re.search(r"answer   stepwire (resume .+)", told)
    assert line is not None
    (plain,) = call("runs", "waiting", "--project", project, "--json").json  # type: ignore[misc]
    assert plain["question"] == "Send it?"
    assert plain["schema"]["approval"] == {"value": "You asked: Why?"}

    refused = call("resume", "latest", "--project", project, "--answer", 'approve={"decision": "reject"}')
    assert refused.code == 2
    assert "does not fit" in refused.err
    assert "reason" in refused.err

    refused = call("resume", "latest", "--project", project, "--answer", "approve=maybe")
    assert '`decision` of the answer should be one of "approve", "edit", "reject".' in refused.err
    refused = call("resume", "latest", "--project", project, "--answer", 'approve={"decision": "approve"')
    assert (refused.code, "is not JSON" in refused.err) == (2, True)

    ended = call(*shlex.split(line[1]), "--json")
    assert (ended.code, ended.json) == (0, {"sent": "You asked: Why?"})
    assert call("runs", "waiting", "--project", project).out == "Nothing is waiting for a person.\n"
    assert "waiting for you" not in call("runs", "list", "--project", project).out


def test_a_rejection_with_its_reason_goes_on_as_the_flow_says(call: Call, tmp_path: Path) -> None:
    project = write_project(tmp_path / "trial", flow=approving(), script=SCRIPT)
    assert call("run", project).code == 4
    answer = 'approve#ask.1={"decision": "reject", "reason": "Too curt."}'
    ended = call("resume", "latest", "--project", project, "--answer", answer, "--json")
    assert (ended.code, ended.json) == (0, {"why": "Too curt."})
