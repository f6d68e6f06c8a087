"""The user's own prices, edited as rows of a table and written whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from studio.errors import UsageError
from studio.llm.prices import MILLION, Price, Prices
from studio.workspace.prices import user_file
from studio.workspace.whole_file import write_whole

HEAD = "# Your own prices in US dollars per million tokens; they count before those of Stepwire.\n\n"


@dataclass(frozen=True, slots=True)
class PriceRow:
    """A price as it is typed; `cached` may be empty, which means as `input`."""

    names: str = ""
    input: str = ""
    cached: str = ""
    output: str = ""
    as_of: str = ""

    @classmethod
    def of(cls, price: Price) -> "PriceRow":
        """Give the row in which a price is shown."""
        shown = [f"{one:.12g}" for one in (price.input, price.cached, price.output)]
        return cls(", ".join(price.names), shown[0], shown[1], shown[2], price.as_of)

    def price(self, today: date) -> Price:
        """Read it; raises `UsageError` with what is wrong. What has no day is of today."""
        names = tuple(name.strip().casefold() for name in self.names.split(",") if name.strip())
        if not names:
            message = "A price needs the name of a model; `*` matches anything."
            raise UsageError(message)
        dollars = {"input": _dollars(self.input, names[0]), "output": _dollars(self.output, names[0])}
        cached = _dollars(self.cached, names[0]) if self.cached.strip() else dollars["input"]
        return Price(names, dollars["input"], dollars["output"], cached, self.as_of or today.isoformat())


def read_rows(rows: Sequence[PriceRow], today: date) -> Prices:
    """Read all rows; raises `UsageError` for the first that is wrong."""
    return Prices(tuple(row.price(today) for row in rows))


def save_prices(prices: Prices, environ: Mapping[str, str]) -> None:
    """Write the user's list; the comments at its head stay. Raises `UsageError` where it can't be written."""
    path = user_file(environ)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        old = path.read_text("utf-8") if path.exists() else HEAD
        write_whole(path, prices.dump(_head(old)).encode())
    except OSError as error:
        message = f"`{path}` could not be written: {error.strerror or error}."
        raise UsageError(message, hint="Your prices are unchanged.") from error


def _head(text: str) -> str:
    """The comments before the first line that says something."""
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.strip() and not line.lstrip().startswith("#"):
            break
        lines.append(line)
    return "".join(lines)


def _dollars(text: str, name: str) -> float:
    try:
        number = float(text.strip().removeprefix("$"))
    except ValueError:
        number = -1.0
    if not 0 <= number < MILLION:
        message = f"The price “{text.strip()}” of `{name}` is not a number."
        raise UsageError(message, hint="Enter US dollars per million tokens, such as 0.25.")
    return number
