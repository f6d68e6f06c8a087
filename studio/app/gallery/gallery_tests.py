"""Whether the tests that read the gallery's mechanisms from traces pass; a checkout has them, a wheel not."""

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree as ET


class Outcome(StrEnum):
    """What became of a test file."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


def outcomes(root: Path, files: Iterable[str]) -> dict[str, Outcome]:
    """Run test files of the checkout at `root` with pytest, in a process of their own.

    What is not there is not run. A file has passed when one test in it has at least, and none has failed.
    """
    asked = list(files)
    found = dict.fromkeys(asked, Outcome.NOT_RUN)
    there = [one for one in asked if (root / one).is_file()]
    if not there or importlib.util.find_spec("pytest") is None:
        return found
    with tempfile.TemporaryDirectory(prefix="stepwire-") as folder:
        report = Path(folder) / "report.xml"
        options = ["-q", "-p", "no:cacheprovider", "--continue-on-collection-errors", f"--junitxml={report}"]
        call = [sys.executable, "-m", "pytest", *options, *there]
        subprocess.run(call, cwd=root, capture_output=True, check=False)  # noqa: S603  our own tests
        cases = ET.parse(report).iter("testcase") if report.is_file() else ()  # noqa: S314  pytest's own
        for case in cases:
            file = _file_of(case.get("classname") or case.get("name", ""), there)
            if file:
                found[file] = _worse(found[file], case)
    return found


def _file_of(name: str, files: Iterable[str]) -> str:
    return next((one for one in files if name == one.removesuffix(".py").replace("/", ".")), "")


def _worse(so_far: Outcome, case: ET.Element) -> Outcome:
    if so_far == Outcome.FAILED or case.find("failure") is not None or case.find("error") is not None:
        return Outcome.FAILED
    return so_far if case.find("skipped") is not None else Outcome.PASSED
