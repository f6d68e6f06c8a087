"""Picture: a picture of the project, as input for a chat.

PNG, JPEG, GIF or WebP, of 10 MiB at most. What leaves is the file's name, so that a picture costs nothing
where it only passes through.

```json
{
  "files": {"data/dunnock.gif": "GIF89a, and so on"},
  "settings": {"file": "data/dunnock.gif"},
  "outputs": {"picture": "data/dunnock.gif"}
}
```
"""

from pathlib import Path
from typing import Annotated

from studio.building_blocks.files.pictures import read_images
from studio.building_blocks.settings.files import FilePath
from studio.sdk import Context, Out, node


@node("io.picture", title="Picture", keywords=("image", "photo", "file", "vision"), heavy=True)
def picture(
    context: Context,
    *,
    file: FilePath = "",
) -> Annotated[Path, Out("picture", "The picture", type="image")]:
    """Look whether `file` is a picture, and pass it on."""
    (found,) = read_images(context, [Path(file)])
    return Path(found.path)
