"""Files and pictures that are sent with a message: they have to lie in the project, and are put there."""

import hashlib
import re
from pathlib import Path

from studio.app.projects.named_files import finds_files
from studio.errors import UsageError
from studio.flow.records import Json
from studio.llm.images import LARGEST, image_of, image_to_json, media_type_of
from studio.workspace.files import SaveError
from studio.workspace.project import Project
from studio.workspace.whole_file import write_whole

FOLDER = "data/attached"
"""Where files from elsewhere are copied to."""
LARGEST_FILE = 100 << 20
SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}


def attach_file(project: Project, path: Path) -> str:
    """Give a file's path in the project, copied there where it lies elsewhere; raises `UsageError`."""
    try:
        whole = path.expanduser().resolve()
        if not whole.is_file():
            raise UsageError(f"`{path.name}` is no file.", hint="Choose a file; folders cannot be sent.")
        root = project.root.resolve()
        if whole.is_relative_to(root):
            inside = whole.relative_to(root).as_posix()
            if finds_files(root)(inside) is None:
                raise UsageError(f"`{inside}` is hidden, and hidden files are not open to flows.")
            return inside
        if whole.stat().st_size > LARGEST_FILE:
            raise UsageError(
                f"`{path.name}` has more than {LARGEST_FILE >> 20} MiB.",
                hint="Put it into the project yourself.",
            )
        return _put(project, whole.name, whole.read_bytes())
    except OSError as error:
        raise UsageError(f"`{path.name}` could not be read: {error.strerror or error}.") from error


def attach_picture(project: Project, data: bytes) -> str:
    """Put a picture that was pasted into the project; gives its path. Raises `UsageError`."""
    suffix = SUFFIXES.get(media_type_of(data))
    if suffix is None or len(data) > LARGEST:
        raise UsageError(
            "This is no picture that language models take.",
            hint=f"PNG, JPEG, GIF or WebP, {LARGEST >> 20} MiB at most.",
        )
    return _put(project, f"picture-{hashlib.sha256(data).hexdigest()[:10]}{suffix}", data)


def is_picture(project: Project, path: str) -> bool:
    """Whether a file of the project is a picture that can be sent to a language model."""
    try:
        with (project.root / path).open("rb") as file:
            return bool(media_type_of(file.read(16)))
    except (OSError, ValueError):
        return False


def pictures_sent(project: Project, paths: tuple[str, ...]) -> list[dict[str, Json]]:
    """Pictures as messages name them; those that are gone, or are none, are left out."""
    found: list[dict[str, Json]] = []
    for path in paths:
        try:
            found.append({**image_to_json(image_of(path, (project.root / path).read_bytes()))})
        except (OSError, ValueError):
            continue
    return found


def _put(project: Project, name: str, data: bytes) -> str:
    """Write a file under a free name; the very same file is not written twice."""
    clean = re.sub(r"[^\w.\- ]+", "_", name).strip(". ") or "file"
    folder = project.root / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stem, suffix = Path(clean).stem, Path(clean).suffix
        path, number = folder / clean, 1
        while path.exists() and path.read_bytes() != data:
            number += 1
            path = folder / f"{stem}-{number}{suffix}"
        if not path.exists():
            write_whole(path, data)
    except OSError as error:
        raise SaveError(
            f"`{clean}` could not be put into the project: {error.strerror or error}.",
            hint="Make the project's folder writable.",
        ) from error
    return f"{FOLDER}/{path.name}"
