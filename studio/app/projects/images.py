"""The pictures that the window shows: those that runs have sent, and those that lie in the project."""

from studio.errors import ToolError
from studio.llm.images import LARGEST, media_type_of
from studio.runtime.resources.folder import ProjectFolder
from studio.store.reader import RunStore
from studio.workspace.project import Project

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
LONGEST_PATH = 400


class ProjectImages:
    """Finds pictures of one project; a missing one is None, and not an error."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def sent(self, sha256: str) -> bytes | None:
        """Give a picture that a run has sent, as it was then."""
        return RunStore(self._project.private).images.read(sha256)

    def named(self, text: str) -> bytes | None:
        """Give the picture that a text names by its path in the project, where it is one."""
        if len(text) > LONGEST_PATH or not text.lower().endswith(SUFFIXES):
            return None
        try:
            data = ProjectFolder(self._project.root).read_bytes(text)
        except ToolError:
            return None
        return data if media_type_of(data) and len(data) <= LARGEST else None
