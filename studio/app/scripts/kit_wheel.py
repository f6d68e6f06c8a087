"""Writes the engine as a wheel: what `stepwire_kit` needs, without window, formatter and sandbox's builder.

The lists here are all there is to say of what it has; the kit's contract in `pyproject.toml` holds the same
rooms to their imports. The bytes are the same wherever and whenever it is written.
"""

import base64
import hashlib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from studio import __version__, places
from studio.errors import UsageError
from studio.export.forms.archive import zipped
from studio.export.forms.requirements import LIBRARIES, bounded, licence
from studio.sandbox.image import shipped_component
from studio.workspace.whole_file import write_whole

ROOMS = (
    "nodes",
    "stepwire_kit",
    "studio/bounds",
    "studio/building_blocks",
    "studio/flow",
    "studio/host",
    "studio/kit",
    "studio/llm",
    "studio/past",
    "studio/runtime",
    "studio/sandbox",
    "studio/script",
    "studio/sdk",
    "studio/servers",
    "studio/store",
    "studio/terminal",
    "studio/trace",
    "studio/web",
    "studio/workspace",
)
"""Folders of modules."""

MODULES = (
    "studio/__init__.py",
    "studio/garbage_collection.py",
    "studio/errors.py",
    "studio/extras.py",
    "studio/ids.py",
    "studio/places.py",
    "studio/process_tree.py",
    "studio/py.typed",
    "studio/supervisor.py",
)

LEFT_OUT = ("studio/sandbox/composing.py",)
"""What of the rooms only a checkout can do."""

RESOURCES = ("prices.toml", "sandbox", "vectors")
"""Files, and folders with what stands in them."""

SUFFIXES = frozenset({".py", ".typed"})


def wheel_name() -> str:
    """The file's name, by which installers know what it is."""
    return f"stepwire_kit-{__version__}-py3-none-any.whl"


def write_kit(folder: Path) -> Path:
    """Write the wheel into a folder, which is made where it is not there; `stepwire kit` calls it.

    Raises `UsageError` where the folder cannot be written.
    """
    path = folder / wheel_name()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, kit_bytes())
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"The kit can't be written to `{folder}`: {reason}.", hint="Choose another folder."
        ) from error
    return path


def kit_bytes() -> bytes:
    """The wheel: its modules and resources by name, then what installers read."""
    told = f"stepwire_kit-{__version__}.dist-info"
    files = {name: path.read_bytes() for name, path in sorted(kit_files())}
    files[f"{told}/METADATA"] = _metadata().encode()
    files[f"{told}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: stepwire\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{told}/licenses/LICENSE"] = licence().encode()
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{told}/RECORD"] = "\n".join([*lines, f"{told}/RECORD,,", ""]).encode()
    return zipped(files)


def kit_files() -> Iterator[tuple[str, Path]]:
    """Give each file by its name in the wheel, and where it is in this copy of the studio."""
    root = places.PACKAGE.parent
    for name in MODULES:
        yield name, root / name
    for room in ROOMS:
        for path in _files_below(root / room):
            name = path.relative_to(root).as_posix()
            if path.suffix in SUFFIXES and name not in LEFT_OUT:
                yield name, path
    resources = places.resources()
    for one in RESOURCES:
        for path in _files_below(resources / one):
            yield f"studio/_data/resources/{path.relative_to(resources).as_posix()}", path


def has_component() -> bool:
    """Whether this copy has the part of the sandbox that a kit cannot make."""
    return shipped_component().exists()


def _files_below(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for one in path.rglob("*"):
        if one.is_file() and "__pycache__" not in one.parts and not one.name.endswith(".part"):
            yield one


def _metadata() -> str:
    lines = [
        "Metadata-Version: 2.4",
        "Name: stepwire-kit",
        f"Version: {__version__}",
        "Summary: Run LLM agent graphs that were drawn in Stepwire, as a library.",
        "License-Expression: MIT",
        "License-File: LICENSE",
        f"Requires-Python: {metadata.metadata('stepwire')['Requires-Python']}",
    ]
    for requirement, library in zip(bounded(LIBRARIES), sorted(LIBRARIES), strict=True):
        extra = LIBRARIES[library]
        lines.append(f"Requires-Dist: {requirement}" + (f' ; extra == "{extra}"' if extra else ""))
    lines += [f"Provides-Extra: {extra}" for extra in sorted({one for one in LIBRARIES.values() if one})]
    return "\n".join([*lines, ""])


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
