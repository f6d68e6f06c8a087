"""Pieces of source that scripts take: where each stands, and which names, arguments and parameters it has."""

import ast
from dataclasses import dataclass, field

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
OWN = ("studio", "nodes")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a name comes from: a module, and what it is called there (empty: the module itself)."""

    module: str
    name: str

    @property
    def is_own(self) -> bool:
        """Whether it is defined in code that can be lifted, instead of imported by the script."""
        return self.module.partition(".")[0] in OWN or self.module.startswith("stepwire_")


@dataclass(frozen=True, slots=True)
class Use:
    """A name in a piece of source that is not its own: where it stands, as offsets in the file."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passed:
    """An argument `keyword=parameter` that only hands on what a function was given, where it stands."""

    called: str
    keyword: str
    parameter: str
    default: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that may be left out, where it stands, and where it is used."""

    name: str
    default: str
    start: int
    end: int
    uses: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Piece:
    """A stretch of a file that is lifted or left out as one: a definition, a member, a marked statement."""

    name: str
    start: int
    end: int
    node: ast.stmt
    uses: list[Use] = field(default_factory=list[Use])
    attributes: set[str] = field(default_factory=set[str])
    keywords: set[str] = field(default_factory=set[str])
    positional: dict[str, int] = field(default_factory=dict[str, int])
    """How many arguments calls pass by position, by the name of what is called."""
    referred: set[str] = field(default_factory=set[str])
    """The names that stand elsewhere than where they are called."""
    passed: list[Passed] = field(default_factory=list[Passed])
    """The arguments that hand on what the function was given; they are not among the `keywords`."""
    parameters: list[Parameter] = field(default_factory=list[Parameter])
    """Its parameters, in a function, that may be left out."""
    required: set[str] = field(default_factory=set[str])
    """Its parameters without a default."""
    star: tuple[int, int] | None = None
    """Where the star stands behind which its parameters are given by name."""
    by_name: set[str] = field(default_factory=set[str])
    cuts: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """What is never lifted: the marks of `Annotated`, and `ONLY_WITH`."""
    needs: str = ""
    """The field without which it is left out, where that is said of it."""
    parts: list["Piece"] = field(default_factory=list["Piece"])
    """What of it may be left out: its marked statements, whose names are not among its own."""


@dataclass(slots=True)
class Definition:
    """A top-level definition; a class has its members apart."""

    origin: Origin
    node: ast.stmt
    head: Piece
    members: list[Piece] = field(default_factory=list[Piece])
    fields: list[str] = field(default_factory=list[str])
    """The fields of a class, or parameters of a function, in the order in which it is given them."""
    values: dict[str, str] = field(default_factory=dict[str, str])
    """What the fields of a class are without a value (required: empty)."""

    @property
    def start(self) -> int:
        """Where it begins in its file."""
        return self.head.start
