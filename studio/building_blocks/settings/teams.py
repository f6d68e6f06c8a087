"""Settings and outputs of teams."""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator

from studio.building_blocks.teams.ballots import Same, Ties
from studio.building_blocks.teams.team_answers import Form
from studio.building_blocks.teams.termination import ENDS_HELP, FACTS
from studio.building_blocks.teams.transcript import AtFault
from studio.sdk import In, Json, Message, Out, Setting
from studio.sdk.expressions import expression_over

TeamTask: TypeAlias = Annotated[str, In("The task for the team")]
"""What a team is asked to do."""

HearingEdges: TypeAlias = Annotated[Json, In("Who hears whom, if it is computed: see the help")]
"""Who hears whom, in the place of what is set: read by `teams/topologies.py`."""

TeamQuestion: TypeAlias = Annotated[str, In("The question for all agents")]
"""What all agents of a team are asked."""

EndsWhen: TypeAlias = Annotated[
    str,
    Setting("Ends when", editor="expression", help=ENDS_HELP),
    AfterValidator(expression_over(*FACTS, optional=True)),
]
"""The rule by which a team ends, asked after each turn."""

MemberAtFault: TypeAlias = Annotated[
    AtFault, Setting("If a member fails", help="Fail, or continue with the error as its message")
]
"""What becomes of a conversation in which a member fails."""

AgentAtFault: TypeAlias = Annotated[
    AtFault, Setting("If an agent fails", help="Fail, or continue without it")
]
"""What becomes of a team of which an agent fails."""

SameAnswer: TypeAlias = Annotated[
    Same, Setting("Same answer", help="Same words or number, or exactly the same text")
]
"""When two answers count as one."""

AnswersAs: TypeAlias = Annotated[
    Form, Setting("Answers as", help="Plain text, or JSON with reason and answer")
]
"""How agents give their answers."""

AnswerMarker: TypeAlias = Annotated[
    str, Setting("Answer marker", help="Text before the answer, such as Answer: ; empty: the whole reply")
]
"""The text behind which the answer stands in a reply."""

TieRule: TypeAlias = Annotated[Ties, Setting("Tie", help="First answer wins, random choice, or fail")]
"""What decides between answers with as many votes."""

Parallel: TypeAlias = Annotated[int, Setting("Parallel", minimum=1, maximum=100)]
"""How many agents work at a time."""

AgreementToStop: TypeAlias = Annotated[
    float, Setting("Agreement to stop", minimum=0, maximum=1, help="Share that ends it; 0: never")
]
"""The part of a team that has to agree for it to end."""

MaxRounds: TypeAlias = Annotated[
    int, Setting("Max. rounds", minimum=1, maximum=100, help="Including the first")
]
"""How many rounds there are at the most."""

MaxTurns: TypeAlias = Annotated[int, Setting("Max. turns", minimum=1, maximum=1000)]
"""How many turns there are at the most."""

SharedInstructions: TypeAlias = Annotated[
    str, Setting("Shared instructions", editor="text", help="Added to every agent's instructions")
]
"""What all agents are told beside their own instructions."""

JudgesProfile: TypeAlias = Annotated[
    str, Setting("Judge's profile", editor="profile", help="Empty: same as the run")
]
"""The chat profile of the judge of a team."""

RoundsTable: TypeAlias = Annotated[
    list[Json], Out("rounds", "Each answer: round, speaker, answer, reason, changed", type="json[]")
]
"""What was answered in each round."""

AllMessages: TypeAlias = Annotated[list[Message], Out("messages", "The task and all messages")]
"""All that was said."""
