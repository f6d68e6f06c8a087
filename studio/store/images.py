"""The bytes of pictures that runs have sent: each once, by its hash, in a folder beside the runs."""

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from studio.errors import StoreError

IMAGES = "images"
"""The folder within that of the runs' project."""


class ImageFolder:
    """Pictures by hash; made when the first is kept.

    When a run uses a picture its file is touched, so that one that is older than all runs is no run's.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def is_there(self) -> bool:
        """Whether any picture was ever kept."""
        return self._folder.is_dir()

    def keep(self, sha256: str, data: bytes) -> None:
        """Keep a picture; it is there whole or not at all. Raises `StoreError`."""
        place = self._folder / sha256
        try:
            if place.exists():
                os.utime(place)
                return
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=".")
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(place)
        except OSError as error:
            message = f"A picture can't be saved in `{self._folder}`: {error.strerror or error}."
            raise StoreError(
                message, hint="Make the folder writable, and check whether the disk is full."
            ) from error

    def read(self, sha256: str) -> bytes | None:
        """Give a picture; None where it is not there, or is not what it was."""
        try:
            data = (self._folder / sha256).read_bytes()
        except OSError:
            return None
        return data if hashlib.sha256(data).hexdigest() == sha256 else None

    def forget(self, before: float) -> None:
        """Remove what no run has used since `before`, in seconds since 1970."""
        for place in self._folder.iterdir():
            with suppress(OSError):  # a picture too many does no harm
                if place.stat().st_mtime < before:
                    place.unlink()
