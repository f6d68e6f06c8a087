"""Ready parts: small flows with prompts for a real language model, put into any flow as they stand."""

from collections.abc import Mapping
from functools import cache

from studio import places
from studio.flow.files.codec import loads
from studio.flow.records import Flow


@cache
def ready_parts() -> Mapping[str, Flow]:
    """The parts that come with the studio, by the names of their files; read once in a process."""
    files = sorted((places.resources() / "parts").glob("*.json"))
    return {file.stem: loads(file.read_text("utf-8")).flow for file in files}
