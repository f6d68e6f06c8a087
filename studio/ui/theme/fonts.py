"""The studio's own fonts, so that it looks the same on every machine."""

from functools import cache

from PySide6.QtGui import QFont, QFontDatabase

from studio import places
from studio.ui.theme.tokens import Theme, ThemeError


@cache
def load_fonts() -> tuple[str, ...]:
    """Make the fonts of `resources/fonts` known to Qt, once, and give their families; raises `ThemeError`."""
    families: set[str] = set()
    for file in sorted((places.resources() / "fonts").glob("*.[ot]tf")):
        number = QFontDatabase.addApplicationFont(str(file))
        if number < 0:
            raise ThemeError(f"The font `{file.name}` cannot be read.", hint="Install Stepwire again.")
        families.update(QFontDatabase.applicationFontFamilies(number))
    return tuple(sorted(families))


def font(theme: Theme, size: str = "body", *, strong: bool = False, mono: bool = False) -> QFont:
    """The theme's font of a size in its type scale (`small`, `label`, `body`, `heading`, `title`)."""
    made = QFont(theme.word("type.mono" if mono else "type.family"))
    made.setPixelSize(theme.length(f"type.{size}"))
    made.setWeight(QFont.Weight(theme.length("type.strong" if strong else "type.normal")))
    made.setFeature(QFont.Tag("calt"), 0)  # `>=` and `->` are read as they are typed
    made.setStyleHint(QFont.StyleHint.Monospace if mono else QFont.StyleHint.SansSerif)
    return made
