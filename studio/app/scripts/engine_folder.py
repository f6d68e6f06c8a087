"""The folder `stepwire_kit` beside exported scripts: written whole or not at all, never over edits."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from studio.errors import PlaceError
from studio.export.forms.engine import KIT, Needs, engine_of
from studio.export.forms.kit_folder import MANIFEST, Manifest, digest_of, vendored_files

FORCE = "Choose another folder with `-o`, or overwrite it with `--force`."
ELSEWHERE = "Choose another folder."


class EngineFolder:
    """The folder beside one script, as it is and as it is to be; `needs` are those of that script.

    Making it raises `PlaceError` where files in it were edited, or are not ours, and would be lost without
    `force`. Scripts that are there already keep what they need, in this version.
    """

    def __init__(self, script: Path, needs: Needs, *, force: bool = False) -> None:
        self._folder = script.parent.resolve() / KIT
        before = _manifest(self._folder)
        if not force:
            _refuse_loss(self._folder, before)
        known = Needs() if before is None else before.needs
        self._files = vendored_files(engine_of(needs | known))
        if not force:
            _refuse_edited(self._folder, _others(self._folder, self._files, before))
        self._before = before

    def save(self) -> None:
        """Bring the folder up to date; raises `PlaceError` when the disk refuses."""
        if self._is_up_to_date():
            return
        try:
            with tempfile.TemporaryDirectory(prefix=f".{KIT}.", dir=self._folder.parent) as staged:
                new, old = Path(staged, "new"), Path(staged, "old")
                self._keep_others(new)
                _write(new, self._files)
                _exchange(self._folder, new, old)
        except OSError as error:
            message = f"`{self._folder}` could not be written: {error.strerror or error}."
            raise PlaceError(message, hint="Choose another folder with `-o`.", elsewhere=ELSEWHERE) from error

    def _is_up_to_date(self) -> bool:
        if self._before is None or self._before.text.encode() != self._files[MANIFEST]:
            return False
        return all(_digest_at(self._folder / name) == digest for name, digest in self._before.files.items())

    def _keep_others(self, new: Path) -> None:
        """Link what lies there and is not ours; what Python keeps of our modules, it makes anew."""
        new.mkdir()
        ours = {*self._files, MANIFEST, *(self._before.files if self._before else ())}
        if not self._folder.is_dir():
            return
        for path in self._folder.rglob("*"):
            name = path.relative_to(self._folder)
            is_folder = path.is_dir() and not path.is_symlink()
            if is_folder or name.as_posix() in ours or "__pycache__" in name.parts:
                continue
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(path, new / name, follow_symlinks=False)


def _manifest(folder: Path) -> Manifest | None:
    try:
        return Manifest.read((folder / MANIFEST).read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _refuse_loss(folder: Path, manifest: Manifest | None) -> None:
    """Raise `PlaceError` where something in the folder is not as an export left it."""
    if manifest is None:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            message = (
                f"The script needs a folder `{folder}`, and what is there already was not made by an export."
            )
            raise PlaceError(message, hint=FORCE, elsewhere=ELSEWHERE, loses="engine")
        return
    _refuse_edited(folder, manifest.files)


def _others(folder: Path, files: Mapping[str, bytes], manifest: Manifest | None) -> Mapping[str, str]:
    """Files that are to be written and were in no export yet, by digest."""
    known = {MANIFEST, *(manifest.files if manifest is not None else ())}
    names = [name for name in files if name not in known and (folder / name).exists()]
    return {name: digest_of(files[name]) for name in names}


def _refuse_edited(folder: Path, files: Mapping[str, str]) -> None:
    """Raise `PlaceError` where files are there and not as these digests say."""
    edited = [
        name
        for name, digest in files.items()
        if (found := _digest_at(folder / name)) is not None and found != digest
    ]
    if edited:
        more = f" and {len(edited) - 1} more" if len(edited) > 1 else ""
        message = f"`{folder / edited[0]}`{more} was edited since it was exported and would be lost."
        raise PlaceError(message, hint=FORCE, elsewhere=ELSEWHERE, loses="engine")


def _digest_at(path: Path) -> str | None:
    """The digest of a file; None where there is none, or an empty one, as a power cut may leave it."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return digest_of(data) if data else None


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _exchange(folder: Path, new: Path, old: Path) -> None:
    """Put the new folder in the place of the old one; where that fails, the old one is put back."""
    is_there = folder.exists()
    if is_there:
        folder.rename(old)
    try:
        new.rename(folder)
    except BaseException:  # also where somebody interrupts it: what is left in `old` is removed
        if is_there:
            old.rename(folder)
        raise
