"""What an experiment is: variants of flows, the rows of a dataset, how often, and what scores the trials.

A file `experiments/NAME.json` of a project says it (`files.py`). All here are validated values; what they
name (flows, columns, checks) is looked up when the experiment is opened (`opening.py`).
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from studio.experiments.patches import Edit
from studio.flow.records import Json

_Name = Annotated[str, StringConstraints(pattern=r"^[\w][\w .+-]{0,62}$")]
_Path = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

REFERENCE = r"^(outputs|inputs|row)\.[^.].*$"
"""What a scorer is given: an output or an input of the trial, or a column of its row."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class DatasetUse(_Record):
    """Which rows there are, and which column is given to which input of the flows."""

    file: _Path
    """Its path in the project."""
    form: str = Field(default="", alias="as")
    """The name of its format (`formats.py`); empty: by the ending of its name."""
    inputs: Mapping[str, str] = Field(default_factory=dict[str, str])
    """From inputs to columns, dotted where a column holds objects; empty: columns of the inputs' names."""
    id: str = ""
    """The column that names a row; empty: `id` where there is one, and otherwise the row's place."""
    where: Mapping[str, Json] = Field(default_factory=dict[str, Json])
    """Only rows whose columns have these values."""
    first: int | None = Field(default=None, ge=1)
    """Only so many rows, from the first."""


class Variant(_Record):
    """A flow of the project, and what is different in it."""

    flow: str = ""
    """Its path in the project; empty: the project's main flow."""
    patch: tuple[Edit, ...] = ()
    chat: str = ""
    """The chat profile; empty: that of the experiment."""
    limits: Mapping[str, float] = Field(default_factory=dict[str, float])
    """What one trial may spend, over the limits of the experiment."""


class ScorerUse(_Record):
    """What scores a trial: a check node or a flow, by name and settings, and what it is given.

    `given` has for each of its inputs `outputs.NAME`, `inputs.NAME` or `row.COLUMN`.
    """

    check: str = ""
    """The kind of a check node, such as `check.score`."""
    flow: str = ""
    """A flow of the project with an output `score`, and perhaps `ok` and `reason`."""
    settings: Mapping[str, Json] = Field(default_factory=dict[str, Json])
    given: Mapping[str, Annotated[str, StringConstraints(pattern=REFERENCE)]] = Field(
        default_factory=dict[str, str]
    )
    chat: str = ""
    """The chat profile of a judge; empty: that of the experiment."""


class Experiment(_Record):
    """Variants × rows × repeats, and the scorers; the first scorer is what the variants are compared by."""

    name: str = ""
    description: str = ""
    dataset: DatasetUse
    rows: Literal["sample", "fixed"] = "sample"
    """Whether the rows stand for others like them, or are all that there are: what an interval is about."""
    variants: Mapping[_Name, Variant] = Field(min_length=1)
    baseline: str = ""
    """The variant that others are compared with; empty: the first."""
    repeats: int = Field(default=1, ge=1, le=10_000)
    seed: int = 1
    chat: str = ""
    """The chat profile of all variants; empty: the project's default."""
    limits: Mapping[str, float] = Field(default_factory=dict[str, float])
    """What one trial may spend: `cost` (US dollars), `tokens`, `seconds`, `steps`, `calls`."""
    scorers: Mapping[_Name, ScorerUse] = Field(default_factory=dict[str, ScorerUse])
    made_up: bool = False
    """Whether answers that nobody gave are allowed: the figures then say nothing of a model."""

    @property
    def compared_with(self) -> str:
        """The name of the baseline."""
        return self.baseline or next(iter(self.variants))
