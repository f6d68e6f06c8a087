"""A script as a package of a few files, each of which imports what it uses from those before it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from studio.export.command_line import START, command_of
from studio.export.forms.package import PROJECT_FILE, Package, with_digest
from studio.export.python.formatting import formatted
from studio.export.python.imports import import_lines, sort_names
from studio.export.python.lifter import SCRIPT
from studio.export.python.literals import doc_literal
from studio.export.python.pieces import Origin
from studio.export.python.references import names_defined, names_used
from studio.export.sections import ERRORS, FOLLOWED, OUTSIDE, STEPS, TRACE, USED
from studio.export.writing.parts import CALLED, COMMAND_LINE, FLOW, SAID, Part, Script, spaced

FILES: Sequence[tuple[str, str, str]] = (
    ("errors", ERRORS, "What is raised on purpose."),
    ("context", OUTSIDE, "Talking to the language model, the terminal and the disk."),
    ("trace", TRACE, "What `--trace` tells."),
    ("shared", USED, "What the steps use."),
    ("steps", STEPS, "The steps."),
    ("called_flows", CALLED, "The flows that the flow calls."),
    ("flow", FLOW, "The flow, and what it says."),
    ("command_line", COMMAND_LINE, "The command line."),
)
"""The files in order, each with the section that it takes and what it says of itself."""

CONTEXT = Origin(SCRIPT, "Context")
FUTURE = "from __future__ import annotations\n"

PROJECT = """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = {project}
version = "0.1.0"
description = {description}
requires-python = ">=3.11"
dependencies = [
{needed}]

[project.scripts]
{project_key} = "{name}.command_line:main"

[tool.hatch.build.targets.wheel]
packages = ["{name}"]

[tool.stepwire]
package = "{name}"
"""


def make_package(script: Script, name: str) -> Package:
    """Cut a script that was written for a package of this name into its files."""
    own = [part for part in script.parts if part.text != START]
    modules = _Modules(own, script.head.imports)
    files = {
        f"{name}/__init__.py": _door(script, modules),
        f"{name}/__main__.py": _start(name),
        **{f"{name}/{module}.py": text for module, text in modules.texts()},
    }
    needed = "".join(f"  {_toml(one)},\n" for one in script.head.needed)
    project = PROJECT.format(
        project=_toml(command_of(name)),
        project_key=command_of(name),
        name=name,
        description=_toml(script.head.about.split("\n\n")[0].removesuffix(".")),
        needed=needed,
    )
    return Package(name, with_digest({**files, PROJECT_FILE: project}))


class _Modules:
    """The parts of a script, put into files."""

    def __init__(self, parts: Sequence[Part], imports: Mapping[str, Origin]) -> None:
        self._parts = parts
        self._imports = imports
        self._used = [names_used(part.text) for part in parts]
        self._home: dict[str, int] = {}
        self._places = self._placed()
        for part, place in zip(parts, self._places, strict=True):
            self._home |= dict.fromkeys(names_defined(part.text), place)

    def texts(self) -> Iterator[tuple[str, str]]:
        """Name and text of each file that holds anything."""
        for place, (module, _, about) in enumerate(FILES):
            parts = [part for part, at in zip(self._parts, self._places, strict=True) if at == place]
            if parts:
                body = "".join(text for text, _ in spaced(parts))
                gap = "\n" if parts[0].is_plain else "\n\n"  # as sorters of imports want it
                yield module, f"{self._head(place, about)}{gap}{body}"

    def imports_of(self, names: Iterable[str], place: int) -> str:
        """The statements with which a file gets what it does not define."""
        outside = {name: self._imports[name] for name in names if name in self._imports}
        inside: dict[int, list[str]] = {}
        for name in names:
            if self._home.get(name, place) != place:
                inside.setdefault(self._home[name], []).append(name)
        own = [f"from .{FILES[at][0]} import {', '.join(sort_names(inside[at]))}" for at in inside]
        return "\n\n".join(one for one in (import_lines(outside), "\n".join(sorted(own))) if one)

    def name_of(self, origin: Origin) -> str:
        """What something that is lifted is called; empty where it is not."""
        part = next((one for one in self._parts if one.origin == origin), None)
        return "" if part is None else next(iter(names_defined(part.text)))

    def _head(self, place: int, about: str) -> str:
        used = {name for at, one in zip(self._places, self._used, strict=True) if at == place for name in one}
        imported = self.imports_of(sorted(used), place)
        return formatted("\n".join([doc_literal(about), "", FUTURE, imported, ""]))

    def _placed(self) -> list[int]:
        """For each part its file: that of its section, or an earlier one where that uses it.

        What was one module stays together, for it may use what it keeps to itself.
        """
        wanted = {section: place for place, (_, section, _) in enumerate(FILES)}
        wanted[FOLLOWED] = wanted[TRACE]
        units = [
            one.origin.module if one.origin else CALLED if one.section == SAID and one.flow else one.section
            for one in self._parts
        ]
        place_of = {
            unit: wanted[FLOW if unit == SAID else unit if part.origin is None else part.section]
            for unit, part in zip(units, self._parts, strict=True)
        }
        home = {
            name: unit
            for unit, part in zip(units, self._parts, strict=True)
            for name in names_defined(part.text)
        }
        users = [
            (unit, home[name])
            for unit, used in zip(units, self._used, strict=True)
            for name in used
            if name in home
        ]
        is_settled = False
        while not is_settled:
            is_settled = True
            for user, used in users:
                if place_of[used] > place_of[user]:
                    place_of[used] = place_of[user]
                    is_settled = False
        return [place_of[unit] for unit in units]


def _door(script: Script, modules: _Modules) -> str:
    """What is got by importing the package: the flow's function, and what it is given."""
    flow = next(part for part in script.parts if part.section == FLOW)
    names = [one for one in (modules.name_of(CONTEXT), next(iter(names_defined(flow.text)))) if one]
    said = f"__all__ = [{', '.join(json.dumps(one) for one in names)}]\n"
    return formatted("\n".join([doc_literal(script.head.about), "", modules.imports_of(names, -1), "", said]))


def _start(name: str) -> str:
    about = doc_literal(f"The command line: `python -m {name}`.")
    return formatted(f"{about}\n\nimport sys\n\nfrom .command_line import main\n\n{START}")


def _toml(text: str) -> str:
    """A text on one line, as TOML has it."""
    plain = "".join(one if one.isprintable() else " " for one in text)
    return json.dumps(" ".join(plain.split()), ensure_ascii=False)
