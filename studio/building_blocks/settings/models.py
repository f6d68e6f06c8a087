"""Settings of nodes that ask a language model."""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator

from studio.llm.client import Effort, SchemaBy
from studio.llm.log_probabilities import MOST_ALTERNATIVES
from studio.sdk import Json, Setting
from studio.sdk.schema_ports import REPAIRS_HELP, SCHEMA_BY_HELP, answer_form

ChatProfile: TypeAlias = Annotated[
    str, Setting("Chat profile", editor="profile", help="Empty: same as the run")
]
"""The chat profile that is asked; empty: that of the run."""

Temperature: TypeAlias = Annotated[
    float | None, Setting("Temperature", editor="number", minimum=0, maximum=2)
]
"""How freely a language model draws its words; None: as its endpoint does."""

Repairs: TypeAlias = Annotated[int, Setting("Max. repairs", minimum=0, maximum=10, help=REPAIRS_HELP)]
"""How often an answer that does not fit its form is sent back."""

StructuredBy: TypeAlias = Annotated[SchemaBy, Setting("Structured output by", help=SCHEMA_BY_HELP)]
"""By which means an endpoint is held to the form of an answer."""

AnswerFields: TypeAlias = Annotated[
    dict[str, Json] | None,
    Setting("Answer as", editor="schema", help="Fields of a structured answer, each an output; empty: text"),
    AfterValidator(answer_form),
]
"""The fields of a structured answer, each of which is an output."""

SystemPrompt: TypeAlias = Annotated[
    str, Setting("Instructions", editor="prompt", help="System prompt; {{name}} becomes an input")
]
"""A system prompt whose names in braces are inputs."""

MaxAnswerTokens: TypeAlias = Annotated[int | None, Setting("Max. tokens", editor="number", minimum=1)]
"""How long an answer may be."""

OwnInstructions: TypeAlias = Annotated[
    str, Setting("Instructions", editor="text", help="For the node's own model")
]
"""What the node's own model is told, beside the agents that it is lent."""

ReasoningEffort: TypeAlias = Annotated[
    Effort,
    Setting(
        "Reasoning effort", help="How much it reasons before it answers; empty: as the chat profile says"
    ),
]
"""How much a language model is to reason; not every one takes every value."""

LogProbabilities: TypeAlias = Annotated[
    int | None,
    Setting(
        "Log-probabilities",
        editor="number",
        minimum=0,
        maximum=MOST_ALTERNATIVES,
        help="Of each token, with so many alternatives; 0: of what was said alone; empty: none",
    ),
]
"""With how many alternatives the log-probabilities of tokens are asked for; None: not at all."""
