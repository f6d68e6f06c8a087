from pathlib import Path

import stepwire_kit
import studio.kit
from tests.kit.interface import interface

STORED = Path(__file__).with_name("interface.txt")


def test_the_public_interface_changes_only_with_the_file_that_announces_it() -> None:
    now = list(interface())
    assert now == STORED.read_text("utf-8").splitlines(), "run `python -m tests.kit.interface`"


def test_both_import_names_give_the_same_objects() -> None:
    for name in studio.kit.__all__:
        assert getattr(stepwire_kit, name) is getattr(studio.kit, name)


def test_a_name_that_the_kit_does_not_have_is_refused() -> None:
    assert not hasattr(stepwire_kit, "no_such_name")
