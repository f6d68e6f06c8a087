"""Join text: join several texts with a separator.

The pieces come in the order of their wires; pieces that are absent, because a branch went another way,
leave no gap.

```json
{
  "inputs": {"parts": ["Two siskins", "", "a wren"]},
  "settings": {"separator": ", "},
  "outputs": {"text": "Two siskins, a wren"}
}
```
"""

from typing import Annotated

from studio.bounds.weights import refuse_larger
from studio.sdk import In, Out, Setting, node


@node("text.join", title="Join text", keywords=("concatenate", "glue", "combine"))
def join_text(
    parts: Annotated[list[str], In("The pieces, in wire order")],
    *,
    separator: Annotated[str, Setting("Separator", editor="text")] = "\n",
    skip_blank: Annotated[bool, Setting("Skip blank pieces")] = True,
) -> Annotated[str, Out("text", "The joined text")]:
    """Glue `parts` into one text."""
    kept = [part for part in parts if part.strip() or not skip_blank]
    refuse_larger(sum(len(part) + len(separator) for part in kept))
    return separator.join(kept)
