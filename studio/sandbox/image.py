"""The box as it lies on disk: CPython for WebAssembly, compiled for this machine, in the user's cache.

It is made once, in a process of its own, in about a quarter of a minute. Loading it runs it as machine code,
so it is only loaded from a folder that nobody else can write.
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
from studio.sandbox.process import command

Progress = Callable[[float, float, str], None]

UNFINISHED = "making-"
"""Begins the names of folders in which a box is made."""

BUILDERS = ("componentize-py", "wasmtime")
WITHOUT_ROOM = "Free some space in the cache folder, or set XDG_CACHE_HOME to another one."


def source_folder() -> Path:
    """Where the box is described: its door (`box.wit`) and what runs inside (`guest.py`)."""
    return places.resources() / "sandbox"


def image_path(cache: Path | None = None) -> Path:
    """Where the compiled box belongs; raises `BoxMissingError` where what makes it is not installed."""
    folder = (cache or platformdirs.user_cache_path("stepwire")) / "sandbox"
    digest = hashlib.sha256(f"{platform.system()} {platform.machine()}".encode())
    for name in BUILDERS:
        try:
            digest.update(f"{name} {metadata.version(name)}".encode())
        except metadata.PackageNotFoundError:
            raise BoxMissingError(
                f"Code can't be isolated here: `{name}` is not installed.",
                hint=f"Run `pip install {' '.join(BUILDERS)}` to install the sandbox; code is not "
                "run without it.",
            ) from None
    for file in sorted(source_folder().iterdir()):
        if file.is_file():
            digest.update(file.read_bytes())
    return folder / f"{digest.hexdigest()[:24]}.cwasm"


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
