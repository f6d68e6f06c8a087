"""What a person lets a flow start or reach: looked at once, and asked about again when it is not the same."""

import hashlib
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from typing import Literal, Protocol

from studio.servers.records import ServedTool, Server, ServerAddress, ServerCommand

ENVIRONMENT = "environment"
"""What the names of a command's variables are called among what is seen; scripts have their own names."""

LONGEST = 20_000
"""Characters of a text that are kept to show what changed; of a longer one its hash is."""

LARGEST = 20 * 2**20
"""Bytes of a script that are read."""

SHOWN = 60
"""Lines of a difference that are shown."""


@dataclass(frozen=True, slots=True)
class Grant:
    """`subject` says in words what is allowed; `seen` is all that a person looks at, texts by their names."""

    kind: Literal["command", "tools", "private", "script"]
    subject: str
    seen: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def key(self) -> str:
        """What stays the same while what is seen changes."""
        return _hash([self.kind, self.subject])

    @property
    def fingerprint(self) -> str:
        """What changes when anything changes that a person has looked at."""
        return _hash([self.kind, self.subject, dict(self.seen)])


class Grants(Protocol):
    """What a person has allowed; kept outside of projects."""

    def has(self, grant: Grant) -> bool:
        """Tell whether just this was allowed, as it is."""
        ...

    def before(self, grant: Grant) -> Mapping[str, str] | None:
        """Give what was seen when the same subject was last allowed; None where it never was."""
        ...

    def add(self, grant: Grant) -> None:
        """Keep that it is allowed."""
        ...


def command_grant(command: ServerCommand, root: Path) -> Grant:
    """The start of a command: its variables, and what stands in the scripts that it names."""
    folder = (root / command.folder).resolve()
    seen = {ENVIRONMENT: "\n".join(sorted(command.variables)), **dict(_scripts(command.command, folder))}
    return Grant("command", f"{shlex.join(command.command)} in {folder}", seen)


def tools_grant(server: Server, root: Path, tools: Sequence[ServedTool]) -> Grant:
    """The tools of a server, as it describes them."""
    if isinstance(server, ServerAddress):
        subject = server.url
    else:
        subject = f"{shlex.join(server.command)} in {(root / server.folder).resolve()}"
    # Of two of one name, the first is lent.
    return Grant("tools", subject, {one.name: _described(one) for one in reversed(tools)})


def script_grant(script: Path) -> Grant:
    """The execution of a Python script, as it is now."""
    return Grant("script", str(script), {script.name: _content(script)})


def private_grant(hosts: Sequence[str], root: Path) -> Grant:
    """The reach of a project to hosts of this machine and of private networks."""
    return Grant("private", f"{', '.join(sorted(hosts))} from {root.resolve()}")


def difference(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Say what changed, text by text, as a diff of their lines."""
    lines: list[str] = []
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        state = "is new" if old is None else "is gone" if new is None else "changed"
        lines.append(f"{name} {state}:")
        changed = unified_diff((old or "").splitlines(), (new or "").splitlines(), n=1, lineterm="")
        lines += [f"  {line}" for line in list(changed)[2:]]
    more = [f"… and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    return "\n".join([*lines[:SHOWN], *more])


def _described(tool: ServedTool) -> str:
    parameters = json.dumps(tool.parameters, ensure_ascii=False, indent=1, sort_keys=True)
    says = "only reads" if tool.only_reads else "may change something"
    return _kept(f"{tool.description}\n{says}\n{parameters}")


def _scripts(command: Sequence[str], folder: Path) -> Iterator[tuple[str, str]]:
    """The files that a command names, with what they say; programs of the system are taken as they are."""
    for place, part in enumerate(command):
        value = part.partition("=")[2] if part.startswith("-") else part
        if not value or (place == 0 and "/" not in part):
            continue
        module = value.replace(".", "/")
        for name in dict.fromkeys((value, f"{module}.py", f"{module}/__main__.py", f"{value}/index.js")):
            file = folder / name
            if (place or file.resolve().is_relative_to(folder)) and _is_file(file):
                yield name, _content(file)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _content(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            read = opened.read(LARGEST + 1)
    except OSError as error:
        return f"It can't be read: {error.strerror}."
    if len(read) > LARGEST:
        return f"More than {LARGEST >> 20} MiB, last changed at {file.stat().st_mtime_ns}"
    try:
        return _kept(read.decode())
    except UnicodeDecodeError:
        return f"sha256 {hashlib.sha256(read).hexdigest()}"


def _kept(text: str) -> str:
    """The text, or what can be told of one that is too long to keep."""
    if len(text) <= LONGEST:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return f"{text[: LONGEST // 10]}…\n{len(text)} characters, sha256 {digest}"


def _hash(plain: object) -> str:
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:32]
