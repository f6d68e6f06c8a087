import json
import re
from pathlib import Path
from typing import cast

import jsonschema

from studio.flow.files.codec import digest_text, dumps, dumps_variant
from studio.flow.files.schema import flow_schema, schema_text
from studio.flow.files.variant import KEYS
from studio.flow.records import Json
from tests.flow.builders import flow, review

SCHEMA = Path(__file__).parents[2] / "resources" / "schema" / "flow.schema.json"


def test_the_schema_that_ships_is_the_one_that_the_code_gives() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()


def test_the_schema_knows_every_key_that_a_file_has() -> None:
    keys = re.findall(r'^  "(\w+)":', digest_text(review()), flags=re.MULTILINE)
    assert set(keys) == set(properties_of("else"))
    assert set(KEYS) == set(properties_of("then"))


def properties_of(form: str) -> dict[str, Json]:
    found = flow_schema()[form]
    assert isinstance(found, dict)
    return cast("dict[str, Json]", found["properties"])


def test_what_is_saved_fits_the_schema() -> None:
    validator = jsonschema.Draft202012Validator(flow_schema())
    other = flow({"critic": "llm.agent", "more": "text.join"}, "critic.reply -> more.parts")
    for text in (dumps(review()), dumps_variant(other, review(), "flow.json")):
        assert [one.message for one in validator.iter_errors(json.loads(text))] == []
    assert not validator.is_valid({"format": "stepwire.flow", "version": 1, "of": "a.json", "nodes": {}})
