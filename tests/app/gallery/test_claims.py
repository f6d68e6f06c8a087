"""Claims as data: each way to look at a run sees what is there, and says what is not."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.app.gallery.claims import Claim
from studio.app.gallery.gallery_runs import SystemRuns
from studio.app.gallery.records import read_exhibits
from studio.errors import FlowFileError, ProjectError
from studio.places import projects
from tests.app.gallery.test_gallery import write_exhibit

TEAM = ["careful", "formal", "doubtful"]


@pytest.fixture(scope="module")
def debate() -> Iterator[SystemRuns]:
    runs = SystemRuns(read_exhibits(projects() / "debate")[0])
    yield runs
    runs.close()


@pytest.mark.parametrize(
    ("holds", "misses", "said"),
    [
        ({"output": "answer", "is": "9"}, {"output": "answer", "is": "8"}, 'is not "8"; it is "9"'),
        ({"output": "answer", "has": "9"}, {"output": "nothing", "has": "9"}, "no such output"),
        ({"speak": "debate", "is": TEAM * 3}, {"speak": "debate", "is": TEAM}, "is not"),
        (
            {"speak": "debate", "has": "formal", "lacks": "slow"},
            {"speak": "debate", "lacks": "formal"},
            "has",
        ),
        (
            {"asked": "debate:formal", "nth": 2, "has": "careful: "},
            {"asked": "debate:formal", "has": "careful: "},
            "no",
        ),
        (
            {"said": "debate:doubtful", "nth": 3, "has": "9"},
            {"said": "debate:doubtful", "nth": 4, "has": "9"},
            "only 3",
        ),
        (
            {"count": "debate:*", "least": 9, "most": 100},
            {"count": "debate:nobody", "least": 1},
            "less than 1",
        ),
        ({"count": "debate:nobody", "is": 0}, {"count": "debate:formal", "most": 2}, "more than 2"),
        (
            {"order": ["debate:formal", "debate:formal"]},
            {"order": ["answer", "debate:formal"]},
            "does not hold",
        ),
        ({"at_once": ["debate#tool.1", "debate#tool.3"]}, {"at_once": ["debate:formal"]}, "does not hold"),
        (
            {"value": "steps[?name=='debate'].status | [0]", "is": "done"},
            {"value": "chats", "is": "9"},
            "is not",
        ),
        (
            {"asked": "debate:formal/formal:chat", "has": "sheep"},
            {"asked": "debate:slow", "has": "sheep"},
            "no step",
        ),
        ({"value": "chats", "least": 9}, {"value": "outputs.answer", "least": 9}, "no number"),
        ({"value": "keys(outputs)", "has": "answer"}, {"value": "steps[?", "is": 3}, "the query failed"),
    ],
)
def test_what_is_there_is_seen_and_what_is_not_is_said(
    debate: SystemRuns, holds: dict[str, object], misses: dict[str, object], said: str
) -> None:
    assert debate.failures(Claim.model_validate({"says": "It is so.", "expects": [holds]})) == []
    [words] = debate.failures(Claim.model_validate({"says": "It is so.", "expects": [misses]}))
    assert said in words


def test_a_run_that_is_to_fail_has_to_fail_with_these_words(debate: SystemRuns) -> None:
    def said(fails: str, **inputs: str) -> list[str]:
        return debate.failures(Claim.model_validate({"says": "So.", "inputs": inputs, "fails": fails}))

    assert said("no such question") == ['the run was to fail with "no such question"; it did not fail']
    with pytest.raises(ValueError, match="needs `expects`"):
        said("")


def test_claims_about_one_run_share_it_and_another_input_is_another_run(debate: SystemRuns) -> None:
    assert debate.seen() is debate.seen(inputs={})
    assert debate.seen(flow="single.json") is not debate.seen()


@pytest.mark.parametrize(
    ("expectation", "said"),
    [
        ({"output": "answer"}, "needs one of `is`"),
        ({"is": 3}, "needs one of `output`"),
        ({"output": "answer", "count": "x", "is": 3}, "needs one of `output`"),
        ({"at_once": ["x"], "is": True}, "compared with nothing"),
        ({"output": "answer", "is": 3, "nth": 2}, "`nth` belongs"),
        ({"output": "answer", "iz": 3}, "iz"),
        ({"order": ["x"]}, "order"),
    ],
)
def test_a_claim_that_says_nothing_is_refused_with_its_line(
    tmp_path: Path, expectation: dict[str, object], said: str
) -> None:
    root = write_exhibit(tmp_path / "debate", claims=[{"says": "It is so.", "expects": [expectation]}])
    path = root / "gallery.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=1), "utf-8")
    with pytest.raises(ProjectError, match=said) as refused:
        read_exhibits(root)
    assert "claims[0].expects[0]" in str(refused.value)
    assert "line " in str(refused.value)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            {"nodes": {"ask": {"kind": "control.subflow", "settings": {"flow": "parts/votes.json"}}}},
            r"line 5: `ask`: .*no flow `parts/votes\.json`",
        ),
        (
            {"of": "parts/votes.json"},
            r"line 4: of: there is no `parts/votes.json`. Did you mean `parts/vote.json`",
        ),
        ({"of": "flow.json", "drop": ["nobody"]}, r"line 6: drop\[0\]: the base has no `nobody`"),
    ],
)
def test_a_flow_with_an_unknown_part_or_a_broken_patch_is_named_by_file_and_line(
    tmp_path: Path, told: dict[str, object], said: str
) -> None:
    root = write_exhibit(tmp_path / "debate")
    head = {"format": "stepwire.flow", "version": 1}
    (root / "single.json").write_text(json.dumps({**head, **told}, indent=1), "utf-8")
    runs = SystemRuns(read_exhibits(root)[0])
    with pytest.raises(FlowFileError, match=r"single\.json") as refused:
        runs.seen("single.json")
    runs.close()
    assert re.search(said, str(refused.value)), refused.value
