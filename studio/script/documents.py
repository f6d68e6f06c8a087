"""Drawn flows in a script: the JSON of their files, or its text."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from studio.flow.files import codec
from studio.flow.records import Flow


def drawn(document: str | Mapping[str, Any]) -> Flow:
    """The flow of a document, which is read once; raises `FlowFileError` for what is none."""
    return _read(document if isinstance(document, str) else json.dumps(document, sort_keys=True))


@lru_cache(maxsize=64)
def _read(text: str) -> Flow:
    return codec.loads(text).flow
