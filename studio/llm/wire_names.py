"""Names and ids that every endpoint takes, for what another language model or endpoint made up."""

import hashlib
import re

LONGEST_NAME = 64
LONGEST_ID = 40
ODD = re.compile(r"[^a-zA-Z0-9_-]")


def sendable_name(name: str) -> str:
    """Give the name of a called tool as it may be sent back; language models call what they were not offered.

    OpenAI refuses a whole conversation for one name that is not of `[a-zA-Z0-9_-]{1,64}`.
    """
    return ODD.sub("_", name)[:LONGEST_NAME] or "unnamed"


def sendable_id(call: str) -> str:
    """Give the id of a tool call as it may be sent back, the same wherever it stands.

    An id is kept, unless it has more than 40 characters or unusual ones, as those of other endpoints may
    when a conversation goes on elsewhere.
    """
    if call and len(call) <= LONGEST_ID and not ODD.search(call):
        return call
    return f"call_{hashlib.sha256(call.encode('utf-8', 'replace')).hexdigest()[:24]}"
