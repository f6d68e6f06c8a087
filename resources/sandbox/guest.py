"""What runs inside the box: CPython in WebAssembly, snapshotted after this module was imported.

There is no disk in the box, so what code may import has to be imported here.
"""

import importlib
import io
import json
import linecache
import sys

import wit_world
from componentize_py_types import Err

MODULES = """
abc array ast base64 binascii bisect calendar cmath codecs collections collections.abc colorsys configparser
contextlib contextvars copy csv dataclasses datetime decimal difflib enum fnmatch fractions functools graphlib
hashlib heapq hmac html html.parser inspect io itertools json keyword math numbers operator pathlib pickle
pprint random re secrets shlex statistics string struct textwrap time tomllib traceback types typing
unicodedata urllib.parse uuid warnings xml.etree.ElementTree zlib zoneinfo
""".split()

FILE = "<code>"
MOST_PRINTED = 1_000_000
"""Characters that one call may print; what is more is dropped."""

for _name in MODULES:
    importlib.import_module(_name)

# What Python imports only when it is first needed: to tell an error, to read a codec.
for _name in ("_strptime", "encodings.utf_8", "encodings.latin_1", "encodings.ascii", "encodings.idna"):
    importlib.import_module(_name)
str(b"warm", "ascii")


class _Lines(io.TextIOBase):
    """Hands out what is printed, line by line."""

    def __init__(self):
        self._line = ""
        self._left = MOST_PRINTED

    def writable(self):
        return True

    def write(self, text):
        kept = text[: self._left]
        self._left -= len(kept)
        *lines, self._line = (self._line + kept).split("\n")
        for line in lines:
            wit_world.write_line(_whole(line))
        return len(text)

    def finish(self):
        if self._line:
            wit_world.write_line(_whole(self._line))
            self._line = ""


class ToolRefused(Exception):
    """A granted tool said no, or a tool was not granted."""


def call_tool(name, /, **arguments):
    """Call a granted tool; gives its answer as text, and raises `ToolRefused` with its words."""
    try:
        return wit_world.call_tool(name, _written(arguments, "The arguments of a tool have"))
    except Err as error:
        raise ToolRefused(error.value) from None


def _written(value, what):
    try:
        return _whole(json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"{what} a value that JSON cannot say: {error}") from None


def _whole(text):
    """The text with its half surrogates replaced; none of them has a place outside."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _plain(value):
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None and not isinstance(value, type):
        return {name: getattr(value, name) for name in fields}
    raise TypeError(f"`{type(value).__name__}`")


def _told(error):
    """The error as JSON: its class, its words, and the line of the code where it came from."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == FILE else 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    kind = type.__getattribute__(type(error), "__name__")
    try:
        words = error.msg if isinstance(error, SyntaxError) else str(error)
    except BaseException:
        words = "its message cannot be shown"
    return json.dumps({"kind": str(kind), "message": str(words)[:4000], "line": line or 0})


def _reseed():
    # The generator was seeded before the snapshot was taken, the same for everyone.
    import random

    random.seed()


class WitWorld(wit_world.WitWorld):
    """The box's one door."""

    def run(self, code, function, arguments):
        lines = _Lines()
        sys.stdout = sys.stderr = lines
        _reseed()
        linecache.cache[FILE] = (len(code), None, code.splitlines(True), FILE)
        scope = {"__name__": "__code__", "call_tool": call_tool, "ToolRefused": ToolRefused}
        try:
            exec(compile(code, FILE, "exec", dont_inherit=True), scope)
            given = scope.get(function)
            if not callable(given):
                raise NameError(f"there is no function `{function}`")
            return _written(given(**json.loads(arguments)), "The result has")
        except BaseException as error:
            raise Err(_told(error)) from None
        finally:
            lines.finish()
