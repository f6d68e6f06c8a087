"""What a step asks of others, and what they answer: language models, tools, people."""

from typing import Literal, TypeAlias

from studio.ids import MADE_UP
from studio.trace.events.values import Plain, frequent


@frequent
class TextStreamed:
    """A piece of an answer arrived; provisional until the answer is complete."""

    text: str
    kind: Literal["text_streamed"] = "text_streamed"


@frequent
class ChatRequested:
    """A language model is asked; `request` is `studio.llm.client.request_to_json`.

    `fallback` has the profiles that are asked in turn should this one not be reached, or refuse.
    """

    profile: str
    request: Plain
    fallback: tuple[str, ...] = ()
    kind: Literal["chat_requested"] = "chat_requested"


MADE_UP_LABEL = "made_up"
"""The label of values that were made from made-up answers."""


@frequent
class ChatAnswered:
    """A complete answer came. Tokens as the endpoint counted them; `cost` in US dollars.

    `others` has the messages beside `message`, where several samples were asked for; `log_probabilities`,
    where they were asked for, those of the tokens of `message` and of each of the others
    (`studio.llm.log_probabilities.tokens_to_json`). `reasoning_tokens` are part of `output_tokens`.
    """

    message: Plain
    finish_reason: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    llm: str = ""
    others: tuple[Plain, ...] = ()
    reasoning_tokens: int = 0
    log_probabilities: tuple[Plain, ...] = ()
    kind: Literal["chat_answered"] = "chat_answered"

    @property
    def tokens(self) -> int:
        """Tokens in and out together."""
        return self.input_tokens + self.output_tokens

    @property
    def is_made_up(self) -> bool:
        """Whether nobody gave it: it was made up to fit."""
        return self.llm == MADE_UP


@frequent
class EmbedRequested:
    """A language model is asked for vectors of texts; `dimensions` is how long they are to be."""

    profile: str
    texts: tuple[str, ...]
    dimensions: int | None = None
    kind: Literal["embed_requested"] = "embed_requested"


@frequent
class EmbedAnswered:
    """The vectors came, in the order of the texts; `cost` in US dollars."""

    vectors: Plain
    input_tokens: int = 0
    cost: float | None = None
    llm: str = ""
    kind: Literal["embed_answered"] = "embed_answered"

    @property
    def tokens(self) -> int:
        """Tokens in; none come out."""
        return self.input_tokens

    @property
    def is_made_up(self) -> bool:
        """Whether nobody gave them: they are of no language model."""
        return self.llm == MADE_UP


@frequent
class AnswerReused:
    """What follows in this step was not asked for again: it is the answer, or result, of `step` in `run`.

    It was paid for then; its tokens and cost do not count again.
    """

    run: str
    step: str
    kind: Literal["answer_reused"] = "answer_reused"


@frequent
class ToolCalled:
    """A tool is run; `arguments` is the parsed object."""

    tool: str
    arguments: Plain
    call_id: str = ""
    effect: str = "pure"
    kind: Literal["tool_called"] = "tool_called"


@frequent
class ToolAnswered:
    """The tool answered; with `is_error` the text says why it could not."""

    tool: str
    text: str
    is_error: bool = False
    labels: tuple[str, ...] = ()
    kind: Literal["tool_answered"] = "tool_answered"


@frequent
class ApprovalAsked:
    """A person is asked to fill a form: a question and a JSON Schema."""

    question: str
    schema: Plain
    kind: Literal["approval_asked"] = "approval_asked"


@frequent
class ApprovalGiven:
    """A person answered."""

    answer: Plain
    kind: Literal["approval_given"] = "approval_given"


Decision: TypeAlias = Literal["allow", "ask", "deny"]


@frequent
class PolicyDecided:
    """Whether something may be started or reached was decided, or left to a person; `rule` says by what."""

    decision: Decision
    subject: str
    rule: str
    kind: Literal["policy_decided"] = "policy_decided"
