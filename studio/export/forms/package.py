"""A script and its engine as a package that can be installed, in a folder with a `pyproject.toml`.

pyproject.toml               requirements, a command, and the digest of the export
NAME/script.py               the script
NAME/__init__.py             its flow and the flow's function
NAME/__main__.py             the command
NAME/_kit/stepwire_kit/…     the engine, for this package alone
"""

import ast
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.export.forms import package_kit
from studio.export.forms.engine import engine_of, needs_of
from studio.export.forms.header import with_paragraph, without_block
from studio.export.forms.kit_folder import vendored_files
from studio.export.forms.requirements import bounded
from studio.export.forms.scripts import OPTIONS

PROJECT_FILE: Final = "pyproject.toml"
PROJECT: Final = """\
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
{command} = "{name}.__main__:main"

[tool.hatch.build.targets.wheel]
packages = ["{name}"]

[tool.stepwire]
package = "{name}"
"""
DIGEST: Final = 'digest = "{}"\n'
AS_PACKAGE: Final = (
    "Run it with `uv run --project FOLDER {command}`, where FOLDER contains `pyproject.toml`; or install it "
    f"with `pipx install FOLDER` and start `{{command}}`, or `python -m {{name}}`. {OPTIONS}"
)
DOOR: Final = '''\
"""{about}"""

from ._kit import use_kit

use_kit()

from .script import {names}

__all__ = [{listed}]
'''
COMMAND: Final = '''\
"""The command line: `python -m {name}`. Files and runs are those of the folder in which it is started."""

import sys
from pathlib import Path

from .script import {flow}


def main() -> None:
    """Run the flow on the arguments of the command line."""
    sys.argv[0] = "{command}"
    {flow}.project = {flow}.project or Path.cwd()
    {flow}.main()


if __name__ == "__main__":
    main()
'''
_DIGESTED = re.compile(r'^digest = ".*"\n', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Package:
    """A project with one package: each file by its path in the folder of the project."""

    name: str
    files: Mapping[str, str | bytes]


def package_of(script: str, name: str, *, libraries: Iterable[str] = ()) -> Package:
    """Give a script as a package of this name; `libraries` are as of `beside_engine`.

    Raises `ValueError` for a script in which no flow is made.
    """
    flow, function = _names_in(script)
    engine = engine_of(needs_of(script))
    command = command_of(name)
    told = AS_PACKAGE.format(command=command, name=name)
    about = (ast.get_docstring(ast.parse(script)) or "A flow.").split("\n\n")[0]
    needed = "".join(f"  {_toml(one)},\n" for one in bounded({*engine.libraries, *libraries}))
    names = [flow, *([function] if function else [])]
    files: dict[str, str | bytes] = {
        f"{name}/__init__.py": DOOR.format(
            about=_plain(about), names=", ".join(sorted(names)), listed=", ".join(map(json.dumps, names))
        ),
        f"{name}/__main__.py": COMMAND.format(name=name, flow=flow, command=command),
        f"{name}/script.py": with_paragraph(without_block(script), told),
        f"{name}/_kit/__init__.py": Path(package_kit.__file__).read_bytes(),
        **{f"{name}/_kit/{package_kit.KIT}/{one}": data for one, data in vendored_files(engine).items()},
    }
    files[PROJECT_FILE] = PROJECT.format(
        project=_toml(command),
        command=command,
        name=name,
        description=_toml(about.removesuffix(".")),
        needed=needed,
    )
    return Package(name, with_digest(files))


def with_digest(files: Mapping[str, str | bytes]) -> Mapping[str, str | bytes]:
    """Give the files of a package with their digest in its project file."""
    project = f"{files[PROJECT_FILE]}{DIGEST.format(digest_of(files))}"
    return {**files, PROJECT_FILE: project}


def digest_of(files: Mapping[str, str | bytes]) -> str:
    """Tell whether the files are as they were exported: by what they say beside that very digest."""
    told = {name: one if isinstance(one, str) else _text_of(one) for name, one in files.items()}
    told[PROJECT_FILE] = _DIGESTED.sub("", told[PROJECT_FILE])
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def command_of(package: str) -> str:
    """What starts a package once it is installed, and what installers call it."""
    return package.replace("_", "-")


def _text_of(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _names_in(script: str) -> tuple[str, str]:
    """What the flow of a script is called, and its function; nothing where that is not found."""
    tree = ast.parse(script)
    flow = next(_flows_in(tree), "")
    if not flow:
        reason = "no flow is made in the script"
        raise ValueError(reason)
    for one in tree.body:
        match one:
            case ast.AsyncFunctionDef(name=name, decorator_list=[ast.Name(id=made), *_]) if made == flow:
                return flow, name
            case _:
                pass
    return flow, ""


def _flows_in(tree: ast.Module) -> Iterator[str]:
    for one in tree.body:
        match one:
            case ast.Assign([ast.Name(id=name)], ast.Call(ast.Name("Flow"))):
                yield name
            case _:
                pass


def _plain(text: str) -> str:
    """A text as it may stand in a docstring of one paragraph."""
    plain = "".join(one if one.isprintable() or one == "\n" else " " for one in text)
    return plain.replace("\\", "\\\\").replace('"', "'").strip()


def _toml(text: str) -> str:
    """A text on one line, as TOML has it."""
    plain = "".join(one if one.isprintable() else " " for one in text)
    return json.dumps(" ".join(plain.split()), ensure_ascii=False)
