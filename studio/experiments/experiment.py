"""What an experiment is: variants of flows, the rows of a dataset, how often, and what scores the trials.

A file `experiments/NAME.json` of a project says it (`files.py`). All here are validated values; what they
name (flows, columns, checks) is looked up when the experiment is opened (`opening.py`).
"""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from studio.experiments.patches import Edit
from studio.flow.records import Json
from studio.runtime.gates.faults import Fault

_Name = Annotated[str, StringConstraints(pattern=r"^[\w][\w .+-]{0,62}$")]
_Path = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

MOST_COMBINED = 256
"""Combinations of the levels of factors."""

REFERENCE = r"^(outputs|inputs|row|trace)\.[^.].*$"
"""What a scorer is given: an output or an input of the trial, a column of its row, or what its run tells."""


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
    faults: tuple[Fault, ...] = ()
    """What goes wrong in its trials on purpose."""


class ScorerUse(_Record):
    """What scores a trial: a check node, a flow or a trajectory metric, its settings, and what it is given.

    `given` has for each of its inputs `outputs.NAME`, `inputs.NAME`, `row.COLUMN` or `trace.NAME`.
    """

    check: str = ""
    """The kind of a check node, such as `check.score`."""
    flow: str = ""
    """A flow of the project with an output `score`, and perhaps `ok` and `reason`."""
    trajectory: str = ""
    """What is held against what is expected, such as `tool_calls` (`trajectories.py`)."""
    settings: Mapping[str, Json] = Field(default_factory=dict[str, Json])
    given: Mapping[str, Annotated[str, StringConstraints(pattern=REFERENCE)]] = Field(
        default_factory=dict[str, str]
    )
    chat: str = ""
    """The chat profile of a judge; empty: that of the experiment."""


class Stop(_Record):
    """When it ends early: a sequential rule by the first scorer (`figures/sequential.py`)."""

    looks: int = Field(default=5, ge=2, le=20)
    """How often it is asked whether the question is decided, the end included."""
    spending: Literal["obrien-fleming", "pocock"] = "obrien-fleming"
    """How the error is spent: late, so that the end has nearly all of it, or about the same at each look."""
    within: float | None = Field(default=None, gt=0, le=1)
    """It ends as well when a difference of as much is ruled out; None: only when one is better."""


class Experiment(_Record):
    """Variants × rows × repeats, and the scorers; the first scorer is what the variants are compared by."""

    name: str = ""
    description: str = ""
    dataset: DatasetUse
    rows: Literal["sample", "fixed"] = "sample"
    """Whether the rows stand for others like them, or are all that there are: what an interval is about."""
    variants: Mapping[_Name, Variant] = Field(default_factory=dict[str, Variant])
    factors: Mapping[_Name, Mapping[_Name, Variant]] = Field(default_factory=dict[str, Mapping[str, Variant]])
    """By factor and level what is different; each combination is a variant (`figures/factors.py`)."""
    baseline: str = ""
    """The variant that others are compared with; empty: the first."""
    repeats: int = Field(default=1, ge=1, le=10_000)
    row_passes: float = Field(default=0.5, gt=0, le=1)
    """The share of a row's repeats that have to pass for the row to pass (in JUnit)."""
    seed: int = 1
    chat: str = ""
    """The chat profile of all variants; empty: the project's default."""
    limits: Mapping[str, float] = Field(default_factory=dict[str, float])
    """What one trial may spend: `cost` (US dollars), `tokens`, `seconds`, `steps`, `calls`."""
    scorers: Mapping[_Name, ScorerUse] = Field(default_factory=dict[str, ScorerUse])
    stop: Stop | None = None
    """When it ends before all is run; None: never."""
    made_up: bool = False
    """Whether answers that nobody gave are allowed: the figures then say nothing of a model."""

    @property
    def compared_with(self) -> str:
        """The name of the baseline."""
        return self.baseline or next(iter(self.tried))

    @property
    def tried(self) -> Mapping[str, Variant]:
        """All variants by name: those that are named, and the combinations of factors."""
        return {**self.variants, **{combined_name(one): self._combined(one) for one in self.combinations}}

    @property
    def combinations(self) -> Sequence[tuple[str, ...]]:
        """Every combination of one level of each factor, in the order of the factors."""
        return list(product(*self.factors.values())) if self.factors else []

    def _combined(self, levels: Sequence[str]) -> Variant:
        """One variant of several levels; of what only one can say, the last that says it holds."""
        parts = [self.factors[name][level] for name, level in zip(self.factors, levels, strict=True)]
        limits = {name: limit for one in parts for name, limit in one.limits.items()}
        return Variant(
            flow=next((one.flow for one in reversed(parts) if one.flow), ""),
            patch=tuple(edit for one in parts for edit in one.patch),
            chat=next((one.chat for one in reversed(parts) if one.chat), ""),
            limits=limits,
            faults=tuple(fault for one in parts for fault in one.faults),
        )

    @model_validator(mode="after")
    def _has_variants(self) -> Self:
        """Refuse what has nothing to try, factors with a single level, and too many combinations."""
        if not self.variants and not self.factors:
            raise ValueError("variants or factors are required")
        for name, levels in self.factors.items():
            if len(levels) < 2:
                raise ValueError(f"the factor `{name}` needs two levels at least")
        if prod(map(len, self.factors.values())) > MOST_COMBINED:
            raise ValueError(f"the factors have more than {MOST_COMBINED} combinations")
        combined = set(map(combined_name, self.combinations))
        for name in self.variants:
            if name in combined:
                raise ValueError(f"`{name}` is a variant and a combination of levels")
        return self


def combined_name(levels: Sequence[str]) -> str:
    """Name the variant that a combination of levels makes."""
    return " + ".join(levels)
