"""The engine as a folder `stepwire_kit`, for a script that lies beside it: whole modules, out of the way.

    stepwire_kit/__init__.py, nodes.py, …   what scripts import
    stepwire_kit/_engine/studio, nodes      the engine's modules that these scripts need
    stepwire_kit/LICENSE, README.md
    stepwire_kit/manifest.json              version, needs, and the SHA-256 of every file

Nothing in it is cut or renamed.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from studio import __version__, places
from studio.export.forms.engine import KIT, Engine, Needs
from studio.export.forms.requirements import licence

ENGINE: Final = "_engine"
"""The folder of the engine's modules; `stepwire_kit.beside` looks for it."""
MANIFEST: Final = "manifest.json"
FORMAT: Final = "stepwire.vendored-kit"

READ_ME: Final = """\
# stepwire_kit

What the exported scripts beside this folder import: the part of Stepwire {version} that runs their steps, as
whole modules under `_engine`. It needs no installed Stepwire, and takes precedence over one.

- Move or copy it together with the scripts.
- Another export into the folder above adds what its script needs. If it is by another version of Stepwire,
  this folder is brought to that version.
- An export does not overwrite it once a file in it was edited, except with `--force`. `manifest.json` has the
  SHA-256 of each file.
- To remove what no script needs any more, delete this folder and export the scripts again.
"""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a folder says of itself: its version, what scripts need of it, and the SHA-256 of each file."""

    version: str
    needs: Needs
    files: Mapping[str, str]

    @classmethod
    def of(cls, engine: Engine, files: Mapping[str, bytes]) -> "Manifest":
        """Describe these files."""
        return cls(__version__, engine.needs, {name: digest_of(data) for name, data in files.items()})

    @classmethod
    def read(cls, text: str) -> "Manifest | None":
        """Read it; None for what is no manifest."""
        try:
            told = cast("dict[str, Any]", json.loads(text))
            if told["format"] != FORMAT:
                return None
            needs = Needs(frozenset(map(str, told["names"])), frozenset(map(str, told["kinds"])))
            return cls(
                str(told["version"]), needs, {str(one): str(two) for one, two in told["files"].items()}
            )
        except (ValueError, LookupError, TypeError, AttributeError):
            return None

    @property
    def text(self) -> str:
        """The file that it is."""
        told = {
            "format": FORMAT,
            "version": self.version,
            "names": sorted(self.needs.names),
            "kinds": sorted(self.needs.kinds),
            "files": dict(sorted(self.files.items())),
        }
        return json.dumps(told, indent=2) + "\n"


def vendored_files(engine: Engine) -> dict[str, bytes]:
    """Give the files of the folder `stepwire_kit` by their path in it, its manifest among them.

    The same engine always gives the same bytes. Reads the files of this installation.
    """
    files = dict(sorted(_files(engine)))
    files[MANIFEST] = Manifest.of(engine, files).text.encode()
    return files


def digest_of(data: bytes) -> str:
    """Give the SHA-256 by which a manifest knows a file."""
    return hashlib.sha256(data).hexdigest()


def _files(engine: Engine) -> Iterator[tuple[str, bytes]]:
    for name, path in engine.modules.items():
        yield _place_of(name, path), path.read_bytes()
    root = places.resources()
    for one in engine.resources:
        for path in _files_of(root / one):
            yield f"{ENGINE}/studio/_data/resources/{path.relative_to(root).as_posix()}", path.read_bytes()
    yield "LICENSE", licence().encode()
    yield "README.md", READ_ME.format(version=__version__).encode()


def _place_of(name: str, path: Path) -> str:
    """Where a module stands in the folder."""
    parts = name.split(".")
    within = parts[1:] if parts[0] == KIT else [ENGINE, *parts]
    if path.name == "__init__.py":
        return "/".join([*within, path.name])
    return f"{'/'.join(within)}.py"


def _files_of(path: Path) -> Iterator[Path]:
    """A file, or all in a folder, that are whole."""
    found = [path] if path.is_file() else sorted(path.rglob("*"))
    yield from (one for one in found if one.is_file() and not one.name.endswith((".part", ".pyc")))
