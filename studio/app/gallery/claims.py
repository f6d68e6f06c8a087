"""What a system of the gallery claims of its mechanism, as data: what is to be seen in a run of it.

A claim is a sentence, a run (flow and inputs; the main flow with its own inputs, where none are named) and
what is expected in its trace. Where an expectation looks is named by one field, how it is compared by others:

| looks at | |
|---|---|
| `output` | what the flow gives at an output |
| `speak` | the members and tools that a step called, in order |
| `asked`, `said` | the words that went to the first call that fits (`nth`: the second …), and those it gave |
| `count` | how many steps and calls fit; a claim that something never happens expects 0 |
| `order` | whether one that fits each follows one that fits the one before |
| `at_once` | whether all that fit were under way at one moment |
| `value` | what a JMESPath query finds in the run as `claim_checks.plain_run` gives it |

Steps and calls are named as in the trace, with the tool or member in the place of its number: `debate:quick`,
`lead:coder/coder:chat`, `each.2/ask`; `*` stands for anything.
"""

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    model_validator,
)

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
SUBJECTS = ("output", "speak", "asked", "said", "count", "order", "at_once", "value")
TELLING = frozenset({"order", "at_once"})
"""Those that are true or not by themselves."""


class Expectation(BaseModel, frozen=True):
    """One thing that is to be seen in a run."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    output: Words | None = None
    speak: Words | None = None
    asked: Words | None = None
    said: Words | None = None
    count: Words | None = None
    order: tuple[Words, ...] | None = Field(default=None, min_length=2)
    at_once: tuple[Words, ...] | None = Field(default=None, min_length=1)
    value: Words | None = None
    nth: int = Field(default=1, ge=1)
    exactly: JsonValue = Field(default=None, alias="is")
    has: str | tuple[str, ...] = ()
    lacks: str | tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None

    @property
    def subject(self) -> str:
        """The field that says where to look."""
        return next(name for name in SUBJECTS if getattr(self, name) is not None)

    @property
    def all_has(self) -> Sequence[str]:
        """The texts that have to be there."""
        return (self.has,) if isinstance(self.has, str) else self.has

    @property
    def all_lacks(self) -> Sequence[str]:
        """The texts that must not be there."""
        return (self.lacks,) if isinstance(self.lacks, str) else self.lacks

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        named = [name for name in SUBJECTS if getattr(self, name) is not None]
        if len(named) != 1:
            raise ValueError(f"this needs one of {', '.join(f'`{one}`' for one in SUBJECTS)}")
        compared = self.model_fields_set & {"exactly", "has", "lacks", "least", "most"}
        if bool(compared) == (named[0] in TELLING):
            raise ValueError(
                f"`{named[0]}` is compared with nothing"
                if compared
                else "this needs one of `is`, `has`, `lacks`, `least`, `most`"
            )
        if "nth" in self.model_fields_set and named[0] not in {"asked", "said"}:
            raise ValueError("`nth` belongs to `asked` and `said`")
        return self


class Claim(BaseModel, frozen=True):
    """A sentence about a mechanism, and what of it is to be seen in a run."""

    model_config = ConfigDict(extra="forbid")

    says: Words
    flow: str = ""
    """A flow of the project; its main one, where none is named."""
    inputs: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    expects: tuple[Expectation, ...] = ()
    fails: str = ""
    """Words of the error that the run ends with: what nobody there knows is said, not answered otherwise."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.expects and not self.fails:
            raise ValueError("this needs `expects`, or `fails` for a run that is to end with an error")
        return self
