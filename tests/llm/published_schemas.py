"""What providers publish of their requests, and what of a body does not keep to it."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

FOLDER = Path(__file__).with_name("published")
Body = Mapping[str, Any]


def departure(body: Body) -> str:
    """Say how a body departs from what is published; empty where it does not. It is told by its fields."""
    name = "chat_completions" if "messages" in body else "responses" if "stream" in body else "embeddings"
    error = best_match(_validator(name).iter_errors(body))
    return "" if error is None else f"{error.json_path}: {error.message}"


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))
