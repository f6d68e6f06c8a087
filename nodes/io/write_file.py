"""Write file: write text to a file of the project.

The path is relative to the project and cannot leave it; missing folders are made. The file is written
whole or not at all.

```json
{
  "inputs": {"text": "Three species."},
  "settings": {"path": "out/answer.md"},
  "outputs": {"file": "out/answer.md"}
}
```
"""

from pathlib import Path
from typing import Annotated

from studio.building_blocks.settings.files import FilePath
from studio.sdk import Context, Effect, In, Out, Setting, node


@node(
    "io.write_file",
    title="Write file",
    effect=Effect.SIDE_EFFECT,
    accesses={"files": ""},
    keywords=("save", "store", "append"),
)
def write_file(
    context: Context,
    text: Annotated[str, In("What to write")],
    *,
    path: FilePath = "out/text.txt",
    append: Annotated[bool, Setting("Append", help="Append to the file instead of replacing it")] = False,
) -> Annotated[Path, Out("file", "The file that was written")]:
    """Write `text` to `path`, ending with a line break."""
    folder = context.folder()
    whole = text if text.endswith("\n") else f"{text}\n"
    if append:
        return Path(folder.append_text(path, whole))
    return Path(folder.write_text(path, whole))
