"""List the chat profiles of a project, or test what an endpoint supports."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from studio.terminal.output import print_json, say, write_line
from studio.terminal.signals import run_until_signal

if TYPE_CHECKING:
    from studio.llm.client import ChatProfile
    from studio.llm.endpoints.probes import Finding
    from studio.workspace.project import Project

MARKS = {"yes": "✓", "no": "✗", "unclear": "?", "not tried": "–"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire profiles`."""
    commands = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    listing = commands.add_parser("list", help="the chat profiles of the project")
    testing = commands.add_parser("test", help="test what an endpoint supports, with tiny requests")
    testing.add_argument("name", metavar="NAME", help="the chat profile")
    for command in (listing, testing):
        command.add_argument(
            "--project", type=Path, default=Path(), metavar="PATH", help="the project (default: this folder)"
        )
        command.add_argument("--json", action="store_true", help="print it as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """List or test; a test ends with 1 where the endpoint can't be asked."""
    from studio.workspace.project import Project

    project = Project.open(arguments.project)
    if arguments.what == "list":
        return _list(project, as_json=arguments.json)
    ended = run_until_signal(_test(project, arguments.name, as_json=arguments.json))
    return ended.code if ended.result is None else ended.result


def _list(project: "Project", *, as_json: bool) -> int:
    from studio.workspace.profiles import find_profile, profile_names

    profiles = [find_profile(project, name) for name in profile_names(project)]
    if as_json:
        print_json(
            [
                {**_plain(one, is_default=one.name == project.default_profile), "tested": _tested(one)}
                for one in profiles
            ]
        )
        return 0
    for one in profiles:
        default = ", the default" if one.name == project.default_profile else ""
        write_line(f"{one.name}: {_said(one)}{default}")
        if (tested := _tested(one)) is not None:
            marks = ", ".join(f"{MARKS[verdict]} {name}" for name, verdict in tested["findings"].items())
            write_line(f"  tested {tested['date']}: {marks}")
    return 0


class _Tested(TypedDict):
    date: str
    findings: dict[str, str]


def _tested(profile: "ChatProfile") -> "_Tested | None":
    """What was found when the profile was tested last."""
    from studio.workspace.abilities import Abilities

    tested = Abilities.of_user(os.environ).of(profile, os.environ)
    if tested is None:
        return None
    verdicts = {one.capability.value: one.verdict.value for one in tested.findings}
    return {"date": tested.date, "findings": verdicts}


def _plain(profile: "ChatProfile", *, is_default: bool) -> dict[str, object]:
    return {
        "name": profile.name,
        "provider": profile.provider,
        "base_url": profile.base_url,
        "llm": profile.llm,
        "key_from": profile.key_from,
        "key_env": profile.key_env if profile.key_from == "environment" else None,
        "fallback": list(profile.fallback),
        "is_default": is_default,
    }


def _said(profile: "ChatProfile") -> str:
    if profile.provider == "simulated":
        return f"simulated solvers of {profile.solver.get('problems', 'no problems')}"
    if profile.provider == "made-up":
        return "made-up answers that fit the request; no key, free"
    if profile.provider == "person":
        return "you answer each chat yourself, in the terminal or in the window"
    if profile.provider == "scripted":
        where = profile.base_url or profile.script
        return f"scripted answers{f' of {where}' if where else ''}"
    llm = profile.llm or "the model in OPENAI_MODEL"
    where = profile.base_url or "OPENAI_BASE_URL, or OpenAI"
    key = "the keyring" if profile.key_from == "keyring" else profile.key_env
    then = f", then {', '.join(profile.fallback)}" if profile.fallback else ""
    return f"{llm} at {where}, key from {key}{then}"


async def _test(project: "Project", name: str, *, as_json: bool) -> int:
    from studio.app.profiles.profile_tests import try_profile
    from studio.llm.endpoints.probes import Capability, Verdict
    from studio.workspace.profiles import find_profile
    from studio.workspace.secrets import Secrets

    profile = find_profile(project, name)
    say(f"Testing `{name}`: {_said(profile)}")
    findings: list[Finding] = []
    async for finding in try_profile(profile, project, os.environ, Secrets.of_user(os.environ)):
        findings.append(finding)
        if not as_json:
            mark = MARKS[finding.verdict]
            write_line(f"{mark} {finding.capability}: {finding.words} {finding.hint}".rstrip())
    if as_json:
        print_json({"profile": name, "findings": [_finding(one) for one in findings]})
    is_there = any(one.capability is Capability.ANSWERS and one.verdict is Verdict.YES for one in findings)
    return 0 if is_there else 1


def _finding(finding: "Finding") -> dict[str, str]:
    return {
        "capability": finding.capability.value,
        "verdict": finding.verdict.value,
        "words": finding.words,
        "hint": finding.hint,
    }
