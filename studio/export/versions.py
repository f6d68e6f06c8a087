"""Which version of a flow a script is made from: so that its traces are shown on the right one."""

from hashlib import sha256

from studio.flow import codec
from studio.flow.records import Flow


def version_of(flow: Flow) -> str:
    """Name a flow as it is now; the same flow always has the same name."""
    return sha256(codec.dumps(flow).encode()).hexdigest()[:12]
