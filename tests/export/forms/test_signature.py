"""Whether a script was edited: its docstring has a digest of everything else."""

import pytest

from studio.export.forms.signature import is_as_exported, is_signed, signed
from tests.export.forms.subjects import subject

TEXT = subject("answer")


def test_what_was_exported_is_known_again_however_its_lines_end() -> None:
    text = signed(TEXT)
    assert is_as_exported(text) is True
    assert is_as_exported(text.replace("\n", "\r\n")) is True
    assert signed(text) == text


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("4", "5", 1),
        lambda text: text + "\n",
        lambda text: "# mine\n" + text,
        lambda text: text.replace("Digest of this export: ", "Digest of this export: 0"),
        lambda text: text.replace("Exported by Stepwire 0", "Exported by Stepwire 1"),
    ],
    ids=["number", "end", "top", "digest", "version"],
)
def test_any_edit_is_seen(edit) -> None:  # noqa: ANN001
    assert is_as_exported(edit(signed(TEXT))) is False


def test_an_export_without_a_digest_counts_as_edited_and_another_script_is_none() -> None:
    assert is_as_exported(TEXT) is False
    assert not is_signed(TEXT)
    assert is_as_exported("print('mine')\n") is None
    assert signed("print('mine')\n") == "print('mine')\n"


def test_the_digest_stands_in_the_docstring_also_where_that_ends_at_once() -> None:
    text = signed('"""Short.\n\nExported by Stepwire 0.1.0 from a.json (flow 1)."""\n\nprint()\n')
    assert is_as_exported(text) is True
    compile(text, "script", "exec")
    assert text.count('"""') == 2
    assert signed(text) == text
