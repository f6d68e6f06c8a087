"""A run in one file, for other people: a ZIP archive of what happened in it and the pictures that it sent.

`bundle.json` says what it is, `entries.jsonl` has one entry a line, `images/` the pictures under their
hashes. Whoever made it may be anybody: names are compared with a closed list, and what is read has bounds.
"""

import hashlib
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

import orjson
from pydantic import TypeAdapter, ValidationError

from studio.errors import StoreError
from studio.ids import RunId
from studio.store.images import IMAGES
from studio.trace.events import Entry, entry_from_json, entry_to_json
from studio.trace.events.values import Plain

FORMAT: Final = "stepwire.run"
VERSION: Final = 1
SUFFIX: Final = ".swrun"
MOST_BYTES: Final = 2 << 30
"""Bytes of a bundle when unpacked; an archive of a few kilobytes can claim any number."""
LONGEST_LINE: Final = 256 << 20
"""Bytes of one entry."""
LARGEST_HEAD: Final = 1 << 20
HEAD: Final = "bundle.json"
ENTRIES: Final = "entries.jsonl"

_HASH = re.compile(r"[0-9a-f]{64}\Z")
_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,80}\Z")
_SEGMENT = re.compile(r"[^\x00-\x1f\x7f/@]+(?:@[0-9]{1,9})?\Z")
"""Of a step's name: between slashes."""
_LONG_NUMBER = re.compile(r"[0-9]{10}")
LONGEST_STEP: Final = 4_096
LATEST: Final = 2.0**34
"""A time after that of every run that there will be; calendars have no room for any time at all."""
_UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, OSError, EOFError),
    *(NotImplementedError, RuntimeError, ValueError),
)
"""What reading a damaged, or a hostile, archive may raise."""

Hide = Callable[[str], str]
"""Gives a text without what is nobody else's business."""


class BundleError(StoreError):
    """A file is no bundle of a run, or one that cannot be read."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class BundleHead:
    """What a bundle says of itself: the run, the name of its flow, and how many entries there are."""

    run: str
    flow_name: str
    entries: int
    made: float
    """Seconds since the epoch."""
    format: str = FORMAT
    version: int = VERSION


_HEAD = TypeAdapter(BundleHead)


def is_bundle(path: Path) -> bool:
    """Whether a file is a bundle of a run, by what it says of itself."""
    try:
        return path.is_file() and zipfile.is_zipfile(path) and HEAD in zipfile.ZipFile(path).namelist()
    except _UNREADABLE:
        return False


def write_bundle(
    path: Path,
    head: BundleHead,
    entries: Iterable[Entry],
    image: Callable[[str], bytes | None],
    hide: Hide,
) -> None:
    """Write a run to a file that is not there yet; every text in it has gone through `hide`.

    `image` gives a picture by its hash, None where it is not kept any more. Raises `OSError`.
    """
    seen: dict[str, None] = {}
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
        told = replace(head, flow_name=hide(head.flow_name))
        archive.writestr(HEAD, orjson.dumps(asdict(told), option=orjson.OPT_INDENT_2))
        with archive.open(ENTRIES, "w", force_zip64=True) as file:
            for entry in entries:
                plain = orjson.loads(entry_to_json(entry))
                seen.update(dict.fromkeys(_images_of(plain)))
                file.write(orjson.dumps(_hidden(plain, hide)) + b"\n")
        for sha256 in seen:
            data = image(sha256)
            if data is not None:
                archive.writestr(f"{IMAGES}/{sha256}", data, zipfile.ZIP_STORED)


class Bundle:
    """A bundle that is read; raises `BundleError` for one that is damaged, too large, or newer."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._archive = zipfile.ZipFile(path)
            self._members = self._checked(self._archive.infolist())
            with self._archive.open(HEAD) as file:
                self.head = _read_head(file.read(LARGEST_HEAD), path)
        except (*_UNREADABLE, KeyError) as error:
            raise self._damaged(str(error)) from error

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def entries(self) -> Iterator[Entry]:
        """Give what happened in the run, in order, as far as it goes."""
        try:
            with self._archive.open(ENTRIES) as file:
                while line := file.readline(LONGEST_LINE + 1):
                    if len(line) > LONGEST_LINE:
                        raise self._damaged("an entry is too long")
                    yield _sound(entry_from_json(line))
        except ValidationError as error:
            raise self._damaged("it contains unknown events") from error
        except (*_UNREADABLE, KeyError) as error:
            raise self._damaged(str(error)) from error

    def images(self) -> Iterator[tuple[str, bytes]]:
        """Give the pictures that the run sent, with their hashes; what is not what it says is left out."""
        for name in self._members:
            folder, _, sha256 = name.partition("/")
            if folder != IMAGES:
                continue
            try:
                data = self._archive.read(name)
            except _UNREADABLE as error:
                raise self._damaged(str(error)) from error
            if hashlib.sha256(data).hexdigest() == sha256:
                yield sha256, data

    def _checked(self, members: Sequence[zipfile.ZipInfo]) -> list[str]:
        """Name what is inside; raises where it is something else than a bundle has, or too large."""
        if sum(one.file_size for one in members) > MOST_BYTES:
            raise self._damaged(f"it would take more than {MOST_BYTES >> 30} GB")
        if any(one.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} for one in members):
            raise self._damaged("its compression is not supported")  # others take any memory they like
        names = [one.filename for one in members]
        for name in names:
            folder, _, rest = name.partition("/")
            if name not in {HEAD, ENTRIES} and not (folder == IMAGES and _HASH.match(rest)):
                raise self._damaged(f"it has a file `{name[:80]}`, which no bundle has")
        if len(set(names)) < len(names):
            raise self._damaged("it contains two files with the same name")
        return names

    def _damaged(self, reason: str) -> BundleError:
        return BundleError(
            f"`{self._path.name}` is not a readable run bundle: {reason}.",
            hint="Bundle the run again: `stepwire runs bundle RUN -o FILE`.",
        )


def _read_head(body: bytes, path: Path) -> BundleHead:
    plain = orjson.loads(body)
    version = cast("dict[str, Any]", plain).get("version") if isinstance(plain, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise BundleError(
            f"`{path.name}` was made by a newer Stepwire.", hint="Open it with a newer version of this one."
        )
    head = _HEAD.validate_python(plain)
    if head.format != FORMAT or not _RUN.match(head.run):
        message = "it does not name its run"
        raise ValueError(message)
    return head


def _sound(entry: Entry) -> Entry:
    """Give an entry that everything can be done with that shows runs; raises `ValueError` for another."""
    for name in (entry.step, entry.parent):
        is_step = len(name) <= LONGEST_STEP and all(_SEGMENT.match(one) for one in name.split("/"))
        if name and (not is_step or _LONG_NUMBER.search(name)):
            message = f"no step is called `{name[:80]}`"
            raise ValueError(message)
    if not 0 <= entry.time < LATEST:
        message = f"nothing happened at the time {entry.time}"
        raise ValueError(message)
    return entry


def run_of(head: BundleHead) -> RunId:
    """Name the run of a bundle."""
    return RunId(head.run)


def _hidden(value: Plain, hide: Hide) -> Plain:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, list):
        return [_hidden(one, hide) for one in cast("list[Plain]", value)]
    if isinstance(value, dict):
        return {hide(key): _hidden(one, hide) for key, one in cast("dict[str, Plain]", value).items()}
    return value


def _images_of(value: Plain) -> Iterator[str]:
    """The hashes of all pictures in plain JSON."""
    waiting: list[Plain] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += cast("list[Plain]", one)
        elif isinstance(one, dict):
            found = cast("dict[str, Plain]", one)
            sha256 = found.get("sha256")
            if isinstance(sha256, str) and _HASH.match(sha256):
                yield sha256
            waiting += found.values()
