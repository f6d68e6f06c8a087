"""Themes as named values, read from `themes/*.toml` and complete or refused; knows no Qt."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from studio import places
from studio.errors import StepwireError

Value = TypeVar("Value")

MEASURES = "measures"
"""The file whose values hold in every theme."""

COLORS: Mapping[str, tuple[str, ...]] = {
    "surface": (
        *("window", "canvas", "grid", "panel", "raised", "hover", "pressed", "selection"),
        *("line", "edge"),
    ),
    "text": ("strong", "normal", "muted", "disabled"),
    "accent": ("action", "hover", "pressed", "on_action", "focus"),
    "state": ("running", "done", "held", "failed", "skipped", "on_state"),
    "pill": ("running", "done", "held", "failed", "skipped"),
    "port": (
        *("text", "number", "flag", "json", "message", "file", "any"),
        *("tool", "memory", "agent"),
    ),
    "category": (
        *("io", "text", "value", "llm", "tools", "control", "memory", "team", "plan"),
        *("human", "environment", "check"),
    ),
    "area": tuple(f"{area}{part}" for area in ("loop", "map", "frame") for part in ("", "_line", "_title")),
    "frame": tuple(
        f"{color}{part}" for color in ("blue", "green", "amber", "red", "violet") for part in ("", "_fill")
    ),
    "note": ("paper", "line"),
    "score": ("low", "middle", "high"),
    "series": ("first", "second", "third", "fourth", "fifth", "sixth"),
    "shadow": ("color",),
}
NUMBERS: Mapping[str, tuple[str, ...]] = {
    "type": ("small", "label", "body", "heading", "title", "normal", "strong"),
    "space": ("hair", "tight", "small", "normal", "large", "wide"),
    "radius": ("bar", "field", "node", "area"),
    "size": ("hairline", "focus", "row", "control", "button", "icon", "scrollbar", "dot"),
    "motion": ("quick", "normal"),
    "shadow": ("blur", "offset", "opacity"),
}
WORDS: Mapping[str, tuple[str, ...]] = {"type": ("family", "mono")}


class ThemeError(StepwireError):
    """A theme that is not complete, or a name that no theme has; `details` has one line for each."""

    def __init__(self, message: str, details: tuple[str, ...] = (), *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.details = details

    def __str__(self) -> str:
        return "\n  ".join((super().__str__(), *self.details))


@dataclass(frozen=True, slots=True)
class Theme:
    """One look: every colour, number and word that the window may use, by `table.name`."""

    name: str
    title: str
    is_dark: bool
    colors: Mapping[str, str]
    numbers: Mapping[str, float]
    words: Mapping[str, str]

    def color(self, name: str) -> str:
        """The colour called `surface.panel`, as `#rrggbb`; raises `ThemeError` for an unknown name."""
        return _known(self.colors, name)

    def number(self, name: str) -> float:
        """The length, weight or time called `space.small`; raises `ThemeError` for an unknown name."""
        return _known(self.numbers, name)

    def length(self, name: str) -> int:
        """The same as whole pixels, for what Qt measures in integers."""
        return round(self.number(name))

    def word(self, name: str) -> str:
        """The font family called `type.mono`; raises `ThemeError` for an unknown name."""
        return _known(self.words, name)

    def value(self, name: str) -> str:
        """Any of them as a stylesheet writes it; raises `ThemeError` for an unknown name."""
        if name in self.numbers:
            return f"{self.numbers[name]:g}"
        return _known({**self.colors, **self.words}, name)


def theme_names(folder: Path | None = None) -> tuple[str, ...]:
    """The names of the themes that are there, sorted."""
    found = (file.stem for file in (folder or places.themes()).glob("*.toml"))
    return tuple(sorted(name for name in found if name != MEASURES))


def load_theme(name: str, folder: Path | None = None) -> Theme:
    """Read the theme called `dark`; raises `ThemeError` naming every value that is missing or unknown."""
    folder = folder or places.themes()
    if name not in (names := theme_names(folder)):
        raise ThemeError(f"There is no theme `{name}`.", hint=f"There are: {', '.join(names)}.")
    own = _read(folder / f"{name}.toml")
    title, scheme = own.pop("title", ""), own.pop("scheme", "")
    values = {**_flat(_read(folder / f"{MEASURES}.toml")), **_flat(own)}
    wrong = [] if title else ["`title` is missing"]
    if scheme not in {"dark", "light"}:
        wrong.append('`scheme` is neither "dark" nor "light"')
    colors = {key: str(values.pop(key, "")) for key in _names(COLORS)}
    wrong += [
        f"`{key}` is not a colour such as #1e2128: {text!r}"
        for key, text in colors.items()
        if not _is_color(text)
    ]
    numbers: dict[str, float] = {}
    for key in _names(NUMBERS):
        value = values.pop(key, None)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            numbers[key] = float(value)
        else:
            wrong.append(f"`{key}` is not a number of zero or more: {value!r}")
    words = {key: str(values.pop(key, "")) for key in _names(WORDS)}
    wrong += [f"`{key}` is missing" for key, text in words.items() if not text]
    wrong += [f"`{key}` is a name that the window does not know" for key in values]
    if wrong:
        raise ThemeError(
            f"The theme `{name}` cannot be used.", tuple(wrong), hint=f"Fix {folder / name}.toml."
        )
    return Theme(name, str(title), scheme == "dark", colors, numbers, words)


def _read(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ThemeError(f"The theme file `{file}` cannot be read: {error}.") from error


def _flat(tables: Mapping[str, object]) -> dict[str, object]:
    """Turn tables into `table.name`; what stands outside a table keeps its name and is refused later."""
    flat: dict[str, object] = {}
    for table, content in tables.items():
        if isinstance(content, dict):
            flat.update({f"{table}.{name}": value for name, value in content.items()})  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        else:
            flat[table] = content
    return flat


def _names(tables: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [f"{table}.{name}" for table, names in tables.items() for name in names]


def _is_color(text: str) -> bool:
    return re.fullmatch(r"#[0-9a-f]{6}", text) is not None


def _known(values: Mapping[str, Value], name: str) -> Value:
    if name not in values:
        raise ThemeError(f"No theme has a value called `{name}`.")
    return values[name]
