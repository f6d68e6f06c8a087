"""Two debate what sang.

Exported by Stepwire 0.1.0 from debate.json (flow 0123456789ab).
"""

from typing import Any

from stepwire_kit import Flow
from stepwire_kit.nodes import debate, member

flow = Flow("Two debate what sang")


@flow
async def two_debate(task: str = "What sang in the hedge?") -> dict[str, Any]:
    """Two agents answer and read each other's answers."""
    ada = member("ada", name="Ada", instructions="You know birds.")
    ben = member("ben", name="Ben", instructions="You doubt everything.")
    debated = await debate("debate", task, agents=[ada, ben], rounds=2)
    return {"answer": debated.reply}


if __name__ == "__main__":
    flow.main()
