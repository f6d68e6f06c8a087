"""Read file: read a text file of the project.

The path is relative to the project and cannot leave it. A path that arrives at `path` is read instead of
the one in the settings.

```json
{
  "files": {"data/note.txt": "4 May. A dunnock."},
  "settings": {"file": "data/note.txt"},
  "outputs": {"text": "4 May. A dunnock."}
}
```
"""

from typing import Annotated

from studio.building_blocks.settings.files import FilePath, GivenPath
from studio.sdk import Context, Out, node


@node("io.read_file", title="Read file", keywords=("load", "open", "text"), heavy=True)
def read_file(
    context: Context,
    path: GivenPath = "",
    *,
    file: FilePath = "",
) -> Annotated[str, Out("text", "The text of the file")]:
    """Read the UTF-8 text at `path`, or else at `file`."""
    return context.folder().read_text(path or file)
