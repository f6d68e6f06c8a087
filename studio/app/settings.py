"""What the window remembers between sessions: theme, recent projects, where the docks stood.

Kept in the user's configuration folder; nothing here belongs to a project, and nothing is secret.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import platformdirs

from studio.app.kept import Kept, Trouble
from studio.app.listeners import Listeners

MOST_RECENT = 12


CONFIG_VARIABLE = "STEPWIRE_CONFIG"
"""Names another folder for the user's configuration; run hosts are told it so."""


def config_folder(environ: Mapping[str, str]) -> Path:
    """Name the folder of this user's configuration, by the customs of the system; it may not exist yet."""
    if chosen := environ.get(CONFIG_VARIABLE):
        return Path(chosen)
    return Path(platformdirs.user_config_dir("stepwire", appauthor=False))


class Settings:
    """The user's preferences. Each is written when it changes; listeners are told its name."""

    def __init__(self, folder: Path, on_trouble: Trouble | None = None) -> None:
        self._kept = Kept(folder / "settings.json", on_trouble)
        self._values = self._kept.read()
        self._changed: Listeners[str] = Listeners()

    def on_change(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Hear the name of each setting that changed; returns the function that ends it."""
        return self._changed.subscribe(listener)

    @property
    def theme(self) -> str:
        """The name of the chosen theme; empty follows the system."""
        return self.text("theme")

    @theme.setter
    def theme(self, name: str) -> None:
        self.set_text("theme", name)

    @property
    def recent(self) -> list[Path]:
        """Projects and flows opened last, the latest first, as far as they still exist."""
        found = self._values.get("recent")
        texts = cast("list[object]", found) if isinstance(found, list) else []
        return [path for text in texts if isinstance(text, str) and (path := Path(text)).exists()]

    def remember(self, path: Path) -> None:
        """Put `path` at the head of the recent projects."""
        resolved = path.expanduser().resolve()
        paths = [resolved, *(one for one in self.recent if one != resolved)]
        self._set("recent", [str(one) for one in paths[:MOST_RECENT]])

    @property
    def open_flows(self) -> list[Path]:
        """The flows that were open when the window was closed, in the order of their tabs.

        The one that was in front comes once more, last.
        """
        found = self._values.get("open_flows")
        texts = cast("list[object]", found) if isinstance(found, list) else []
        return [path for text in texts if isinstance(text, str) and (path := Path(text)).is_file()]

    @open_flows.setter
    def open_flows(self, paths: list[Path]) -> None:
        self._set("open_flows", [str(path) for path in paths])

    @property
    def window_state(self) -> str:
        """Where the window and its docks stood, as base64; empty at first."""
        return self.text("window_state")

    @window_state.setter
    def window_state(self, state: str) -> None:
        self.set_text("window_state", state)

    @property
    def keys(self) -> Mapping[str, tuple[str, ...]]:
        """The keys that the person chose, by the id of their command; what cannot be read is left out."""
        found = self._values.get("keys")
        named = cast("dict[str, object]", found) if isinstance(found, dict) else {}
        return {
            command: tuple(key for key in cast("list[object]", keys) if isinstance(key, str))
            for command, keys in named.items()
            if isinstance(keys, list)
        }

    @keys.setter
    def keys(self, keys: Mapping[str, tuple[str, ...]]) -> None:
        self._set("keys", {command: list(chosen) for command, chosen in keys.items()})

    def text(self, name: str, default: str = "") -> str:
        """Give a preference that is a text."""
        found = self._values.get(name, default)
        return found if isinstance(found, str) else default

    def set_text(self, name: str, value: str) -> None:
        """Change a preference that is a text."""
        self._set(name, value)

    def _set(self, name: str, value: object) -> None:
        if self._values.get(name) != value:
            self._values[name] = value
            self._kept.write(self._values)
            self._changed.tell(name)
