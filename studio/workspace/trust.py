"""What a project executes outside of its inputs, and whether a person has approved it.

A project that was made here, or came with the studio, runs at once. Of one from elsewhere, whatever is
executed, reached or written has to be approved, each part as it is; one that changes is asked about again.
What was approved lies with the user's own files, where no project reaches.
"""

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from textwrap import indent
from typing import cast

from studio.errors import UntrustedError, UsageError
from studio.flow.flow_cache import Known
from studio.flow.records import Flow, Json, Node
from studio.ids import NodeId
from studio.places import MissingFileError, projects
from studio.sdk.node_type import Access, NodeType, SettingSpec
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.servers.grants import ENVIRONMENT, Grant, difference
from studio.workspace.grants import KeptGrants
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.servers import commands_in, reaches_in
from studio.workspace.stored_documents import Kept
from studio.workspace.user_folder import config_folder

FILE = "trust.json"
TRUSTED_FOLDERS = "STEPWIRE_TRUSTED_FOLDERS"
"""Names folders, separated as in PATH, whose projects count as made here: for build machines."""

MADE_HERE, APPROVED, TAKEN_OVER = "made_here", "approved", "taken_over"

WORDS: Mapping[Access, str] = {
    "code": "Python code, in the sandbox",
    "programs": "a program on this computer",
    "network": "addresses in the network",
    "files": "files of the project, which it writes",
}
"""What a person reads of each."""

MOST = 50
"""How many states of one part stay approved: runs of before are of earlier ones."""

HASH = 16
"""Hexadecimal digits of a hash that people copy."""


@dataclass(frozen=True, slots=True)
class Executable:
    """A part of a project that does something outside of its inputs; `seen` is what is approved of it."""

    where: str
    """The node's title, or the chat profile."""
    what: str
    """The title of its node type."""
    accesses: tuple[Access, ...]
    seen: Mapping[str, str] = field(default_factory=dict[str, str])
    grants: tuple[Grant, ...] = ()
    """What a run would ask for when it comes to it, and does not any more once this is approved."""

    @property
    def key(self) -> str:
        """What stays the same while it is edited."""
        return _hash([self.what, self.where])

    @property
    def fingerprint(self) -> str:
        """What changes when anything changes that a person has looked at; other flows may have it as well."""
        return _hash([self.what, list(self.accesses), dict(self.seen)])

    @property
    def text(self) -> str:
        """All that is approved of it, each part under its name."""
        return "\n".join(
            f"{name}: {text}" if "\n" not in text else f"{name}:\n{indent(text, '    ')}"
            for name, text in self.seen.items()
        )

    @property
    def words(self) -> str:
        """Say in a line what it is, and what it reaches."""
        return f"{self.where} ({self.what}): {', '.join(WORDS[one] for one in self.accesses)}"


class Trust:
    """What a user has approved; `environ` says where that is kept."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    @cached_property
    def _kept(self) -> Kept:
        return Kept(config_folder(self._environ) / FILE)

    def is_made_here(self, project: Project) -> bool:
        """Tell whether a project was made here, came with the studio, or lies in a folder that is trusted."""
        place = _made(project)
        folders = [Path(one) for one in self._environ.get(TRUSTED_FOLDERS, "").split(os.pathsep) if one]
        with suppress(MissingFileError):
            folders.append(projects())
        if any(place.is_relative_to(one.resolve()) for one in folders):
            return True
        return str(place) in _texts(self._kept.read().get(MADE_HERE))

    def unapproved(self, project: Project, found: Iterable[Executable]) -> tuple[Executable, ...]:
        """Give what of a project nobody has approved as it is; nothing of one that was made here."""
        found = tuple(found)
        if not found or self.is_made_here(project):
            return ()
        known = {state.get("fingerprint") for states in self._approved(project).values() for state in states}
        return tuple(one for one in found if one.fingerprint not in known)

    def before(self, project: Project, one: Executable) -> Mapping[str, str] | None:
        """Give what was last approved under the same name; None where nothing was."""
        states = self._approved(project).get(one.key)
        return cast("Mapping[str, str]", _mapping(states[-1].get("seen"))) if states else None

    def approve(self, project: Project, found: Iterable[Executable]) -> None:
        """Keep that these parts of a project are approved, as they are; raises `UsageError`."""
        found = tuple(found)
        approved = self._approved(project)
        for one in found:
            states = [old for old in approved.get(one.key, ()) if old.get("fingerprint") != one.fingerprint]
            new: dict[str, object] = {"fingerprint": one.fingerprint, "seen": dict(one.seen)}
            approved[one.key] = [*states, new][-MOST:]
        kept = self._kept.read()
        all_of_them = {**_mapping(kept.get(APPROVED)), str(project.root.resolve()): approved}
        if not self._kept.write({**kept, APPROVED: all_of_them}):
            raise UsageError(f"What was approved could not be kept in `{self._kept.path}`.")
        for grant in (grant for one in found for grant in one.grants):
            KeptGrants(self._environ).add(grant)

    def note_made_here(self, *places: Path) -> None:
        """Keep that projects, named by their folders or single files, were made here."""
        kept = self._kept.read()
        known = _texts(kept.get(MADE_HERE))
        more = [str(one.resolve()) for one in places if str(one.resolve()) not in known]
        if more:
            self._kept.write({**kept, MADE_HERE: [*known, *more]})

    def revoke(self, project: Project, found: Iterable[Executable]) -> None:
        """Have everything of a project asked about again, also where it was made here."""
        for grant in (grant for one in found for grant in one.grants):
            KeptGrants(self._environ).remove(grant)
        kept, place = self._kept.read(), str(project.root.resolve())
        left = [one for one in _texts(kept.get(MADE_HERE)) if one != str(_made(project))]
        approved = {name: one for name, one in _mapping(kept.get(APPROVED)).items() if name != place}
        self._kept.write({**kept, MADE_HERE: left, APPROVED: approved})

    def take_over(self, opened: Iterable[Path]) -> None:
        """Take what a user opened before any of this was asked as made here; does so once."""
        kept = self._kept.read()
        if not kept.get(TAKEN_OVER):
            known = dict.fromkeys([*_texts(kept.get(MADE_HERE)), *(str(one.resolve()) for one in opened)])
            self._kept.write({**kept, MADE_HERE: [*known], TAKEN_OVER: True})

    def _approved(self, project: Project) -> dict[str, list[dict[str, object]]]:
        """The states of each part that were approved, the latest last, by the part's key."""
        kept = _mapping(_mapping(self._kept.read().get(APPROVED)).get(str(project.root.resolve())))
        return {key: [_mapping(one) for one in _list(states)] for key, states in kept.items()}


class UnapprovedError(UntrustedError):
    """What of a project nobody has approved; `approve` does, as it is now."""

    def __init__(self, trust: Trust, project: Project, found: Sequence[Executable]) -> None:
        super().__init__(
            "This project was not made on this computer, and nobody has approved what it executes.",
            [one.words for one in found],
            hint=f"`stepwire trust {shlex.quote(str(_made(project)))}` shows it all and asks.",
        )
        self.trust, self.project, self.found = trust, project, tuple(found)

    def approve(self) -> None:
        """Keep that it is approved."""
        self.trust.approve(self.project, self.found)

    def changes(self, one: Executable) -> str:
        """Say what changed since it was approved, as a diff; empty for what never was."""
        before = self.trust.before(self.project, one)
        return "" if before is None else difference(before, one.seen)


def refusal(
    trust: Trust, project: Project, find: Callable[[], Iterable[Executable]]
) -> UnapprovedError | None:
    """Give why a project may not execute what `find` finds in it; None where it may.

    In a project that was made here nothing is looked for.
    """
    left = () if trust.is_made_here(project) else trust.unapproved(project, find())
    return UnapprovedError(trust, project, left) if left else None


def require_trust(
    project: Project, flows: Iterable[Flow], registry: Registry, environ: Mapping[str, str]
) -> None:
    """Raise `UnapprovedError` where these flows of a project would execute what nobody has approved."""
    refused = refusal(Trust(environ), project, lambda: executables(project, flows, registry))
    if refused is not None:
        raise refused


def executables(project: Project, flows: Iterable[Flow], registry: Registry) -> tuple[Executable, ...]:
    """Name what these flows of a project execute or reach, each part once; nothing is started."""
    flows = tuple(flows)
    found = [one for flow in flows for one in _parts(flow, registry, project)]
    if any(_asks(flow, registry) for flow in flows):
        found += (
            Executable(
                f"Chat profile {profile.name}",
                "Chat profile",
                ("network",),
                {"address": profile.base_url, "key": f"{profile.key_from}: {profile.key_env}"},
            )
            for profile in project.profiles.values()
            if profile.base_url
        )
    return tuple({(one.key, one.fingerprint): one for one in found}.values())


def executables_of(project: Project, registry: Registry) -> tuple[Executable, ...]:
    """Name what all flows of a project execute or reach; one that cannot be read runs nothing."""
    flows: list[Flow] = []
    for path in project.flows:
        with suppress(UsageError):
            flows.append(read_flow(path).flow)
    return executables(project, flows, registry)


def hash_of(found: Sequence[Executable]) -> str:
    """Give the hash that stands for all of these, as they are now, in any order."""
    return _hash(sorted({one.fingerprint for one in found}))[:HASH]


def _made(project: Project) -> Path:
    """What was made here: the folder of a project, and of a single flow its file alone."""
    return (project.root if project.is_folder else project.main_flow).resolve()


def _of_flow(flow: Flow, registry: Registry) -> Mapping[NodeId, Executable]:
    found: dict[NodeId, Executable] = {}
    for name, node in flow.nodes.items():
        kind = registry.get(node.kind)
        accesses = () if kind is None else kind.accesses_of(node.settings)
        if kind is not None and accesses:
            seen = {spec.label: _text(node.settings[spec.name]) for spec in _given(kind, node)}
            found[name] = Executable(node.title or str(name), kind.title, accesses, seen)
    return found


_EXECUTABLES = Known(_of_flow)


def _given(kind: NodeType, node: Node) -> Iterator[SettingSpec]:
    given = node.settings
    return (spec for spec in kind.settings if spec.name in given and kind.matters(spec, given))


def _parts(flow: Flow, registry: Registry, project: Project) -> Iterator[Executable]:
    """The parts of a flow, commands with what stands in the scripts that they name."""
    wanted: dict[NodeId, list[Grant]] = {}
    for one in (*commands_in(flow, registry, project.root), *reaches_in(flow, registry, project.root)):
        wanted.setdefault(one.node, []).append(one.grants[0])
    for node, part in _EXECUTABLES.of(flow, registry).items():
        grants = wanted.get(node, [])
        scripts = {name: text for grant in grants for name, text in grant.seen.items() if name != ENVIRONMENT}
        yield replace(part, seen={**part.seen, **scripts}, grants=tuple(grants)) if grants else part


def _asks(flow: Flow, registry: Registry) -> bool:
    """Whether a chat may be asked, also by a flow that is made as this one runs, which names no profile."""
    kinds = (registry.get(kind) for kind in {node.kind for node in flow.nodes.values()})
    return any(one is not None and one.effect is Effect.PAID_READ for one in kinds)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _texts(found: object) -> list[str]:
    return [str(one) for one in _list(found)]


def _list(found: object) -> list[object]:
    return cast("list[object]", found) if isinstance(found, list) else []


def _mapping(found: object) -> dict[str, object]:
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _hash(plain: object) -> str:
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:32]
