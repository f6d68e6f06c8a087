"""What the window remembers between sessions: theme, recent projects, where the docks stood.

Kept in the user's configuration folder; nothing here belongs to a project, and nothing is secret.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from studio.app.kept_documents import KeptDocument, documents_of, kept_texts
from studio.app.listeners import Listeners
from studio.workspace.stored_documents import Kept, Trouble

MOST_RECENT = 12
OWN_FOLDER = "Stepwire"
"""The folder at home for copies of published systems."""


@dataclass(frozen=True, slots=True)
class KeptSteps:
    """What is remembered of the first steps."""

    is_open: bool | None = None
    """Whether they are shown; None until somebody opened or closed them."""
    done: Sequence[str] = ()


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
        return [path for path in self._paths("recent") if path.exists()]

    def remember(self, path: Path) -> None:
        """Put `path` at the head of the recent projects."""
        resolved = path.expanduser().resolve()
        paths = [resolved, *(one for one in self.recent if one != resolved)]
        self._set("recent", [str(one) for one in paths[:MOST_RECENT]])

    @property
    def documents(self) -> list[KeptDocument]:
        """The documents that were open when the window was closed, in the order of their tabs."""
        return documents_of(self._values)

    @documents.setter
    def documents(self, documents: list[KeptDocument]) -> None:
        self._values.pop("open_flows", None)  # the form before this one
        self._values.pop("open_scripts", None)
        self._set("documents", kept_texts(documents))

    @property
    def open_flows(self) -> list[Path]:
        """The flows of these, as they are opened again: the one that was in front comes once more, last."""
        kept = self.documents
        opened = [one.flow for one in kept if one.kind == "flow"]
        return [*opened, *(one.flow for one in kept if one.is_front)]

    @property
    def split(self) -> float:
        """The part of the width that the left one has of two documents that stand beside one another."""
        found = self._values.get("split")
        return found if isinstance(found, float) and 0 < found < 1 else 0.5

    @split.setter
    def split(self, share: float) -> None:
        self._set("split", share)

    @property
    def window_process(self) -> int:
        """The process whose window was opened last and is not closed; 0 where it was closed."""
        found = self._values.get("window_process")
        return found if isinstance(found, int) else 0

    @window_process.setter
    def window_process(self, process: int) -> None:
        self._set("window_process", process)

    @property
    def window_state(self) -> str:
        """Where the window and its docks stood, as base64; empty at first."""
        return self.text("window_state")

    @window_state.setter
    def window_state(self, state: str) -> None:
        self.set_text("window_state", state)

    @property
    def docks(self) -> str:
        """What the person opened and closed around the canvas: `library+ messages-`."""
        return self.text("docks")

    @docks.setter
    def docks(self, hand: str) -> None:
        self.set_text("docks", hand)

    @property
    def keys(self) -> Mapping[str, tuple[str, ...]]:
        """The keys that the person chose, by the id of their command; what cannot be read is left out."""
        found = self._values.get("keys")
        named = cast("dict[str, object]", found) if isinstance(found, dict) else {}
        return {
            command: tuple(_texts(cast("object", keys)))
            for command, keys in named.items()
            if isinstance(keys, list)
        }

    @keys.setter
    def keys(self, keys: Mapping[str, tuple[str, ...]]) -> None:
        self._set("keys", {command: list(chosen) for command, chosen in keys.items()})

    @property
    def own_folder(self) -> Path:
        """Where new projects and copies of systems go: what the person chose last, else a folder at home."""
        chosen = self.text("own_folder")
        return Path(chosen) if chosen else Path.home() / OWN_FOLDER

    @own_folder.setter
    def own_folder(self, folder: Path) -> None:
        self.set_text("own_folder", str(folder))

    @property
    def first_steps(self) -> KeptSteps:
        """How far the person came with the first steps."""
        found = self._values.get("first_steps")
        kept = cast("dict[str, object]", found) if isinstance(found, dict) else {}
        is_open = kept.get("is_open")
        return KeptSteps(is_open if isinstance(is_open, bool) else None, tuple(_texts(kept.get("done"))))

    def keep_first_steps(self, *, is_open: bool, done: Sequence[str]) -> None:
        """Remember whether the first steps are shown, and which are done."""
        self._set("first_steps", {"is_open": is_open, "done": list(done)})

    def text(self, name: str, default: str = "") -> str:
        """Give a preference that is a text."""
        found = self._values.get(name, default)
        return found if isinstance(found, str) else default

    def set_text(self, name: str, value: str) -> None:
        """Change a preference that is a text."""
        self._set(name, value)

    def _paths(self, name: str) -> list[Path]:
        return [Path(text) for text in _texts(self._values.get(name))]

    def _set(self, name: str, value: object) -> None:
        if self._values.get(name) != value:
            self._values[name] = value
            self._kept.write(self._values)
            self._changed.tell(name)


def _texts(found: object) -> list[str]:
    """The texts of a kept list; what is none is left out."""
    listed = cast("list[object]", found) if isinstance(found, list) else []
    return [one for one in listed if isinstance(one, str)]
