"""What is lifted is made plainer: what says nothing of its own, or speaks of what is gone, is left out."""

from studio.export.python.folding import folded
from studio.export.python.pieces import Origin
from studio.export.python.sayings import without_sayings

BASE, MIDDLE, END = (Origin("errors", name) for name in ("BaseError", "MiddleError", "EndError"))
CLASSES = {
    BASE: 'class BaseError(Exception):\n    """Any."""\n\n    hint = ""',
    MIDDLE: 'class MiddleError(BaseError):\n    """Some."""',
    END: 'class EndError(MiddleError):\n    """One."""',
}
METHODS = '''\
class Context:
    """What is used."""

    async def chat(self, text: str) -> str:
        """Ask."""
        return await self.asked(text)

    async def asked(self, text: str) -> str:
        """Ask once."""
        return text'''
HEIR = '''\
class Traced(Context):
    """Tells."""

    async def asked(self, text: str) -> str:
        """Tell."""
        return await super().asked(text)'''


def test_a_class_that_is_only_inherited_from_is_left_out_unless_somebody_catches_it() -> None:
    assert folded(CLASSES, set()) == {
        BASE: CLASSES[BASE],
        END: CLASSES[END].replace("MiddleError", "BaseError"),
    }
    assert folded(CLASSES, {"MiddleError"}) == CLASSES


def test_so_are_several_that_inherit_from_one_another() -> None:
    last = Origin("errors", "LastError")
    found = folded({**CLASSES, last: 'class LastError(EndError):\n    """Last."""'}, set())
    assert list(found) == [BASE, last]
    assert "class LastError(BaseError)" in found[last]


def test_a_method_that_only_calls_another_is_that_one_in_classes_that_inherit_it_too() -> None:
    one, heir = Origin("context", "Context"), Origin("trace", "Traced")
    found = folded({one: METHODS, heir: HEIR}, set())
    assert [text.count("asked") for text in found.values()] == [0, 0]
    assert '"""Ask."""\n        return text' in found[one]
    assert "super().chat(text)" in found[heir]


def test_a_method_that_others_call_as_well_stays() -> None:
    one = Origin("context", "Context")
    again = '    async def again(self) -> str:\n        """Ask again."""\n        return await self.asked("")'
    more = f"{METHODS}\n\n{again}"
    assert folded({one: more}, set()) == {one: more}


def test_sentences_about_what_is_gone_go_with_it() -> None:
    text = '''\
class Reply:
    """What was said; `data` where it was asked for.

    Of several `samples`, the first. It is `reply`.
    """

    reply: str'''
    assert '"""What was said.\n\n    It is `reply`.\n    """' in without_sayings(text, {"data", "samples"})
    assert without_sayings(text, {"reply"}) == text, "what is still there may be spoken of"
