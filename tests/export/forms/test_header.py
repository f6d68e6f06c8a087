"""What a script says at its top of how it is run."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from studio.export.forms.header import started, with_dependencies, with_paragraph, without_block
from studio.export.forms.scripts import alone, beside_engine
from studio.export.forms.signature import is_as_exported
from tests.export.forms.subjects import subject

BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
"""As PEP 723 has it."""


def told(text: str) -> dict[str, object]:
    [found] = [one for one in BLOCK.finditer(text) if one["type"] == "script"]
    lines = found["content"].splitlines()
    return tomllib.loads("\n".join(one[2:] if one[1:2] == " " else one[1:] for one in lines))


def test_installers_read_its_dependencies_and_a_block_is_replaced_by_the_next() -> None:
    text = with_dependencies(with_dependencies("print()\n", ["a>=1"]), ["b>=2,<3", 'c "quoted"'])
    assert told(text) == {"requires-python": ">=3.11", "dependencies": ["b>=2,<3", 'c "quoted"']}
    assert text.startswith("#!/usr/bin/env python3\n# /// script\n")
    assert without_block(text) == "print()\n"
    assert started(text) == "#!/usr/bin/env python3\nprint()\n"


@pytest.mark.parametrize("doc", ['"""One line."""', '"""Two.\n\nLines, été.\n"""', 'r"""Raw \\d."""'])
def test_a_paragraph_ends_the_docstring(doc: str) -> None:
    text = with_paragraph(f"# top\n{doc}\n\nimport json\n", "Run it with `python FILE`.")
    said = ast.get_docstring(ast.parse(text)) or ""
    assert said.endswith("\n\nRun it with `python FILE`.")
    assert text.endswith("\n\nimport json\n")


def test_a_script_without_a_docstring_stays_as_it_is() -> None:
    assert with_paragraph("import json\n", "Run it.") == "import json\n"


def test_beside_its_engine_a_script_names_libraries_of_others_alone() -> None:
    written = beside_engine(subject("answer"), libraries=["keyring"])
    asked = told(written.text)["dependencies"]
    assert asked == list(written.requirements)
    assert "openai>=3,<4" in written.requirements
    assert any(one.startswith("keyring") for one in written.requirements)
    assert not any("stepwire" in one for one in written.requirements)
    assert is_as_exported(written.text) is True


def test_alone_it_never_names_the_kit_without_saying_where_it_is() -> None:
    bare = alone(subject("remembering"))
    assert BLOCK.search(bare.text) is None
    assert "stepwire kit -o FOLDER" in bare.text
    assert "[vectors]" in bare.text
    wheel = Path("/srv/stepwire_kit-0.1.0-py3-none-any.whl")
    named = alone(subject("remembering"), wheel=wheel)
    assert told(named.text)["dependencies"] == [f"stepwire-kit[vectors] @ {wheel.as_uri()}"]
    assert is_as_exported(bare.text) is is_as_exported(named.text) is True
