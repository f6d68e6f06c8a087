"""The stylesheet template filled with a theme's values and icons."""

import re
import tempfile
from pathlib import Path

import platformdirs

from studio import places
from studio.ui.theme.icons import icon_source
from studio.ui.theme.tokens import Theme

NAME = re.compile(r"\{\{(?:icon:(?P<icon>\w+)@)?(?P<value>\w+\.\w+)\}\}")


def render_stylesheet(theme: Theme, cache: Path | None = None) -> str:
    """Fill `themes/style.qss`; raises `ThemeError` for a name that the theme or the icons do not have.

    A stylesheet can take icons from files only: those in the theme's colours are written to `cache`.
    """
    folder = cache or _cache_folder()

    def fill(found: re.Match[str]) -> str:
        if found["icon"]:
            return _icon_file(folder, found["icon"], theme.color(found["value"])).as_posix()
        return theme.value(found["value"])

    return NAME.sub(fill, (places.themes() / "style.qss").read_text("utf-8"))


def _icon_file(folder: Path, name: str, color: str) -> Path:
    file = folder / f"{name}-{color[1:]}.svg"
    source = icon_source(name, color)
    if not file.is_file() or file.read_text("utf-8") != source:
        file.write_text(source, "utf-8")
    return file


def _cache_folder() -> Path:
    folder = platformdirs.user_cache_path("stepwire", appauthor=False) / "icons"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:  # a home that cannot be written is no reason to show no window
        return Path(tempfile.mkdtemp(prefix="stepwire-icons-"))
