import re
from pathlib import Path

from studio.flow.codec import dumps
from studio.flow.schema import flow_schema, schema_text
from tests.flow.builders import review

SCHEMA = Path(__file__).parents[2] / "resources" / "schema" / "flow.schema.json"


def test_the_schema_that_ships_is_the_one_that_the_code_gives() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()


def test_the_schema_knows_every_key_that_a_file_has() -> None:
    properties = flow_schema()["properties"]
    assert isinstance(properties, dict)
    keys = re.findall(r'^  "(\w+)":', dumps(review()), flags=re.MULTILINE)
    assert keys == list(properties)
