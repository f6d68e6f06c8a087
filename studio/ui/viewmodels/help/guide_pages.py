"""The pages of the guide: what they are called, and where they lie."""

import re
from pathlib import Path

from studio.places import resources

CONTENTS = "README.md"
"""The page that lists the others, in their order."""
_LINKED = re.compile(r"^\d+\. \[([^\]]+)\]\(([\w-]+\.md)\)", re.MULTILINE)


def guide_folder() -> Path:
    """Give the folder of the pages."""
    return resources() / "guide"


def guide_pages(folder: Path) -> dict[str, str]:
    """Give the title of each page by the name of its file, in the order of the contents."""
    listed = _LINKED.findall((folder / CONTENTS).read_text("utf-8"))
    return {name: title for title, name in listed}
