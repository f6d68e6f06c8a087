"""Find notes by meaning.

Exported by Stepwire 0.1.0 from remembering.json (flow 0123456789ab).
"""

from typing import Any

from stepwire_kit import Flow
from stepwire_kit.nodes import recall, remember, vector

flow = Flow("Find notes by meaning")


@flow
async def find_notes(query: str = "Which bird sang?") -> dict[str, Any]:
    """Two notes are kept, and the nearest is found."""
    notes = vector("notes", keep="project", most=1)
    await remember("kept", notes, ["A wren sang in the hedge.", "The pump was repaired."])
    found = await recall("found", notes, query)
    return {"found": found.text}


if __name__ == "__main__":
    flow.main()
