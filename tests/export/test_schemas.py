"""Tests of `studio.export.lifted.schemas`: a script says of an answer what a run says of it."""

from typing import Any

import pytest

from studio.export.lifted.schemas import complaints as said_by_scripts
from studio.sdk.prelude.schema_bounds import complaints
from tests.sdk.test_schemas import DEPARTURES


@pytest.mark.parametrize(("value", "schema", "_said"), DEPARTURES)
def test_the_library_alone_complains_in_the_same_words(
    value: Any, schema: dict[str, Any], _said: str
) -> None:
    said = list(dict.fromkeys(complaints(value, schema, "it")))
    assert list(dict.fromkeys(said_by_scripts(value, schema, "it"))) == said != []


def test_a_script_fetches_nothing_that_a_schema_refers_to() -> None:
    with pytest.raises(Exception, match="Unresolvable"):
        list(said_by_scripts(1, {"$ref": "https://example.org/schema.json"}, "it"))
