"""Text: a fixed text.

Use it for a passage that several nodes need, or to try a node out before its input is wired.

```json
{"settings": {"text": "Good morning."}, "outputs": {"text": "Good morning."}}
```
"""

from typing import Annotated

from studio.sdk import Out, Setting, node


@node("text.text", title="Text", keywords=("constant", "string", "prompt"))
def text(
    *,
    text: Annotated[str, Setting("Text", editor="text")] = "",
) -> Annotated[str, Out("text", "The text")]:
    """Give `text` as it is."""
    return text
