"""What tokens cost: prices per million by the name of the language model.

The file is TOML: a list `[[price]]` with `llm` (a name or a list of names, `*` standing for anything),
`input`, `output` and optionally `cached`, in US dollars per million tokens, and optionally `as_of`, the day
on which they were looked up; where it stands before the list, it is that of all. The first match counts.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from studio.errors import UsageError
from studio.llm.client import Usage

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens for the language models whose names match one of `names`."""

    names: tuple[str, ...]
    input: float
    output: float
    cached: float
    as_of: str = ""
    """The day on which it was looked up, as ISO 8601 writes it; empty where nobody wrote it down."""

    def cost(self, usage: Usage) -> float:
        """Give the price of `usage` in US dollars."""
        fresh = max(usage.input_tokens - usage.cached_tokens, 0)
        return (
            fresh * self.input + usage.cached_tokens * self.cached + usage.output_tokens * self.output
        ) / MILLION


@dataclass(frozen=True, slots=True)
class Prices:
    """A price list; empty, it knows no price."""

    entries: tuple[Price, ...] = ()

    @classmethod
    def load(cls, source: Path | str) -> "Prices":
        """Read a price list from a file (`Path`) or from TOML text; raises `UsageError`."""
        name = str(source) if isinstance(source, Path) else "the price list"
        try:
            text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
            plain = tomllib.loads(text)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            message = f"{name} can't be read: {error}."
            raise UsageError(message) from error
        entries = plain.get("price", [])
        if not isinstance(entries, list):
            message = f"In {name}, `price` is not a list."
            raise UsageError(message, hint="Put each price under a line `[[price]]`.")
        numbered = enumerate(cast("list[object]", entries), 1)
        day = _day(plain.get("as_of"))
        return cls(tuple(_read_price(entry, f"{name}, price {number}", day) for number, entry in numbered))

    def over(self, other: "Prices") -> "Prices":
        """Give both lists as one, in which what this one says of a name counts."""
        return Prices((*self.entries, *other.entries))

    def dump(self, head: str = "") -> str:
        """Write the list as TOML that `load` reads, after `head`, which is comments."""
        return head + "\n".join(_written(one) for one in self.entries)

    def find(self, llm: str) -> Price | None:
        """Give the first price whose name matches `llm`, without regard to case."""
        wanted = llm.casefold()
        for price in self.entries:
            if any(fnmatchcase(wanted, name) for name in price.names):
                return price
        return None

    def cost(self, llm: str, usage: Usage) -> float | None:
        """Give the cost of `usage` in US dollars, or None when no price is known for `llm`."""
        price = self.find(llm)
        return None if price is None else price.cost(usage)


@runtime_checkable
class Priced(Protocol):
    """Something that answers, and says itself what that costs."""

    def prices(self) -> Prices:
        """Give its prices, by the names under which it answers."""
        ...


def _written(price: Price) -> str:
    lines = ["[[price]]", f"llm = [{', '.join(map(_quoted, price.names))}]"]
    lines += [f"{key} = {getattr(price, key)!r}" for key in ("input", "cached", "output")]
    if price.as_of:
        lines.append(f"as_of = {_quoted(price.as_of)}")
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    """Write a text as TOML does: as JSON, except for one control character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _day(value: object) -> str:
    """Read a day, which TOML has a form of its own for."""
    return value.isoformat()[:10] if isinstance(value, date) else str(value or "")


def _read_price(entry: object, place: str, day: str) -> Price:
    fields = cast("Mapping[str, object]", entry if isinstance(entry, Mapping) else {})
    names = fields.get("llm")
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not names:
        message = f"{place} does not say which `llm` it applies to."
        raise UsageError(message)
    dollars: dict[str, float] = {}
    for key in ("input", "output", "cached"):
        number = fields.get(key, dollars.get("input") if key == "cached" else None)
        if not isinstance(number, (int, float)) or isinstance(number, bool) or not 0 <= number < MILLION:
            message = f"In {place}, `{key}` is `{number}`."
            raise UsageError(message, hint="Use US dollars per million tokens.")
        dollars[key] = float(number)
    folded = tuple(str(name).casefold() for name in cast("list[object]", names))
    day = _day(fields.get("as_of")) or day
    return Price(folded, dollars["input"], dollars["output"], dollars["cached"], day)
