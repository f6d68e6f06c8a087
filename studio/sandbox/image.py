"""The box as it lies on disk: CPython for WebAssembly, compiled for this machine, in the user's cache.

The component it is compiled from is the same on every machine. A release ships it; a checkout composes it,
where the builder is installed. Both happen once, in a process of their own: compiling takes some seconds,
composing a quarter of a minute. Loading the box runs it as machine code, so it is only loaded from a folder
that nobody else can write.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import stat
from collections.abc import AsyncGenerator, Callable
from importlib import metadata
from pathlib import Path

import orjson
import platformdirs

from studio import places
from studio.errors import BoxMissingError
from studio.extras import missing_library
from studio.sandbox.process import command

Progress = Callable[[float, float, str], None]

UNFINISHED = "making-"
"""Begins the names of folders in which a box is made."""

BUILDER = "componentize-py"
RUNNER = "wasmtime"
DESCRIPTION = ("box.wit", "guest.py")
"""What the box is composed from: its door, and what runs inside."""
WITHOUT_ROOM = "Free some space in the cache folder, or set XDG_CACHE_HOME to another one."


def source_folder() -> Path:
    """Where the box is described, and where a release has its component."""
    return places.resources() / "sandbox"


def shipped_component(folder: Path | None = None) -> Path:
    """Where a release has the component, whose name changes with its description."""
    folder = folder or source_folder()
    digest = hashlib.sha256()
    for name in DESCRIPTION:
        digest.update((folder / name).read_bytes())
    return folder / f"box-{digest.hexdigest()[:16]}.wasm.xz"


def image_path(cache: Path | None = None) -> Path:
    """Where the compiled box belongs; raises `BoxMissingError` where it can neither be compiled nor run."""
    folder = (cache or platformdirs.user_cache_path("stepwire")) / "sandbox"
    shipped = shipped_component()
    digest = hashlib.sha256(f"{platform.system()} {platform.machine()} {shipped.name}".encode())
    digest.update(_version_of(RUNNER, missing_library(RUNNER)).encode())
    try:
        digest.update(shipped.read_bytes())
    except FileNotFoundError:
        hint = missing_library(BUILDER)
        digest.update(_version_of(BUILDER, f"Its component is not here either. {hint}").encode())
    return folder / f"{digest.hexdigest()[:24]}.cwasm"


def _version_of(name: str, hint: str) -> str:
    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        message = f"Code can't be isolated here: `{name}` is not installed, so no code is run."
        raise BoxMissingError(message, hint=hint) from None


def is_ours(path: Path) -> bool:
    """Whether the file is there, and nobody but its owner, who we are, could have written it."""
    try:
        found = (path.stat(), path.parent.stat())
    except OSError:
        return False
    return all(one.st_uid == os.getuid() and not one.st_mode & (stat.S_IWGRP | stat.S_IWOTH) for one in found)


async def image(progress: Progress, cache: Path | None = None) -> Path:
    """Give the compiled box, making it when it is not there; raises `BoxMissingError`.

    Whoever comes while it is being made, in this process or another, waits for it.
    """
    path = image_path(cache)
    if is_ours(path):
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.parent.chmod(0o700)
        async with _alone(path, progress):
            if not is_ours(path):
                await _make(path, progress)
    except OSError as error:
        raise BoxMissingError(
            f"The sandbox can't be built in `{path.parent}`: {error.strerror or error}.",
            hint=WITHOUT_ROOM,
        ) from error
    return path


@contextlib.asynccontextmanager
async def _alone(path: Path, progress: Progress) -> AsyncGenerator[None]:
    with path.with_suffix(".lock").open("wb") as file:
        is_told = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not is_told:
                    progress(0, 0, "building the Python sandbox, once on this machine")
                    is_told = True
                await asyncio.sleep(0.1)
            else:
                break
        yield


async def _make(path: Path, progress: Progress) -> None:
    _clear(path)
    making = await asyncio.create_subprocess_exec(
        *command("studio.sandbox.building", str(source_folder()), str(path)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.defpath},
    )
    try:
        told = asyncio.create_task(_last_words(making.stderr))
        assert making.stdout is not None  # noqa: S101  # it was asked for
        async for line in making.stdout:
            with contextlib.suppress(ValueError, TypeError):
                progress(*orjson.loads(line))
        code = await making.wait()
        words = await told
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            making.kill()
        await making.wait()
        _clear(path)
        raise
    if code != 0 or not is_ours(path):
        reason = words.strip().rpartition("\n")[2] or f"exit code {code}"
        raise BoxMissingError(f"The sandbox can't be built: {reason}", hint=WITHOUT_ROOM)


def _clear(path: Path) -> None:
    """Take away what a builder left that was ended; nobody else builds now."""
    for left in path.parent.glob(f"{UNFINISHED}*"):
        shutil.rmtree(left, ignore_errors=True)


async def _last_words(stream: asyncio.StreamReader | None) -> str:
    words = b"" if stream is None else await stream.read()
    return words[-2000:].decode(errors="replace")
