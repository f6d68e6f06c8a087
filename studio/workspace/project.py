"""A project: a folder with flows, chat profiles without secrets, scripts and data. Opening runs nothing."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from studio.errors import ProjectError
from studio.llm.client import ChatProfile, Continues, Effort, Provider, ServiceTier
from studio.store.memories.file_names import MEMORIES, SUFFIX
from studio.store.retention import KEEP_ALL, Keeping
from studio.workspace.parts import flow_place, part_name
from studio.workspace.private_folder import private_folder
from studio.workspace.whole_file import sweep

FILE = "project.json"
FROM_BUNDLE = "bundle.json"
"""Stands beside it in a project that was unpacked from the bundle of a run."""
FORMAT = "stepwire.project"
VERSION = 1
FLOW_MARK = b'"stepwire.flow"'
"""Stands in the first lines of every flow file."""
GIVE_A_PATH = "Pass the path of a flow file or a project folder."
WORDS = {
    "extra_forbidden": "this version of Stepwire does not know this name",
    "missing": "this is required",
    "model_type": "this must be an object: `{…}`",
    "dict_type": "this must be an object: `{…}`",
    "string_type": "this must be text",
    "int_type": "this must be a whole number",
}
"""What pydantic finds wrong, in our words."""
NOT_FLOWS = frozenset({"scripts", "data", "cases", "nodes"})
"""Folders of a project in which no flows are looked for."""


@dataclass(frozen=True, slots=True)
class Project:
    """What the studio knows of a project. A flow file on its own is a project of one flow."""

    root: Path
    name: str
    flows: tuple[Path, ...]
    main_flow: Path
    profiles: Mapping[str, ChatProfile] = field(default_factory=dict[str, ChatProfile])
    default_profile: str = ""
    scripts: Path | None = None
    """The folder of scripted answers, where there are any."""
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    """What a run of it may spend, where nothing else is said: see `studio.runtime.limits.budget`."""
    keeping: Keeping = KEEP_ALL
    """How many of its runs are kept; all of them, where nothing is said."""
    is_folder: bool = True
    """Whether it has a `project.json`; a single flow file has none."""
    is_bundle: bool = False
    """Whether it was unpacked from the bundle of a run, and is there to be looked at only."""

    @property
    def private(self) -> Path:
        """The folder for runs, breakpoints and last inputs; it may not exist yet."""
        return private_folder(self.root)

    def name_of(self, flow: Path) -> str:
        """Name a flow as the project's files do: by the path from the root, with `/`, or as a part."""
        path = flow.resolve()
        if path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        return part_name(path) or path.as_posix()

    def place_of(self, flow: str) -> Path:
        """Where the flow of this name is; whether it is there, is not looked at."""
        return flow_place(self.root, flow)

    def has(self, flow: Path) -> bool:
        """Whether a flow is one of this project, or a part."""
        path = flow.resolve()
        return path.is_relative_to(self.root) or bool(part_name(path))

    @staticmethod
    def open(path: Path) -> "Project":
        """Read the project that `path` is, or that the flow file `path` belongs to.

        A flow file then is the main flow. Raises `ProjectError`; the flow itself is not read.
        """
        try:
            target = path.expanduser().resolve()
            is_folder = target.is_dir()
            is_there = is_folder or target.exists()
        except (OSError, RuntimeError) as error:  # a name too long, a closed folder, `~nobody`
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise ProjectError(f"`{path}` could not be found: {reason}.", hint=GIVE_A_PATH) from error
        if not is_there:
            raise ProjectError(f"`{path}` does not exist.", hint=GIVE_A_PATH)
        if is_folder:
            return _read(target)
        if target.name == FILE:
            return _read(target.parent)
        root = next((folder for folder in target.parents if (folder / FILE).is_file()), None)
        if root is None:
            return Project(target.parent, target.stem, (target,), target, is_folder=False)
        return _read(root, target)

    @staticmethod
    def around(path: Path) -> "Project":
        """Read the project in which a script works: as `open`, but any folder will do.

        One that is no project has no flows and no profiles of its own.
        """
        folder = path.expanduser().resolve()
        if not folder.is_dir() or (folder / FILE).exists() or (folder / "flow.json").exists():
            return Project.open(path)
        return Project(folder, folder.name, (), Path(), is_folder=False)


_Text = Annotated[str, StringConstraints(strip_whitespace=True)]


class _Profile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    provider: Provider = "openai"
    base_url: _Text = ""
    llm: _Text = ""
    key_env: _Text = "OPENAI_API_KEY"
    time_limits: dict[str, float] = Field(default_factory=dict)
    at_once: int = Field(default=0, ge=0)
    requests_per_minute: int = Field(default=0, ge=0)
    tokens_per_minute: int = Field(default=0, ge=0)
    kind: _Text = ""
    key_from: Literal["environment", "keyring"] = "environment"
    api: Literal["auto", "chat", "responses"] = "auto"
    fallback: list[_Text] = Field(default_factory=list)
    api_version: _Text = ""
    solver: dict[str, object] = Field(default_factory=dict)
    seed: int = 1
    script: _Text = ""
    effort: Effort = ""
    service_tier: ServiceTier = ""
    continues: Continues = "auto"
    cache_marks: bool = False


class _Chat(BaseModel):
    model_config = ConfigDict(extra="forbid")

    default: _Text = ""
    profiles: dict[str, _Profile] = Field(default_factory=dict)


class _Keep(BaseModel):
    model_config = ConfigDict(extra="forbid")

    runs: int | None = Field(default=None, ge=1)
    megabytes: float | None = Field(default=None, gt=0)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal["stepwire.project"]
    version: int = Field(ge=1)
    name: _Text = ""
    main: _Text = "flow.json"
    chat: _Chat = Field(default_factory=_Chat)
    limits: dict[str, float] = Field(default_factory=dict)
    keep: _Keep = Field(default_factory=_Keep)


def _read(root: Path, chosen: Path | None = None) -> Project:
    file = _parsed(root)
    flows = flow_files(root)
    _sweep(root, flows)
    main = chosen or (root / file.main).resolve()
    if not main.is_relative_to(root):
        raise ProjectError(
            f"The main flow `{file.main}` of `{root.name}` is outside its project.",
            hint=f"Set one inside it as `main` in `{FILE}`.",
        )
    if not main.is_file():
        raise ProjectError(
            f"The project `{root}` has no flow `{file.main}`.",
            hint=f"Set one as `main` in `{FILE}`." if flows else "Save a flow there.",
        )
    scripts = root / "scripts"
    return Project(
        root,
        file.name or root.name,
        tuple(sorted({*flows, main})),
        main,
        {name: _profile(name, one) for name, one in file.chat.profiles.items()},
        file.chat.default,
        scripts if any(scripts.glob("*.yaml")) else None,
        file.limits,
        Keeping(file.keep.runs, file.keep.megabytes),
        is_bundle=(root / FROM_BUNDLE).is_file(),
    )


def _parsed(root: Path) -> _File:
    path = root / FILE
    try:
        plain: object = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        if (root / "flow.json").is_file():
            return _File(format=FORMAT, version=VERSION)
        raise ProjectError(
            f"The folder `{root}` is not a project: it has neither a `{FILE}` nor a `flow.json`.",
            hint=GIVE_A_PATH,
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is not UTF-8 text"
        raise ProjectError(f"`{path}` could not be read: {reason}.", hint="Fix or replace it.") from error
    except (ValueError, RecursionError) as error:
        raise ProjectError(f"`{path}` is not JSON: {error}.", hint="Fix it in a text editor.") from error
    if isinstance(plain, dict) and isinstance(version := plain.get("version"), int) and version > VERSION:  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        raise ProjectError(
            f"`{path}` has version {version}; this Stepwire reads up to version {VERSION}.",
            hint="Install a newer Stepwire.",
        )
    try:
        file = _File.model_validate(plain, strict=True)
    except ValidationError as error:
        raise ProjectError(
            f"`{path}` does not describe a project: {_sentence(error)}.", hint="Fix it in a text editor."
        ) from error
    return file


def _sentence(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, one['loc'])) or 'the document'}: {WORDS.get(one['type'], one['msg'].lower())}"
        for one in error.errors()
    )


def _profile(name: str, read: _Profile) -> ChatProfile:
    return ChatProfile(
        name,
        read.provider,
        read.base_url,
        read.llm,
        read.key_env,
        read.time_limits,
        read.at_once,
        read.requests_per_minute,
        read.tokens_per_minute,
        read.kind,
        read.key_from,
        read.api,
        tuple(read.fallback),
        read.api_version,
        read.solver,
        read.seed,
        read.script,
        read.effort,
        read.service_tier,
        read.continues,
        read.cache_marks,
    )


def _sweep(root: Path, flows: Iterable[Path]) -> None:
    """Remove what saving left half-way when a process was killed."""
    sweep(root / MEMORIES, SUFFIX)
    for folder in {root, *(one.parent for one in flows)}:
        sweep(folder, ".json")
        private = private_folder(folder)
        for inside in (private, private / "versions", private / "journal"):
            sweep(inside)


def flow_files(root: Path) -> list[Path]:
    """Find the flow files of a project by their first line or two; what cannot be read is not one of them."""
    found: list[Path] = []
    for path in sorted(root.glob("*.json")) + sorted(root.glob("*/*.json")):
        inside = path.relative_to(root).parts
        if path.name == FILE or inside[0].startswith(".") or inside[0] in NOT_FLOWS:
            continue
        try:
            if not path.is_file():  # to open a pipe would be to wait for whoever writes into it
                continue
            with path.open("rb") as file:
                head = file.read(256)
        except OSError:
            continue
        if FLOW_MARK in head:
            found.append(path)
    return found
