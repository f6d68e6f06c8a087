"""Which version of a flow a script is made from: so that its traces are shown on the right one."""

from dataclasses import replace
from hashlib import sha256

from studio.flow.files import codec
from studio.flow.records import Flow, Layout


def version_of(flow: Flow) -> str:
    """Name what a flow does; it keeps the name when its boxes, frames and notes are moved or written."""
    return sha256(codec.digest_text(replace(flow, layout=Layout())).encode()).hexdigest()[:12]
