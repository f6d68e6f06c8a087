"""Count words in code of the flow's own.

Exported by Stepwire 0.1.0 from counting.json (flow 0123456789ab).
"""

from typing import Any

from stepwire_kit import Flow
from stepwire_kit.nodes import python

COUNT = """\
def main(text: str) -> int:
    return len(text.split())
"""

flow = Flow("Count words")


@flow
async def count_words(text: str = "A wren sang.") -> dict[str, Any]:
    """The code runs in the sandbox."""
    counted = await python("count", code=COUNT, text=text)
    return {"words": counted.result}


if __name__ == "__main__":
    flow.main()
